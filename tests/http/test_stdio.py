"""`econome mcp` in a process of its own: every call is answered before it ends, and it ends without a word."""

from __future__ import annotations

import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any

import pytest

from econome.server import conversation
from econome.server.conversation import Calls, lines
from econome.server.surrogates import mended
from tests.requirements import requirement
from tests.savings.builders import text

SECONDS = 60
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
BALANCE = {
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/call",
    "params": {"name": "bilan", "arguments": {}},
}


def _start(
    directory: Path,
    given: int | IO[bytes] = subprocess.PIPE,
    to: int | IO[bytes] = subprocess.PIPE,
    **more: Any,
) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-m", "econome", "mcp", "--data-dir", str(directory)]
    return subprocess.Popen(words, stdin=given, stdout=to, stderr=subprocess.PIPE, **more)


def _answers(directory: Path, *messages: object) -> list[Any]:
    """Say all messages at once, end the input, and return what was answered."""
    with _start(directory) as process:
        said = b"".join(text(message) + b"\n" for message in messages)
        out, err = process.communicate(said, timeout=SECONDS)
    assert (process.returncode, err) == (0, b"")
    return [json.loads(line) for line in out.splitlines()]


@pytest.mark.slow
@requirement("S1", "S7")
def test_what_was_asked_before_the_input_ended_is_answered(tmp_path: Path) -> None:
    calls = [{**BALANCE, "id": number} for number in range(2, 22)]
    answers = _answers(
        tmp_path, INITIALIZE, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *calls
    )
    assert sorted(answer["id"] for answer in answers if "result" in answer) == [*range(1, 22)]
    assert len(answers) == 21


@requirement("S7")
def test_half_a_surrogate_pair_is_an_error_of_the_tool(tmp_path: Path) -> None:
    params = {"name": "bilan", "arguments": {"client": "a\ud800"}}
    said = json.dumps({**BALANCE, "params": params}).encode()
    with _start(tmp_path) as process:
        out, err = process.communicate(text(INITIALIZE) + b"\n" + said + b"\n", timeout=SECONDS)
    (answer,) = [json.loads(line) for line in out.splitlines() if b'"id":2' in line]
    assert answer["result"]["isError"] is True
    told = json.loads(answer["result"]["content"][0]["text"])
    assert (told.keys(), told["ok"]) == ({"ok", "erreur"}, False)
    assert told["erreur"].startswith("client: ")
    assert err == b""


@requirement("S1")
@pytest.mark.parametrize("waits", [True, False])
def test_a_reader_that_is_gone_is_no_error(tmp_path: Path, waits: bool) -> None:
    read, write = os.pipe()
    with _start(tmp_path, to=write) as process:
        os.close(write)
        os.close(read)
        assert process.stdin is not None
        process.stdin.write(text(INITIALIZE) + b"\n")
        process.stdin.flush()
        if not waits:
            with suppress(BrokenPipeError):
                process.stdin.close()
        assert process.wait(timeout=SECONDS) == 141  # though more input might come
        assert process.stderr is not None
        assert process.stderr.read() == b""


@pytest.mark.slow
@requirement("S1")
@pytest.mark.parametrize("closed, words", [(0, b"standard input"), (1, b"standard output")])
def test_without_a_stream_it_says_which(tmp_path: Path, closed: int, words: bytes) -> None:
    line = f'exec "$0" -m econome mcp --data-dir "$1" {closed}>&-'
    done = subprocess.run(
        ["sh", "-c", line, sys.executable, str(tmp_path)],
        input=b"",
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert done.stderr.startswith(b"econome: " + words)


class _Broken(io.BytesIO):
    """A source that fails after its lines."""

    def readline(self, size: int | None = -1, /) -> bytes:
        line = super().readline(size)
        if not line:
            raise OSError(5, "Input/output error")
        return line


@requirement("S1")
def test_an_input_that_cannot_be_read_is_named() -> None:
    read: list[str] = []

    async def read_all() -> None:
        async for line in lines(_Broken(b"one\n\xfftwo\n")):
            read.append(line)

    with pytest.raises(OSError, match="Input/output error: 'standard input'"):
        asyncio.run(read_all())
    assert read == ["one\n", "\ufffdtwo\n"]


@pytest.mark.slow
@requirement("S1")
def test_ctrl_c_ends_it_while_it_waits(tmp_path: Path) -> None:
    with _start(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(text(INITIALIZE) + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=SECONDS) == 130


class _Said:
    """A stream of what a client says, as the SDK has them."""

    def __init__(self, *messages: Any) -> None:
        self._messages = [SimpleNamespace(message=message) for message in messages]

    async def __anext__(self) -> Any:
        if not self._messages:
            raise StopAsyncIteration
        return self._messages.pop(0)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def send(self, item: Any) -> None:
        """Take an answer."""


def _asks(number: int, method: str = "tools/call") -> Any:
    return SimpleNamespace(id=number, method=method, params=None)


@requirement("S7")
@pytest.mark.parametrize(
    "messages",
    [
        [],
        [_asks(1, "subscriptions/listen")],
        [_asks(1), SimpleNamespace(method="notifications/cancelled", params={"requestId": 1})],
        [_asks(1), SimpleNamespace(method="notifications/cancelled", params=None)],
    ],
)
def test_the_end_waits_for_answers_that_will_come_and_not_for_ever(
    monkeypatch: pytest.MonkeyPatch, messages: list[Any]
) -> None:
    monkeypatch.setattr(conversation, "END_SECONDS", 0.01)

    async def hear() -> list[Any]:
        return [item.message async for item in Calls().heard(_Said(*messages))]

    assert asyncio.run(hear()) == messages


@requirement("S7")
def test_the_end_comes_after_the_last_answer() -> None:
    async def talk() -> list[str]:
        calls, order = Calls(), []
        heard, answered = calls.heard(_Said(_asks(1), _asks(2))), calls.answered(_Said())

        async def answer() -> None:
            for number in (2, 1):
                await asyncio.sleep(0)
                order.append(f"answer {number}")
                await answered.send(SimpleNamespace(message=SimpleNamespace(id=number)))

        answering = asyncio.create_task(answer())
        async for item in heard:
            order.append(f"ask {item.message.id}")
        order.append("end")
        await answering
        return order

    assert asyncio.run(talk()) == ["ask 1", "ask 2", "answer 2", "answer 1", "end"]


@requirement("S7")
@pytest.mark.parametrize(
    "given, expected",
    [
        (r'"\ud800"', r'"\uffff"'),
        (r'"\uDFFF\uD800\uDC00\udbff"', r'"\uffff\uD800\uDC00\uffff"'),
        (r'"\uD800\uD800\uDC00"', r'"\uffff\uD800\uDC00"'),
        (r'"\\ud800"', r'"\\ud800"'),
        (r'"\\\ud800"', r'"\\\uffff"'),
        (r'"\ud800x\udc00"', r'"\uffffx\uffff"'),
        (r'"\ud7ff\ue000"', r'"\ud7ff\ue000"'),
        ('"\\ud80', '"\\ud80'),
        ("\\", "\\"),
    ],
)
def test_only_halves_of_pairs_are_replaced(given: str, expected: str) -> None:
    assert mended(given.encode()).decode() == expected
    assert mended(expected.encode()).decode() == expected
