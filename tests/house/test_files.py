"""Files stay small, are named after nouns, and hold nothing of the machine they were written on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.house.source import REPOSITORY, SOURCE, TESTS, modules, parsed, tracked

LINES = 400
COUNTED = {".py", ".ts", ".js", ".mjs", ".css", ".html", ".sh"}
TEXT = COUNTED | {".md", ".toml", ".json", ".svg", ".txt", ".yml", ".yaml", ".cfg", ""}

# Written so that this file does not hold what it looks for.
FOREIGN = re.compile(
    r"(?<![\w.~-])/(?:work|root|farm)/"
    r"|python[h]osted|registry\.npm[j]s|pypi\.or[g]/simple|deb\.debia[n]\.org|index-ur[l]|\"resolve[d]\":"
)
EMPTY_NAMES = {"common", "handler", "helper", "helpers", "manager", "misc", "processor", "utils"}


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def test_no_source_file_is_longer_than_the_cap() -> None:
    long = {
        str(path.relative_to(REPOSITORY)): lines
        for path in tracked()
        if path.suffix in COUNTED and (lines := _text(path).count("\n")) > LINES
    }
    assert long == {}


def test_no_file_names_a_machine_path_or_a_registry_host() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}:{number}: {match.group()}"
        for path in tracked()
        if path.suffix in TEXT
        for number, line in enumerate(_text(path).splitlines(), 1)
        if (match := FOREIGN.search(line))
    ]
    assert found == []


def _names(path: Path) -> Iterator[str]:
    """Yield the name of a module and of all functions and classes in it."""
    yield path.stem
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def _words(name: str) -> list[str]:
    """Return the words of a snake_case or CamelCase *name*, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def test_no_name_ends_in_an_empty_word() -> None:
    found = [
        f"{path.relative_to(REPOSITORY)}: {name}"
        for path in modules()
        for name in _names(path)
        if EMPTY_NAMES.intersection(_words(name)[-1:])
    ]
    assert found == []


def test_the_words_of_a_name_are_found() -> None:
    assert _words("HTTPRequestHandler_of_files") == ["http", "request", "handler", "of", "files"]


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(REPOSITORY))
        for path in modules()
        if path.stat().st_size and ast.get_docstring(parsed(path)) is None
    ]
    assert silent == []


def test_no_test_asks_for_the_real_home() -> None:
    words = ("expand" + "user", "Path." + "home", "getpw" + "uid")
    found = [
        f"{path.relative_to(TESTS)}: {word}"
        for path in modules(TESTS)
        if path.name != "conftest.py"
        for word in words
        if word in _text(path)
    ]
    assert found == []


def test_the_package_says_that_it_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()
