"""A proxy over pipes hands on what nobody can read, byte for byte, and outlives it."""

from __future__ import annotations

import base64
import json
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from econome.lean.proxy.lines import LINE_LIMIT, Cutter
from tests.lean.connections import PATIENCE_S, PLAIN, Session, proxied, rpc
from tests.lean.oddities import ODD
from tests.requirements import requirement

pytestmark = [
    requirement("L11", "L20"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX"),
]

PARROT = [sys.executable, str(Path(PLAIN[1]).with_name("parrot.py"))]
WAYS = pytest.mark.parametrize("options", [("--pass",), ("--menu", "grouped")])
SEED = 20_260_728
MOST = 400

VALID = (
    rpc(7, "tools/call", {"name": "one", "arguments": {"a": [1.5, "é"], "b": None}}),
    rpc("p", "prompts/get", {"name": "x", "_meta": {"progressToken": 1}}),
    rpc(None, "notifications/cancelled", {"requestId": 9}),
    b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"[1]"}]}}',
    b"",
    b"\r",
)


@contextmanager
def parrot(*options: str) -> Iterator[Session]:
    """Run a proxy in front of what says again what it hears, for as long as the context lasts."""
    with Session(proxied("--name", "shop", *options, "--", *PARROT)) as session:
        yield session
        assert session.process.stdin is not None
        session.process.stdin.close()
        while session.line():  # what is open still gets its error
            pass
        assert session.process.wait(PATIENCE_S) == 0
        assert session.process.stderr is not None
        assert session.process.stderr.read() == b""


def odd_lines() -> list[bytes]:
    """Return lines that nobody can read, the same ones each time: random bytes, and good messages that took damage."""
    chance = random.Random(SEED)
    bits = [*ODD, b'"', b"\\", b"{", b"}", b"[", b",", b":", b"\xff", b"\x00"]
    found = [b"", b"\r", *(b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (odd, odd) for odd in ODD)]
    while len(found) < MOST:
        if chance.random() < 0.3:
            line = chance.randbytes(chance.randrange(200))
        else:
            line = chance.choice(VALID)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(line) + 1)
                line = line[:at] + chance.choice(bits) + line[at + chance.randrange(6) :]
        found.append(line.replace(b"\n", b""))
    return found


def asks_or_answers(line: bytes) -> bool:
    """Tell whether a line may be a call of the menu's, or wait for a menu."""
    return b"tools/" in line


@WAYS
def test_what_a_client_says_reaches_the_server_as_it_was_and_comes_back_so(
    options: tuple[str, ...],
) -> None:
    with parrot(*options) as session:
        for line in odd_lines():
            if "--pass" not in options and asks_or_answers(line):
                continue
            session.say(line)
            assert session.line() == line


@WAYS
def test_what_a_server_says_reaches_the_client_as_it_was(options: tuple[str, ...]) -> None:
    with parrot(*options) as session:
        for line in odd_lines():
            told = {"say": base64.b64encode(line).decode()}
            session.say(rpc(7, "prompts/get", told))
            assert session.line() == line


@WAYS
@pytest.mark.parametrize("odd", ODD)
def test_an_answer_to_a_call_that_no_strict_reader_takes_comes_through(
    options: tuple[str, ...], odd: bytes
) -> None:
    line = b'{"jsonrpc":"2.0","id":7,"result":{"content":[],"structuredContent":{"a":%b}}}' % odd
    listed = (
        b'{"jsonrpc":"2.0","id":"l","result":{"tools":[{"name":"one","inputSchema":%b}]}}' % odd
    )
    with parrot(*options) as session:
        for identity, method, said in (("l", "tools/list", listed), (7, "tools/call", line)):
            told = {"name": "one", "say": base64.b64encode(said).decode()}
            session.say(rpc(identity, method, told))
            assert session.line() == said


def test_a_request_above_the_limit_is_answered_and_the_next_one_too() -> None:
    with Session(proxied("--menu", "flat", "--", *PLAIN)) as session:
        session.greet()
        big = rpc("big", "tools/call", {"name": "echo", "arguments": {"text": "x" * LINE_LIMIT}})
        session.say(big)
        told = session.answer("big")
        assert told["error"]["code"] == -32600
        assert f"{len(big):,} bytes" in told["error"]["message"]
        assert session.text("echo", text="a") == "a"


def test_a_line_that_nothing_can_be_made_of_is_said_to_be_and_the_next_one_follows() -> None:
    taken: list[int] = []
    fallen: list[bytes] = []

    def take(line: bytes) -> None:
        taken.append(json.loads(line))

    cutter = Cutter(take, lambda first, last, size: None, fallen.append)
    cutter.feed(b"1\n{\n\n2\n3")
    cutter.end()
    assert (taken, fallen) == ([1, 2, 3], [b"{", b""])
