"""The page of savings has the figures of `econome balance`, and each leads to the events that it is made of."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import convert

from econome import settings as own_settings
from econome.delegation.journal import JOURNAL
from econome.delegation.scores import FILE, Score, keep_score
from econome.lean.ledger import lean_dir
from econome.lean.records import Record, line_of
from econome.savings.reading import CONFLICTS, LEDGER
from econome.server.desk import Desk, Moment
from econome.server.screens import savings
from econome.server.screens.figure import as_json
from econome.server.screens.state import State
from econome.server.screens.visit import Screen, Visit
from econome.server.showing import Asking, Showing, Shown
from econome.server.telling import telling
from tests.door import run
from tests.requirements import requirement
from tests.savings.builders import correction, delegation, request_id, steering
from tests.savings.ledgers import Written, ended, ledgers

Pairs = tuple[tuple[str, str], ...]
SUMS = ("delegations", "avoided", "steering", "corrections", "net")
TODAY = "2026-10-17"
SOME = Written(
    events=[
        delegation(1, date="2026-10-17T08:00:00Z"),
        delegation(2, date="2026-10-10T08:00:00Z"),
        delegation(3, date="2026-10-11T08:00:00Z", client="codex", id="codex:3"),
        steering(1, date="2026-10-17T08:01:00Z", demande_ids=[request_id(1), request_id(2)], cout=901),
        steering(2, date="2026-10-12T08:01:00Z", demande_ids=["nobody"], cout=77),
        correction(2, date="2026-10-17T09:00:00Z", cout=500),
        delegation(4, date="2026-01-02T08:00:00Z"),
    ],
    conflicts=[delegation(2, date="2026-10-10T08:00:00Z", estimation__evites=1)],
    journal=[ended(request_id(1)), ended(request_id(2), preset="large", format=None), ended(None, statut="refusee")],
)  # fmt: skip


@contextmanager
def _desk(written: Written, place: Path | None = None) -> Iterator[Desk]:
    """Give a desk whose ledger holds what is written."""
    with tempfile.TemporaryDirectory() as name:
        found = own_settings.load(data_dir=str(place or name))
        ledger = Path(found.ledger_dir())
        ledger.mkdir(parents=True, exist_ok=True)
        for file, lines in {
            LEDGER: written.ledger_lines(),
            CONFLICTS: written.conflict_lines(),
            JOURNAL: written.journal_lines(),
        }.items():
            (ledger / file).write_bytes(b"".join(lines))
        desk = Desk(found)
        try:
            yield desk
        finally:
            desk.close()


def _looked(desk: Desk, address: str) -> Screen:
    """Return the screen at an address."""
    split = urlsplit(address)
    rest = split.path.removeprefix("/savings").strip("/")
    state = State.of(split.path, parse_qsl(split.query))
    return savings.screen(Visit(state, telling("en"), Moment(desk.settings, None), desk, rest=rest))


def _shown(desk: Desk, address: str, language: str = "en", part: str = "") -> Shown:
    """Return what a browser is sent."""
    split = urlsplit(address)
    rest = split.path.removeprefix("/savings").strip("/")
    asking = Asking("savings", rest, tuple(parse_qsl(split.query)), language, part)
    return Showing(desk).show(asking)


def _facts(screen: Screen, name: str) -> list[dict[str, Any]]:
    figure = screen.figure(name)
    assert figure is not None, name
    rows: list[dict[str, Any]] = as_json(figure)["rows"]
    return rows


def _printed(desk: Desk, *options: str) -> dict[str, Any]:
    ran = run("balance", "--json", "--data-dir", desk.settings.data_dir, *options)
    assert (ran.code, ran.err) == (0, "")
    report: dict[str, Any] = json.loads(ran.out)
    return report


ROWS = {"presets": "preset", "formats": "format", "models": "model", "days": "day"}
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "": ("--days", "30"),
    "?days=7": ("--days", "7"),
    "?since=2026-10-10&until=2026-10-12": ("--since", "2026-10-10", "--until", "2026-10-12"),
    "?client=codex&days=all": ("--client", "codex"),
    "?days=90": ("--days", "90"),
    "?client=claude-code&preset=large": ("--client", "claude-code", "--preset", "large", "--days", "30"),
    "?preset=(none)&client=claude-code": ("--preset", "(none)", "--client", "claude-code", "--days", "30"),
}  # fmt: skip


@requirement("S7")
def test_the_figures_are_those_that_the_balance_prints() -> None:
    with _desk(SOME) as desk:
        for query, options in QUESTIONS.items():
            screen = _looked(desk, f"/savings{query}")
            for name, dimension in ROWS.items():
                report = _printed(desk, "--by", dimension, *options)
                found = _facts(screen, name)
                added: dict[str | None, dict[str, int]] = {}
                for row in (row for client in report["clients"] for row in client["rows"]):
                    sums = added.setdefault(row[dimension], dict.fromkeys(SUMS, 0))
                    for figure in SUMS:
                        sums[figure] += row[figure]
                assert {row[dimension]: {one: row[one] for one in SUMS} for row in found} == added
                if len(report["clients"]) == 1:
                    keys = (dimension, *SUMS, "rework_rate")
                    wanted = [
                        {key: row[key] for key in keys} for row in report["clients"][0]["rows"]
                    ]
                    assert [{key: row[key] for key in keys} for row in found] == wanted
            report = _printed(desk, *options)
            names = ("client", *SUMS, "rework_rate", "unattached", "conflicts")
            wanted = [{name: one[name] for name in names} for one in report["clients"]]
            assert _facts(screen, "clients") == wanted
            if report["local"]["requests"]:
                statuses = {row["status"]: row["requests"] for row in _facts(screen, "local")}
                assert statuses == report["local"]["by_status"]


@requirement("S7", "C-N26")
def test_the_page_shows_the_net_of_today_and_of_the_period() -> None:
    with _desk(SOME) as desk:
        for query, options in QUESTIONS.items():
            screen = _looked(desk, f"/savings{query}")
            filters = [*options]
            for name, width in (("--days", 2), ("--since", 2), ("--until", 2)):
                if name in filters:
                    at = filters.index(name)
                    del filters[at : at + width]
            whole = _printed(desk, *options)["total"]
            today = _printed(desk, *filters, "--since", TODAY, "--until", TODAY)["total"]
            for place, total in (("whole", whole), ("today", today)):
                tiles = [tile[1] for tile in screen.context[place]]
                wanted = [total[name] for name in ("net", "avoided", "steering", "corrections")]
                assert tiles == [f"{one:,}" for one in wanted], (query, place)
        page = _shown(desk, "/savings").body.decode()
        assert "Today" in page
        assert "caracteres/4" in page
        assert f">{4000 - 901 - 500:,}</a>" in page


@requirement("S7", "S6")
@settings(max_examples=12, deadline=None)
@given(ledgers(), st.sampled_from(("?days=all", "?days=all&client=codex", "?since=2026-03-29&until=2026-10-24")))  # fmt: skip
def test_every_figure_leads_to_the_events_that_it_is_made_of(written: Written, query: str) -> None:
    with _desk(written) as desk:
        screen = _looked(desk, f"/savings{query}")
        followed = 0
        for name in ("presets", "formats", "models", "clients", "days", "net"):
            figure = screen.figure(name)
            if figure is None:
                continue
            keys = [column.key for column in figure.columns]
            for row in figure.rows:
                values = dict(zip(keys, row.values, strict=True))
                assert set(keys) - row.links.keys() <= {"score"}, name
                for key, link in row.links.items():
                    listed = _looked(desk, link).context["listing"]["figures"]
                    if key in (*SUMS, "so_far") and key in values:
                        of = "net" if key == "so_far" else key
                        assert listed[of] == values[key], (name, values, key, link)
                    if key in ("unattached", "conflicts"):
                        assert listed["events"] == values[key]
                    followed += 1
        for place in ("today", "whole"):
            names = ("net", "avoided", "steering", "corrections")
            for key, tile in zip(names, screen.context[place], strict=True):
                listed = _looked(desk, tile[3]).context["listing"]["figures"]
                assert f"{listed[key]:,}" == tile[1]
        for _, link in screen.context.get("notes", ()):
            assert not link or _looked(desk, link).context["listing"]["events"]
        assert followed or not written.events or query != "?days=all"


@requirement("S7", "S6")
def test_what_is_unattached_and_what_came_again_is_told_with_its_events() -> None:
    with _desk(SOME) as desk:
        notes = dict(_looked(desk, "/savings").context["notes"])
        (unattached,) = [link for said, link in notes.items() if "unattached" in said]
        (again,) = [link for said, link in notes.items() if "came again" in said]
        (row,) = _looked(desk, unattached).context["listing"]["events"]
        assert (row["requests"], row["attached"], row["counted"]) == (["nobody"], False, 77)
        (row,) = _looked(desk, again).context["listing"]["events"]
        assert (row["conflict"], row["tokens"], row["counted"]) == (True, 1, 0)
        page = _shown(desk, again).body.decode()
        assert "The earlier ones count, these do not." in page


@requirement("S7")
def test_the_rework_rate_of_nothing_avoided_is_not_known() -> None:
    written = Written([correction(1, date="2026-10-17T08:00:00Z")])
    with _desk(written) as desk:
        screen = _looked(desk, "/savings")
        assert [row["rework_rate"] for row in _facts(screen, "presets")] == [None]
        assert "rework n/a" in _shown(desk, "/savings").body.decode()


@requirement("S7", "D6")
def test_a_preset_has_the_score_of_its_own_checks_beside_its_rework_rate() -> None:
    with _desk(SOME) as desk:
        facts = {"backend": "own", "model": "m", "passed": 2, "total": 3, "date": TODAY}
        score = convert({"preset": "small", "digest": "old", **facts}, Score)
        keep_score(str(Path(desk.settings.data_dir) / FILE), score)
        rows = {row["preset"]: row["score"] for row in _facts(_looked(desk, "/savings"), "presets")}
        assert rows == {"small": "2/3", "large": None, None: None}
        assert "2 of 3, before it was changed" in _shown(desk, "/savings").body.decode()


@requirement("S7")
def test_a_long_time_is_shown_in_spans_that_add_up_to_it() -> None:
    with _desk(SOME) as desk:
        screen = _looked(desk, "/savings?days=all")
        total = _printed(desk)["total"]
        for name in ("net", "days"):
            rows = _facts(screen, name)
            assert sum(row["net"] for row in rows) == total["net"]
            assert [row["week"] for row in rows] == ["2026-W01", "2026-W41", "2026-W42"]
        assert rows[-1]["net"] == 4000 - 901 - 77 - 500
        assert _facts(screen, "net")[-1]["so_far"] == total["net"]


@requirement("S9")
def test_dollars_are_shown_when_they_are_asked_for_and_are_those_of_the_balance() -> None:
    with _desk(SOME) as desk:
        assert _looked(desk, "/savings").figure("money") is None
        screen = _looked(desk, "/savings?usd=1&days=all")
        report = _printed(desk, "--usd")
        names = ("avoided", "steering", "corrections", "net")
        wanted = {one["client"]: one["usd"] for one in report["clients"]} | {
            None: report["total"]["usd"]
        }
        found = _facts(screen, "money")
        assert {row["client"]: {name: row[name] for name in names} for row in found} == {
            client: {name: usd[name] for name in names} for client, usd in wanted.items()
        }
        page = _shown(desk, "/savings?usd=1&days=all").body.decode()
        assert "n/a" in page
        assert "no transcript names the model" in page


@requirement("L19")
def test_what_was_measured_stands_apart_and_is_left_out_with_a_preset(tmp_path: Path) -> None:
    with _desk(SOME, tmp_path) as desk:
        place = Path(lean_dir(str(tmp_path)))
        place.mkdir(parents=True)
        facts: dict[str, Any] = {
            "at": f"{TODAY}T10:00:00Z",
            "server": "github",
            "client": "cursor",
            "method": "o200k",
        }
        records = (
            Record(kind="answer", before=100, after=40, added_us=300, **facts),
            Record(kind="menu", before=900, after=100, form="lazy", **facts),
        )
        file = place / "one.jsonl"
        file.touch(0o600)
        file.write_bytes(b"".join(map(line_of, records)))
        before = _looked(desk, "/savings").context["whole"]
        screen = _looked(desk, "/savings")
        (answers,) = _facts(screen, "lean-answers")
        assert (answers["server"], answers["before"], answers["net"]) == ("github", 100, 60)
        (menus,) = _facts(screen, "lean-menus")
        assert (menus["form"], menus["before"], menus["after"], menus["less"]) == (
            "lazy",
            900,
            100,
            800,
        )
        assert screen.context["whole"] == before
        page = _shown(desk, "/savings").body.decode()
        assert "60 tokens net saved in 1 answer: 100 → 40, by o200k." in page
        assert "in none of the sums above" in page
        chosen = _shown(desk, "/savings?preset=small").body.decode()
        assert "they are left out while one is chosen" in chosen
        assert "lean-answers" not in chosen


@requirement("S7")
def test_without_any_event_the_page_says_what_would_bring_one() -> None:
    with _desk(Written()) as desk:
        page = _shown(desk, "/savings").body.decode()
        assert "Nothing was delegated to a local model yet" in page
        assert "econome mcp" in page
        assert '<svg class="chart' not in page
        listing = _shown(desk, "/savings/events").body.decode()
        assert "Nothing in this period." in listing


@requirement("S7", "V2")
def test_a_hidden_series_is_not_drawn_and_stays_in_the_table() -> None:
    with _desk(SOME) as desk:
        shown = _looked(desk, "/savings").figure("days")
        assert shown is not None
        assert [entry.hidden for entry in shown.legend] == [False, False, False]
        hidden = _looked(desk, shown.legend[0].link).figure("days")
        assert hidden is not None
        assert [entry.hidden for entry in hidden.legend] == [True, False, False]
        assert [row.values for row in hidden.rows] == [row.values for row in shown.rows]
        assert "Avoided: " not in hidden.chart
        assert _looked(desk, hidden.legend[0].link).figure("days") == shown
        part = _shown(desk, shown.legend[0].link, part="days").body.decode()
        assert part.lstrip().startswith('<section class="figure" id="days"')


@requirement("S10")
def test_pages_of_events_follow_one_another() -> None:
    many = Written([delegation(number, date=f"{TODAY}T08:00:00Z") for number in range(1, 121)])
    with _desk(many) as desk:
        seen, address = [], "/savings/events?kind=delegation"
        while address:
            screen = _looked(desk, address)
            seen += [row["requests"][0] for row in screen.context["listing"]["events"]]
            address = screen.context["older"]
        assert seen == [request_id(number) for number in range(120, 0, -1)]
        assert screen.context["listing"]["page"] == {"number": 5, "pages": 5, "limit": 25}
        assert "page=4" in screen.context["newer"]
        copied = _shown(desk, "/savings/events/figures/events.csv?kind=delegation&page=2")
        table = [line.split(",") for line in copied.body.decode().splitlines()]
        assert [line[table[0].index("requests")] for line in table[1:]] == seen


@requirement("S3")
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/savings?since=nonsense", 400),
        ("/savings?days=0", 400),
        ("/savings?since=2026-10-10&until=2026-10-09", 400),
        ("/savings/events?kind=other", 400),
        ("/savings/events?attached=perhaps", 400),
        ("/savings/elsewhere", 404),
        ("/savings/events/figures/nothing.csv", 404),
        ("/savings?unknown=1&hide=nothing", 200),
        ("/savings/events?page=999999999", 200),
        ("/savings/events?request=%00%F0%9F%92%A5", 200),
    ],
)
def test_what_cannot_be_asked_is_said_and_breaks_nothing(address: str, status: int) -> None:
    with _desk(SOME) as desk:
        assert _shown(desk, address).status == status


@requirement("S7")
def test_names_are_anybodys_and_stay_text() -> None:
    evil = "<script>alert(1)</script>\u202e" + "x" * 440
    name = "dem-<img src=x onerror=alert(1)>"
    dates: dict[str, Any] = {"date": f"{TODAY}T08:00:00Z"}
    written = Written(
        [
            delegation(client=evil, demande_id=name, session_id=evil, id=evil, **dates),
            steering(modele=evil, demande_ids=[name, "other"], client=evil, **dates),
            delegation(2, date="9999-12-31T23:59:59-23:59"),
            delegation(5, date="0001-01-01T00:00:00+23:59"),
        ],
        journal=[ended(name, preset=evil, format=evil, modele=evil)],
    )
    with _desk(written) as desk:
        for language in ("en", "fr"):
            for address in ("/savings?days=all", "/savings/events?days=all"):
                shown = _shown(desk, address, language)
                page = shown.body.decode()
                assert shown.status == 200
                assert "<script>alert" not in page
                assert "<img src" not in page
                assert "\u202e" not in page
                assert "<script>alert(1)</script>" in unescape(page)
        copied = _shown(desk, "/savings/events/figures/events.json?days=all").body
        rows = json.loads(copied)["rows"]
        assert len(rows) == 4
        net = _looked(desk, "/savings?days=all").figure("net")
        assert net is not None
        assert "2 days" in net.note
        assert {row["client"] for row in rows} == {evil, "claude-code"}
