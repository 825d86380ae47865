"""The parts of a JSON text are found whatever stands in them, and are the bytes that a strict reader finds where one can."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.proxy.loose import beginning, elements, members
from tests.requirements import requirement

pytestmark = requirement("L11", "L20")

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
INDENTS = st.sampled_from([None, 0, 1, "\t"])


@given(st.dictionaries(st.text(), VALUES), INDENTS)
def test_the_members_of_an_object_are_those_that_python_reads(
    value: dict[str, object], indent: int | str | None
) -> None:
    found = members(json.dumps(value, indent=indent).encode())
    assert found is not None
    assert [(name, repr(json.loads(raw))) for name, raw in found.items()] == [
        (name, repr(json.loads(json.dumps(one)))) for name, one in value.items()
    ]


@given(st.lists(VALUES), INDENTS)
def test_the_elements_of_a_list_are_those_that_python_reads(
    value: list[object], indent: int | str | None
) -> None:
    found = elements(json.dumps(value, indent=indent).encode())
    assert found is not None
    assert list(map(repr, map(json.loads, found))) == list(map(repr, json.loads(json.dumps(value))))


@given(st.binary() | st.text(alphabet='{}[]",:\\ a1').map(str.encode))
def test_whatever_it_is_given_it_finds_what_a_strict_reader_finds_or_nothing(data: bytes) -> None:
    try:
        strict = msgspec.json.decode(data, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError):
        members(data)
    else:
        found = members(data)
        assert found == {name: bytes(raw) for name, raw in strict.items()}
    beginning(data)
    elements(data)


@given(st.dictionaries(st.text(), VALUES, min_size=1), st.data())
def test_a_beginning_holds_what_is_whole_and_the_name_of_what_is_not(
    value: dict[str, object], data: st.DataObject
) -> None:
    whole = json.dumps(value).encode()
    found = beginning(whole[: data.draw(st.integers(0, len(whole)))])
    names = list(value)[: len(found)]
    assert list(found) == names
    assert all(found[name] is not None for name in names[:-1])


@pytest.mark.parametrize(
    "raw", [b"", b"[]", b"{", b'{"a"}', b'{"a":}', b'{"a":1,}', b'{"a":1}}', b'{"a":[}]}', b'{"a":1 2}', b"{'a':1}"]
)  # fmt: skip
def test_what_is_no_object_has_no_members(raw: bytes) -> None:
    assert members(raw) is None


def test_nothing_is_too_deep() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    assert members(b'{"a":%b,"b":NaN}' % deep) == {"a": deep, "b": b"NaN"}
