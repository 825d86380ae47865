"""The diagnosis is the same in the terminal, over HTTP and on its page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome.demo import tree
from econome.times import parse_day
from tests.conftest import NOW
from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement


@pytest.fixture
def server(home: Path) -> Iterator[Served]:
    """Return a server whose user has transcripts."""
    tree.write(home, parse_day(NOW[:10]) or 0)
    with served(home / "data") as running:
        yield running


def _get(server: Served, path: str, **headers: str) -> Reply:
    given = {"Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {server.token}"}
    return exchange(server.port, spelt("GET", path, given | headers))


@requirement("S1", "R6")
def test_it_is_what_the_command_prints_and_what_the_page_shows(server: Served) -> None:
    options = ("--data-dir", str(server.directory))
    for query, more in {
        "": (),
        "?days=all": ("--days", "all"),
        "?since=2026-10-01&until=2026-10-10": ("--since", "2026-10-01", "--until", "2026-10-10"),
    }.items():
        printed = run("diagnosis", "--json", *more, *options)
        assert printed.code == 0, printed.err
        reply = _get(server, f"/api/v1/diagnosis{query}")
        assert (reply.status, reply.body.decode("ascii")) == (200, printed.out), query
        report = json.loads(printed.out)
        rows = _get(server, f"/diagnosis/figures/worth.json{query}").json["rows"]
        assert [(row["tokens"], row["usd"], row["cumulative_usd"]) for row in rows] == [
            (one["worth"]["tokens"], one["worth"]["usd"], one["cumulative_usd"])
            for one in report["findings"]
        ]
        assert rows


@requirement("S1")
def test_a_wrong_parameter_is_refused(server: Served) -> None:
    assert _get(server, "/api/v1/diagnosis?days=8").status == 400
    assert _get(server, "/api/v1/diagnosis?days=7&since=2026-10-01").status == 400
    assert _get(server, "/api/v1/diagnosis?root=/etc").status == 400
