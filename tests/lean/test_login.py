"""Whether a server wants a login, asked of real ones."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from econome.lean.install.entries import LeftAlone
from econome.lean.install.login import refuse_login
from tests.requirements import requirement

pytestmark = requirement("L18")


@contextmanager
def server(status: int, session: str | None = None) -> Iterator[tuple[str, list[tuple[str, ...]]]]:
    """Serve one answer to every request; yield the address and the list of what is asked."""
    asked: list[tuple[str, ...]] = []

    class Answers(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            method = json.loads(body)["method"] if body else ""
            asked.append((self.command, self.path, method, self.headers.get("Mcp-Session-Id", "")))
            self.send_response(status)
            if session:
                self.send_header("Mcp-Session-Id", session)
            self.send_header("Content-Length", "0")
            self.end_headers()

        do_POST = do_DELETE = _answer  # noqa: N815

        def log_message(self, *args: object, **more: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as serving:
        thread = threading.Thread(target=serving.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{serving.server_address[1]}", asked
        finally:
            serving.shutdown()
            thread.join()


def test_a_server_that_answers_401_wants_a_login() -> None:
    with server(401) as (url, asked), pytest.raises(LeftAlone, match="OAuth"):
        refuse_login(f"{url}/mcp")
    assert asked == [("POST", "/mcp", "initialize", "")]


@pytest.mark.parametrize("status", [200, 400, 404, 405, 500])
def test_a_server_that_answers_otherwise_wants_none(status: int) -> None:
    with server(status) as (url, asked):
        refuse_login(f"{url}/mcp?tools=all")
    assert asked == [("POST", "/mcp?tools=all", "initialize", "")]


def test_a_session_that_the_question_began_is_ended() -> None:
    with server(200, "s-1") as (url, asked):
        refuse_login(url)
    assert asked == [("POST", "/", "initialize", ""), ("DELETE", "/", "", "s-1")]


@pytest.mark.parametrize("url", ["http://127.0.0.1:{port}/", "http://[::1", "http://127.0.0.1:x/"])
def test_a_server_that_does_not_answer_is_left_alone(url: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and never listens
        with pytest.raises(LeftAlone, match="it does not answer"):
            refuse_login(url.replace("{port}", str(taken.getsockname()[1])))
