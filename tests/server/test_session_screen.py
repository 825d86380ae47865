"""The page of a session shows what its transcripts hold up to the last line, says what it cannot know, and harms nobody."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from decimal import Decimal
from html.parser import HTMLParser
from json import loads
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from xml.etree import ElementTree

import pytest

from econome import settings
from econome.server.desk import Desk, Moment
from econome.server.screens.figure import as_json
from econome.server.screens.session import screen, session_address
from econome.server.screens.session_time import PAGE_ROWS
from econome.server.screens.state import State
from econome.server.screens.visit import Visit
from econome.server.showing import Asking, Showing, Shown
from econome.server.telling import telling
from econome.usage.sessions import beside
from tests.browser.hostile import NAMES
from tests.builders import Tree, assistant, counts
from tests.builders_codex import meta, rollout, spent, totals, turn
from tests.door import run
from tests.requirements import requirement
from tests.usage.details import SESSION, call, compacted, result, said

ID = "c0ffee00-0000-4000-8000-000000000001"
SECRET = "hush-hush-do-not-tell"
DEAR = "claude-opus-4-5"


@pytest.fixture
def tree(home: Path) -> Tree:
    return Tree(home / "claude")


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


def _show(desk: Desk, address: str, *, part: str = "", language: str = "en") -> Shown:
    """Return what the address of a session's page is answered with."""
    found = urlsplit(address)
    rest = unquote(found.path).removeprefix("/session").removeprefix("/")
    pairs = tuple(parse_qsl(found.query))
    return Showing(desk).show(Asking("session", rest, pairs, language, part))


def _rows(desk: Desk, figure: str, address: str = f"/session/{ID}", query: str = "") -> Any:
    shown = _show(desk, f"{address}/figures/{figure}.json{query}")
    assert shown.status == 200, figure
    return loads(shown.body)["rows"]


def _figures(desk: Desk) -> dict[str, Any]:
    """Return the rows of all figures of a session, as they are copied."""
    moment = Moment(desk.settings, None)
    state = State(f"/session/{ID}")
    made = screen(Visit(state, telling("en"), moment, desk, rest=ID, figure="each"))
    return {figure.name: as_json(figure)["rows"] for figure in made.figures}


def _report(session: str = ID) -> Any:
    return loads(run("session", session, "--json").out)


