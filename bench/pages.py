"""What the pages of the benchmarks of MCP servers share: bars that are met or not, and tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Bar", "bar_lines", "bar_parts", "joined", "table"]


@dataclass(frozen=True, slots=True)
class Bar:
    """One thing that is asked for, what was measured, and whether that is enough."""

    name: str
    measured: str
    asked: str
    met: bool


def bar_lines(bars: Iterable[Bar], width: int) -> Iterator[str]:
    """Yield the bars for a terminal, their names in *width* columns."""
    yield f"{'bar':<{width}}{'measured':>10}  asked"
    for bar in bars:
        yield f"{bar.name:<{width}}{bar.measured:>10}  {bar.asked}{'' if bar.met else '  NOT MET'}"


def bar_parts(bars: Iterable[Bar]) -> Iterator[str]:
    """Yield the part of a page that shows the bars."""
    yield "## Where it stands\n"
    rows = [(b.name, b.measured, b.asked, "yes" if b.met else "**no**") for b in bars]
    yield table(("bar", "measured", "asked", "met"), rows)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: int = 1) -> str:
    """Return a table whose first *texts* columns are words and whose others are figures."""
    lines = [head, ["---"] * texts + ["---:"] * (len(head) - texts), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def joined(parts: Iterable[str]) -> str:
    """Return the parts of a page as the page, an empty line between two."""
    return "\n".join(part.rstrip("\n") + "\n" for part in parts)
