"""Looks at the page of usage, as a browser, as one who copies a figure, and as the command that answers the same question."""

from __future__ import annotations

from html.parser import HTMLParser
from json import loads
from typing import Any

from econome.server.desk import Desk
from econome.server.showing import Asking, Showing, Shown
from tests.door import run

__all__ = ["Marks", "Query", "page", "report", "rows", "show", "tiles"]

Query = tuple[tuple[str, str], ...]


def show(
    desk: Desk, *pairs: tuple[str, str], rest: str = "", part: str = "", language: str = "en"
) -> Shown:
    """Return what the page of usage is answered with."""
    return Showing(desk).show(Asking("usage", rest, pairs, language, part))


def page(desk: Desk, *pairs: tuple[str, str], part: str = "", language: str = "en") -> str:
    """Return the page, which must be one."""
    shown = show(desk, *pairs, part=part, language=language)
    assert shown.status == 200
    return shown.body.decode()


def rows(desk: Desk, figure: str, *pairs: tuple[str, str]) -> list[dict[str, Any]]:
    """Return the rows of a figure, as they are copied."""
    shown = show(desk, *pairs, rest=f"figures/{figure}.json")
    assert shown.status == 200, figure
    found: list[dict[str, Any]] = loads(shown.body)["rows"]
    return found


def report(*pairs: tuple[str, str], by: str = "day") -> dict[str, Any]:
    """Return what the command prints for the same question."""
    options = [text for name, value in pairs for text in (f"--{name}", value)]
    found: dict[str, Any] = loads(run("usage", "--by", by, *options, "--json").out)
    return found


class Marks(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split()).replace("\u00a0", " ")


def tiles(text: str) -> list[str]:
    """Return the titles of the tiles and what they say, in their order."""
    held = text.partition('<dl class="tiles">')[2].partition("</dl>")[0]
    return [found for found in Marks(held).texts if found]
