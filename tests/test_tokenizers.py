"""Methods of counting tokens have names, and each does what its name says."""

from __future__ import annotations

import re
import sys
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import UsageError
from econome.tokenizers import DEFAULT, NAMES, Features, features, tokenizer
from tests.requirements import requirement

pytestmark = requirement("L12")


def _by_pattern(text: str) -> Features:
    """The definition, slowly."""
    return Features(
        words=len(re.findall(r"[A-Za-z]+", text)),
        digits=len(re.findall(r"[0-9]", text)),
        marks=len(re.findall(r"[^A-Za-z0-9\s]", text)),
        ends=len(re.findall(r"\n\s*", text)),
    )


@given(st.text(st.characters(codec="ascii")))
def test_features_are_those_of_the_definition(text: str) -> None:
    assert features(text) == _by_pattern(text)


@given(st.text())
def test_no_text_is_refused_and_only_the_empty_one_is_free(text: str) -> None:
    for name in ("features-v1", "features-v1:claude-3", "features-v1:o200k"):
        assert (tokenizer(name).count(text) > 0) is (text != "")


@given(st.text(), st.text())
def test_two_texts_on_two_lines_have_the_words_digits_and_marks_of_both(a: str, b: str) -> None:
    both, first, second = features(f"{a}\n{b}"), features(a), features(b)
    assert (both.words, both.digits, both.marks) == (
        first.words + second.words,
        first.digits + second.digits,
        first.marks + second.marks,
    )


def test_letters_beyond_ascii_are_words_and_signs_are_marks() -> None:
    assert features("été 12 → ≠\n  fin") == Features(words=2, digits=2, marks=2, ends=1)


@pytest.mark.parametrize(
    ("name", "tokens"),
    [("features-v1", 10), ("features-v1:claude-3", 9), ("features-v1:o200k", 8)],
)
def test_the_weights_are_those_of_each_family(name: str, tokens: int) -> None:
    text = "ab cd 12.\nef"  # 3 words, 2 digits, 1 mark, 1 end
    assert tokenizer(name).count(text) == tokens


@requirement("LC14")
@pytest.mark.parametrize(
    ("text", "tokens"), [("", 0), ("x" * 35, 10), ("x" * 36, 11), ("📊", 1), ("日" * 7, 2)]
)
def test_the_fallback_is_three_and_a_half_utf16_units(text: str, tokens: int) -> None:
    assert tokenizer("chars/3.5").count(text) == tokens


@pytest.mark.parametrize(("text", "tokens"), [("", 0), ("abcd", 1), ("abcde", 2), ("📊📊📊", 2)])
def test_a_quarter_of_the_length_is_rounded_up(text: str, tokens: int) -> None:
    assert tokenizer("chars/4").count(text) == tokens


def test_the_default_needs_no_dependency_and_says_that_it_estimates() -> None:
    found = tokenizer()
    assert (found.name, found.estimate) == (DEFAULT, True) == ("features-v1", True)


def test_a_name_that_is_none_is_answered_with_those_that_are() -> None:
    with pytest.raises(UsageError) as caught:
        tokenizer("gpt")
    assert all(name in str(caught.value) for name in NAMES)


@pytest.mark.parametrize(("name", "package"), [("o200k", "quicktok"), ("claude", "ctok")])
def test_a_missing_package_is_one_line_that_says_how_to_get_it(
    name: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as caught:
        tokenizer(name)
    assert "pip install 'econome[tokens]'" in str(caught.value)


def test_o200k_is_a_vocabulary_and_takes_any_text() -> None:
    pytest.importorskip("quicktok")
    found = tokenizer("o200k")
    assert found.estimate is False
    assert [found.count(text) for text in ("", "hello, world", "\ud800")] == [0, 3, 1]
    assert found.count("<|endoftext|>") > 1  # a text, not the sign of an end


def test_claude_is_an_estimate_of_what_is_said_without_the_message_around_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: set[str] = set()

    def token_count(text: str, version: str) -> int:
        asked.add(version)
        return 7 + len(text.split())  # what a message costs, and a token a word

    stand_in = ModuleType("ctok")
    monkeypatch.setattr(stand_in, "token_count", token_count, raising=False)
    monkeypatch.setitem(sys.modules, "ctok", stand_in)
    found = tokenizer("claude")
    assert (found.name, found.estimate) == ("claude", True)
    assert [found.count(text) for text in ("", "one", "one two three", "\ud800")] == [0, 1, 3, 1]
    assert asked == {"4.8"}


def test_claude_counts_what_is_said_and_not_the_message_around_it() -> None:
    pytest.importorskip("ctok")
    found = tokenizer("claude")
    assert found.estimate is True
    assert [found.count(text) for text in ("", "hello, world")] == [0, 4]
