"""A server is asked for its lists, given up in time where it says nothing, and left at once when it has said all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from econome.errors import UpstreamAway
from econome.lean.proxy.asking import Told, asked
from econome.lean.proxy.stdio import Connect
from econome.lean.proxy.upstream import Upstream
from tests.contract.listed import entry
from tests.lean.programs import Program, at_once
from tests.requirements import requirement

pytestmark = requirement("L16")

TOOLS = [entry("read"), entry("write")]
CAPABILITIES: dict[str, Any] = {"tools": {}, "prompts": {}}
RESULTS: dict[str, Any] = {
    "initialize": {"protocolVersion": "2025-11-25", "capabilities": CAPABILITIES},
    "tools/list": {"tools": TOOLS},
    "prompts/list": {"prompts": []},
}


class Lingering(Program):
    """A program that takes no notice of anything but being killed."""

    __slots__ = ()

    def end(self, status: int = 3) -> None:
        """Hear no more, and stay."""
        asyncio.get_running_loop().remove_reader(self._in)

    def terminate(self) -> None:
        """Stay."""

    def cut(self) -> None:
        """End, since it is killed."""
        super().end(-9)


def _answer(message: Any) -> dict[str, Any] | None:
    if "id" not in message:
        return None
    return {"jsonrpc": "2.0", "id": message["id"], "result": RESULTS[message["method"]]}


def _connect(program: Program) -> Connect:
    def connect(exchange: Any, to_client: Any, say: Any, busy: Any) -> Upstream:
        return Upstream(["shop"], exchange, to_client, say=say, pauses_s=(), started=program)

    return connect


def _told(made: Callable[[], Program], **options: Any) -> tuple[Told | str, float]:
    """Return what such a program tells, or why it tells nothing, and how long that took by a clock that jumps."""
    found: list[Told | str] = []
    took: list[float] = []

    async def body() -> None:
        try:
            found.append(await asked("shop", _connect(made()), "1", **options))
        except UpstreamAway as error:
            found.append(str(error))
        took.append(asyncio.get_running_loop().time())

    at_once(body)
    return found[0], took[0]


def _tools(told: Told | str) -> Any:
    assert isinstance(told, Told)
    return [json.loads(tool) for tool in told.lists["tools"]]


@pytest.mark.parametrize("kind", [Program, Lingering])
def test_a_server_is_left_at_once_whatever_it_does(kind: type[Program]) -> None:
    told, took_s = _told(lambda: kind(_answer))
    assert _tools(told) == TOOLS
    assert took_s < 0.2


@pytest.mark.parametrize(
    ("hangs", "open_"),
    [
        (["initialize"], "initialize"),
        (["tools/list"], "tools/list"),
        (["tools/list", "prompts/list"], "tools/list, prompts/list"),
    ],
)
def test_a_server_that_hangs_is_given_up_with_what_it_did_not_answer(
    hangs: list[str], open_: str
) -> None:
    def answer(message: Any) -> object:
        return None if message["method"] in hangs else _answer(message)

    told, took_s = _told(lambda: Lingering(answer), patience_s=60)
    assert told == f"shop: no answer to {open_} within 60 s"
    assert 60 <= took_s < 60.2


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("\x1b]0;owned\x07no\n\u202eway", "\\x1b]0;owned\\x07no \\u202eway"),
        ("a" * 20_000, "a" * 299 + "…"),
        ({"no": ["text"]}, "{'no': ['text']}"),
    ],
)
def test_a_refusal_in_a_servers_own_words_is_short_and_steers_no_terminal(
    said: object, told: str
) -> None:
    def answer(message: Any) -> object:
        if message["method"] != "tools/list":
            return _answer(message)
        return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -1, "message": said}}

    heard, _ = _told(lambda: Program(answer))
    assert heard == f"the server refused tools/list: {told}"


def test_a_server_may_end_with_its_last_answer() -> None:
    def made() -> Program:
        def answer(message: Any) -> object:
            said = _answer(message)
            if message["method"] != "prompts/list":
                return said
            program.say(said)
            program.end(0)
            return None

        program = Program(answer)
        return program

    told, _ = _told(made)
    assert _tools(told) == TOOLS


def test_lists_are_asked_for_without_waiting_for_one_another() -> None:
    held: list[Any] = []

    def answer(message: Any) -> object:
        if not message["method"].endswith("/list"):
            return _answer(message)
        held.append(message)
        if len(held) < 2:
            return None
        return [_answer(each) for each in reversed(held)]  # in one message, as a batch

    told, _ = _told(lambda: Program(answer))
    assert _tools(told) == TOOLS
