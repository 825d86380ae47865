"""`GET /api/v1/lean`: the lean figures of the balance, over HTTP, and always those of now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from econome.lean.ledger import lean_dir
from econome.lean.records import Record, line_of
from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement

pytestmark = requirement("L19")

ANSWER = Record(
    kind="answer",
    at="2026-10-16T23:30:00Z",
    server="github",
    client="cursor",
    method="o200k",
    before=100,
    after=40,
    added_us=300,
)


@pytest.fixture
def server(home: Path) -> Iterator[Served]:
    with served(home / "data" / "econome") as running:
        yield running


def _put(home: Path, *records: Record) -> None:
    directory = Path(lean_dir(str(home / "data" / "econome")))
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "one.jsonl"
    file.touch(0o600)
    with file.open("ab") as lines:
        lines.writelines(map(line_of, records))


def _get(server: Served, path: str, *, token: bool = True) -> Reply:
    headers = {"Host": f"127.0.0.1:{server.port}"}
    if token:
        headers["Authorization"] = f"Bearer {server.token}"
    return exchange(server.port, spelt("GET", path, headers))


def _printed(*args: str) -> Any:
    ran = run("balance", "--json", *args)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)


def test_the_figures_are_those_that_the_balance_prints(home: Path, server: Served) -> None:
    _put(home, ANSWER)
    for query, options in {
        "": (),
        "?since=2026-10-17&timezone=Europe/Paris": ("--since", "2026-10-17", "--timezone", "Europe/Paris"),
        "?client=claude-code&days=7": ("--client", "claude-code", "--days", "7"),
    }.items():  # fmt: skip
        reply = _get(server, f"/api/v1/lean{query}")
        printed = _printed(*options)
        assert (reply.status, reply.header("content-type")) == (200, "application/json"), query
        assert reply.json == {
            "schema": "econome.lean/1",
            "today": printed["today"],
            "period": printed["period"],
            "filters": {"client": printed["filters"]["client"]},
            **printed["lean"],
        }
    assert _get(server, "/api/v1/lean").json["methods"][0]["net"] == 60


def test_a_balance_of_the_server_tells_what_was_measured_since(home: Path, server: Served) -> None:
    assert _get(server, "/api/v1/balance").json["lean"]["methods"] == []
    for count in (1, 2):
        _put(home, ANSWER)
        reply = _get(server, "/api/v1/balance")
        assert reply.json["lean"]["methods"][0]["answers"]["count"] == count
        assert reply.json == _printed()


@pytest.mark.parametrize("query", ["preset=x", "by=day", "days=0", "data_dir=/"])
def test_a_parameter_that_is_none_is_refused(server: Served, query: str) -> None:
    assert _get(server, f"/api/v1/lean?{query}").status == 400


def test_only_who_has_the_token_is_answered(server: Served) -> None:
    assert _get(server, "/api/v1/lean", token=False).status == 401
