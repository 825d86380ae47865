"""Pages stay pages whatever is asked and whatever lies on disk: clocks that are far off, odd names, wrong settings."""

from __future__ import annotations

import asyncio
import csv
import io
import re
import threading
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from econome import settings
from econome.clock import zone
from econome.contract.kept import keep
from econome.contract.measured import SCHEMA, Checked, Told
from econome.diagnosis.asking import ask_diagnosis
from econome.errors import FileRefused
from econome.server.desk import PENDING, Desk
from econome.server.judging import judgement
from econome.server.screens.figure import Column, Figure, Row, as_csv, as_json
from econome.server.screens.state import MOST_LETTERS, MOST_PAIRS, MOST_TEXT, State, address_of
from econome.server.showing import MAKERS, Asking, Showing, Shown
from econome.server.telling import LANGUAGES, telling
from tests.builders import Tree, assistant, returned, user
from tests.requirements import requirement
from tests.usage.details import call, result, said

FAR = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59")
ZONES = ("America/New_York", "Pacific/Kiritimati")
CANARY = "canary-7f3a"


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


def _show(desk: Desk, address: str, language: str = "en") -> Shown:
    split = urlsplit(address)
    name, _, rest = unquote(split.path).removeprefix("/").partition("/")
    return Showing(desk).show(Asking(name, rest, tuple(parse_qsl(split.query)), language))


def _settled(desk: Desk, address: str, language: str = "en") -> Shown:
    """Return a page once nothing of it is being made any more."""
    for _ in range(100):
        shown = _show(desk, address, language)
        if b"load delay" not in shown.body:
            return shown
    raise AssertionError(f"{address} is never made")


@requirement("V8")
@pytest.mark.parametrize("place", ZONES)
def test_a_clock_that_is_far_off_spoils_no_page(
    desk: Desk, home: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", place)
    time.tzset()
    tree = Tree(home / "claude")
    for at, when in enumerate(FAR):
        tree.main(f"session-{at}", assistant(f"far{at}", time=when))
    addresses = [f"/session/session-{at}" for at in range(len(FAR))]
    addresses += [
        f"/{name}?{period}"
        for name in ("usage", "savings", "savings/events", "diagnosis")
        for period in ("days=all", "since=0001-01-01&until=9999-12-31")
    ]
    for address in (*addresses, "/savings/events?days=99999999", "/session"):
        assert _settled(desk, address).status == 200, address


@given(st.one_of(st.sampled_from(("0000-12-31", "10000-01-01", "-271764-02-06")), st.text()))
def test_a_day_or_an_instant_that_no_calendar_has_is_told_as_it_is(text: str) -> None:
    told = telling("fr")
    here = zone("Pacific/Kiritimati")
    if not re.match(r"[0-9]{4}", text):
        assert (told.day(text), told.instant(text, here)) == (text, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_zone_that_nobody_knows_is_told_on_a_page(desk: Desk, language: str) -> None:
    desk.settings.timezone = "Mars/Base"
    for name in MAKERS:
        shown = _show(desk, f"/{name}", language)
        assert (shown.status, shown.media_type) == (400, "text/html; charset=utf-8"), name
        assert b"Mars/Base" in shown.body


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_there_is_nothing_below_a_page_but_what_it_leads_to(desk: Desk, name: str) -> None:
    for _ in range(100):
        shown = _show(desk, f"/{name}/a/b")
        if shown.status == 404:
            break
    assert shown.status == 404
    assert _show(desk, f"/{name}/figures/nothing.csv").status == 404


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=MOST_TEXT * 2)), max_size=60))
@example([("hide", str(at)) for at in range(10_000)])
@example([("h" * 60_000, "1")])
def test_of_a_query_so_much_is_looked_at_as_links_can_repeat(pairs: list[tuple[str, str]]) -> None:
    state = State.of("/usage", pairs)
    cut = [(name, value[:MOST_TEXT]) for name, value in pairs if value]
    assert list(state.pairs) == cut[: len(state.pairs)]
    assert len(state.pairs) <= MOST_PAIRS
    assert sum(len(name) + len(value) for name, value in state.pairs) <= MOST_LETTERS
    if len(pairs) <= MOST_PAIRS and sum(map(len, map("".join, pairs))) <= MOST_LETTERS:
        assert list(state.pairs) == cut


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=MOST_TEXT))
@example("figures/x.csv")
@example("..")
@example("a//b/")
@example("//evil.example")
@example("a?b#c%2Fd")
def test_an_address_that_is_made_of_a_name_leads_back_to_it(name: str) -> None:
    met = urlsplit(urljoin("http://here/usage", address_of("servers", name)))
    assert met.netloc == "here"
    path, figures = unquote(met.path), "/figures/findings.csv"
    asked = dict(parse_qsl(met.query, keep_blank_values=True)).get("id")
    assert (path.removeprefix("/servers/") if asked is None else asked) == name
    before, split, _ = (path + figures).removeprefix("/servers").rpartition("figures/")
    assert (before.strip("/") if asked is None else asked) == name
    assert split


