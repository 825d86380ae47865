"""A tool that says otherwise what it does, what it costs or how it is called is told by what that means to who calls it."""

from __future__ import annotations

from typing import Any

import pytest

from econome.contract.drift import drift
from econome.contract.findings import Finding
from econome.contract.lockfile import Lock
from econome.contract.static import static_class
from tests.contract.bodies import of_tools, tool
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

ROW = {"type": "object", "properties": {"id": {"type": "string"}}}


def between(old: dict[str, Any], new: dict[str, Any]) -> tuple[Finding, ...]:
    """Return the findings between two bodies of one server."""
    return drift(Lock("features-v1", {"shop": old}), Lock("features-v1", {"shop": new})).findings


def one(**said: Any) -> dict[str, Any]:
    """Return a server with one tool, `search`, of which so much is *said*."""
    return of_tools({"search": tool(description="Search.", **said)})


@pytest.mark.parametrize(
    "old, new, expected",
    [
        ({"limit": 50}, {"limit": 5000}, [("limit-raised", "/economy/limit", None, True)]),
        ({"limit": 50}, {}, [("limit-lifted", "/economy/limit", None, True)]),
        ({}, {"limit": 50}, [("limit-lowered", "/economy/limit", None, False)]),
        ({"max_bytes": 900}, {"max_bytes": 90}, [("limit-lowered", "/economy/max_bytes", None, False)]),
        ({"limit": 50, "more": True}, {"limit": 50}, [("economy-changed", "/economy/more", None, True)]),
        ({"guards": 2}, {"guards": 1}, [("economy-changed", "/economy/guards", None, True)]),
        ({"guards": 1}, {"guards": 2}, [("economy-changed", "/economy/guards", None, False)]),
        ({"rules": "static:a"}, {"rules": "static:b"}, [("economy-changed", "/economy/rules", None, False)]),
        ({"select": ["a", "b"]}, {"select": ["b", "c"]},
         [("call-refused", "/economy/select", {"_select": ["a"]}, False),
          ("call-widened", "/economy/select", None, False)]),
        ({"short": "List."}, {"short": "Lists."}, [("text-reworded", "/economy/short", None, False)]),
        ({"tags": ["a"]}, {"tags": ["a", "b"]}, [("economy-changed", "/economy/tags", None, False)]),
    ],
)  # fmt: skip
@requirement("LC13")
def test_what_the_library_does_for_a_tool_is_compared(
    old: dict[str, Any], new: dict[str, Any], expected: list[tuple[str, str, Any, bool]]
) -> None:
    found = between(one(economy=old), one(economy=new))
    assert [(each.kind, each.where, each.witness, each.regression) for each in found] == expected


@requirement("LC18")
def test_a_class_that_rises_is_a_regression_and_one_that_falls_is_none() -> None:
    low, critical = one(outputSchema=ROW), one(outputSchema=ROW)
    critical["tools"]["search"].update({"class": "critical", "reason": "a list without a limit"})
    critical["class"] = "critical"
    (risen,) = between(low, critical)
    assert (risen.kind, risen.regression, risen.old, risen.new) == (
        "class-risen",
        True,
        "low",
        "critical",
    )
    assert risen.text == "Its static class was low and is critical: a list without a limit."
    (fallen,) = between(critical, low)
    assert (fallen.kind, fallen.regression) == ("class-fallen", False)


@requirement("LC18")
@pytest.mark.parametrize("known", [ROW, {"type": "object"}])
def test_a_class_that_nothing_was_known_for_neither_rises_nor_falls(known: dict[str, Any]) -> None:
    high, unknown = one(outputSchema=ROW), one()
    high["tools"]["search"].update({"class": "high", "reason": "a list without a limit"})
    if known is not ROW:
        unknown = one(outputSchema=known)
        unknown["tools"]["search"]["reason"] = static_class({"outputSchema": known}).reason
    (come,) = between(unknown, high)
    assert (come.kind, come.regression) == ("output-added", False)
    assert come.text.endswith("; the class of its answers is known now: high.")
    (gone,) = between(high, unknown)
    assert (gone.kind, gone.regression) == ("output-changed", False)
    assert gone.text.endswith("; the class of its answers, high before, is not known any more.")


@pytest.mark.parametrize(
    "old, new, kinds",
    [
        ({}, {"readOnlyHint": True}, ["hint-changed"]),
        ({"readOnlyHint": True}, {}, ["hint-changed"]),
        ({}, {"destructiveHint": False}, ["hint-changed"]),
        ({}, {"destructiveHint": True}, ["detail-changed"]),
        ({"readOnlyHint": True}, {"readOnlyHint": True, "destructiveHint": False}, ["detail-changed"]),
        ({}, {"openWorldHint": False}, ["hint-changed"]),
        ({}, {"idempotentHint": False}, ["detail-changed"]),
        ({"title": "A"}, {"title": "B"}, ["detail-changed"]),
    ],
)  # fmt: skip
def test_hints_are_compared_by_what_the_protocol_makes_of_them(
    old: dict[str, Any], new: dict[str, Any], kinds: list[str]
) -> None:
    found = between(one(annotations=old), one(annotations=new))
    assert [each.kind for each in found] == kinds
    assert [each.regression for each in found] == [kind == "hint-changed" for kind in kinds]


def test_a_tool_that_claims_to_be_safer_may_be_called_without_asking_and_that_is_said() -> None:
    (found,) = between(one(), one(annotations={"readOnlyHint": True}))
    assert found.text == (
        "It now says that it only reads, that it does not destroy, that it may be repeated, "
        "and a client may now call it without asking."
    )


@pytest.mark.parametrize(
    "old, new, milder",
    [
        ({}, {"readOnlyHint": True}, True),
        ({}, {"destructiveHint": False}, True),
        ({"destructiveHint": False}, {"destructiveHint": False, "openWorldHint": False}, True),
        ({}, {"openWorldHint": False}, False),
        ({"destructiveHint": True}, {"destructiveHint": True, "openWorldHint": False}, False),
        ({"destructiveHint": True}, {"destructiveHint": True, "readOnlyHint": True}, False),
        ({}, {"idempotentHint": True}, False),
        ({"destructiveHint": False}, {"destructiveHint": False, "idempotentHint": True}, False),
        ({"readOnlyHint": True}, {}, False),
    ],
)
def test_a_call_without_asking_is_spoken_of_only_where_clients_would_ask_less(
    old: dict[str, Any], new: dict[str, Any], milder: bool
) -> None:
    (found,) = between(one(annotations=old), one(annotations=new))
    assert found.text.endswith(", and a client may now call it without asking.") is milder


@pytest.mark.parametrize(
    "old, new, how",
    [
        ({}, {"destructiveHint": True}, "given now"),
        ({"destructiveHint": True}, {}, "no longer given"),
        ({"destructiveHint": "yes"}, {"destructiveHint": True}, "written otherwise"),
    ],
)
def test_what_says_the_same_is_said_to_be_new_gone_or_written_otherwise(
    old: dict[str, Any], new: dict[str, Any], how: str
) -> None:
    (found,) = between(one(annotations=old), one(annotations=new))
    assert found.text == f"`/annotations/destructiveHint` is {how} and means the same."
    (found,) = between(one(), one(execution={"taskSupport": "forbidden"}))
    assert found.text == "`taskSupport` is given now and means the same."
