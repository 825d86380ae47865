"""`bilan` over MCP: the SDK's own client in both eras of the protocol, over HTTP and over standard input and output."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from httpx2 import AsyncClient
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolResult, Implementation, TextContent

from econome.delegation.order import Caller
from econome.server import mcp
from econome.server.delegating.call import Asking, Said
from econome.server.tools import Tool
from tests.http.process import Served, served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, correction, delegation, request_id, steering, text

ERAS = ("2026-07-28", "legacy")
NOTHING = {
    "delegations": 0,
    "evites": 0,
    "pilotage": 0,
    "corrections": 0,
    "net": 0,
    "taux_reprise": None,
}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server with an empty ledger."""
    with served(tmp_path) as running:
        yield running


@asynccontextmanager
async def _over_http(server: Served, era: str) -> Any:
    headers = {"Authorization": f"Bearer {server.token}"}
    async with AsyncClient(headers=headers, trust_env=False) as http:
        transport = streamable_http_client(f"{server.url}/mcp", http_client=http)
        async with Client(transport, mode=era) as client:
            yield client


@asynccontextmanager
async def _over_stdio(directory: Path, era: str) -> Any:
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "econome", "mcp", "--data-dir", str(directory)],
        env=dict(os.environ),
    )
    async with Client(command, mode=era) as client:
        yield client


def _call(opened: Any, arguments: dict[str, Any]) -> CallToolResult:
    async def call() -> CallToolResult:
        async with opened as client:
            result: CallToolResult = await client.call_tool("bilan", arguments)
            return result

    return asyncio.run(call())


def _told(result: CallToolResult) -> Any:
    """Return the one text block of an answer as JSON; it must be compact."""
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    value = json.loads(block.text)
    assert block.text == text(value).decode("utf-8")
    return value


def _fill(server: Served) -> None:
    batch = body(delegation(1), delegation(2), delegation(3), steering(1), correction(2))
    assert server.status("POST", "/economies", batch) == 200
    with open(server.ledger.parent / "delegations.jsonl", "wb") as journal:
        for number, preset in ((1, "résumé"), (2, "code")):
            ended = {
                "date": "2026-10-17T09:12:00Z", "demande_id": request_id(number), "statut": "terminee",
                "preset": preset, "format": "texte", "modele": "qwen", "tokens_entree": 4200,
                "tokens_sortie": 900, "duree_s": 1.5,
            }  # fmt: skip
            journal.write(text(ended) + b"\n")


@pytest.mark.slow
@requirement("C-N18", "C-N19", "C-N20", "S7")
@pytest.mark.parametrize("era", ERAS)
def test_without_any_file_the_economies_are_there_and_zero(server: Served, era: str) -> None:
    for path in server.ledger.parent.glob("*.jsonl"):
        path.unlink()
    local = {"demandes": 0, "statuts": {}, "tokens_entree": 0, "tokens_sortie": 0, "duree_s": 0.0}
    expected = {
        "delegations": local,
        "economies": {"claude-code": {**NOTHING, "non_rattaches": 0, "conflits": 0}},
    }
    assert _told(_call(_over_http(server, era), {})) == expected
    assert _told(_call(_over_stdio(server.directory / "nowhere", era), {})) == expected


@pytest.mark.slow
@requirement("C-N18", "C-N19", "C-N21", "S7")
@pytest.mark.parametrize("era", ERAS)
def test_the_tool_tells_what_was_saved_by_client_and_by_preset(server: Served, era: str) -> None:
    _fill(server)
    expected = {
        "delegations": {
            "demandes": 2, "statuts": {"terminee": 2}, "tokens_entree": 8400, "tokens_sortie": 1800,
            "duree_s": 3.0,
        },
        "economies": {
            "claude-code": {
                "delegations": 3, "evites": 12000, "pilotage": 2000, "corrections": 300, "net": 9700,
                "taux_reprise": 0.025, "non_rattaches": 0, "conflits": 0,
                "par_preset": {
                    "code": {
                        "delegations": 1, "evites": 4000, "pilotage": 0, "corrections": 300,
                        "net": 3700, "taux_reprise": 0.075,
                    },
                    "résumé": {
                        "delegations": 1, "evites": 4000, "pilotage": 2000, "corrections": 0,
                        "net": 2000, "taux_reprise": 0.0,
                    },
                    "(inconnu)": {
                        "delegations": 1, "evites": 4000, "pilotage": 0, "corrections": 0,
                        "net": 4000, "taux_reprise": 0.0,
                    },
                },
            }
        },
    }  # fmt: skip
    result = _call(_over_http(server, era), {"par": "preset"})
    assert _told(result) == expected
    assert "résumé" in result.content[0].text  # type: ignore[union-attr]
    assert _told(_call(_over_stdio(server.directory, era), {"par": "preset"})) == expected


