"""The root fields of what a tool answers come from the type it is annotated with, whatever library made that type."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any, Generic, Optional, TypedDict, TypeVar, Union

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, computed_field

from econome.lean.outputs import DEEPEST, Output, fields_of_type, is_rows, return_type
from tests.requirements import requirement

pytestmark = requirement("L8")

Item = TypeVar("Item")


class Model(BaseModel):
    id: int
    hidden: int = Field(exclude=True)
    shown_as: str = Field(alias="shownAs")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> int:
        return self.id


@dataclasses.dataclass
class Data:
    id: int
    name: str


class Typed(TypedDict):
    id: int
    name: str


class Partial(Typed, total=False):
    note: str


class Record(msgspec.Struct, rename="camel"):
    row_id: int
    name: str


class Page(BaseModel, Generic[Item]):
    items: list[Item]
    total: int


@pytest.mark.parametrize(
    "kind, fields",
    [
        (Model, ("id", "shownAs", "total")),
        (Data, ("id", "name")),
        (Typed, ("id", "name")),
        (Partial, ("id", "name", "note")),
        (Record, ("rowId", "name")),
        (Page[Data], ("items", "total")),
        (list[Data], ("id", "name")),
        (Sequence[Typed], ("id", "name")),
        (tuple[Data, ...], ("id", "name")),
        (Data | None, ("id", "name")),
        (Optional[list[Record | None]], ("rowId", "name")),  # noqa: UP045
        (Union[Data, Record], ("id", "name", "rowId")),  # noqa: UP007
        (Annotated[list[Data], "said"], ("id", "name")),
        ({"type": "array", "items": {"properties": {"a": {}, "b": {}}}}, ("a", "b")),
        (dict[str, Data], ()),
        (str, ()),
        (Any, ()),
        (None, ()),
        (list, ()),
    ],
)
def test_a_type_has_the_fields_that_its_values_have_on_the_wire(
    kind: Any, fields: tuple[str, ...]
) -> None:
    assert fields_of_type(kind) == fields


@given(st.lists(st.sampled_from(["list", "optional", "annotated"]), max_size=DEEPEST - 1))
def test_layers_are_looked_through(layers: list[str]) -> None:
    kind: Any = Data
    for layer in layers:
        if layer == "list":
            kind = list[kind]
        elif layer == "optional":
            kind = Optional[kind]  # noqa: UP045
        else:
            kind = Annotated[kind, "said"]
    assert fields_of_type(kind) == ("id", "name")


@pytest.mark.parametrize(
    "kind, rows",
    [
        (list[Data], True),
        (Optional[Sequence[Typed]], True),  # noqa: UP045
        (Annotated[list[Data] | None, "said"], True),
        ({"type": "array", "items": {}}, True),
        ({"properties": {"result": {"type": "array"}}}, True),
        ({"properties": {"items": {"type": "array"}}}, False),
        (Page[Data], False),
        (dict[str, Data], False),
        (Data | None, False),
        (str, False),
        (None, False),
    ],
)
def test_rows_are_told_from_one_record(kind: Any, rows: bool) -> None:
    assert is_rows(kind) is rows
    assert Output.of(kind) == (fields_of_type(kind), rows)


def test_a_type_that_cannot_be_known_has_no_fields() -> None:
    def returns_nowhere() -> Nowhere:  # type: ignore[name-defined]  # noqa: F821
        raise AssertionError

    assert return_type(returns_nowhere) is None
    assert return_type(print) is None
    assert fields_of_type(return_type(_listing)) == ("id", "name")


def _listing() -> list[Data]:
    return []
