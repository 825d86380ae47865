"""Where a value stands in JSON and in JSON with comments, for any document."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.install.spans import Document, blanked, members_of
from tests.lean.documents import Written, documents
from tests.requirements import requirement

pytestmark = requirement("L18")


def _member(document: Document, keys: tuple[str, ...]) -> Any:
    *above, key = keys
    return next(member for member in document.members(above) if member.key == key)


@given(documents())
def test_a_value_is_found_where_it_stands(written: Written) -> None:
    document = Document(written.data, comments=written.comments)
    found = _member(document, written.keys)
    assert document.text_of(found) == written.entry
    assert json.loads(document.plain_text_of(found)) == written.value


@given(documents(), st.text(max_size=40))
def test_what_is_around_a_replaced_value_stays_to_the_byte(written: Written, text: str) -> None:
    document = Document(written.data, comments=written.comments)
    new = document.replaced(_member(document, written.keys), text)
    assert new == written.before + text.encode() + written.after


@given(documents())
def test_a_value_that_is_put_back_gives_the_same_bytes(written: Written) -> None:
    document = Document(written.data, comments=written.comments)
    other = document.replaced(_member(document, written.keys), '{"command": "other"}')
    again = Document(other, comments=written.comments)
    assert again.replaced(_member(again, written.keys), written.entry) == written.data


@given(documents())
def test_blanks_keep_every_letter_in_its_place(written: Written) -> None:
    source = written.data.decode("utf-8-sig")
    plain = blanked(source)
    assert len(plain) == len(source)
    assert all(new in (old, " ") for old, new in zip(source, plain, strict=True))
    assert plain.count("\n") == source.count("\n")


@pytest.mark.parametrize(
    "data, reason",
    [
        (b'{"a": 1', "it does not parse: line 1: "),
        (b'{"a":\n nul}', "it does not parse: line 2: "),
        (b'{"a": 1} x', "it does not parse: line 1: more follows its end"),
        (b'{"a": NaN}', "NaN is no JSON value"),
        (b'{"a": "\xff"}', "it is not UTF-8 at byte 7"),
        (b"[" * 100_000, "it does not parse: it is nested too deep"),
        (b'{"a": 1, /* never closed }', "it does not parse: line 1: "),
    ],
)
def test_what_is_no_json_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match="^" + re.escape(reason)):
        Document(data, comments=True)


@pytest.mark.parametrize("data", [b'{"a": 1, // one\n"b": 2}', b'{"a": [1, 2,]}'])
def test_comments_and_last_commas_are_read_only_where_the_client_reads_them(data: bytes) -> None:
    Document(data, comments=True)
    with pytest.raises(ValueError, match=r"^it does not parse: line"):
        Document(data, comments=False)


@pytest.mark.parametrize("data", [b"[,]", b'{"a": 1,,}', b"{,}"])
def test_a_comma_without_a_value_before_it_is_no_last_comma(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"^it does not parse"):
        Document(data, comments=True)


def test_a_text_that_looks_like_a_comment_is_a_text() -> None:
    document = Document(b'{"url": "http://a//b", "c": "/* no */ ,}"}', comments=True)
    values = [json.loads(document.plain_text_of(member)) for member in document.members(())]
    assert values == ["http://a//b", "/* no */ ,}"]


@pytest.mark.parametrize(
    "data, keys",
    [
        (b'{"s": {"x": 1}, "s": {"x": 2}}', ("s",)),
        (b'{"s": {"x": 1, "x": 2}}', ("s",)),
    ],
)
def test_a_key_that_is_given_twice_is_refused(data: bytes, keys: tuple[str, ...]) -> None:
    with pytest.raises(ValueError, match=r"^it names '[sx]' twice in one object"):
        Document(data, comments=False).members(keys)


def test_keys_that_lead_nowhere_lead_to_no_members() -> None:
    document = Document(b'{"a": {"b": [1]}, "c": 3}', comments=False)
    found = [document.members(keys) for keys in (("x",), ("a", "b"), ("c",), ("a", "x", "y"))]
    assert found == [[], [], [], []]
    assert members_of("[1]") is None
