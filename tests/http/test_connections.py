"""What connections may take: a time for each part of a request, a number of them, and none that is kept for nothing."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from econome.server import heads, listening
from econome.server.heads import close_late
from econome.server.token import TokenFile
from tests.http.certificates import certificate_files
from tests.http.process import Served, served
from tests.http.raw import Connection, spelt
from tests.requirements import requirement
from tests.savings.builders import body, delegation, text

HURRIED = """
from econome.server import heads
heads.HEAD_SECONDS = heads.BODY_SECONDS = 0.3
heads.IDLE_SECONDS = 1.0
"""
FEW = """
from econome.server import listening
listening.CONNECTIONS = 8
"""


@pytest.fixture(scope="module")
def hurried(shared_home: Path) -> Iterator[Served]:
    """Return a server that waits for nothing for long."""
    with served(shared_home / "ledger", first=HURRIED) as running:
        yield running


@pytest.fixture
def few(tmp_path: Path) -> Iterator[Served]:
    """Return a server of eight connections."""
    with served(tmp_path, first=FEW) as running:
        yield running


def _headers(server: Served) -> dict[str, str]:
    return {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }


def _post(server: Served, number: int = 1) -> bytes:
    return spelt("POST", "/economies", _headers(server), body(delegation(number)))


@pytest.mark.slow
@requirement("S10")
@pytest.mark.parametrize(
    "begun",
    [b"", b"\r\n", b"P", b"POST /economies HTTP/1.1\r\nHost: 127.0.0.1\r\n"],
)
def test_a_request_whose_header_does_not_come_is_not_waited_for(
    hurried: Served, begun: bytes
) -> None:
    with Connection(hurried.port) as connection:
        connection.send(begun)
        assert connection.rest() == b""
    with Connection(hurried.port) as connection:  # nor the second one of a connection
        connection.send(_post(hurried) + begun)
        assert connection.reply().status == 200
        assert connection.rest() == b""


@pytest.mark.slow
@requirement("S1", "S10")
@pytest.mark.parametrize("begun", [b"", b"\x16\x03\x01\x02\x00\x01"])
def test_a_handshake_that_does_not_come_is_not_waited_for(tmp_path: Path, begun: bytes) -> None:
    cert, key = certificate_files(tmp_path / "files")
    place = tmp_path / "data"
    with served(place, "--tls-cert", cert, "--tls-key", key, first=HURRIED) as running:
        with Connection(running.port) as connection:
            connection.send(begun)
            assert connection.rest() == b""
        assert running.stop().code == 0


@requirement("S2", "S10")
def test_a_request_whose_body_does_not_come_is_not_waited_for_and_not_kept(
    hurried: Served,
) -> None:
    with Connection(hurried.port) as connection:
        connection.send(_post(hurried, 77)[:-1])
        assert connection.rest() == b""
    assert hurried.ledger.read_bytes().count(b"0000004d") == 0
    assert hurried.status("POST", "/economies", body(delegation(78))) == 200


@requirement("S2", "S10")
def test_a_body_of_someone_without_the_token_is_not_waited_for(hurried: Served) -> None:
    headers = {"Host": "localhost", "Content-Length": "1000"}
    with Connection(hurried.port) as connection:
        connection.send(spelt("POST", "/economies", headers) + b"{")
        assert connection.reply().status == 401
        assert connection.rest() == b""


def _session(server: Served) -> dict[str, str]:
    """Return the headers of requests in a new session of MCP."""
    info = {"name": "test", "version": "1"}
    started = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started}
    with Connection(server.port) as connection:
        connection.send(spelt("POST", "/mcp", _headers(server), text(call)))
        return {
            **_headers(server),
            "Mcp-Session-Id": connection.reply().header("mcp-session-id") or "",
        }


@pytest.mark.slow
@requirement("S10")
def test_a_stream_that_waits_for_news_is_left_alone(hurried: Served) -> None:
    with socket.create_connection(("127.0.0.1", hurried.port)) as stream:
        stream.sendall(spelt("GET", "/mcp", _session(hurried)))
        assert stream.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        for _ in range(3):  # longer than anything may take
            with Connection(hurried.port) as connection:
                assert connection.rest() == b""
        while select.select([stream], [], [], 0)[0]:
            assert stream.recv(65_536) != b""


@requirement("S10")
def test_those_who_send_nothing_keep_nobody_out(few: Served) -> None:
    with ExitStack() as opened:
        place = ("127.0.0.1", few.port)
        silent = [opened.enter_context(socket.create_connection(place)) for _ in range(30)]
        for connection in silent:
            with suppress(ConnectionError):
                connection.sendall(b"GET /")
        for number in range(10):
            assert few.status("POST", "/economies", body(delegation(number))) == 200
        ended, _, _ = select.select(silent, [], [], 0)
        assert len(ended) >= 30 - 8


@requirement("S10")
def test_where_all_connections_wait_for_an_answer_the_newest_is_closed(few: Served) -> None:
    sessions = [_session(few) for _ in range(8)]
    with ExitStack() as opened:
        for session in sessions:
            stream = opened.enter_context(Connection(few.port))
            stream.send(spelt("GET", "/mcp", session))
            assert stream.line() == b"HTTP/1.1 200 OK"
        with Connection(few.port) as ninth:
            assert ninth.rest() == b""


@requirement("S10")
def test_a_client_that_comes_back_on_its_connection_is_the_last_to_go(few: Served) -> None:
    with Connection(few.port) as client, ExitStack() as opened:
        for number in range(40):
            client.send(_post(few, number))
            assert client.reply().status == 200
            with suppress(ConnectionError):
                opened.enter_context(Connection(few.port)).send(b"GET")


@dataclass
class Pretended:
    """A connection that is late, and what was done to it."""

    until: float
    read_paused: bool = False
    closing: bool = False
    done: list[str] = field(default_factory=list)

    @property
    def flow(self) -> Any:
        """Whether the server reads."""
        return SimpleNamespace(read_paused=self.read_paused)

    @property
    def transport(self) -> Any:
        """The way to the client, who reads nothing."""
        return self

    def is_closing(self) -> bool:
        """Tell whether it was closed and is not gone."""
        return self.closing

    def close(self) -> None:
        """Close it, once everything is sent."""
        self.closing = True
        self.done.append("close")

    def abort(self) -> None:
        """Close it."""
        self.done.append("abort")


@requirement("S10")
def test_a_client_that_does_not_read_is_left_at_last() -> None:
    late = Pretended(10.0)
    for now in (9.0, 10.0, 14.9, 15.0):
        close_late([late], now)
    assert late.done == ["close", "abort"]


@requirement("S10")
def test_what_the_server_does_not_read_is_not_held_against_the_client() -> None:
    queued = Pretended(10.0, read_paused=True)
    close_late([queued], 10.0)
    assert (queued.done, queued.until) == ([], 10.0 + heads.BODY_SECONDS)


@requirement("S10")
@pytest.mark.parametrize(
    "files, most, room",
    [
        ((1024, 1_048_576), 4096, 1024),
        ((1024, 1024), 1024, 512),
        ((64, 64), 64, 32),
        ((1024, -1), 4096, 1024),
        ((-1, -1), -1, 1024),
        ((100_000, 100_000), 100_000, 1024),
    ],
)
def test_half_of_the_files_are_kept_for_the_ledger(
    monkeypatch: pytest.MonkeyPatch, files: tuple[int, int], most: int, room: int
) -> None:
    resource = pytest.importorskip("resource")
    now = [files]
    monkeypatch.setattr(resource, "getrlimit", lambda _: now[0])
    monkeypatch.setattr(resource, "setrlimit", lambda _, given: now.__setitem__(0, given))
    assert listening.room() == room
    assert now[0] == (most, files[1])


@contextmanager
def _streaming(server: Served) -> Iterator[Connection]:
    """Open a stream that waits for news."""
    with Connection(server.port) as stream:
        stream.send(spelt("GET", "/mcp", _session(server)))
        stream.wait()
        yield stream


@requirement("S1")
def test_what_is_being_answered_ends_with_the_token_it_was_asked_with(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        with _streaming(running) as stream, Connection(running.port) as late:
            late.send(_post(running)[:-1])
            TokenFile(str(tmp_path / "token")).rotate()
            assert stream.reply().status == 200  # and it comes to an end
            assert late.reply().status == 401
        assert running.status("POST", "/economies", body(delegation(1))) == 200
        assert running.stop().err == ""
        assert running.ledger.read_bytes().count(b"\n") == 1


@pytest.mark.slow
@requirement("S1")
def test_a_stream_of_the_token_that_holds_goes_on(tmp_path: Path) -> None:
    with served(tmp_path) as running, _streaming(running) as old:
        TokenFile(str(tmp_path / "token")).rotate()
        with _streaming(running) as new:
            assert old.reply().status == 200
            new.send(_post(running))  # which waits until the stream has ended
            TokenFile(str(tmp_path / "token")).rotate()
            assert [new.reply().status, new.reply().status] == [200, 401]
