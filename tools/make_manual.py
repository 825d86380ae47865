"""Write the manual as files that open from disk, below build/manual: every page in both languages, and one style sheet.

They are what `?` shows, word for word. No file has a script or an address that is not relative to it, so that the
directory can be read, moved and published as it is.
"""

from __future__ import annotations

import argparse
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Final

from econome.manual.pages import FIRST, LANGUAGES, NAMES, source
from econome.manual.rendering import Article, rendered
from econome.server.telling import LANGUAGES as OWN_NAMES
from econome.server.telling import telling

__all__ = ["STYLE", "TARGET", "page", "start", "written"]

TARGET: Final = Path(__file__).resolve().parent.parent / "build" / "manual"
STYLE: Final = "manual.css"
_CHOSEN: Final = ' aria-current="page"'
_SHEETS: Final = ("econome.css", "page.css", "manual.css")


def _file(name: str) -> str:
    return f"{name}.html"


@cache
def _article(name: str, language: str) -> Article:
    return rendered(source(name, language), _file)


def _whole(language: str, title: str, above: str, body: str) -> str:
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)} · econome</title>\n"
        f'<link rel="stylesheet" href="{above}{STYLE}">\n</head>\n<body>\n{body}</body>\n</html>\n'
    )


def page(name: str, language: str) -> str:
    """Return a page as a file of its language's directory."""
    article = _article(name, language)
    contents = telling(language).text("Pages of the manual")
    entries = "".join(
        f'<li><a href="{_file(one)}"{_CHOSEN if one == name else ""}>{escape(_article(one, language).title)}</a></li>\n'
        for one in NAMES
    )
    others = "".join(
        f'<li><a href="../{other}/{_file(name)}" lang="{other}" hreflang="{other}">{OWN_NAMES[other]}</a></li>\n'
        for other in LANGUAGES
        if other != language
    )
    body = (
        f'<header class="head">\n<a class="brand" href="{_file(FIRST)}">econome</a>\n'
        f'<ul class="tools">\n{others}</ul>\n</header>\n<main id="main">\n<div class="manual">\n'
        f'<nav class="contents" aria-label="{escape(contents)}">\n<ul>\n{entries}</ul>\n</nav>\n'
        f'<article class="article">\n{article.html}\n</article>\n</div>\n</main>\n'
    )
    return _whole(language, article.title, "../", body)


def start() -> str:
    """Return the page to begin with, which lets choose a language."""
    entries = "".join(
        f'<li><a href="{language}/{_file(FIRST)}" lang="{language}" hreflang="{language}">'
        f"{OWN_NAMES[language]}</a>: {escape(_article(FIRST, language).title)}</li>\n"
        for language in LANGUAGES
    )
    body = f'<main id="main">\n<h1>econome</h1>\n<ul>\n{entries}</ul>\n</main>\n'
    return _whole(LANGUAGES[0], "Manual", "", body)


def written() -> dict[str, str]:
    """Return every file, by its path below the directory."""
    static = files("econome.server") / "static"
    sheets = [(static / name).read_text(encoding="utf-8") for name in _SHEETS]
    made = {STYLE: "\n".join(sheets), "index.html": start()}
    for language in LANGUAGES:
        made |= {f"{language}/{_file(name)}": page(name, language) for name in NAMES}
    return made


def main() -> None:
    """Write the files and say where."""
    parser = argparse.ArgumentParser(description="Write the manual as HTML that opens from disk.")
    parser.add_argument("--to", type=Path, default=TARGET, help="the directory")
    target: Path = parser.parse_args().to
    for name, text in written().items():
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    print(f"{target / 'index.html'}: open it in a browser")


if __name__ == "__main__":
    main()
