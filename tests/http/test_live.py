"""News for pages: they come when something changed, they are few, they say nothing, and they end when they must."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from econome import settings
from econome.server.live import LISTENERS, Live
from econome.server.watching import Looks, Watch
from econome.usage.watched import concerns
from tests.builders import Tree, assistant, counts
from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Connection, Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, delegation

LIVE = "/api/v1/live"


@pytest.fixture
def tree(home: Path) -> Tree:
    """Return transcripts in the default place: one session with one response."""
    tree = Tree(home / "claude")
    tree.main("s1", assistant("a"))
    return tree


@pytest.fixture
def server(home: Path, tree: Tree) -> Iterator[Served]:
    """Return a server on them, whose files are old enough to be no news."""
    with served(home / "data dir") as running:
        for path in home.rglob("*.jsonl"):
            _age(path)
        yield running


def _age(path: Path) -> None:
    os.utime(path, (1e9, 1e9))


def _headers(server: Served, **more: str) -> dict[str, str]:
    return {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {server.token}",
        **more,
    }


def _append(home: Path, session: str, *rows: dict[str, Any]) -> None:
    place = next((home / "claude").rglob(f"{session}.jsonl"))
    with place.open("a", encoding="utf-8") as file:
        for row in rows:
            file.write(json.dumps({**row, "sessionId": session}) + "\n")
            file.flush()


class _Stream:
    """A stream of news, read as it comes."""

    def __init__(self, server: Served, query: str = "") -> None:
        self._connection = Connection(server.port)
        self._connection.send(spelt("GET", LIVE + query, _headers(server)))
        assert self._connection.line() == b"HTTP/1.1 200 OK"
        self.head = list(iter(self._connection.line, b""))
        assert self.next() == {"retry": "2000"}

    def next(self) -> dict[str, str]:
        """Return the fields of the next event; none at the end of the stream."""
        fields = {}
        while size := int(self._connection.line() or b"0", 16):
            del size
            for line in iter(self._connection.line, b""):
                name, _, value = line.decode().partition(": ")
                fields[name] = value
            self._connection.line()
            if any(fields):
                break
            fields.clear()  # a sign of life
        return fields

    def close(self) -> None:
        """Hang up."""
        self._connection.__exit__()


@pytest.fixture
def listen(server: Served) -> Iterator[Callable[..., _Stream]]:
    """Return what opens a stream."""
    streams = []

    def opened(query: str = "") -> _Stream:
        streams.append(_Stream(server, query))
        return streams[-1]

    yield opened
    for stream in streams:
        stream.close()


def _get(server: Served, path: str, **more: str) -> Reply:
    return exchange(server.port, spelt("GET", path, _headers(server, **more)))


@requirement("V10")
def test_a_running_session_shows_what_it_used_up_to_its_last_line(
    server: Served, home: Path, listen: Callable[..., _Stream]
) -> None:
    stream = listen("?session=s1")
    assert "content-type: text/event-stream; charset=utf-8" in {
        line.decode().lower() for line in stream.head
    }
    for number in (1, 2):
        _append(home, "s1", assistant(f"more{number}", usage=counts(output=7_000_000 * number)))
        assert stream.next() == {"event": "changed", "data": str(number)}
        report = _get(server, "/api/v1/session?id=s1").json
        assert report["total"]["responses"] == 1 + number
        assert report["responses"][-1]["output_tokens"] == 7_000_000 * number
        page = _get(server, "/session/s1").body.decode()
        assert f">{7_000_000 * number:,}<" in page


@requirement("V10")
def test_a_hundred_lines_are_a_few_events(
    server: Served, home: Path, listen: Callable[..., _Stream]
) -> None:
    stream = listen()
    for number in range(100):
        _append(home, "s1", assistant(f"n{number}"))
    events = 0
    while _get(server, "/api/v1/session?id=s1").json["total"]["responses"] < 101 or not events:
        assert stream.next()["event"] == "changed"
        events += 1
    assert events <= 5


@requirement("V10")
def test_one_session_hears_nothing_of_another_and_of_the_ledger(
    server: Served, home: Path, tree: Tree, listen: Callable[..., _Stream]
) -> None:
    tree.main("s2", assistant("b"))
    _age(next((home / "claude").rglob("s2.jsonl")))
    one, every = listen("?session=s1"), listen()
    _append(home, "s2", assistant("c"))
    assert every.next()["event"] == "changed"
    server.status("POST", "/economies", body(delegation(1)))
    assert every.next()["event"] == "changed"
    _append(home, "s1", assistant("d"))
    assert int(one.next()["data"]) >= 3


@requirement("V10")
def test_what_changed_while_the_page_was_made_is_news(
    server: Served, home: Path, listen: Callable[..., _Stream]
) -> None:
    _append(home, "s1", assistant("late"))
    assert listen("?session=s1").next() == {"event": "changed", "data": "1"}


@requirement("S1")
def test_a_stream_ends_when_the_token_is_another_one(
    server: Served, listen: Callable[..., _Stream]
) -> None:
    stream = listen()
    ran = run("token", "rotate", "--data-dir", str(server.directory))
    assert ran.code == 0
    while stream.next():  # what the server wrote when it began may be news
        pass


@requirement("S1")
def test_a_stream_of_a_browser_ends_with_its_cookie(server: Served) -> None:
    same = {"Host": f"127.0.0.1:{server.port}", "Sec-Fetch-Site": "same-origin"}
    code = exchange(server.port, spelt("POST", "/api/v1/login-codes", _headers(server), b"")).json[
        "code"
    ]
    given = {**same, "Content-Type": "application/json"}
    reply = exchange(
        server.port, spelt("POST", "/login", given, json.dumps({"code": code}).encode())
    )
    cookie = {**same, "Cookie": (reply.header("set-cookie") or "").partition(";")[0]}
    with Connection(server.port) as stream:
        stream.send(spelt("GET", LIVE, cookie))
        assert stream.line() == b"HTTP/1.1 200 OK"
        run("token", "rotate", "--data-dir", str(server.directory))
        lines = iter(stream.line, b"0")
        assert b"retry: 2000" in lines
        assert list(lines)[-1] == b""
    assert exchange(server.port, spelt("GET", LIVE, cookie)).status == 401


@requirement("S1")
@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"Origin": "http://attacker.example"}, 403),
        ({"Authorization": "Bearer no"}, 401),
        ({"Host": "attacker.example"}, 421),
    ],
)
def test_who_may_not_ask_gets_no_stream(
    shared_server: Served, more: dict[str, str], status: int
) -> None:
    assert _get(shared_server, LIVE, **more).status == status


@requirement("S3")
@pytest.mark.parametrize("query", ["?session=", "?session=a&session=b", "?path=/"])
def test_a_stream_that_cannot_be_asked_for_is_400(shared_server: Served, query: str) -> None:
    assert _get(shared_server, LIVE + query).status == 400


@requirement("S3")
def test_the_head_of_a_stream_is_an_answer_of_its_own(shared_server: Served) -> None:
    head = spelt("HEAD", LIVE, _headers(shared_server))
    reply = exchange(shared_server.port, head, "HEAD")
    assert (reply.status, reply.header("content-type")) == (200, "text/event-stream; charset=utf-8")


@requirement("S6")
def test_a_stream_outlives_what_a_silent_connection_may_take(home: Path, tree: Tree) -> None:
    hasty = "from econome.server import heads, live\n"
    hasty += "heads.IDLE_SECONDS = heads.HEAD_SECONDS = heads.BODY_SECONDS = 0.5\n"
    hasty += "live.KEEP_SECONDS = 3.0"
    _age(next(home.rglob("s1.jsonl")))
    with served(home / "data dir", first=hasty) as server, Connection(server.port) as stream:
        stream.send(spelt("GET", f"{LIVE}?session=s1", _headers(server)))
        signs = iter(stream.line, b":")
        assert b"retry: 2000" in signs
        assert b"event: changed" not in signs
        _append(home, "s1", assistant("b"))
        assert b"event: changed" in iter(stream.line, None)


@requirement("S5")
def test_open_streams_hold_no_server(server: Served, listen: Callable[..., _Stream]) -> None:
    streams = [listen() for _ in range(5)]
    begun = time.monotonic()
    ran = server.stop()
    assert (ran.code, ran.err) == (0, "")
    assert time.monotonic() - begun < 4
    assert [stream.next() for stream in streams] == [{}] * 5


@requirement("S6")
def test_there_are_at_most_so_many_streams(server: Served, listen: Callable[..., _Stream]) -> None:
    streams = [listen() for _ in range(LISTENERS)]
    reply = _get(server, LIVE)
    assert (reply.status, reply.json.keys()) == (503, {"ok", "erreur"})
    streams[0].close()
    while not _opens(server):
        pass


def _opens(server: Served) -> bool:
    with Connection(server.port) as stream:
        stream.send(spelt("GET", LIVE, _headers(server)))
        return stream.line() == b"HTTP/1.1 200 OK"


class _Heard:
    """An in-process stream: what was sent, and a way to hang up."""

    def __init__(self, live: Live, query: bytes = b"") -> None:
        self.sent: asyncio.Queue[str] = asyncio.Queue()
        self._left = asyncio.Event()
        scope = {"type": "http", "method": "GET", "query_string": query, "headers": []}
        self.task = asyncio.ensure_future(live(scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        await self._left.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Any) -> None:
        if message.get("body"):
            self.sent.put_nowait(message["body"].decode())

    async def leave(self) -> None:
        self._left.set()
        await self.task


@requirement("S6", "V10")
@pytest.mark.parametrize("notices", [True, False])
def test_pages_share_one_watch_that_is_there_while_somebody_listens(
    tree: Tree, home: Path, monkeypatch: pytest.MonkeyPatch, notices: bool
) -> None:
    monkeypatch.setattr("econome.server.watching.LOOK_SECONDS", 0.05)
    place = next((home / "claude").rglob("s1.jsonl"))
    _age(place)
    watches: list[Watch] = []

    def watch(looks: Looks, tell: Callable[[Iterable[str]], None]) -> Watch:
        watches.append(Watch(looks, tell, notices=notices))
        return watches[-1]

    async def heard() -> tuple[list[str], list[bool]]:
        live = Live(settings.load(), watch)
        watching = [live.watching]
        pages = [_Heard(live), _Heard(live, b"session=s1")]
        for page in pages:
            assert await page.sent.get() == "retry: 2000\n\n"
        await asyncio.to_thread(_append_until, home, [page.sent for page in pages])
        told = [(await page.sent.get()).partition("\n")[0] for page in pages]
        for page in pages:
            watching.append(live.watching)
            await page.leave()
        watching.append(live.watching)
        later = _Heard(live)
        await later.sent.get()
        await live.stop()
        await later.task
        return told, [*watching, live.watching]

    told, watching = asyncio.run(heard())
    assert told == ["event: changed"] * 2
    assert watching == [False, True, True, False, False]
    assert len(watches) == 2


def _append_until(home: Path, queues: list[asyncio.Queue[str]]) -> None:
    """Write lines until each page has heard of one: a watch may still be beginning."""
    number = 0
    while any(queue.empty() for queue in queues):
        _append(home, "s1", assistant(f"n{number}"))
        number += 1


@requirement("S6")
def test_a_system_without_notices_is_looked_at(
    tree: Tree, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> Iterator[object]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("watchfiles.watch", refused)
    test_pages_share_one_watch_that_is_there_while_somebody_listens(tree, home, monkeypatch, True)


@requirement("V10")
@pytest.mark.parametrize(
    ("path", "mine"),
    [
        ("/r/projects/-p/s1.jsonl", True),
        ("/r/projects/-p/s1/subagents/agent-a.jsonl", True),
        ("/r/projects/-p/s1/subagents/workflows/wf_1/agent-a.jsonl", True),
        ("/r/projects/-p/s2/subagents/agent-a.jsonl", False),
        ("/r/projects/-p/s2.jsonl", False),
        ("/r/projects/-p/agent-a.jsonl", True),
        ("/r/sessions/2026/10/17/rollout-2026-10-17T09-00-00-s1.jsonl", True),
        ("/d/logs/mcp/economies.jsonl", False),
    ],
)
def test_a_path_tells_whose_it_may_be(path: str, mine: bool) -> None:
    assert concerns(path, "s1") is mine