class _Page(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def _settled(desk: Desk, address: str) -> bytes:
    """Return the page once its details were read."""
    while b"aria-busy" in (body := _show(desk, address).body):
        pass
    return body


def _time(at: int) -> str:
    return f"2026-10-17T{8 + at // 3600:02}:{at // 60 % 60:02}:{at % 60:02}.000Z"


def _many(tree: Tree, count: int) -> None:
    rows = [
        assistant(
            f"r{at}",
            time=_time(at * 7),
            model=DEAR if at % 5 == 0 else "claude-haiku-4-5",
            usage=counts(fresh=at, output=50 + at, read=1000 * at),
        )
        for at in range(count)
    ]
    tree.main(ID, *rows)
    tree.agent(ID, "a1", assistant("s1", time=_time(30), attributionAgent="Explore"))


@requirement("F11", "P1")
@pytest.mark.parametrize("count", [1, 150, 400])
def test_every_figure_adds_up_to_what_the_command_prints(
    desk: Desk, tree: Tree, count: int
) -> None:
    _many(tree, count)
    report, figures = _report(), _figures(desk)
    whole, responses = Decimal(report["total"]["cost_usd"]), report["total"]["responses"]
    for figure in ("responses", "models", "kinds", "agents"):
        rows = figures[figure]
        assert sum(Decimal(row["cost_usd"]) for row in rows) == whole, figure
        assert sum(row["responses"] for row in rows) == responses, figure
        assert len(rows) <= 150
    assert [row["time"] for row in figures["each"]] == [row["time"] for row in report["responses"]]
    names = [row["model"] for row in figures["models"]]
    if len(names) > 1:
        split = [
            Decimal(row[f"cost_usd:{model}"] or 0)
            for row in figures["responses"]
            for model in names
        ]
        assert sum(split) == whole
    assert max(row["context_tokens"] for row in figures["context"]) == 200 + 1001 * (count - 1)
    read = sum(row["cache_read_tokens"] for row in figures["cache"])
    assert read == report["total"]["cache_read_tokens"]


@requirement("V4")
def test_a_model_that_was_hidden_is_not_drawn_and_can_be_shown_again(
    desk: Desk, tree: Tree
) -> None:
    _many(tree, 10)
    part = _Page(_show(desk, f"/session/{ID}?hide={DEAR}", part="responses").body)
    assert part.tags[0][0] == "section"
    links = [attrs for tag, attrs in part.tags if tag == "a" and "hx-target" in attrs]
    assert [(link["href"] or "").partition("?")[2] for link in links] == [
        "hide=claude-haiku-4-5-20251001&hide=claude-opus-4-5"
        if "20251001" in (link["href"] or "")
        else (link["href"] or "").partition("?")[2]
        for link in links
    ]
    assert f"/session/{ID}" in {link["href"] for link in links}
    assert len(_rows(desk, "responses", query=f"?hide={DEAR}")) == 11


@requirement("V7")
def test_agents_are_a_tree_with_their_share_as_its_headline(desk: Desk, tree: Tree) -> None:
    started = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]
    tree.main(ID, assistant("m"))
    tree.agent(
        ID,
        "a1",
        assistant("s1", attributionAgent="Plan"),
        {
            "type": "user", "uuid": "u", "message": {"role": "user", "content": started},
            "toolUseResult": {"agentId": "a2"},
        },
    )  # fmt: skip
    tree.agent(ID, "a2", assistant("s2", attributionAgent="Explore"))
    rows = _rows(desk, "agents")
    assert [(row["agent"], row["agent_id"], row["level"]) for row in rows] == [
        ("main", None, 0), ("Plan", "a1", 1), ("Explore", "a2", 2),
    ]  # fmt: skip
    one = Decimal(rows[0]["cost_usd"])
    assert [Decimal(row["with_children_usd"]) / one for row in rows] == [3, 2, 1]
    page = _Page(_show(desk, f"/session/{ID}").body).text
    assert "2 sub-agents: 66.7% of the cost of the session." in page


@requirement("P4", "P9", "F6", "F13", "F15")
def test_what_the_figures_leave_out_is_said(desk: Desk, tree: Tree) -> None:
    attempt = {"type": "message", "model": "claude-haiku-4-5", **counts(output=7)}
    usage = counts(iterations=[attempt, {**attempt, "type": "fallback_message"}])
    tree.main(
        ID,
        assistant("a", stop=None),
        assistant("b", model="claude-nobody-9"),
        assistant("c", usage=usage),
        {"type": "cost-state", "sessionId": ID, "totalCostUSD": 5, "modelUsage": {}},
    )
    page = _Page(_show(desk, f"/session/{ID}").body).text
    for told in (
        "not what a subscription paid",
        "claude-nobody-9 has responses without a price: their 1.3K tokens count",
        "1 response never got its final count of output",
        "The client's own record says $5.00",
    ):
        assert told in page
    assert "≥ $" in page
    assert ("refused before another model answered" in page) == bool(_report()["refused"])
    assert _rows(desk, "record")[-1]["gap_usd"] is not None
    costs = {row["model"]: row["cost_usd"] for row in _rows(desk, "models")}
    assert costs["claude-nobody-9"] is None


@requirement("P4")
def test_a_session_without_any_price_is_drawn_by_its_tokens(desk: Desk, tree: Tree) -> None:
    tree.main(ID, assistant("a", model="claude-nobody-9"), assistant("b", model="claude-nobody-8"))
    page = _show(desk, f"/session/{ID}").body
    assert "Tokens of the responses" in _Page(page).text
    assert "n/a" in _Page(page).text
    rows = _rows(desk, "responses")
    assert {row["cost_usd"] for row in rows} == {None}
    assert sum(row["tokens:claude-nobody-9"] for row in rows) == 1253


