"""What a screen calls its tiles, figures and columns is what its page of the manual calls them, in both languages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from html import unescape

import pytest

from econome.manual.pages import LANGUAGES, source
from econome.manual.rendering import rendered
from econome.server.telling import telling
from tests.house.source import SOURCE, parsed
from tests.requirements import requirement

SCREENS = ("usage", "session", "savings", "servers", "diagnosis")
_TITLED = {"Column": 1, "Figure": 1, "Head": 1, "Tile": 0}
"""Where the title stands among the arguments."""
_PLACE = re.compile(r"\{\w*\}|%\(\w+\)s")
_TILE = re.compile(r"tile\(_\(\"([^\"]+)\"")
_REFUSALS = {"There is no such page", "There is no such session"}
_EVIDENCE = {"tables", "columns"}
"""Functions that name the evidence of findings, of which the manual tells as a whole."""


def _literal(node: ast.AST) -> str | None:
    """Return the text that a call of `text` says."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        name = node.func.id if isinstance(node.func, ast.Name) else name
        return str(node.args[0].value) if name == "text" else None
    return None


def _titles(node: ast.AST) -> Iterator[str | None]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        if node.func.id in _TITLED:
            yield from map(_literal, node.args[_TITLED[node.func.id] :][:1])
    elif isinstance(node, ast.Assign | ast.Return) and node.value is not None:
        names = [one.id for one in getattr(node, "targets", ()) if isinstance(one, ast.Name)]
        if names in (["title"], ["titles"]):
            said = node.value.values if isinstance(node.value, ast.Dict) else [node.value]
            yield from map(_literal, said)


@cache
def _named(screen: str) -> frozenset[str]:
    """Return the titles of tiles, figures and columns in the code of a screen and in its templates."""
    found: set[str] = set()
    for path in sorted((SOURCE / "server" / "screens").glob(f"{screen}*.py")):
        module = parsed(path)
        for function in [one for one in module.body if isinstance(one, ast.FunctionDef)]:
            if function.name not in _EVIDENCE:
                found |= {one for node in ast.walk(function) for one in _titles(node) if one}
            if (path.stem, function.name) == ("diagnosis_words", "names"):
                found |= {one for node in ast.walk(function) if (one := _literal(node))}
        for owner in [one for one in module.body if isinstance(one, ast.ClassDef)]:
            found |= {one for node in ast.walk(owner) for one in _titles(node) if one}
    for path in sorted((SOURCE / "server" / "templates").glob(f"{screen}*.html")):
        found |= set(_TILE.findall(path.read_text(encoding="utf-8")))
    return frozenset(found) - _REFUSALS


def _plain(text: str) -> str:
    return " ".join(text.replace("\u00a0", " ").replace("\u202f", " ").lower().split())


@cache
def _told(screen: str, language: str) -> str:
    html = rendered(source(screen, language), str).html
    return _plain(unescape(re.sub(r"<[^>]+>", "", html)))


@requirement("V11")
@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("screen", SCREENS)
def test_the_manual_names_every_tile_figure_and_column_as_the_screen_does(
    screen: str, language: str
) -> None:
    assert len(_named(screen)) > 8
    told, missing = telling(language), []
    for title in sorted(_named(screen)):
        fixed = _PLACE.split(told.text(title))[0].rstrip(" :,\u00a0")
        if _plain(fixed) not in _told(screen, language):
            missing.append(fixed)
    assert missing == []
