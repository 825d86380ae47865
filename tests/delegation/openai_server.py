"""A scripted OpenAI-compatible server on loopback: real HTTP, and it says only what a test told it to.

    gate = threading.Event()
    with scripted(Reply("Hello", gate, " world", usage=(12, 2))) as server:
        ...  # ask `server.url`; `server.requests` holds the bodies as received
        gate.set()

A reply is a row of pieces. A text is sent as one chunk; a `threading.Event` is a gate, before which the server waits until
it is set, watching meanwhile whether the client hangs up; `ToolCall` and `Thought` are those parts of an answer; bytes are
sent as they are. `Failure` is an HTTP error. A script is one reply for every request, a list of which the last one stays,
or a function from a request's body to its reply.
"""

from __future__ import annotations

import json
import select
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, cast

__all__ = ["MODEL", "Failure", "Reply", "Script", "Scripted", "Thought", "ToolCall", "scripted"]

MODEL = "scripted-model"
_PATIENCE_S = 30.0
"""Longer than this nobody waits, so that a test that went wrong ends."""
_LOOK_S = 0.01


@dataclass(frozen=True)
class ToolCall:
    """A call that the model makes: a tool's name and its arguments."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    id: str = "call_1"


@dataclass(frozen=True)
class Thought:
    """A piece of the model's reasoning, which is not its answer."""

    text: str


Piece = str | bytes | ToolCall | Thought | threading.Event


class Reply:
    """One answer to a prompt.

    *usage* is (tokens of the prompt, tokens of the answer), None where this server reports none. *finish* is None for
    the usual reason. With *cut* the connection breaks after the pieces, without an end of the stream. *model* is the
    one that the answer names.
    """

    def __init__(
        self,
        *pieces: Piece,
        usage: tuple[int, int] | None = (7, 3),
        finish: str | None = None,
        cut: bool = False,
        model: str = MODEL,
    ) -> None:
        self.pieces, self.usage, self.cut, self.model = pieces, usage, cut, model
        calls = any(isinstance(piece, ToolCall) for piece in pieces)
        self.finish = finish or ("tool_calls" if calls else "stop")


@dataclass(frozen=True)
class Failure:
    """An HTTP error instead of an answer; with `status` 0 the connection is closed without a byte of answer."""

    status: int
    body: bytes = b'{"error":{"message":"scripted","type":"server_error"}}'
    headers: tuple[tuple[str, str], ...] = ()


Answer = Reply | Failure
Script = Answer | Sequence[Answer] | Callable[[dict[str, Any]], Answer]


class _HungUp(Exception):
    """The client closed its connection."""


class _Ended(Exception):
    """The test is over."""