@requirement("V10")
def test_the_page_names_the_stream_of_its_session(desk: Desk, tree: Tree) -> None:
    tree.main(ID, assistant("a"))
    page = _Page(_show(desk, f"/session/{ID}").body)
    assert dict(page.tags)["body"]["data-live"] == f"/api/v1/live?session={ID}"
    assert "/static/live.js" in {attrs.get("src") for tag, attrs in page.tags if tag == "script"}


def _worked(tree: Tree) -> None:
    tree.main(
        SESSION,
        call("t1", "Read", given={"file_path": f"/home/dev/{SECRET}.py"}),
        result("t1", SECRET * 10),
        call("t2", "mcp__harbor__tide_table", minutes=1, requestId="req_2", given={"q": SECRET}),
        result("t2", "no such tide " + SECRET, minutes=2, failed=True),
        compacted(minutes=3, trigger="auto", preTokens=900, postTokens=90),
        said(4, message={"role": "user", "content": SECRET}),
        said(75),
        assistant("late", time="2026-01-05T11:15:00.000Z"),
    )


def test_tools_pauses_and_compactions_are_counted_and_nothing_of_them_is_told(
    desk: Desk, tree: Tree
) -> None:
    _worked(tree)
    address = f"/session/{SESSION}"
    body = _settled(desk, address)
    assert SECRET.encode() not in body
    rows = {row["name"]: row for row in _rows(desk, "tools", address)}
    assert rows["Read"]["largest"] == len(SECRET) * 10
    mcp = rows["mcp__harbor__tide_table"]
    assert (mcp["server"], mcp["tool"], mcp["failures"]) == ("harbor", "tide_table", 1)
    assert [row["calls"] for row in _rows(desk, "servers", address)] == [1]
    assert [row["outlived_minutes"] for row in _rows(desk, "pauses", address)] == [60]
    (cut,) = _rows(desk, "compactions", address)
    assert (cut["trigger"], cut["before_tokens"], cut["after_tokens"]) == ("auto", 900, 90)
    for figure in ("tools", "servers", "pauses", "compactions", "each", "agents"):
        copied = _show(desk, f"{address}/figures/{figure}.csv")
        assert SECRET.encode() not in copied.body


def test_while_details_are_read_the_page_is_there_and_asks_again(desk: Desk, tree: Tree) -> None:
    _worked(tree)
    go_on = threading.Event()
    desk.begun("something slow", None, go_on.wait)
    shown = _show(desk, f"/session/{SESSION}")
    assert shown.status == 200
    asking = [attrs for _, attrs in _Page(shown.body).tags if attrs.get("id") == "work"]
    assert asking[0]["hx-get"] == f"/session/{SESSION}"
    assert asking[0]["hx-trigger"] == "load delay:1s"
    go_on.set()
    _settled(desk, f"/session/{SESSION}")
    part = _show(desk, f"/session/{SESSION}", part="work")
    assert part.body.strip().startswith(b'<div id="work">')
    # What was read once is shown while it is read anew.
    with next(tree.root.rglob("*.jsonl")).open("ab") as file:
        file.write(b"\n")
    held = threading.Event()
    desk.begun("something slow again", None, held.wait)
    again = _show(desk, f"/session/{SESSION}", part="work")
    held.set()
    assert again.body == part.body


def test_what_has_no_details_says_so(desk: Desk, home: Path) -> None:
    rollout(home / "codex", meta(), turn(), spent(totals(100, 10, 5)))
    page = _Page(_show(desk, "/session/c1").body).text
    assert "Only transcripts of Claude Code tell of them." in page


