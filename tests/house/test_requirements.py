"""Every rule has a test, and every test of a room with rules names one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.house.source import TESTS, modules, parsed
from tests.requirements import KNOWN_GAPS, REQUIREMENTS, requirement

ROOMS_WITH_RULES = ("usage", "prices", "savings", "delegation", "http", "lean", "contract")


def _ids(node: ast.expr) -> set[str]:
    """Return the rule ids of every `requirement(...)` call inside *node*."""
    calls = (call for call in ast.walk(node) if isinstance(call, ast.Call))
    return {
        argument.value
        for call in calls
        if isinstance(call.func, ast.Name) and call.func.id == "requirement"
        for argument in call.args
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str)
    }


def _tests(path: Path) -> Iterator[tuple[str, set[str]]]:
    """Yield the name and the rule ids of each test function in the file *path*."""
    tree = parsed(path)
    whole: set[str] = set()
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "pytestmark"
            for target in statement.targets
        ):
            whole |= _ids(statement.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            named = node.name.startswith("test_")
            if named:
                yield node.name, whole.union(*(_ids(mark) for mark in node.decorator_list))


def test_every_rule_has_a_test_or_a_written_reason() -> None:
    tested = {name for path in modules(TESTS) for _, ids in _tests(path) for name in ids}
    assert REQUIREMENTS.keys() - tested == KNOWN_GAPS.keys()


def test_every_known_gap_is_a_rule_and_gives_its_reason() -> None:
    assert KNOWN_GAPS.keys() <= REQUIREMENTS.keys()
    assert all(reason.strip() for reason in KNOWN_GAPS.values())


def test_every_test_of_a_room_with_rules_names_one() -> None:
    nameless = [
        f"{path.relative_to(TESTS)}: {name}"
        for room in ROOMS_WITH_RULES
        for path in modules(TESTS / room)
        for name, ids in _tests(path)
        if not ids
    ]
    assert nameless == []


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="F99"):
        requirement("F99")


def test_naming_no_rule_is_refused() -> None:
    with pytest.raises(ValueError, match="none given"):
        requirement()


def test_the_mark_carries_the_rules() -> None:
    @requirement("F2", "R4")
    def check() -> None:
        pass

    (mark,) = check.pytestmark  # type: ignore[attr-defined]
    assert (mark.name, mark.args) == ("requirement", ("F2", "R4"))
