"""How long the pages take beside the commands that say the same, and how much a browser is sent.

In each round, one after the other: the command as a whole process on a warm index, and the same server answering the page.
Ratios of one round are what counts; the machine may be busy, and both are slower then.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import os
import re
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from bench.measure import Contender, run
from bench.pages import Bar, bar_lines, bar_parts, joined, table
from bench.trees import large_tree, small_tree
from tools.served import Served, environment, serving

__all__ = ["main"]

WORK = Path(__file__).resolve().parent / ".work"
NOW = "2026-10-17T16:00:00Z"
_MOST_RATIO = 3.0
_BYTES = 1000


@dataclass(slots=True)
class Pair:
    """A page and the command that answers the same question; seconds of each round, the page's when nothing was kept too."""

    name: str
    path: str
    command: tuple[str, ...]
    first_s: float = 0.0
    page_s: list[float] = field(default_factory=list)
    command_s: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median over the rounds of what the page took by what the command took."""
        pairs = zip(self.page_s, self.command_s, strict=True)
        return statistics.median(page / command for page, command in pairs)


def _pairs() -> list[Pair]:
    return [
        Pair("usage, 30 days", "/usage?days=30", ("usage", "--days", "30", "--json")),
        Pair("usage, all days", "/usage?days=all", ("usage", "--json")),
        Pair("savings", "/savings?days=all", ("balance", "--json")),
        Pair("sessions, a part", "/usage?days=all&q=a&page=2", ("session", "--json")),
    ]


class _Browser:
    """Asks a server with its token, over one connection, as a browser that was let in does."""

    def __init__(self, running: Served) -> None:
        token = (running.home / ".local" / "share" / "econome" / "token").read_text("ascii").strip()
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "text/html"}
        self._connection = http.client.HTTPConnection(urlsplit(running.url).netloc, timeout=600)

    def ask(self, path: str, **more: str) -> tuple[float, bytes]:
        """Return the seconds until the answer was there whole, and the answer."""
        begun = time.perf_counter()
        self._connection.request("GET", path, headers={**self._headers, **more})
        answer = self._connection.getresponse()
        body = answer.read()
        took = time.perf_counter() - begun
        if answer.status != http.client.OK:
            raise RuntimeError(f"{path}: {answer.status}")
        return took, body


def _measure(tree: Path, home: Path, rounds: int) -> tuple[list[Pair], dict[str, tuple[int, int]]]:
    home.mkdir(parents=True, exist_ok=True)
    for name, target in (("claude", tree), ("codex", None)):
        place = home / name
        if target is None:
            place.mkdir(exist_ok=True)
        elif not place.exists():
            place.symlink_to(target)
    given = environment(home, NOW)
    pairs, sizes = _pairs(), {}
    with serving(home, NOW) as running:
        browser = _Browser(running)
        browser.ask("/usage?days=7")  # the first look at any page imports what makes them
        for pair in pairs:
            part = {"HX-Request": "true", "HX-Target": "sessions"} if "part" in pair.name else {}
            contender = Contender(
                pair.name, (sys.executable, "-m", "econome", *pair.command), given
            )
            run(contender, home / "output")
            pair.first_s, _ = browser.ask(pair.path, **part)
            for _ in range(rounds):
                pair.command_s.append(run(contender, home / "output").wall_s)
                pair.page_s.append(browser.ask(pair.path, **part)[0])
        for name in ("/usage?days=30", "/savings", "/servers", "/diagnosis", "/manual/usage"):
            sizes[name] = _transfer(browser, name)
    return pairs, sizes


def _transfer(browser: _Browser, path: str) -> tuple[int, int]:
    """Return the bytes of a page with all that it loads, as they are sent and as they would be with gzip."""
    _, page = browser.ask(path)
    loaded = re.findall(rb'(?:src|<link[^>]* href)="(/static/[^"]*)"', page)
    bodies = [page, *(browser.ask(place.decode())[1] for place in dict.fromkeys(loaded))]
    return sum(map(len, bodies)), sum(len(gzip.compress(body)) for body in bodies)


def _bars(pairs: Sequence[Pair], prefix: str) -> list[Bar]:
    return [
        Bar(
            f"{prefix}: {pair.name}",
            f"{pair.ratio:.2f}",
            f"at most {_MOST_RATIO:g} times the command",
            pair.ratio <= _MOST_RATIO,
        )
        for pair in pairs
    ]


def _rows(pairs: Sequence[Pair], prefix: str) -> list[tuple[str, ...]]:
    return [
        (
            prefix,
            pair.name,
            f"{statistics.median(pair.command_s) * 1000:.0f}",
            f"{pair.first_s * 1000:.0f}",
            f"{statistics.median(pair.page_s) * 1000:.0f}",
            f"{pair.ratio:.2f}",
        )
        for pair in pairs
    ]


def main() -> None:
    """Measure, print, and write the page where one is asked for."""
    parser = argparse.ArgumentParser(description="Measure the pages beside the commands.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--size-mb", type=int, default=200)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--page", type=Path, help="write the result there, as Markdown")
    asked = parser.parse_args()
    bars: list[Bar] = []
    rows: list[tuple[str, ...]] = []
    sizes: dict[str, tuple[int, int]] = {}
    for prefix, tree in (
        (f"{asked.size_mb} MB", large_tree(WORK, asked.size_mb)),
        (f"{asked.files:,} sessions", small_tree(WORK, asked.files)),
    ):
        pairs, sizes = _measure(tree, WORK / "screens" / tree.name, asked.rounds)
        bars += _bars(pairs, prefix)
        rows += _rows(pairs, prefix)
    print("\n".join(bar_lines(bars, 40)))
    for name, (sent, packed) in sizes.items():
        print(f"{name:<24}{sent:>10,} bytes, {packed:,} with gzip")
    if asked.page is not None:
        asked.page.write_text(_page(bars, rows, sizes, asked.rounds), encoding="utf-8")


def _page(
    bars: Sequence[Bar],
    rows: Sequence[tuple[str, ...]],
    sizes: dict[str, tuple[int, int]],
    rounds: int,
) -> str:
    head = ("tree", "page", "command, ms", "page the first time, ms", "page, ms", "ratio")
    transfers = [
        (f"`{name}`", f"{sent / _BYTES:,.0f}", f"{packed / _BYTES:,.0f}")
        for name, (sent, packed) in sizes.items()
    ]
    return joined(
        (
            "# The pages, measured",
            "Written by `make bench-screens`. A command is a whole process on a warm index; a page is what a running server takes"
            f" to answer it whole, over loopback, to an HTTP client. Medians of {rounds} rounds in which both take turns, on"
            f" {os.cpu_count()} processors; the ratio is the median of each round's. The first time is the first question of its"
            " kind to that server, when nothing of it is kept yet.",
            *bar_parts(bars),
            "## What each took\n",
            table(head, rows, 2),
            "## What a browser is sent\n",
            "A page with everything that it loads: HTML with its drawings inside, two or three style sheets, htmx and a script"
            " of ours, in kB. The server sends it as it is, since it stays on the machine.",
            table(("page", "sent", "with gzip"), transfers),
        )
    )


if __name__ == "__main__":
    main()
