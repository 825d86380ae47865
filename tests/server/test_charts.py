"""A drawing says in words what it shows, stays in its place, and takes any values and any names."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from econome.server.charts.axis import known, scale
from econome.server.charts.calendar import calendar
from econome.server.charts.drawing import standalone
from econome.server.charts.grid import grid
from econome.server.charts.heat import heat
from econome.server.charts.inks import patterns
from econome.server.charts.labels import LEVELS, row, wide
from econome.server.charts.lines import lines
from econome.server.charts.ring import ring
from econome.server.charts.stacks import stacks
from econome.server.charts.tree import tree
from econome.server.charts.values import PLACES, Group, Head, Node, Point, Series
from tests.requirements import requirement
from tests.server.drawn import DRAWINGS, HOSTILE, SVG, heights, read, spans, titles

HEAD = Head("daily", "Cost per day", "Dearest on Monday.")
WEEKDAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
OTHER = [math.nan, math.inf, -math.inf, 1e300]

amounts = st.one_of(st.floats(-1e12, 1e12), st.sampled_from([0.0, 1e-9, 5e-324, 1e99, *OTHER]))
few = settings(max_examples=30, deadline=None)
every = pytest.mark.parametrize("kind", sorted(DRAWINGS))


@every
@few
@given(values=st.lists(amounts, max_size=12))
def test_any_values_make_a_drawing_whose_marks_stay_in_it(kind: str, values: list[float]) -> None:
    drawing = DRAWINGS[kind]("name", values)
    assert all(-0.01 <= begun <= ended <= 100.02 for begun, ended in spans(drawing))
    assert not re.search(r'="[^"]*\b(nan|inf)\b', drawing)
    read(standalone(drawing))


@every
@pytest.mark.parametrize(
    "values", [[], [0.0], [0.0] * 9, [1.0], [1e-9], [1e99, 1.0], OTHER, [1.0] * 400], ids=repr
)
def test_odd_numbers_of_values_make_a_drawing(kind: str, values: list[float]) -> None:
    drawing = DRAWINGS[kind]("name", values)
    assert all(-0.01 <= begun <= ended <= 100.02 for begun, ended in spans(drawing))
    read(standalone(drawing))


@every
@few
@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
@example(text=HOSTILE)
@example(text="\u05e9\u05dc\u05d5\u05dd \u202e \U0001f468\u200d\U0001f469\u200d\U0001f467")
def test_a_name_of_anybodys_is_text_and_nothing_else(kind: str, text: str) -> None:
    plain, named = DRAWINGS[kind]("name", [1, 2]), DRAWINGS[kind](text, [1, 2])
    for drawing in (named, standalone(named)):
        tree_of = read(drawing)
        allowed = {node.tag for node in (*read(plain).iter(), *read(standalone(plain)).iter())}
        assert {node.tag for node in tree_of.iter()} <= allowed | {f"{SVG}text"}
        names = {name for node in tree_of.iter() for name in node.attrib}
        assert not [name for name in names if name == "style" or name.startswith("on")]


@every
def test_a_drawing_is_one_picture_that_is_named_and_described(kind: str) -> None:
    drawing = read(DRAWINGS[kind]("a name", [1, 2]))
    (picture,) = [node for node in drawing.iter() if node.get("role") == "img"]
    ids = picture.attrib["aria-labelledby"].split()
    assert len(ids) == 2
    by_id = {node.attrib["id"]: node for node in picture if "id" in node.attrib}
    assert [(by_id[one].tag, by_id[one].text) for one in ids] == [
        (f"{SVG}title", "a name"),
        (f"{SVG}desc", "a name"),
    ]


@every
def test_a_link_of_a_mark_is_for_a_pointer_and_in_no_way_of_the_keyboard(kind: str) -> None:
    drawing = read(DRAWINGS[kind]("name", [1, 2]))
    links = list(drawing.iter(f"{SVG}a"))
    assert {link.get("tabindex") for link in links} <= {"-1"}
    hidden = [node for node in drawing if node.get("aria-hidden") == "true"]
    assert links == [link for node in hidden for link in node.iter(f"{SVG}a")]
    assert bool(links) == (kind not in {"ring", "tree"})


def test_ids_of_different_drawings_differ() -> None:
    names = ["a b", "a_b", "a-b", "a.b", "a&b", "", "\U0001f4a5"]
    found = [
        node.attrib["id"]
        for name in names
        for node in read(ring([], Head(name, "", ""), "")).iter()
        if "id" in node.attrib
    ]
    assert len(set(found)) == len(found) == 2 * len(names)
    assert not [one for one in found if re.search(r"\s", one)]


@every
def test_a_drawing_alone_brings_all_it_needs(kind: str) -> None:
    alone = standalone(DRAWINGS[kind]("name", [1, 2, 3]))
    drawing = read(alone)
    assert (drawing.get("width"), drawing.get("viewBox")) == (
        "1000", f"0 0 1000 {drawing.get('height')}",
    )  # fmt: skip
    assert drawing.findtext(f"{SVG}title") == "name"
    wanted = set(re.findall(r"url\(#([^)]*)\)", alone))
    assert wanted <= {node.get("id") for node in drawing.iter(f"{SVG}pattern")}
    assert not [one for one in (" class=", "<a ", "href", "<style", "style=") if one in alone]
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg\")", alone)
    unseen = [node for node in drawing.iter() if node.get("display") == "none"]
    assert unseen == []


@few
@given(st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1, max_size=8))
def test_stacks_are_as_high_as_their_values_together(values: list[tuple[float, float]]) -> None:
    groups = [Group(str(at), pair, "") for at, pair in enumerate(values)]
    drawing = stacks(groups, (Series("a", 0), Series("b", 1)), HEAD, str)
    parts = [value for pair in values for value in pair if known(value)]
    found = heights(drawing)
    assert len(found) == len(parts)
    highest = scale(sum(pair) for pair in values).high
    assert found == pytest.approx([200 * part / highest for part in parts], abs=0.006)


@requirement("V2")
def test_a_stack_tells_every_part_and_leads_to_its_day() -> None:
    groups = [Group("Oct 17", (12.5, 0, 0.25), "$12.75", "/usage?day=2026-10-17")]
    series = (Series("opus", 0), Series("haiku", 1), Series("others"))
    drawing = stacks(groups, series, HEAD, "${:.0f}".format, say="${:.2f}".format)
    assert titles(drawing)[1:] == [
        "Oct 17: $12.75", "Oct 17, opus: $12.50", "Oct 17, others: $0.25",
    ]  # fmt: skip
    (link,) = read(drawing).iter(f"{SVG}a")
    assert link.attrib == {"href": "/usage?day=2026-10-17", "tabindex": "-1"}
    fills = [node.get("fill") for node in link.iter(f"{SVG}rect") if "fill" in node.attrib]
    assert fills == ["url(#part-0)", "url(#part-rest)"]


def test_what_is_below_nothing_hangs_from_the_line_of_nothing() -> None:
    drawing = read(stacks([Group("a", (3, -2), "")], (Series("x"), Series("y")), HEAD, str))
    (zero,) = [float(n.attrib["y1"]) for n in drawing.iter() if n.get("class") == "zero"]
    up, down = [
        (float(node.attrib["y"]), float(node.attrib["height"]))
        for node in drawing.iter(f"{SVG}rect")
        if node.get("class") is None and "%" in node.get("x", "")
    ]
    assert up[0] + up[1] == pytest.approx(zero, abs=0.1)
    assert down[0] == pytest.approx(zero, abs=0.1)


def test_a_line_is_broken_where_there_is_no_value_and_a_lone_one_is_a_dot() -> None:
    values: list[float | None] = [1, 2, None, 3, None, 4, 5, *[None] * 40]
    points = [Point(f"day {at}", value, f"told {value}") for at, value in enumerate(values)]
    drawing = lines([points], [Series("net", 2)], HEAD, str, whole=10)
    (path,) = read(drawing).iter(f"{SVG}path")
    assert re.sub(r"[0-9. -]+", "", path.attrib["d"]) == "MLMML"
    dots = [node for node in read(drawing).iter() if node.get("class") == "dot-2"]
    assert len(dots) == 1
    assert titles(drawing)[1:] == [
        f"day {at}, net: told {value}" for at, value in enumerate(values) if value is not None
    ]


def test_a_line_of_shares_has_all_the_way_to_the_whole() -> None:
    drawing = lines([[Point("a", 0.2, "")]], [Series("s")], HEAD, "{:.0%}".format, whole=1)
    ticks = [node.text for node in read(drawing).iter() if node.get("class") == "tick"]
    assert (ticks[0], ticks[-1]) == ("0%", "100%")


@few
@given(st.lists(st.floats(1e-3, 1e6), min_size=1, max_size=10))
def test_a_ring_gives_each_part_its_share_of_the_turn(values: list[float]) -> None:
    parts = [(Series(str(at), at), value, f"${value}") for at, value in enumerate(values)]
    drawing = ring(parts, HEAD, "all")
    begun = [
        (float(x), float(y))
        for x, y in re.findall(r'd="M(-?[\d.]+) (-?[\d.]+)A', drawing)
    ]  # fmt: skip
    turned, whole = 0.0, sum(values)
    for (x, y), value in zip(begun, values, strict=True):
        assert math.hypot(x - 96 * math.sin(turned), y + 96 * math.cos(turned)) < 0.01
        turned += 2 * math.pi * value / whole
    assert titles(drawing)[1:] == [f"{series.name}: {told}" for series, _, told in parts]


def test_a_calendar_tells_a_day_of_nothing_from_a_day_that_is_not_known() -> None:
    days = [
        Point("2026-10-16", None, "n/a"), Point("2026-10-17", 0, "$0"),
        Point("2026-10-19", 5, "$5", "/usage?day=2026-10-19"),
    ]  # fmt: skip
    drawing = calendar(days, HEAD, WEEKDAYS, MONTHS, axis="${:.0f}".format)
    found = [
        (node.get("class"), node.findtext(f"{SVG}title"))
        for node in read(drawing).iter(f"{SVG}rect")
        if "%" in node.get("x", "")
    ]
    assert found == [
        ("none", "2026-10-16: n/a"), ("heat-0", "2026-10-17: $0"), ("heat-5", "2026-10-19: $5"),
    ]  # fmt: skip
    tops = [
        (float(node.attrib["x"][:-1]) > 0, float(node.attrib["y"]))
        for node in read(drawing).iter(f"{SVG}rect")
        if "%" in node.get("x", "")
    ]
    friday, saturday, monday = tops
    assert (friday[0], saturday[0], monday[0]) == (False, False, True)
    assert monday[1] < friday[1] < saturday[1]


def test_a_calendar_of_years_has_a_block_for_each() -> None:
    days = [
        Point(f"{year}-{month:02}-01", 1, "") for year in (2024, 2026) for month in range(1, 13)
    ]
    drawing = calendar(days, HEAD, WEEKDAYS, MONTHS)
    texts = [node.text for node in read(drawing).iter(f"{SVG}text")]
    assert [text for text in texts if text and re.search(r"\d{4}", text)] == [
        "Jan 2024",
        "Jan 2026",
    ]
    assert texts.count("Mon") == 2


def test_a_grid_tells_each_pair_and_what_its_steps_stand_for() -> None:
    cells = [[Point(f"Mon {hour}", hour, f"{hour} sessions") for hour in range(6)]]
    drawing = grid(["Mon"], [str(hour) for hour in range(6)], cells, HEAD, axis="{:.0f}".format)
    assert titles(drawing)[1:7] == [f"Mon {hour}: {hour} sessions" for hour in range(6)]
    assert sorted(titles(drawing)[7:]) == ["0", "0 – 1", "1 – 2", "2 – 3", "3 – 4", "4 – 5"]


@few
@given(st.lists(st.floats(-1, 1e9), max_size=40))
def test_more_is_never_a_lower_step(values: list[float]) -> None:
    on = heat(values)
    steps = [on.kind(value) for value in sorted(values)]
    assert steps == sorted(steps)
    assert not values or max(values) <= 1e-99 or on.kind(max(values)) == "heat-5"
    assert on.kind(None) == "none"


def test_blocks_of_a_tree_stand_below_their_parent_and_within_it() -> None:
    child = Node("child", 30, "30")
    drawing = read(tree([Node("root", 60, "60", 0, (child, child)), Node("two", 40, "40")], HEAD))
    found = [
        (float(node.attrib["x"][:-1]), float(node.attrib["width"][:-1]), float(node.attrib["y"]))
        for node in drawing.iter(f"{SVG}svg")
        if "x" in node.attrib
    ]
    assert sorted(found) == [(0, 30, 36), (0, 60, 0), (30, 30, 36), (60, 40, 0)]


@few
@given(st.floats(-1e9, 1e9), st.floats(1e-9, 1e9))
def test_a_scale_has_round_steps_and_holds_what_stands_on_it(low: float, more: float) -> None:
    on = scale([low, low + more])
    little = 1e-6 * (on.high - on.low)
    assert on.low <= min(low, 0) + little
    assert on.high >= max(low + more, 0) - little
    assert 2 <= len(on.ticks) <= 8
    assert 0 in on.ticks
    steps = [after - before for before, after in pairwise(on.ticks)]
    assert steps == pytest.approx([steps[0]] * len(steps))
    digits = steps[0] / 10 ** math.floor(math.log10(steps[0]) + 1e-9)
    assert min(abs(digits - one) for one in (1, 2, 5)) < 1e-6


@few
@given(st.integers(1, 400), st.integers(1, 30), st.booleans())
def test_labels_never_touch_on_any_width(count: int, letters: int, ends: bool) -> None:
    most = max(1, count - 1)
    middles = [at / most if ends else (at + 0.5) / count for at in range(count)]
    if ends and count == 1:
        middles = [0.5]
    drawn = ElementTree.fromstring(f"<g>{row(['m' * letters] * count, middles, 0)}</g>")
    for at, (room, _) in enumerate(LEVELS):
        shown = ["", *(level.strip() for _, level in LEVELS[1 : at + 1])]
        free = -math.inf
        for text in drawn:
            kinds = text.attrib["class"].split()[1:]
            if not [kind for kind in kinds if kind in {"start", "end"}]:
                anchor = 0.5
            else:
                anchor = 0.0 if "start" in kinds else 1.0
            level = next((kind for kind in kinds if kind.startswith("fine")), "")
            if level not in shown:
                continue
            wide_as = wide(text.text or "")
            begun = float(text.attrib["x"][:-1]) / 100 * room - anchor * wide_as
            assert begun >= free
            free = begun + wide_as
    assert len(drawn) > 0


def test_a_year_of_ten_models_tells_every_part_and_stays_small() -> None:
    groups = [
        Group(f"day {at}", tuple(float(part) for part in range(10)), "told") for at in range(365)
    ]
    series = [Series(f"model {at}", at) for at in range(10)]
    drawing = stacks(groups, series, HEAD, str)
    assert len(titles(drawing)) == 1 + 365 * 10
    assert len(drawing) < 700_000


def test_parts_differ_without_their_colours() -> None:
    drawn = re.findall(r"<pattern id=\"part-(?:\d+|rest)\"(.*?)</pattern>", patterns())
    shapes = {re.sub(r'class="part-[^"]*"', "", one) for one in drawn}
    assert len(drawn) == PLACES + 1
    assert len(shapes) == len(drawn)
