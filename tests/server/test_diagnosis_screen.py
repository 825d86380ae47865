"""The page of the diagnosis has words for all that its room says, shows them inert, and never waits for a judgement."""

from __future__ import annotations

import ast
import json
import re
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from inspect import getsource
from pathlib import Path
from typing import Any

import pytest

from econome import settings
from econome.diagnosis import answers, caching, compacting, delegating, habits, menus, models
from econome.diagnosis.findings import KINDS, METHODS, REASONS, RULES, UNKNOWN
from econome.server import frame
from econome.server.charts.values import Group, Head, Series
from econome.server.charts.worths import worths
from econome.server.desk import Desk, Moment
from econome.server.screens import diagnosis_tables as tables
from econome.server.screens import diagnosis_words as words
from econome.server.screens.diagnosis import shown
from econome.server.screens.diagnosis_limits import norms
from econome.server.screens.diagnosis_seen import SEEN, seen
from econome.server.screens.diagnosis_steps import steps
from econome.server.screens.diagnosis_view import view
from econome.server.screens.diagnosis_why import reasons, why
from econome.server.screens.state import State
from econome.server.screens.visit import Visit
from econome.server.showing import Asking, Showing, Shown
from econome.server.telling import telling
from tests.builders import Tree, assistant
from tests.diagnosis.sample import FACTS, TABLES, sample
from tests.requirements import requirement

EN = telling("en")


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Return a desk whose user has no transcripts yet."""
    made = Desk(settings.load())
    yield made
    made.close()


def _show(desk: Desk, *pairs: tuple[str, str], rest: str = "", part: str = "") -> Shown:
    return Showing(desk).show(Asking("diagnosis", rest, pairs, "en", part))


def _visit(desk: Desk, language: str = "en") -> Visit:
    return Visit(State("/diagnosis"), telling(language), Moment(desk.settings, "UTC"), desk)


class _Page(HTMLParser):
    """The elements of a page with their attributes, and all its text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def ids(self) -> list[str]:
        return [found for _, attributes in self.elements if (found := attributes.get("id"))]


def test_every_rule_has_a_name_an_aim_a_reason_a_sentence_and_one_to_three_steps() -> None:
    every = set(RULES)
    assert set(words.names(EN)) == set(words.sought(EN)) == set(steps(EN)) == set(SEEN) == every
    assert {name.partition(".")[0] for name in reasons(EN)} == every
    assert all(1 <= len(found) <= 3 for found in steps(EN).values())
    for rule in RULES:
        assert seen(EN, rule, FACTS[rule]).endswith(".")
        assert {why(EN, rule, degree) for degree in words.confidences(EN)} <= set(
            reasons(EN).values()
        )


def test_every_method_reason_and_unknown_has_a_text() -> None:
    assert set(words.methods(EN)) == set(METHODS.values())
    assert set(words.reasons(EN)) == set(REASONS)
    assert set(words.unknowns(EN)) == set(UNKNOWN)


def test_every_table_and_column_of_evidence_has_a_title_and_a_kind() -> None:
    names = {name for found in TABLES.values() for name, _ in found}
    keys = {key for found in TABLES.values() for _, columns in found for key, _, _ in columns}
    assert set(tables.tables(EN)) == names
    assert {key for key in tables.columns(EN) if "." not in key} == keys
    assert set(tables.KINDS) == set(KINDS)


def test_every_norm_that_the_room_measures_by_has_a_name() -> None:
    rooms = (answers, caching, compacting, delegating, habits, menus, models)
    measured = {
        call.args[0].value
        for room in rooms
        for call in ast.walk(ast.parse(getsource(room)))
        if isinstance(call, ast.Call)
        and getattr(call.func, "id", "") in ("Percentile", "needed")
        and isinstance(call.args[0], ast.Constant)
    }
    assert set(norms(EN)) == measured


def test_a_step_closes_every_quote_of_what_is_typed() -> None:
    assert all(text.count("`") % 2 == 0 for found in steps(EN).values() for text in found)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_whole_page_shows_anybodys_names_inert(desk: Desk, language: str) -> None:
    visit = _visit(desk, language)
    page = frame.page(shown(visit, sample()), visit)
    read = _Page(page)
    assert b"<script>alert" not in page
    assert "<script>alert(1)</script>"[:8] in read.text
    assert "\u202e" not in read.text
    assert len(read.ids()) == len(set(read.ids()))
    assert {f"{rule}-heading" for rule in RULES if rule != "heavy-menu"} <= set(read.ids())


def test_basis_and_confidence_are_words_beside_the_marks(desk: Desk) -> None:
    visit, report = _visit(desk), sample(without=())
    screen = shown(visit, report)
    for finding, told in zip(
        report["findings"], view(EN, report, State("/usage")).findings, strict=True
    ):
        assert (told.basis, told.confidence) == (finding["worth"]["basis"], finding["confidence"])
    worth = screen.figure("worth")
    assert worth is not None
    assert {(row.values[1], row.place) for row in worth.rows} == {("measured", 0), ("estimated", 1)}
    assert [entry.name for entry in worth.legend] == ["measured", "estimated"]


def test_what_was_measured_and_what_was_estimated_share_no_sum(desk: Desk) -> None:
    report = sample(without=())
    sums = view(EN, report, State("/usage")).sums
    assert [one.basis for one in sums] == ["measured", "estimated"]
    worth = shown(_visit(desk), report).figure("worth")
    assert worth is not None
    drawn = re.findall(r'class="track"/><rect [^>]*url\(#part-(.)\)', worth.chart)
    priced = [one["worth"] for one in report["findings"] if one["worth"]["usd"] is not None]
    assert drawn == [{"measured": "0", "estimated": "1"}[one["basis"]] for one in priced]