@pytest.mark.slow
@requirement("S7", "S8")
def test_the_last_days_and_one_client_can_be_asked_for(server: Served) -> None:
    batch = body(
        delegation(1, date="2026-10-16T23:59:59.999Z"),
        delegation(2, date="2026-10-17T00:00:00.000Z"),
        delegation(3, date="2026-10-17T00:00:00.000Z", client="other"),
    )
    server.status("POST", "/economies", batch)

    def counted(**arguments: Any) -> dict[str, int]:
        told = _told(_call(_over_http(server, ERAS[0]), arguments))
        return {name: found["delegations"] for name, found in told["economies"].items()}

    assert counted() == {"claude-code": 2, "other": 1}
    assert counted(jours=1) == {"claude-code": 1, "other": 1}
    assert counted(jours=2, client="claude-code") == {"claude-code": 2}
    assert counted(jours=None, client=None, par=None) == {"claude-code": 2, "other": 1}
    told = _told(_call(_over_http(server, ERAS[0]), {"par": "jour"}))["economies"]["claude-code"]
    assert {day: row["delegations"] for day, row in told["par_jour"].items()} == {
        "2026-10-16": 1, "2026-10-17": 1,
    }  # fmt: skip


@pytest.mark.slow
@requirement("S7")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"jours": 0}, ["jours", "1", "36500"]),
        ({"jours": True}, ["jours"]),
        ({"jours": 1.5}, ["jours"]),
        ({"jours": "7"}, ["jours"]),
        ({"client": ""}, ["client"]),
        ({"client": 1}, ["client"]),
        ({"par": "client"}, ["par", "preset", "format", "modele", "jour"]),
        ({"par": ["jour"]}, ["par"]),
        ({"jour": 7}, ["jour", "jours", "client", "par"]),
    ],
)
def test_a_wrong_argument_is_an_error_that_says_what_is_allowed(
    shared_server: Served, era: str, arguments: dict[str, Any], words: list[str]
) -> None:
    result = _call(_over_http(shared_server, era), arguments)
    assert result.is_error
    told = _told(result)
    assert (told.keys(), told["ok"]) == ({"ok", "erreur"}, False)
    assert [word for word in words if word not in told["erreur"]] == []


@requirement("S7")
@pytest.mark.parametrize("era", ERAS)
def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(
    shared_server: Served, era: str
) -> None:
    async def call() -> None:
        async with _over_http(shared_server, era) as client:
            await client.call_tool("deleguer_tout", {})

    with pytest.raises(BaseException) as caught:  # noqa: PT011 - a group, in one of the eras
        asyncio.run(call())
    assert caught.group_contains(MCPError) or isinstance(caught.value, MCPError)


@requirement("S1", "S7")
@pytest.mark.parametrize("era", ERAS)
def test_the_tool_says_what_it_takes_and_that_it_changes_nothing(
    shared_server: Served, era: str
) -> None:
    async def listed() -> Any:
        async with _over_http(shared_server, era) as client:
            return (await client.list_tools()).tools

    (tool,) = [tool for tool in asyncio.run(listed()) if tool.name == "bilan"]
    assert tool.output_schema is None
    assert tool.annotations.read_only_hint is True
    assert tool.input_schema["additionalProperties"] is False
    assert tool.input_schema["properties"].keys() == {"jours", "client", "par"}
    assert tool.input_schema["properties"]["par"]["enum"] == ["preset", "format", "modele", "jour"]
    assert len(tool.model_dump_json(by_alias=True, exclude_none=True)) < 700


