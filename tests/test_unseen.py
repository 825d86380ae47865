"""What nobody sees is written out by its number wherever the text of a stranger is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.cli.render.figures import plain
from econome.cli.render.lock_markdown import code, prose
from econome.cli.render.strangers import call, value
from econome.contract.shown import shown
from econome.unseen import seen, told, visible
from tests.requirements import requirement

pytestmark = requirement("L16")

UNSEEN = [
    *"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u202e\u2060\u2800\u3164\ufeff\uffa0",
    *"\ufe00\ufe0f\U000e0041\U000e0100\U000e01ef\x1b\x7f\x9b\ud800",
]


@pytest.mark.parametrize("letter", UNSEEN, ids=lambda letter: f"{ord(letter):x}")
def test_no_output_lets_it_through(letter: str) -> None:
    text = f"pay{letter}load"
    apart = ";\u200b"  # what the page itself puts behind a number of HTML
    lines = [shape(text) for shape in (visible, code, value, shown, plain)]
    lines += [call(text, {text: text}), prose(text).replace(apart, ";")]
    assert [letter in line for line in lines] == [False] * len(lines)
    assert f"{ord(letter):x}" in visible(text)
    assert plain(text) == "pay\ufffdload"
    assert not seen(letter)


@given(st.text())
def test_what_is_shown_is_seen_and_is_one_line(text: str) -> None:
    line = visible(text)
    assert all(map(seen, line))
    assert visible(line) == line
    assert line == text or not all(map(seen, text))


@given(st.text(), st.integers(1, 40))
def test_what_a_stranger_said_is_cut(text: str, most: int) -> None:
    line = told(text, most)
    assert len(line) <= most
    assert all(map(seen, line))


def test_what_was_cut_off_is_told() -> None:
    assert told("a\nb\x1b[2J", 20) == "a b\\x1b[2J"
    assert told("a" * 30, 5) == "aaaa…"
    assert told(" " * 1000 + "a", 5) == "…"