class Scripted(ThreadingHTTPServer):
    """The running server: what it was sent, and who hung up."""

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, script: Script, models: Sequence[str] | bytes, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Exchange)
        self.port: int = self.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.hung_up = 0
        self.listed = 0
        self.answered = 0
        self.busiest = 0
        self.ending = threading.Event()
        self.script, self.models = script, models
        self.changed = threading.Condition()
        self._open = 0

    def wait_until(self, true: Callable[[Scripted], bool], seconds: float = _PATIENCE_S) -> bool:
        """Wait until something is true of this server; return whether it came true in time."""
        with self.changed:
            return self.changed.wait_for(lambda: true(self), seconds)

    def wait_for_requests(self, count: int = 1) -> bool:
        """Wait until *count* prompts have come in altogether."""
        return self.wait_until(lambda server: len(server.requests) >= count)

    def wait_for_hang_ups(self, count: int = 1) -> bool:
        """Wait until *count* clients have closed their connection before their answer was whole."""
        return self.wait_until(lambda server: server.hung_up >= count)

    def reply_to(self, body: dict[str, Any], headers: dict[str, str]) -> Answer:
        """Note a request; return what the script answers it."""
        with self.changed:
            self.requests.append(body)
            self.headers.append(headers)
            self._open += 1
            self.busiest = max(self.busiest, self._open)
            place = len(self.requests) - 1
            self.changed.notify_all()
        if callable(self.script):
            return self.script(body)
        if isinstance(self.script, Reply | Failure):
            return self.script
        return self.script[min(place, len(self.script) - 1)]

    def note_end(self, *, hung_up: bool) -> None:
        """Note that an exchange is over."""
        with self.changed:
            self._open -= 1
            self.hung_up += hung_up
            self.answered += not hung_up
            self.changed.notify_all()

    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent: a client that goes away is what many tests are about."""


@contextmanager
def scripted(
    script: Script = Reply("Hello"),  # noqa: B008
    *,
    models: Sequence[str] | bytes = (MODEL,),
    port: int = 0,
) -> Iterator[Scripted]:
    """Run a server that follows *script*; bytes for *models* are its whole answer to `/v1/models`."""
    server = Scripted(script, models, port)
    thread = threading.Thread(target=server.serve_forever, args=(_LOOK_S,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.ending.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Exchange(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def scripted(self) -> Scripted:
        return cast(Scripted, self.server)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        """Answer which models there are."""
        if self.path.rstrip("/") != "/v1/models":
            self._send(404, b'{"error":{"message":"not found"}}')
            return
        self.scripted.listed += 1
        models = self.scripted.models
        if not isinstance(models, bytes):
            rows = [{"id": name, "object": "model", "owned_by": "test"} for name in models]
            models = json.dumps({"object": "list", "data": rows}).encode()
        self._send(200, models)

    def do_POST(self) -> None:
        """Answer a prompt as the script says."""
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.rstrip("/") != "/v1/chat/completions":
            self._send(404, b'{"error":{"message":"not found"}}')
            return
        body = json.loads(data)
        answer = self.scripted.reply_to(body, dict(self.headers.items()))
        hung_up = False
        try:
            self._answer(answer, body)
        except (_HungUp, BrokenPipeError, ConnectionResetError):
            hung_up = self.close_connection = True
        except _Ended:
            self.close_connection = True
        finally:
            self.scripted.note_end(hung_up=hung_up)

    def _answer(self, answer: Answer, body: dict[str, Any]) -> None:
        if isinstance(answer, Failure):
            if answer.status == 0:
                self._break_off()
            else:
                self._send(answer.status, answer.body, answer.headers)
        elif body.get("stream"):
            self._stream(answer, bool((body.get("stream_options") or {}).get("include_usage")))
        else:
            self._whole(answer)

    def _stream(self, reply: Reply, usage_wanted: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        calls = 0
        for piece in reply.pieces:
            if isinstance(piece, threading.Event):
                self._wait_for(piece)
            elif isinstance(piece, bytes):
                self._chunk(piece)
            else:
                self._event(reply, [_choice(_delta(piece, calls), None)])
                calls += isinstance(piece, ToolCall)
        if reply.cut:
            self._break_off()
            return
        self._event(reply, [_choice({}, reply.finish)])
        if reply.usage is not None and usage_wanted:
            self._event(reply, [], usage=_usage(reply.usage))
        self._chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _whole(self, reply: Reply) -> None:
        for piece in reply.pieces:
            if isinstance(piece, threading.Event):
                self._wait_for(piece)
        calls = [piece for piece in reply.pieces if isinstance(piece, ToolCall)]
        message: dict[str, Any] = {
            "role": "assistant",
            "content": "".join(piece for piece in reply.pieces if isinstance(piece, str)),
        }
        if calls:
            message["tool_calls"] = [_call(call, place) for place, call in enumerate(calls)]
        choice = {"index": 0, "message": message, "finish_reason": reply.finish}
        answer = {**_frame(reply), "object": "chat.completion", "choices": [choice]}
        if reply.usage is not None:
            answer["usage"] = _usage(reply.usage)
        self._send(200, json.dumps(answer).encode())

    def _wait_for(self, gate: threading.Event) -> None:
        while not gate.wait(_LOOK_S):
            if self.scripted.ending.is_set():
                raise _Ended
            if self._client_left():
                raise _HungUp

    def _client_left(self) -> bool:
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def _event(self, reply: Reply, choices: list[dict[str, Any]], **more: object) -> None:
        event = {**_frame(reply), "object": "chat.completion.chunk", "choices": choices, **more}
        self._chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _send(self, status: int, body: bytes, headers: tuple[tuple[str, str], ...] = ()) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _break_off(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def _frame(reply: Reply) -> dict[str, Any]:
    return {"id": "chatcmpl-1", "created": 1, "model": reply.model}


def _choice(delta: dict[str, Any], finish: str | None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish}


def _delta(piece: str | ToolCall | Thought, place: int) -> dict[str, Any]:
    if isinstance(piece, ToolCall):
        return {"role": "assistant", "tool_calls": [_call(piece, place)]}
    if isinstance(piece, Thought):
        return {"reasoning_content": piece.text}
    return {"content": piece}


def _call(call: ToolCall, place: int) -> dict[str, Any]:
    function = {"name": call.name, "arguments": json.dumps(call.arguments)}
    return {"index": place, "id": call.id, "type": "function", "function": function}


def _usage(counts: tuple[int, int]) -> dict[str, int]:
    prompt, answer = counts
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
    }