def test_the_latest_responses_come_first_and_the_others_on_further_pages(
    desk: Desk, tree: Tree
) -> None:
    _many(tree, 2 * PAGE_ROWS)
    listed = [
        _Page(_show(desk, f"/session/{ID}?page={page}", part="listed").body) for page in (1, 3, 99)
    ]
    rows = [sum(tag == "tr" for tag, _ in page.tags) - 1 for page in listed]
    assert rows == [PAGE_ROWS, 1, 1]
    assert "Page 1 of 3" in listed[0].text
    assert {"prev", "next"} & {attrs.get("rel") for _, attrs in listed[1].tags} == {"prev"}
    latest = _rows(desk, "each")[-1]["output_tokens"]
    assert f" {latest} " in f" {listed[0].text} "


def test_an_id_that_is_none_or_several_is_told_in_words(desk: Desk, tree: Tree) -> None:
    others = [ID, ID[:-1] + "2"]
    for name in others:
        tree.main(name, assistant(name[-1]))
    missing = _show(desk, "/session/nowhere")
    assert (missing.status, "No session begins with nowhere." in _Page(missing.body).text) == (
        404, True,
    )  # fmt: skip
    several = _show(desk, "/session/c0ffee")
    links = {attrs.get("href") for tag, attrs in _Page(several.body).tags if tag == "a"}
    assert several.status == 300
    assert {f"/session/{name}" for name in others} <= links
    assert _show(desk, f"/session?id={ID}").status == 200
    latest = _Page(_show(desk, "/session").body)
    assert {f"/session/{name}" for name in others} <= {
        attrs.get("href") for tag, attrs in latest.tags if tag == "a"
    }


def test_the_sessions_of_a_project_lead_to_each_other(desk: Desk, tree: Tree) -> None:
    for at in range(3):
        tree.main(f"s{at}", assistant(f"n{at}", time=_time(3600 * at)))
    tree.main("other", assistant("o", cwd="/elsewhere"))
    with desk.tree() as found:
        assert beside(found, "s1", "/home/dev/shop") == ("s0", "s2")
        assert beside(found, "other", "/elsewhere") == (None, None)
        assert beside(found, "s1", "/elsewhere") == (None, None)
    links = {
        attrs["rel"]: attrs["href"]
        for _, attrs in _Page(_show(desk, "/session/s1").body).tags
        if attrs.get("rel") in ("prev", "next")
    }
    assert links == {"prev": "/session/s0", "next": "/session/s2"}


ODD = (*NAMES, "..", "a/b", "figures/x.csv", "a/figures/", "%2e%2e", "?x#y", " ", "\ud800 lone")


COPIES = ("responses.svg", "agents.svg", "each.csv")


@requirement("L15")
def test_no_name_breaks_the_page_or_becomes_a_part_of_it(desk: Desk, tree: Tree) -> None:
    for at, name in enumerate(ODD):
        facts: dict[str, Any] = {"sessionId": name, "gitBranch": name, "cwd": name}
        tool = {"type": "tool_use", "id": f"t{at}", "name": name, "input": {}}
        tree.main(f"m{at}", assistant(f"a{at}", model=name, content=[tool], **facts))
        tree.agent(f"m{at}", f"x{at}", assistant(f"b{at}", attributionAgent=name, **facts))
    ids = [row["session"] for row in loads(run("session", "--json").out)["sessions"]]
    assert len(ids) >= len(ODD) - 2
    for session in ids:
        address = session_address(session)
        page = _Page(_settled(desk, address))
        assert "img" not in {tag for tag, _ in page.tags}
        assert not [attrs for _, attrs in page.tags if any(key.startswith("on") for key in attrs)]
        scripts = [attrs for tag, attrs in page.tags if tag == "script"]
        assert all(str(attrs.get("src")).startswith("/static/") for attrs in scripts)
        path, _, query = address.partition("?")
        for copy in COPIES:
            shown = _show(desk, f"{path}/figures/{copy}?{query}")
            assert shown.status == 200, (session, copy)
            if copy.endswith("svg"):
                ElementTree.fromstring(shown.body)
