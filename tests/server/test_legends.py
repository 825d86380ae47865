"""A series that its legend hides is not drawn, stays in the table, and is shown again; what else is hidden stays so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome import settings
from econome.server import frame
from econome.server.charts.values import Series
from econome.server.desk import Desk, Moment
from econome.server.screens.diagnosis import shown
from econome.server.screens.legends import hidden, legend
from econome.server.screens.state import State
from econome.server.screens.visit import Visit
from econome.server.showing import Asking, Showing
from econome.server.telling import telling
from tests.builders import Tree, assistant
from tests.contract.listed import command, entry
from tests.diagnosis.sample import sample
from tests.door import run
from tests.requirements import requirement

pytestmark = requirement("V4")

ID = "c0ffee00-0000-4000-8000-000000000001"
LIST = {"type": "object", "properties": {"rows": {"type": "array"}}}
_KEYS = st.lists(st.sampled_from("abcdef"), unique=True)


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    """Return a desk whose user has what a test writes."""
    made = Desk(settings.load())
    yield made
    made.close()


def _body(desk: Desk, name: str, rest: str = "", *hide: str, part: str = "") -> str:
    pairs = tuple(("hide", key) for key in hide)
    found = Showing(desk).show(Asking(name, rest, pairs, "en", part))
    assert found.status == 200
    return found.body.decode()


def _told(drawn: str) -> list[str]:
    """Return what the marks of a drawing say of themselves, without the drawing's own name."""
    return re.findall(r"<title>([^<]*)</title>", drawn)


@given(_KEYS, _KEYS)
def test_a_legend_turns_one_series_and_leaves_all_others(
    keys: list[str], before: list[str]
) -> None:
    state = State("/x", (("days", "7"), *(("hide", key) for key in before)))
    for key, one in zip(keys, legend(state, {key: Series(key, 0) for key in keys}), strict=True):
        assert one.hidden == (key in before)
        query = [tuple(pair.split("=")) for pair in one.link.partition("?")[2].split("&")]
        turned = State("/x", [(name, value) for name, value in query])  # type: ignore[arg-type]
        assert hidden(turned) == set(before) ^ {key}
        assert turned.get("days") == "7"


def test_what_was_measured_and_what_was_estimated_are_hidden_apart(desk: Desk) -> None:
    def drawn(*hide: str) -> tuple[set[str], Any, str]:
        state = State("/diagnosis", tuple(("hide", key) for key in hide))
        visit = Visit(state, telling("en"), Moment(desk.settings, "UTC"), desk, part="worth")
        screen = shown(visit, sample(without=()))
        figure = screen.figure("worth")
        assert figure is not None
        part = frame.part(screen, visit)
        assert part is not None
        marks = re.findall(r'class="track"/><rect [^>]*url\(#part-(.)\)', figure.chart)
        return set(marks), figure, part.decode()

    marks, whole, _ = drawn()
    assert marks == {"0", "1"}
    for key, left in (("measured", "1"), ("estimated", "0")):
        marks, figure, part = drawn(key)
        assert (marks, figure.rows) == ({left}, whole.rows)
        assert part.strip().startswith('<section class="figure" id="worth"')
        assert part.count('class="off"') == 1
    marks, figure, _ = drawn("measured", "estimated")
    assert marks == set()
    assert len(figure.legend) == 2


def test_agents_of_a_hidden_type_make_room_for_those_they_started(desk: Desk, home: Path) -> None:
    tree = Tree(home / "claude")
    started = [{"type": "tool_result", "tool_use_id": "t", "content": "x"}]
    child = {
        "type": "user", "uuid": "u", "message": {"role": "user", "content": started},
        "toolUseResult": {"agentId": "a2"},
    }  # fmt: skip
    tree.main(ID, assistant("m"))
    tree.agent(ID, "a1", assistant("s1", attributionAgent="Plan"), child)
    tree.agent(ID, "a2", assistant("s2", attributionAgent="Explore"))
    whole = _told(_body(desk, "session", f"{ID}/figures/agents.svg"))
    assert [one.partition(":")[0] for one in whole] == ["main thread", "Plan", "Explore"]
    part = _body(desk, "session", ID, "agent:Plan", part="agents")
    left = [one.partition(":")[0] for one in _told(part) if ":" in one]
    assert left == ["main thread", "Explore"]
    assert part.count('scope="row"') == 3
    assert part.count('class="off"') == 1
    assert len(_told(_body(desk, "session", f"{ID}/figures/agents.svg", "Plan"))) == 3


def test_classes_and_bases_of_a_server_are_hidden(desk: Desk, home: Path) -> None:
    tools = [entry("find", outputSchema=LIST), entry("read", description="It says more. " * 30)]
    assert run("profile", "--name", "shop", "--", *command(home, tools=tools)).code == 0
    for rest, figure in (("", "classes"), ("shop", "economies")):
        page = _body(desk, "servers", rest, part=figure)
        turns = re.findall(r'href="[^"?]*\?hide=([^"]*)" id="' + figure, page)
        assert turns
        key = turns[0].replace("%3A", ":")
        part = _body(desk, "servers", rest, key, part=figure)
        assert part.count('class="off"') == 1
        assert part.count('scope="row"') == page.count('scope="row"')
        drawn, less = (
            re.search(r'<div class="drawn">(.*?)</div>', text, re.DOTALL) for text in (page, part)
        )
        assert drawn is not None
        assert less is not None
        assert len(less[1]) < len(drawn[1])
