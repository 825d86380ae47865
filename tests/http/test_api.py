"""The figures over HTTP are those of the command line, byte for byte, and `/metrics` counts the same things."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec import convert
from prometheus_client.parser import text_string_to_metric_families

from econome import settings
from econome.delegation.scores import FILE, Score, keep_score
from econome.demo import tree
from econome.savings.question import Question
from econome.server.desk import Desk
from econome.server.metrics import exposition
from econome.times import parse_day
from tests.conftest import NOW
from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, correction, delegation, ledger_line, request_id, steering


@pytest.fixture
def server(home: Path) -> Iterator[Served]:
    """Return a server whose user has transcripts and a ledger."""
    tree.write(home, parse_day(NOW[:10]) or 0)
    with served(home / "data dir") as running:
        yield running


def _get(server: Served, path: str) -> Reply:
    headers = {"Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {server.token}"}
    return exchange(server.port, spelt("GET", path, headers))


QUESTIONS = {
    "": (),
    "?by=model": ("--by", "model"),
    "?by=day&by=model&limit=3": ("--by", "day", "--by", "model", "--limit", "3"),
    "?days=7&by=project&no_cost=1": ("--days", "7", "--by", "project", "--no-cost"),
    "?since=2026-10-01&until=2026-10-10&timezone=Asia/Tokyo": (
        "--since", "2026-10-01", "--until", "2026-10-10", "--timezone", "Asia/Tokyo",
    ),
    "?source=codex&agent=main&sort=cost&no_cost=0": (
        "--source", "codex", "--agent", "main", "--sort", "cost",
    ),
    "?model=no%C3%A9%26such&project=/x&session=s": (
        "--model", "noé&such", "--project", "/x", "--session", "s",
    ),
}  # fmt: skip


@requirement("S1", "R6")
def test_usage_is_what_the_command_prints(server: Served) -> None:
    for query, options in QUESTIONS.items():
        printed = run("usage", "--json", *options)
        assert printed.code == 0, printed.err
        reply = _get(server, f"/api/v1/usage{query}")
        assert (reply.status, reply.header("content-type")) == (200, "application/json"), query
        assert reply.body.decode("ascii") == printed.out, query
    assert _get(server, "/api/v1/usage").json["total"]["responses"] > 0


@requirement("S1", "R6")
def test_sessions_are_what_the_command_prints(server: Served) -> None:
    for query, options in {
        "": (),
        "?limit=2": ("--limit", "2"),
        "?timezone=Asia/Tokyo&limit=1": ("--timezone", "Asia/Tokyo", "--limit", "1"),
    }.items():
        printed = run("session", "--json", *options)
        reply = _get(server, f"/api/v1/sessions{query}")
        assert (reply.status, reply.body.decode("ascii")) == (200, printed.out), query
    for row in _get(server, "/api/v1/sessions").json["sessions"][:5]:
        printed = run("session", "--json", row["session"])
        reply = _get(server, f"/api/v1/session?id={row['session']}")
        assert (reply.status, reply.body.decode("ascii")) == (200, printed.out)
        assert reply.json["total"]["responses"] == row["responses"]


@requirement("S3")
def test_a_session_that_is_none_or_several_is_told_so(server: Served) -> None:
    ids = [row["session"] for row in _get(server, "/api/v1/sessions").json["sessions"]]
    begins = [name[0] for name in ids]
    shared = next(letter for letter in begins if begins.count(letter) > 1)
    for query, status in {
        "?id=none": 404, f"?id={shared}": 400, "": 400, "?id=": 400, "?id=a&id=b": 400,
        f"?id={ids[0]}&limit=1": 400, "?id=%FF%00": 404, f"?id={'x' * 5000}": 404,
    }.items():  # fmt: skip
        reply = _get(server, f"/api/v1/session{query}")
        assert (reply.status, reply.json.keys()) == (status, {"ok", "erreur"}), query
    for query in ("?id=a", "?by=day", "?limit=0", "?timezone=Nowhere/None"):
        assert _get(server, f"/api/v1/sessions{query}").status == 400, query


@requirement("S7", "S9")
def test_the_balance_is_what_the_command_prints(server: Served) -> None:
    options = ("--data-dir", str(server.directory))
    batch = body(delegation(1), delegation(2, client="other"), steering(1), correction(2))
    for _ in range(2):
        for query, more in {
            "": (),
            "?by=preset": ("--by", "preset"),
            "?by=day&days=30": ("--by", "day", "--days", "30"),
            "?client=other&by=delegation&limit=1": (
                "--client", "other", "--by", "delegation", "--limit", "1",
            ),
            "?usd=1": ("--usd",),
            "?timezone=Asia/Tokyo&since=2026-10-30": (
                "--timezone", "Asia/Tokyo", "--since", "2026-10-30",
            ),
        }.items():  # fmt: skip
            printed = run("balance", "--json", *more, *options)
            assert printed.code == 0, printed.err
            reply = _get(server, f"/api/v1/balance{query}")
            assert (reply.status, reply.body.decode("ascii")) == (200, printed.out), query
        server.status("POST", "/economies", batch)
    assert _get(server, "/api/v1/balance").json["total"]["delegations"] == 2


@requirement("S7")
def test_a_balance_that_was_asked_before_shows_what_came_since(server: Served) -> None:
    for number in range(1, 4):
        server.status("POST", "/economies", body(delegation(number)))
        for _ in range(2):
            assert _get(server, "/api/v1/balance").json["total"]["avoided"] == 4000 * number


@requirement("S7")
def test_each_question_has_its_own_answer(server: Served) -> None:
    late = delegation(1, date="2026-10-16T23:30:00Z")
    server.status("POST", "/economies", body(late))
    for zone, day in (("UTC", "2026-10-16"), ("Asia/Tokyo", "2026-10-17"), ("UTC", "2026-10-16")):
        rows = _get(server, f"/api/v1/balance?by=day&timezone={zone}").json["clients"][0]["rows"]
        assert [row["day"] for row in rows] == [day]
        assert "rows" not in _get(server, f"/api/v1/balance?timezone={zone}").json["clients"][0]


@requirement("S7", "D6")
def test_a_preset_tested_after_the_balance_was_asked_shows_its_score(tmp_path: Path) -> None:
    found = settings.load(data_dir=str(tmp_path))
    place = Path(found.ledger_dir())
    place.mkdir(parents=True)
    (place / "economies.jsonl").write_bytes(ledger_line(delegation(1)))
    ended = {
        "date": "2026-10-30",
        "demande_id": request_id(1),
        "statut": "terminee",
        "preset": "code",
    }
    (place / "delegations.jsonl").write_text(json.dumps(ended) + "\n", encoding="utf-8")
    facts = {"backend": "own", "model": "m", "passed": 2, "total": 3, "date": "2026-10-17"}

    async def asked() -> list[Any]:
        desk, scores = Desk(found), []
        for _ in range(2):
            report = await desk.balance(lambda day: Question(by="preset"))
            scores.append(report["clients"][0]["rows"][0]["score"])
            score = convert({"preset": "code", "digest": "old", **facts}, Score)
            keep_score(str(tmp_path / FILE), score)
        desk.close()
        return scores

    assert asyncio.run(asked()) == [None, {**facts, "current": False}]


@requirement("S5", "S7")
def test_what_is_on_its_way_to_disk_does_not_count_yet(tmp_path: Path) -> None:
    found = settings.load(data_dir=str(tmp_path))
    place = Path(found.ledger_dir())
    place.mkdir(parents=True)
    lines = [ledger_line(delegation(number)) for number in range(3)]
    (place / "economies.jsonl").write_bytes(b"".join(lines))
    acknowledged = 0

    async def counted() -> list[int]:
        nonlocal acknowledged
        desk = Desk(found, lambda: acknowledged)
        counts = []
        for line in (b"", *lines):
            acknowledged += len(line)
            report = await desk.balance(lambda day: Question())
            counts.append(report["total"]["delegations"])
        desk.close()
        return counts

    assert asyncio.run(counted()) == [0, 1, 2, 3]


@requirement("S3")
@pytest.mark.parametrize(
    "query",
    [
        "by=x", "by=day&by=day", "by=day&by=model&by=agent", "days=0", "days=x", "days=7&days=7",
        "since=x", "since=2026-10-02&until=2026-10-01", "days=7&since=2026-10-01", "limit=0",
        "limit=-1", "no_cost=2", "no-cost=1", "sort=x", "sort=cost&no_cost=1", "root=/", "data_dir=/",
        "json=1", "nothing=1", "timezone=Nowhere/None", "timezone=../../etc/passwd", "timezone=%00",
        "timezone=" + "x" * 5000, "project=", "since=0001-01-01&timezone=%FF", "=", "&x",
    ],
)  # fmt: skip
def test_a_question_that_cannot_be_asked_is_400(shared_server: Served, query: str) -> None:
    reply = _get(shared_server, f"/api/v1/usage?{query}")
    assert (reply.status, reply.json.keys(), reply.json["ok"]) == (400, {"ok", "erreur"}, False)
    assert "\n" not in reply.json["erreur"]


@requirement("S3")
@pytest.mark.parametrize(
    "query",
    [
        "by=x",
        "by=day&by=day",
        "days=0",
        "limit=0",
        "verify=1",
        "csv=1",
        "root=/",
        "usd=x",
        "client=",
    ],
)
def test_a_balance_that_cannot_be_asked_is_400(shared_server: Served, query: str) -> None:
    reply = _get(shared_server, f"/api/v1/balance?{query}")
    assert (reply.status, reply.json.keys(), reply.json["ok"]) == (400, {"ok", "erreur"}, False)


@requirement("S3")
@pytest.mark.parametrize(
    "query",
    [
        "since=0001-01-01", "until=9999-12-31", "days=999999999&by=day", "limit=999999999&by=day",
        "client=%F0%9F%98%80", "client=%FF%FE", "client=%00", "days=all", "client=" + "x" * 5000,
    ],
)  # fmt: skip
def test_far_days_and_odd_names_are_questions_too(shared_server: Served, query: str) -> None:
    assert _get(shared_server, f"/api/v1/balance?{query}").status == 200
    odd = query.replace("client", "model").replace("days=999999999", "days=90")
    assert _get(shared_server, f"/api/v1/usage?{odd}").status == 200


def _samples(reply: Reply) -> dict[tuple[str, tuple[str, ...]], float]:
    assert (reply.status, reply.header("content-type")) == (
        200, "text/plain; version=0.0.4; charset=utf-8",
    )  # fmt: skip
    return {
        (sample.name, tuple(value for _, value in sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(reply.body.decode("utf-8"))
        for sample in family.samples
    }


def _plain(samples: dict[tuple[str, tuple[str, ...]], float]) -> dict[str, float]:
    return {name: value for (name, labels), value in samples.items() if not labels}


@pytest.mark.slow
@requirement("S1", "S6")
def test_metrics_count_what_was_received_repeated_contradicted_and_refused(server: Served) -> None:
    batch = body(delegation(1), delegation(2))
    server.status("POST", "/economies", batch)
    server.status("POST", "/economies", batch)
    server.status("POST", "/economies", body(delegation(1, client="other")))
    for wrong in ({"Authorization": "Bearer no"}, {"Content-Type": "text/plain"}):
        server.status("POST", "/economies", batch, **wrong)
    server.status("POST", "/economies", b"{}")
    server.status("GET", "/economies")
    server.status("GET", "/nowhere")
    samples = _samples(_get(server, "/metrics"))
    assert _plain(samples) == {
        "econome_events_received_total": 2,
        "econome_events_duplicate_total": 3,
        "econome_events_conflicting_total": 1,
        "econome_ledger_queue_events": 0,
        "econome_ledger_events": 2,
        "econome_ledger_size_bytes": server.ledger.stat().st_size,
    }
    refused = {
        labels: value
        for (name, labels), value in samples.items()
        if name == "econome_posts_refused_total"
    }
    assert refused == {("400",): 1, ("401",): 1, ("405",): 1, ("422",): 1}


@dataclass
class _Busy:
    """A ledger that has not written everything yet."""

    received: int = 7
    duplicates: int = 2
    conflicts: int = 1
    waiting: int = 3
    events: int = 5
    size: int = 1234


@requirement("S1", "S5")
def test_metrics_tell_how_many_events_wait_for_the_disk() -> None:
    shown = exposition(_Busy(), {}, []).decode("utf-8").splitlines()
    assert [line for line in shown if line and not line.startswith("#")] == [
        "econome_events_received_total 7.0",
        "econome_events_duplicate_total 2.0",
        "econome_events_conflicting_total 1.0",
        "econome_ledger_queue_events 3.0",
        "econome_ledger_events 5.0",
        "econome_ledger_size_bytes 1234.0",
    ]


@requirement("S1", "P4")
def test_metrics_have_the_tokens_of_each_model_and_no_cost_where_there_is_no_price(
    server: Served,
) -> None:
    rows = _get(server, "/api/v1/usage?by=model").json["rows"]
    assert [row["cost_usd"] for row in rows].count(None) > 0
    expected: dict[tuple[str, tuple[str, ...]], Any] = {}
    for row in rows:
        for name in ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h"):
            expected["econome_usage_tokens", (name, row["model"])] = row[f"{name}_tokens"]
        if row["cost_usd"] is not None:
            expected["econome_usage_cost_usd", (row["model"],)] = float(row["cost_usd"])
    samples = _samples(_get(server, "/metrics"))
    found = {key: value for key, value in samples.items() if key[0].startswith("econome_usage_")}
    assert found == expected


@requirement("C-N26", "S7")
def test_the_savings_page_shows_the_net_of_all_and_of_today(server: Served) -> None:
    for number, date in enumerate((NOW, "2026-03-01T00:00:00Z"), 1):
        batch = body(delegation(number, date=date, estimation__evites=1234 * number))
        assert server.status("POST", "/economies", batch) == 200
    day = _get(server, "/api/v1/balance").json["today"]
    assert day == NOW[:10]
    whole = _get(server, "/api/v1/balance").json["total"]["net"]
    today = _get(server, f"/api/v1/balance?since={day}&until={day}").json["total"]["net"]
    assert (whole, today) == (3702, 1234)
    page = _get(server, "/savings?days=all").body.decode()
    first, _, second = page.partition("whole-heading")
    assert (f">{today:,}</a>" in first, f">{whole:,}</a>" in second) == (True, True)