def test_names_of_evidence_lead_to_their_pages_within_the_period(desk: Desk) -> None:
    within = State("/usage", (("days", "7"),))
    found = view(EN, sample(), within).findings
    links = {
        link
        for one in found
        for table in one.evidence
        for row in table.rows
        for link in row.links.values()
    }
    assert "/session/11111111-1111-4111-8111-111111111111" in links
    assert "/session?id=%3Cscript%3Ealert%281%29%3C%2Fscript%3E" in links
    assert "/usage?days=7&agent=Explore" in links
    assert "/usage?since=2026-10-12&until=2026-10-12" in links


def test_a_report_without_findings_says_so_and_still_lists_what_was_looked_for(desk: Desk) -> None:
    visit = _visit(desk)
    page = _Page(frame.page(shown(visit, sample(without=RULES)), visit)).text
    assert "Nothing in this period costs more than it has to" in page
    assert "What was looked for" in page
    assert "no server was profiled or locked" in page
    assert "What this report cannot know" in page


def test_an_amount_without_a_price_is_not_drawn_as_nothing() -> None:
    series = (Series("a", 0), Series("b", 1))
    drawn = worths(
        [Group("one", (0.0, 3.0), "3"), Group("two", (1.0, 0.0), "1")], series, Head("w", "t", "d")
    )
    assert drawn.count('width="100.00%"') == 1
    assert drawn.count('width="33.33%"') == 1


@requirement("V8")
def test_the_period_of_the_address_is_judged(desk: Desk, home: Path) -> None:
    tree = Tree(home / "claude")
    for day in ("2026-10-17", "2026-10-08", "2026-05-01"):
        tree.main(f"s{day}", assistant(f"m{day}", timestamp=f"{day}T10:00:00Z"))
    for pairs, responses in (
        ((("days", "7"),), 1),
        ((), 2),
        ((("days", "all"),), 3),
        ((("since", "2026-05-01"), ("until", "2026-05-01")), 1),
    ):
        assert f"{responses} response" in _when_done(desk, *pairs).text


def _when_done(desk: Desk, *pairs: tuple[str, str]) -> _Page:
    """Return the page once the judge's thread has done what it was given; a young file is looked at again each time."""
    for _ in range(200):
        page = _Page(_show(desk, *pairs).body)
        if not any(found.get("aria-busy") for _, found in page.elements):
            return page
        desk.begun("end", object(), lambda: None).result(60)
    raise AssertionError("it is never judged")


def test_a_slow_judgement_is_announced_and_shown_when_it_is_there(desk: Desk, home: Path) -> None:
    Tree(home / "claude").main("s1", assistant("m1"))
    free = threading.Event()
    desk.begun("before", 0, free.wait)
    try:
        waiting = _Page(_show(desk, ("days", "all")).body)
        places = [found for tag, found in waiting.elements if found.get("id") == "report"]
        assert [found.get("hx-get") for found in places] == ["/diagnosis?days=all"]
        assert ("a", {"href": "/diagnosis?days=all"}) in waiting.elements
        part = _Page(_show(desk, ("days", "all"), part="report").body)
        assert part.elements[0][1]["aria-busy"] == "true"
    finally:
        free.set()
    assert "1 response" in _when_done(desk, ("days", "all")).text


@requirement("V10")
def test_a_reload_judges_what_was_written_since(desk: Desk, home: Path) -> None:
    tree = Tree(home / "claude")
    tree.main("s1", assistant("m1"))
    assert "1 response" in _when_done(desk, ("days", "all")).text
    tree.main("s2", assistant("m2"))
    assert "2 responses" in _when_done(desk, ("days", "all")).text


def test_the_last_report_is_shown_while_a_newer_one_is_made(desk: Desk, home: Path) -> None:
    tree = Tree(home / "claude")
    tree.main("s1", assistant("m1"))
    assert "1 response" in _when_done(desk, ("days", "all")).text
    tree.main("s2", assistant("m2"))
    free = threading.Event()
    desk.begun("before", 0, free.wait)
    try:
        meanwhile = _show(desk, ("days", "all"))
        assert b'hx-trigger="load delay:1s"' in meanwhile.body
        assert "1 response" in _Page(meanwhile.body).text
        assert _show(desk, ("days", "all"), rest="figures/judged.csv").status == 200
    finally:
        free.set()
    desk.begun("end", object(), lambda: None).result(60)
    tree.main("s3", assistant("m3"))
    part = _show(desk, ("days", "all"), part="report")
    assert b"hx-trigger" not in part.body
    assert "2 responses" in _Page(part.body).text


def test_every_table_can_be_copied(desk: Desk, home: Path) -> None:
    Tree(home / "claude").main("s1", assistant("m1"))
    visit = _visit(desk)
    names = [figure.name for figure in shown(visit, sample()).figures]
    assert len(names) == len(set(names)) > 10
    _when_done(desk, ("days", "all"))
    reply = _show(desk, ("days", "all"), rest="figures/judged.json")
    copied: dict[str, Any] = json.loads(reply.body)
    assert (reply.status, copied["figure"], len(copied["rows"])) == (200, "judged", len(RULES))
    assert _show(desk, ("days", "all"), rest="figures/nothing.csv").status == 404
