"""A report as one document: it brings its style with it, asks nobody for anything, and runs nothing."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from econome.server.charts.bars import patterns
from econome.server.charts.marks import written

__all__ = ["Head", "document", "table"]


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a column: its title, and what stands in it: `figures`, a `short` word, or `words` that may be many."""

    title: str
    kind: Literal["figures", "short", "words"] = "figures"


def document(title: str, body: str, style: str, generator: str) -> str:
    """Return a whole document around *body*, which is marks already; *style* is the one style sheet that it allows.

    *generator* says who made it, for whoever would write over it.
    """
    told = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{told}'; base-uri 'none'; form-action 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f'<meta name="generator" content="{written(generator)}">\n'
        f"<title>{written(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n{patterns()}\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def table(caption: str, heads: Sequence[Head], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of texts; on a phone each row is a list of what it says, so each cell knows its title.

    An empty *caption* is for a table whose heading stands above it.
    """
    titles = "".join(
        f'<th scope="col"{_kind(head, first=at == 0)}>{written(head.title)}</th>'
        for at, head in enumerate(heads)
    )
    body = "".join(f"<tr>{_cells(heads, row)}</tr>\n" for row in rows)
    return (
        f"<table>{f'<caption>{written(caption)}</caption>' if caption else ''}\n"
        f"<thead><tr>{titles}</tr></thead>\n<tbody>\n{body}</tbody></table>"
    )


def _cells(heads: Sequence[Head], row: Sequence[str]) -> str:
    return "".join(
        f'<td data-title="{written(head.title)}"{_kind(head, first=at == 0)}>'
        f"<span>{written(cell)}</span></td>"
        for at, (head, cell) in enumerate(zip(heads, row, strict=True))
    )


def _kind(head: Head, *, first: bool) -> str:
    return "" if first else f' class="{head.kind}"'
