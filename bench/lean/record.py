"""Run the script against the servers themselves and keep what they say: menus and answers, untouched."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from bench.lean.script import CALLS, TASKS, Call
from bench.lean.servers import SERVERS, Places, Server, command, environment, fill

__all__ = ["baseline", "compact", "placed", "record"]

_PATIENCE_S = 60.0


def compact(value: object) -> str:
    """Return *value* as the JSON a client shows its model."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def baseline(result: dict[str, Any]) -> str:
    """Return what a client shows its model of *result*: its structure where it has one, else its texts."""
    if "structuredContent" in result:
        return compact(result["structuredContent"])
    return "\n".join(block["text"] for block in result["content"] if block["type"] == "text")


def placed(value: Any, places: Places) -> Any:
    """Return arguments with the data folder and the page's address in their places."""
    if isinstance(value, str):
        return fill(value, places)
    if isinstance(value, list):
        return [placed(one, places) for one in value]
    if isinstance(value, dict):
        return {name: placed(one, places) for name, one in value.items()}
    return value


@asynccontextmanager
async def _client(server: Server, places: Places) -> AsyncIterator[Client]:
    program, *arguments = command(server, places)
    start = StdioServerParameters(
        command=program, args=arguments, env=environment(server, places), cwd=places.home
    )
    with (places.home / f"{server.name}.log").open("w", encoding="utf-8") as log:
        async with Client(stdio_client(start, errlog=log)) as client:
            yield client


def _script(server: Server) -> list[Call]:
    """Return the server's calls in order: those of the script, then what the tasks add to them."""
    calls: list[Call] = []
    for call in (*CALLS, *(call for task in TASKS for call in task.calls)):
        if call.server == server.name and call not in calls:
            calls.append(call)
    return calls


async def _one(server: Server, places: Places) -> tuple[list[Any], list[dict[str, Any]]]:
    async with _client(server, places) as client:
        listed = await client.list_tools()
        menu = [
            tool.model_dump(mode="json", by_alias=True, exclude_unset=True) for tool in listed.tools
        ]
        answers = []
        for call in _script(server):
            given = placed(call.arguments, places)
            with anyio.fail_after(_PATIENCE_S):
                got = await client.call_tool(call.tool, given)
            result = got.model_dump(mode="json", by_alias=True, exclude_unset=True)
            answers.append(
                {
                    "server": call.server,
                    "tool": call.tool,
                    "arguments": given,
                    "kind": call.kind,
                    "scripted": call in CALLS,
                    "result": result,
                    "baseline": baseline(result),
                }
            )
        return menu, answers


def record(places: Places) -> dict[str, Any]:
    """Return the menus and the answers of all servers, without anything in between."""
    menus: dict[str, Any] = {}
    answers: list[dict[str, Any]] = []
    for server in SERVERS:
        menus[server.name], own = anyio.run(_one, server, places)
        answers += own
    return {"menus": menus, "answers": answers}
