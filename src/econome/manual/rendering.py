"""A page of the manual, from its Markdown to HTML: CommonMark and tables, no HTML of its own, no picture.

The same article stands on the page, in the sheet beside a screen and in the files that open from disk: only where its
links lead differs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

__all__ = ["Article", "Leads", "anchor", "rendered"]

Leads = Callable[[str], str]
"""Returns the address of a page of the manual, given its name."""

_PAGE: Final = re.compile(r"([a-z]+)\.md(?:#(.+))?|#(.+)")
_LEAD: Final = "on-"


@dataclass(frozen=True, slots=True)
class Article:
    """A page: its title, its HTML with the title in it, and its sections, each an id and a title."""

    title: str
    html: str
    sections: tuple[tuple[str, str], ...]


def anchor(title: str) -> str:
    """Return the id of a section.

    It is the name that a title has in the address on the sites that show Markdown, behind a letter or two that keep it apart
    from the ids of the screen which the sheet stands on.
    """
    kept = (letter for letter in title.lower() if letter.isalnum() or letter in " -_")
    return _LEAD + "".join(kept).replace(" ", "-")


def rendered(source: str, leads: Leads) -> Article:
    """Return the article that a page's Markdown makes.

    Raises:
        ValueError: it has no title, two sections of one title, or a link that leads neither to a page nor to https.
    """
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table").disable("image")
    tokens = markdown.parse(source)
    sections: list[tuple[str, str]] = []
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            title = _text(tokens[at + 1])
            sections.append((anchor(title), title))
            if at:
                token.attrSet("id", anchor(title))
        for inner in token.children or ():
            if inner.type == "link_open":
                inner.attrSet("href", _address(str(inner.attrGet("href")), leads))
    if not tokens or tokens[0].tag != "h1" or len(dict(sections[1:])) < len(sections) - 1:
        raise ValueError("a page begins with its title, and no two of its sections have the same")
    html: str = markdown.renderer.render(tokens, markdown.options, {})
    return Article(sections[0][1], html.strip(), tuple(sections[1:]))


def _text(inline: Token) -> str:
    children: Sequence[Token] = inline.children or ()
    return "".join(child.content for child in children)


def _address(href: str, leads: Leads) -> str:
    if href.startswith("https://"):
        return href
    found = _PAGE.fullmatch(href)
    if found is None:
        raise ValueError(f"{href}: neither a page of the manual nor an address of the web")
    name, behind, within = found.groups()
    section = behind or within
    return (leads(name) if name else "") + (f"#{_LEAD}{section}" if section else "")
