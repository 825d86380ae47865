"""A server that crashes is started again after pauses that grow, and hears again what it has to know."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

import pytest

from econome.lean.proxy.upstream import Upstream
from tests.lean.connections import exchange, rpc, shown
from tests.lean.programs import Programs, at_once
from tests.requirements import requirement

pytestmark = [
    requirement("L11", "L20"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes of POSIX"),
]

PONG = {"jsonrpc": "2.0", "id": 1, "result": {}}


@pytest.mark.parametrize(
    ("lived_s", "pauses_s"),
    [
        ([1, 1, 1], [1, 2, 4]),
        ([5] * 7, [1, 2, 4, 8, 16, 30, 30]),
        ([1, 1, 1, 61, 1], [1, 2, 4, 1, 2]),
        ([1, 59, 61, 61], [1, 2, 1, 1]),
    ],
)
def test_each_pause_before_a_start_is_longer_until_a_server_ran_for_a_minute(
    monkeypatch: pytest.MonkeyPatch, lived_s: list[int], pauses_s: list[int]
) -> None:
    async def body() -> None:
        loop, said, found = asyncio.get_running_loop(), list[str](), list[float]()
        programs = Programs(lambda message: None)
        monkeypatch.setattr("econome.lean.proxy.upstream.spawn", programs.spawn)
        upstream = Upstream(["shop"], exchange(), lambda message: None, say=said.append)
        await upstream.start()
        program = programs.begun[0]
        for life_s in lived_s:
            program.say(PONG)
            await asyncio.sleep(life_s)
            program.end()
            fell_s = loop.time()
            program = await programs.next()
            found.append(program.begun_s - fell_s)
        await upstream.close()
        assert found == pauses_s
        assert said == [
            f"shop ended with exit status 3; it is started again in {pause} s" for pause in pauses_s
        ]

    at_once(body)


def test_a_minute_in_which_a_server_says_nothing_does_not_make_the_pause_short_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def body() -> None:
        said = list[str]()
        programs = Programs(lambda message: None)
        monkeypatch.setattr("econome.lean.proxy.upstream.spawn", programs.spawn)
        upstream = Upstream(["shop"], exchange(), lambda message: None, say=said.append)
        await upstream.start()
        programs.begun[0].say(PONG)
        await asyncio.sleep(1)
        programs.begun[0].end()
        silent = await programs.next()
        await asyncio.sleep(100)
        programs.missing = 2
        silent.end()
        await programs.next()
        await upstream.close()
        assert [line.partition("; ")[2] for line in said] == [
            f"it is started again in {pause} s" for pause in (1, 2, 4, 8)
        ]
        assert said[2].startswith("shop: no such program")

    at_once(body)


def told(moves: list[Any]) -> list[tuple[str, Any, Any]]:
    """Return where each message goes, its method and its parameters."""
    found = [(way, json.loads(message)) for way, message in shown(moves)]
    return [(way, one.get("method"), one.get("params")) for way, one in found]


@pytest.mark.parametrize("ready", [True, False])
def test_a_server_that_is_started_again_hears_the_level_of_its_log_that_was_asked_for_last(
    ready: bool,
) -> None:
    found = exchange()
    if ready:
        found.client_said(rpc(None, "notifications/initialized"))
    for number, level in enumerate(("debug", "error")):
        found.client_said(rpc(number, "logging/setLevel", {"level": level}))
        found.server_said(json.dumps({"jsonrpc": "2.0", "id": number, "result": {}}).encode())
    found.fell("it fell")
    (greeting,) = found.again()
    assert [method for _, method, _ in told([greeting])] == ["initialize"]
    held = found.client_said(rpc(7, "ping"))
    assert held == []
    identity = json.loads(greeting.message)["id"]
    moves = found.server_said(json.dumps({"jsonrpc": "2.0", "id": identity, "result": {}}).encode())
    initialized = [("server", "notifications/initialized", None)]
    assert told(moves) == [
        *(initialized if ready else []),
        ("server", "logging/setLevel", {"level": "error"}),
        ("server", "ping", None),
    ]
    repeated = next(move for move in moves if b"setLevel" in move.message)
    own = json.loads(repeated.message)["id"]
    assert own not in (0, 1)
    answered = json.dumps({"jsonrpc": "2.0", "id": own, "result": {}}).encode()
    assert found.server_said(answered) == []  # the client was answered when it asked
