"""The two readers of a command line give the same answer, or leave it to click."""

from __future__ import annotations

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.cli.options import read
from econome.cli.params import params
from econome.errors import UsageError
from econome.times import read_day
from econome.usage.asking import DAYS, USAGE, Asked, Option, ask
from econome.usage.query import BY, SORTS

names = [option.name for option in USAGE]
words = st.one_of(
    st.sampled_from([f"--{name}" for name in names]),
    st.sampled_from(
        [*BY, *DAYS, *SORTS, "2026-10-17", "2026-10-18", "2026-02-30", "5", "0", "-1", "x", ""]
    ),
    st.builds(
        "--{}={}".format, st.sampled_from(names), st.sampled_from(["day", "7", "", "x", "3"])
    ),
    st.sampled_from(["--", "-", "--json", "--csv", "--days=7", "--no-such", "-h", "--bY", "stray"]),
    st.text(max_size=4),
)


def _by_click(arguments: list[str]) -> tuple[object, ...] | None:
    """Return what click makes of *arguments*, or None where it refuses them."""
    seen: list[Asked] = []

    @click.command()
    @params(*names)
    def command(**values: object) -> None:
        seen.append(ask(values))

    try:
        command.main(arguments, "usage", standalone_mode=False)
    except (click.ClickException, UsageError):
        return None
    return seen[0].facts() if seen else None


def _directly(arguments: list[str]) -> tuple[object, ...] | None:
    values = read(USAGE, arguments)
    if values is None:
        return None
    try:
        return ask(values).facts()
    except UsageError:
        return None


@given(st.lists(words, max_size=6))
def test_the_direct_reader_says_what_click_says_or_nothing(arguments: list[str]) -> None:
    direct = _directly(arguments)
    assert direct is None or direct == _by_click(arguments)


@st.composite
def plain_lines(draw: st.DrawFn) -> list[str]:
    """Draw arguments as people write them: known options with sound values."""
    line: list[str] = []
    for option in draw(st.lists(st.sampled_from(USAGE), max_size=5)):
        if option.kind == "flag":
            line.append(f"--{option.name}")
            continue
        value = draw(_values(option))
        if draw(st.booleans()):
            line.append(f"--{option.name}={value}")
        else:
            line += [f"--{option.name}", value]
    return line


def _values(option: Option) -> st.SearchStrategy[str]:
    return {
        "choice": st.sampled_from(option.choices or ("",)),
        "day": st.dates().map(str),
        "count": st.integers(1, 999).map(str),
        "text": st.text(min_size=1).filter(lambda text: not text.startswith("-")),
    }[option.kind]


@given(plain_lines())
def test_a_plain_command_line_never_needs_click(arguments: list[str]) -> None:
    assert _directly(arguments) == _by_click(arguments)


def test_seven_days_are_today_and_the_six_before() -> None:
    today = read_day("2026-10-17")
    asked = ask({"days": "7"})
    assert asked.period(today) == (read_day("2026-10-11"), today)


def test_days_count_back_from_the_day_given_as_the_last() -> None:
    asked = ask({"days": "30", "until": read_day("2026-03-30")})
    assert asked.period(0) == (read_day("2026-03-01"), read_day("2026-03-30"))


def test_all_days_are_open_on_both_sides() -> None:
    assert ask({"days": "all"}).period(20_000) == (None, None)


def test_without_any_option_the_rows_are_days_and_nothing_is_left_out() -> None:
    asked = ask({})
    assert dict(zip(Asked.__slots__, asked.facts(), strict=True)) == {
        "agent": None, "by": ("day",), "cost": True, "data_dir": None, "days": None, "form": "text", "index": True,
        "limit": None, "model": None, "project": None, "roots": None, "session": None,
        "since": None, "sort": None, "source": None, "timezone": None, "until": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "values",
    [
        {"by": ["day", "model", "agent"]},
        {"by": ["day", "day"]},
        {"days": "7", "since": 20_000},
        {"since": 20_001, "until": 20_000},
        {"json": True, "csv": True},
        {"sort": "cost", "no_cost": True},
    ],
)
def test_a_contradiction_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="--"):
        ask(values)
