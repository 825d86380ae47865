"""How a server ends: told to, by a signal that lets it finish; or killed, at any moment, fifty times."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.door import run
from tests.http.posting import Posters
from tests.http.process import Served, served
from tests.http.raw import Connection, spelt
from tests.requirements import requirement
from tests.savings.builders import body, delegation, text

KILLS = 50


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server."""
    with served(tmp_path) as running:
        yield running


def _ids(directory: Path) -> Counter[str]:
    """Return how often each id stands in the ledger; every line must be whole."""
    lines = (directory / "logs" / "mcp" / "economies.jsonl").read_bytes().split(b"\n")
    assert lines[-1] == b""
    return Counter(json.loads(line)["id"] for line in lines[:-1])


@requirement("S5")
def test_told_to_end_under_load_it_loses_nothing_it_acknowledged(server: Served) -> None:
    posters = Posters(server, clients=8)
    posters.start()
    for _ in range(40):
        posters.begun.acquire()
    ran = server.stop()
    posters.wait()
    assert (ran.code, ran.err) == (0, "")
    found = _ids(server.directory)
    assert set(posters.statuses) == {200}
    assert posters.acknowledged <= found.keys()
    assert set(found.values()) == {1}


@requirement("S5")
def test_a_request_whose_body_is_on_its_way_is_finished(server: Served) -> None:
    data = body(*map(delegation, range(100)))
    headers = {"Host": "localhost", "Authorization": f"Bearer {server.token}"}
    with Connection(server.port) as connection, Connection(server.port) as idle:
        request = spelt("POST", "/economies", headers, data)
        connection.send(request[:-1000])
        idle.send(spelt("GET", "/api/v1/health", headers))
        assert idle.reply().status == 200
        server.process.send_signal(signal.SIGTERM)
        assert idle.rest() == b""  # the stop has begun: who waits for nothing is let go
        connection.send(request[-1000:])
        reply = connection.reply()
    assert (reply.status, reply.json["recus"]) == (200, 100)
    assert server.process.wait(timeout=60) == 0
    assert len(_ids(server.directory)) == 100


@pytest.mark.slow
@requirement("S5")
def test_a_client_that_never_finishes_does_not_hold_it(server: Served) -> None:
    headers = {"Host": "localhost", "Authorization": f"Bearer {server.token}"}
    with Connection(server.port) as connection:
        connection.send(spelt("POST", "/economies", headers, body(delegation(1)))[:-1])
        begun = time.monotonic()
        assert server.stop().code == 0
        assert time.monotonic() - begun < 20
    assert _ids(server.directory) == {}


@pytest.mark.slow
@requirement("S5")
def test_streams_that_wait_for_news_are_closed(server: Served) -> None:
    headers = {
        "Host": "localhost",
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    started = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    call = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": started}
    with Connection(server.port) as first, Connection(server.port) as stream:
        first.send(spelt("POST", "/mcp", headers, text(call)))
        session = first.reply().header("mcp-session-id") or ""
        stream.send(spelt("GET", "/mcp", {**headers, "Mcp-Session-Id": session}))
        assert stream.line() == b"HTTP/1.1 200 OK"
        begun = time.monotonic()
        ran = server.stop()
        assert (ran.code, ran.err) == (0, "")
        assert time.monotonic() - begun < 4


@requirement("S5", "S6")
def test_a_second_server_on_the_ledger_refuses_and_leaves_the_first_alone(server: Served) -> None:
    for port in ("0", str(server.port)):
        ran = run("serve", "--port", port, "--data-dir", str(server.directory))
        assert (ran.code, ran.out) == (1, "")
        assert f"pid {server.process.pid}" in ran.err
        assert ran.err.count("\n") == 1
    assert server.status("POST", "/economies", body(delegation(1))) == 200


@requirement("S5")
def test_the_directory_copied_under_load_verifies(server: Served, tmp_path: Path) -> None:
    posters = Posters(server)
    posters.start()
    copies = [tmp_path / f"copy-{number}" for number in range(3)]
    for copy in copies:
        for _ in range(10):
            posters.begun.acquire()
        before = set(posters.acknowledged)
        shutil.copytree(server.directory / "logs", copy / "logs")
        ran = run("balance", "--verify", "--data-dir", str(copy))
        assert ran.code == 0, ran.err
        lines = (copy / "logs" / "mcp" / "economies.jsonl").read_bytes().rpartition(b"\n")[0]
        assert before <= {json.loads(line)["id"] for line in lines.split(b"\n")}
    server.stop()
    posters.wait()


@pytest.mark.slow
@requirement("S5", "S6")
def test_killed_at_any_moment_it_keeps_every_acknowledged_event_exactly_once(
    tmp_path: Path,
) -> None:
    moments = random.Random(20261017)
    acknowledged: set[str] = set()
    for number in range(KILLS):
        with served(tmp_path) as running:
            posters = Posters(running)
            posters.start(number)
            for _ in range(moments.randrange(1, 12)):
                posters.begun.acquire()
            asyncio.run(asyncio.sleep(moments.random() / 100))  # anywhere between two answers
            running.process.send_signal(signal.SIGKILL)
            running.process.wait(timeout=60)
            posters.wait()
            acknowledged |= posters.acknowledged
    with served(tmp_path) as running:
        assert running.status("POST", "/economies", body(delegation(1))) == 200
        assert running.stop().code == 0
    found = _ids(tmp_path)
    assert acknowledged - found.keys() == set()
    assert [known for known, times in found.items() if times != 1] == []
    assert len(acknowledged) > KILLS * 10
