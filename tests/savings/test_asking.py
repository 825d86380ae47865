"""Every preset can be asked for by a text, and what has none too."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.savings.asking import NO_PRESET_WORD, ask_balance
from econome.savings.question import NO_PRESET
from tests.requirements import requirement

pytestmark = requirement("S7")


def _preset(text: str | None) -> str | None:
    return ask_balance({"preset": text}).preset


@given(st.text("\\(none) x", min_size=1) | st.text(min_size=1))
def test_a_name_asks_for_the_preset_of_that_name(name: str) -> None:
    if name.lstrip("\\") != NO_PRESET_WORD:
        assert _preset(name) == name


@pytest.mark.parametrize("name", ["(none)", "\\(none)", "\\\\(none)"])
def test_a_preset_called_as_none_is_shown_is_asked_for_with_a_backslash(name: str) -> None:
    assert _preset("\\" + name) == name


def test_the_word_asks_for_what_has_none_and_no_word_for_everything() -> None:
    assert (_preset(NO_PRESET_WORD), _preset(None)) == (NO_PRESET, None)
