"""A proxy that listens, in a thread of this process, and an upstream that says what a test tells it to."""

from __future__ import annotations

import asyncio
import http.client
import json
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from econome.lean.kept import Kept
from econome.lean.proxy.shared import Lean
from econome.lean.rules import ServerRules, ToolRules
from econome.server.hosts import Hosts
from econome.server.listening import bound
from econome.server.listening import listen as begin_to_listen
from econome.server.proxying.app import App, Endpoint, Parts
from econome.server.serving import Serving
from econome.server.token import TokenFile
from econome.tokenizers import tokenizer

__all__ = ["Asked", "Heard", "Listening", "Reply", "Upstream", "lean", "listening", "upstream"]

SECONDS = 30


@dataclass(slots=True)
class Asked:
    """A request that came to the upstream; the names of its headers are in small letters."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        """What was posted."""
        return json.loads(self.body)


@dataclass(slots=True)
class Reply:
    """What the upstream answers: pieces are sent one by one, and a callable among them is called in its turn."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes | Callable[[], object]] = field(default_factory=list)
    cut: bool = False

    @classmethod
    def json(cls, message: object, status: int = 200, /, **headers: str) -> Reply:
        """Return an answer that is one message, written with spaces as some servers do."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        length = {"Content-Length": str(len(body))}
        return cls(status, {"Content-Type": "application/json", **length, **named}, [body])

    @classmethod
    def stream(
        cls, *pieces: bytes | Callable[[], object], cut: bool = False, **headers: str
    ) -> Reply:
        """Return an answer that is a stream of events."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(200, {"Content-Type": "text/event-stream", **named}, list(pieces), cut)


class Upstream(ThreadingHTTPServer):
    """An HTTP server that notes what it is asked, and answers as its script says."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, script: Callable[[Asked], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Answering)
        self.script = script
        self.asked: list[Asked] = []
        self.left: queue.Queue[str] = queue.Queue()
        """The method of each request whose asker hung up before the answer was whole."""

    @property
    def origin(self) -> str:
        """Its scheme, host and port."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        """Where it is asked."""
        return f"{self.origin}/mcp"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing: who hung up is noted."""


class _Answering(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Upstream

    def _any(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        asked = Asked(self.command, self.path, headers, self.rfile.read(length))
        self.server.asked.append(asked)
        reply = self.server.script(asked)
        self.send_response_only(reply.status)
        chunked = "Content-Length" not in reply.headers and reply.status not in (202, 204)
        if chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif "Content-Length" not in reply.headers:
            self.send_header("Content-Length", "0")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            for piece in reply.pieces:
                if isinstance(piece, bytes):
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                else:
                    piece()
            if chunked and not reply.cut:
                self.wfile.write(b"0\r\n\r\n")
        except OSError:
            self.server.left.put(asked.method)
            self.close_connection = True
        if reply.cut:
            self.close_connection = True


for _method in ("DELETE", "GET", "POST", "PUT"):
    setattr(_Answering, f"do_{_method}", _Answering._any)


@contextmanager
def upstream(script: Callable[[Asked], Reply]) -> Iterator[Upstream]:
    """Run an upstream for as long as the context lasts."""
    with Upstream(script) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()


def lean(
    *,
    menu: str | None = None,
    passing: bool = False,
    client: str | None = None,
    limit: int | None = None,
    repeats: bool = False,
) -> Lean:
    """Return what the connections of a proxy have in common."""
    count, made = tokenizer("features-v1").count, iter(range(1000))
    return Lean(
        name="shop",
        count=count,
        measure=count,
        tokenizer="features-v1",
        ticks=iter(range(0, 10**12, 1000)).__next__,
        rules=ServerRules(usual=ToolRules(limit=limit, repeats=repeats or None)),
        kept=Kept(lambda: 0.0, lambda: f"{next(made):032x}"),
        client=client,
        form=menu,
        passing=passing,
    )


@dataclass(slots=True)
class Heard:
    """What a proxy answered; the names of its headers are in small letters."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def message(self) -> Any:
        """The one message of it."""
        return json.loads(self.body)


class Listening:
    """A proxy that listens; `said` are the lines it told the operator."""

    def __init__(self, port: int, token: str, said: list[str]) -> None:
        self.port, self.token, self.said = port, token, said

    def open(
        self, method: str, body: bytes | None = None, path: str = "/mcp", **headers: str
    ) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        """Ask, and return the answer before it is read; `mcp_name` is the header `mcp-name`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        given = {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
        }
        given |= {} if body is None else {"Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, given)
        return connection, connection.getresponse()

    def ask(
        self, method: str, body: bytes | None = None, path: str = "/mcp", **headers: str
    ) -> Heard:
        """Ask, and return the whole answer."""
        connection, answer = self.open(method, body, path, **headers)
        try:
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Heard(answer.status, told, answer.read())
        finally:
            connection.close()

    def post(self, body: bytes, **headers: str) -> Heard:
        """Post a message."""
        return self.ask("POST", body, **headers)


@contextmanager
def listening(
    make: Callable[[Callable[[str], None]], Endpoint], directory: Path
) -> Iterator[Listening]:
    """Run a proxy on *directory* for as long as the context lasts; *make* is given what takes lines for the operator."""
    said: list[str] = []
    token = TokenFile(str(directory / "token"))
    token.ensure()
    ready, ended = threading.Event(), threading.Event()
    server: list[Serving] = []
    with bound("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        begin_to_listen(listener, "127.0.0.1")

        def run() -> None:
            async def serve() -> None:
                hosts = Hosts.of("127.0.0.1", tls=False)
                parts = Parts(make(said.append), token, hosts, port, said.append, lambda: 0.0)
                server.append(Serving(App(parts), None, ready.set))
                await server[0].serve(sockets=[listener])

            try:
                asyncio.run(serve())
            finally:
                ended.set()
                ready.set()

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        assert ready.wait(SECONDS)
        assert not ended.is_set(), said
        try:
            yield Listening(port, token.read(), said)
        finally:
            server[0].should_exit = True
            thread.join(SECONDS)
            assert not thread.is_alive()