@requirement("S1")
@pytest.mark.parametrize(
    "version, expected",
    [(v, v) for v in ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")],
)
def test_every_revision_with_a_handshake_is_spoken(
    shared_server: Served, version: str, expected: str
) -> None:
    started = {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started}
    reply = _raw(shared_server, call)
    (line,) = [line for line in reply.body.splitlines() if line.startswith(b"data: {")]
    assert json.loads(line[6:])["result"]["protocolVersion"] == expected


CLIENT = {"name": "test", "version": "1"}


def _raw(server: Served, call: object, token: str | None = None, **more: str) -> Reply:
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {token or server.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **more,
    }
    return exchange(server.port, spelt("POST", "/mcp", headers, text(call)), "POST")


@requirement("S1", "C-T3")
def test_mcp_wants_the_same_token(shared_server: Served) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    assert _raw(shared_server, call, token="A" * 43).status == 401
    session = {"Mcp-Session-Id": "0" * 32}
    assert _raw(shared_server, call, **session).status == 404
    assert _raw(shared_server, call, token="A" * 43, **session).status == 401


@requirement("S2")
def test_mcp_has_the_same_limit(shared_server: Served) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * 1_048_576}}
    reply = _raw(shared_server, call)
    assert (reply.status, reply.header("content-type")) == (413, "application/json")
    assert (reply.json.keys(), reply.json["ok"]) == ({"ok", "erreur"}, False)
    assert _raw(shared_server, call, token="A" * 43).status == 401
    assert _raw(shared_server, call, **{"Content-Encoding": "br"}).status == 413


@requirement("S2", "S3")
def test_mcp_takes_a_packed_body_and_says_of_another_type_that_it_is_wrong(
    shared_server: Served,
) -> None:
    started = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": CLIENT}
    call = text({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started})
    bearer = f"Bearer {shared_server.token}"
    given = {
        "Host": "localhost",
        "Authorization": bearer,
        "Accept": "application/json, text/event-stream",
    }

    def status(data: bytes, **more: str) -> int:
        request = spelt("POST", "/mcp", {**given, **more}, data)
        return exchange(shared_server.port, request, "POST").status

    packed = {"Content-Type": "application/json", "Content-Encoding": "gzip"}
    assert status(gzip.compress(call), **packed) == 200
    assert status(call, **packed) == 400
    assert status(gzip.compress(call + b" " * 1_048_576), **packed) == 413
    assert status(call, **{"Content-Type": "text/plain"}) == 400


@requirement("S7")
@pytest.mark.parametrize("name", ["client", "par", "\udfff"])
def test_half_a_surrogate_pair_is_an_error_of_the_tool(shared_server: Served, name: str) -> None:
    about = {"protocolVersion": "2026-07-28", "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{key}": value for key, value in about.items()}
    params = {"name": "bilan", "arguments": {name: "\ud800"}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {
        "Host": "localhost",
        "Authorization": f"Bearer {shared_server.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": "bilan",
    }
    data = spelt("POST", "/mcp", headers, json.dumps(call).encode())
    reply = exchange(shared_server.port, data, "POST")
    assert reply.status == 200
    found = reply.body[reply.body.index(b"{") :].splitlines()[0]
    result = json.loads(found)["result"]
    assert result["isError"] is True
    assert json.loads(result["content"][0]["text"])["ok"] is False


def _heard(call: Callable[[Any], Awaitable[Any]], era: str) -> Caller:
    """Return what a tool learns of its caller over a connection in memory."""
    heard: list[Caller] = []

    async def listen(arguments: Any, asking: Asking) -> Said:
        heard.append(asking.caller)
        return Said("ok")

    async def run() -> None:
        tool = Tool("listen", "", {"type": "object"}, listen, reads_only=True)
        info = Implementation(name="claude-code", version="2")
        async with Client(mcp._server({"listen": tool}), mode=era, client_info=info) as client:
            await call(client)

    asyncio.run(run())
    (caller,) = heard
    return caller


@requirement("D4")
@pytest.mark.parametrize("era", ERAS)
def test_a_tool_learns_who_calls_and_which_use_it_is(era: str) -> None:
    meta = {"claudecode/toolUseId": "toolu_01"}
    caller = _heard(lambda client: client.call_tool("listen", {}, meta=meta), era)
    assert caller == Caller(client="claude-code", tool_use="toolu_01")


@requirement("D4")
@pytest.mark.parametrize("value", [None, 7, "", "x" * 513, ["toolu"]])
def test_an_odd_use_is_none(value: object) -> None:
    meta = {"claudecode/toolUseId": value}
    caller = _heard(lambda client: client.call_tool("listen", {}, meta=meta), ERAS[0])
    assert caller.tool_use is None
