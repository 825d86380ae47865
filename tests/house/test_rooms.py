"""Each module is either pure or says that it touches the world, and the contracts know which."""

from __future__ import annotations

import tomllib
from typing import Any

from tests.house.source import REPOSITORY, module_name, modules

# What opens files, reads the clock or the environment, starts processes or speaks to a terminal.
TOUCHES_THE_WORLD: frozenset[str] = frozenset(
    {
        "econome.clock",
        "econome.settings",
    }
)

FACES = ("econome.__main__", "econome.cli", "econome.demo")
"""Rooms that are wholly about the outside; no module of theirs has to choose."""


def _contracts() -> list[dict[str, Any]]:
    """Return the import contracts of pyproject.toml."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    return contracts


def _pure() -> set[str]:
    (contract,) = (entry for entry in _contracts() if entry["id"] == "pure")
    return set(contract["source_modules"])


def _choosing() -> set[str]:
    """Return the modules that hold code and belong to no face."""
    return {
        name
        for path in modules()
        if path.stat().st_size and not (name := module_name(path)).startswith(FACES)
    }


def test_every_module_is_pure_or_says_that_it_touches_the_world() -> None:
    assert _choosing() - TOUCHES_THE_WORLD == _pure()


def test_no_module_is_both_pure_and_worldly() -> None:
    assert _pure() & TOUCHES_THE_WORLD == set()


def test_every_worldly_module_exists() -> None:
    assert TOUCHES_THE_WORLD <= _choosing()


def test_the_arrows_between_the_rooms_are_a_contract() -> None:
    assert {entry["type"] for entry in _contracts()} >= {"layers", "forbidden"}