@pytest.mark.parametrize("name", ["figures/x", "my figures/y.csv", "a/", "/", "..", "@a/b", "?#%"])
def test_a_server_of_any_name_has_its_page_and_its_figures(desk: Desk, name: str) -> None:
    told = (Told("BREAKING", "tool-removed", "tool", "find"),)
    checked = Checked(SCHEMA, name, "/l", "2026-10-17T12:00:00Z", "fails", findings=told, severities={"BREAKING": 1})  # fmt: skip
    keep(desk.settings.data_dir, [checked])
    (link,) = set(re.findall(r'href="(/servers[/?][^"]+)"', _links(_settled(desk, "/servers"))))
    page = _show(desk, link)
    assert page.status == 200
    copies = re.findall(r'href="([^"]+/findings\.csv[^"]*)"', _links(page))
    (copied,) = {urljoin("http://here/", one) for one in copies}
    assert _show(desk, copied.removeprefix("http://here")).body.startswith(b"severity,")


def _links(shown: Shown) -> str:
    return "\n".join(
        line for line in unescape(shown.body.decode()).splitlines() if ("lang=" not in line and "/servers/figures/" not in line) or "findings" in line
    )  # fmt: skip


@given(st.lists(st.one_of(st.none(), st.integers(), st.text()), min_size=1, max_size=4))
@example(["=cmd|'/c calc'!A1"])
@example(["\t=1"])
@example(["-1+2", -1])
def test_a_spreadsheet_computes_nothing_of_what_is_copied(values: list[str | int | None]) -> None:
    columns = tuple(Column(str(at), "", "text") for at in range(len(values)))
    figure = Figure("one", "One", columns, (Row(tuple(values)),))
    text = io.StringIO(newline="")
    csv.writer(text).writerows(as_csv(figure))
    _, cells = csv.reader(io.StringIO(text.getvalue(), newline=""))
    for value, cell in zip(values, cells, strict=True):
        plain = "" if value is None else str(value)
        assert cell in (plain, f"'{plain}")
        assert isinstance(value, int) or not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert cell != f"'{plain}" or isinstance(value, str)
    assert list(as_json(figure)["rows"][0].values()) == values


def test_who_stops_waiting_for_a_judgement_leaves_it_to_those_who_still_wait(desk: Desk) -> None:
    gate = threading.Event()
    assert desk.later("busy", 0, gate.wait) is PENDING

    async def leave() -> None:
        waiting = asyncio.create_task(judgement(desk, ask_diagnosis({"days": "7"})))
        await asyncio.sleep(0)
        await desk.answer(lambda: None)  # by now it is begun
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        gate.set()
        assert (await judgement(desk, ask_diagnosis({"days": "7"})))["findings"] == []

    asyncio.run(leave())
    assert _settled(desk, "/diagnosis?days=7").status == 200


def test_what_failed_is_told_once_and_tried_anew(desk: Desk) -> None:
    done: list[int] = []

    def work() -> str:
        done.append(1)
        if len(done) == 1:
            raise FileRefused("/a", "busy")
        return "made"

    with pytest.raises(FileRefused):
        desk.later("one", 0, work)
    assert [desk.later("one", 0, work) for _ in range(2)] == ["made", "made"]
    assert len(done) == 2


@requirement("S1")
def test_no_page_and_no_figure_says_a_word_of_what_was_asked_read_or_run(
    desk: Desk, home: Path
) -> None:
    tree = Tree(home / "claude")
    session = "11111111-1111-4111-8111-111111111111"
    given = {"file_path": f"/home/{CANARY}.py", "command": CANARY, "prompt": CANARY, "url": CANARY}
    tree.main(
        session,
        user(CANARY, summary=CANARY),
        said(0, message={"role": "user", "content": CANARY}, secret=CANARY),
        call("toolu_1", "Bash", given=given), result("toolu_1", CANARY, failed=True),
        call("toolu_2", "mcp__shop__find", minutes=2, given=given), result("toolu_2", [{"type": "text", "text": CANARY}], minutes=3),
        call("toolu_3", "Read", minutes=4, given=given), result("toolu_3", CANARY, minutes=5),
        call("toolu_4", "Read", minutes=6, given=given), result("toolu_4", CANARY, minutes=7),
        returned("a1", content=CANARY, prompt=CANARY),
    )  # fmt: skip
    tree.agent(session, "a1", assistant("x", content=[{"type": "text", "text": CANARY}]), meta={"agentType": "scout", "description": CANARY})  # fmt: skip
    addresses = [f"/{name}?days=all" for name in MAKERS]
    addresses += ["/savings/events?days=all", f"/session/{session}", "/servers/shop"]
    seen = 0
    for language in LANGUAGES:
        for address in addresses:
            page = _settled(desk, address, language)
            figures = set(re.findall(r'href="([^"]+/figures/[^"]+)"', unescape(page.body.decode())))
            seen += len(figures)
            for shown in (page, *(_show(desk, figure, language) for figure in figures)):
                assert shown.status == 200
                assert CANARY.encode() not in shown.body, address
    assert seen > 50
