"""Tables that fit their width."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from econome.cli.render.table import Column, cut, lay_out, lines

figures = st.lists(st.integers(0, 10**14).map("{:,}".format), min_size=3, max_size=3)
names = st.lists(
    st.text(st.characters(categories=["L", "Zs"]), max_size=60), min_size=3, max_size=3
)


def _table(names: list[str], *columns: list[str]) -> list[Column]:
    listed = [Column("project", names, name=True, tail=True)]
    listed += [Column(f"c{at}", cells, yields=at) for at, cells in enumerate(columns)]
    return listed


@given(names, st.lists(figures, max_size=6), st.integers(40, 160))
def test_no_line_is_wider_than_asked(
    names: list[str], columns: list[list[str]], width: int
) -> None:
    shown = lines(lay_out(_table(names, *columns), width), total=True)
    assert [line.plain for line in shown if cell_len(line.plain) > width] == []


@given(names, st.lists(figures, max_size=6), st.integers(1, 160))
def test_a_figure_is_shown_whole_or_its_column_is_named_as_left_out(
    names: list[str], columns: list[list[str]], width: int
) -> None:
    layout = lay_out(_table(names, *columns), width)
    shown = [line.plain.split()[-len(layout.columns) + 1 :] for line in lines(layout, head=False)]
    kept = [column for column in layout.columns if not column.name]
    if kept:
        assert [list(row) for row in zip(*(column.cells for column in kept), strict=True)] == shown
    assert len(layout.columns) + len(layout.left_out) == 1 + len(columns)


def test_the_columns_that_yield_most_leave_first_and_are_named_in_order() -> None:
    columns = [
        Column("day", ["2026-10-17"], name=True),
        Column("in", ["1,000,000"], yields=1),
        Column("out", ["2,000,000"], yields=3),
        Column("searches", ["4"], yields=2),
        Column("cost", ["$5.00"]),
    ]
    layout = lay_out(columns, 30)
    assert [column.title for column in layout.columns] == ["day", "in", "cost"]
    assert layout.left_out == ("out", "searches")


def test_what_never_yields_stays_however_narrow_the_terminal() -> None:
    layout = lay_out([Column("cost", ["$1,234,567.00"]), Column("n", ["12"], yields=1)], 5)
    assert [line.plain for line in lines(layout, head=False)] == ["$1,234,567.00"]


def test_a_name_is_cut_before_a_column_is_left_out() -> None:
    columns = [Column("p", ["/home/ada/code/harbor"], name=True, tail=True), Column("n", ["1,234"])]
    layout = lay_out(columns, 20)
    assert [line.plain for line in lines(layout, head=False)] == ["…/code/harbor  1,234"]


def test_a_cut_text_keeps_its_head_or_its_tail() -> None:
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcdef", 4, tail=True) == "…def"
    assert cut("abcdef", 6) == "abcdef"
    assert cut("日本語", 4) == "日…"


def test_the_sum_stands_under_a_rule() -> None:
    layout = lay_out([Column("k", ["a", "total"], name=True), Column("n", ["1", "10"])], 40)
    assert [line.plain for line in lines(layout, total=True)] == [
        "k       n",
        "a       1",
        "─────────",
        "total  10",
    ]
