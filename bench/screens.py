"""How long the pages take beside the commands that say the same, and how much a browser is sent.

In each round, one after the other: the command as a whole process on a warm index, and the same server answering the page.
Before either, sessions grow, so that neither can answer what it kept. Ratios of one round are what counts; the machine may be
busy, and both are slower then.
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
from bench.trees import Growing, large_tree, small_tree
from tools.served import NOW, Served, demo_home, environment, serving

__all__ = ["main"]

WORK = Path(__file__).resolve().parent / ".work"
_SMALL_NOW = "2026-05-08T16:00:00Z"
"""The last day of the tree of small files."""
_MOST_RATIO = 3.0
_BYTES = 1000


@dataclass(slots=True)
class Pair:
    """A page and the command that answers the same question; seconds of each round.

    *first_s* is the page's when nothing was kept yet, *kept_s* when nothing changed since the last look.
    """

    name: str
    path: str
    command: tuple[str, ...]
    part: str = ""
    first_s: float = 0.0
    kept_s: list[float] = field(default_factory=list)
    page_s: list[float] = field(default_factory=list)
    command_s: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """The median over the rounds of what the page took by what the command took."""
        pairs = zip(self.page_s, self.command_s, strict=True)
        return statistics.median(page / command for page, command in pairs)


def _pairs(session: str) -> list[Pair]:
    return [
        Pair("usage, 30 days", "/usage?days=30", ("usage", "--days", "30", "--json")),
        Pair("usage, all days", "/usage?days=all", ("usage", "--json")),
        Pair("savings", "/savings?days=all", ("balance", "--json")),
        Pair("a session", f"/session/{session}", ("session", session, "--json")),
        Pair(
            "sessions, a part", "/usage?days=all&q=a&page=2", ("session", "--json"), part="sessions"
        ),
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


def _measure(tree: Path, home: Path, now: str, rounds: int) -> list[Pair]:
    home.mkdir(parents=True, exist_ok=True)
    growing = Growing(tree, home)
    (home / "codex").mkdir(exist_ok=True)
    if not (home / "claude").exists():
        (home / "claude").symlink_to(growing.root)
    given = environment(home, now)
    session = min((growing.root / "projects").glob("*/*.jsonl")).stem
    pairs = _pairs(session)
    with serving(home, now) as running:
        browser = _Browser(running)
        browser.ask("/usage?days=7")  # the first look at any page imports what makes them
        for pair in pairs:
            part = {"HX-Request": "true", "HX-Target": pair.part} if pair.part else {}
            contender = Contender(
                pair.name, (sys.executable, "-m", "econome", *pair.command), given
            )
            run(contender, home / "output")
            pair.first_s, _ = browser.ask(pair.path, **part)
            for _ in range(rounds):
                growing.grow()
                pair.command_s.append(run(contender, home / "output").wall_s)
                growing.grow()
                pair.page_s.append(browser.ask(pair.path, **part)[0])
                pair.kept_s.append(browser.ask(pair.path, **part)[0])
    return pairs


def _sizes(home: Path) -> dict[str, tuple[int, int]]:
    """Return what a browser is sent of each page of the demo."""
    if not home.exists():
        home.mkdir(parents=True)
        demo_home(home)
    with serving(home) as running:
        browser = _Browser(running)
        _, usage = browser.ask("/usage?days=all&sort=cost")
        found = re.search(rb'href="(/session/[^"?]*)"', usage)
        session = "/session" if found is None else found[1].decode()
        return {
            name.partition("/session/")[0] or "/session/…": _transfer(browser, name)
            for name in (
                "/usage?days=30", "/usage?days=all", session, "/savings?days=all", "/servers",
                "/diagnosis?days=all", "/manual/usage",
            )
        }  # fmt: skip


def _transfer(browser: _Browser, path: str) -> tuple[int, int]:
    """Return the bytes of a page with all that it loads, as they are sent and as they would be with gzip."""
    _, page = browser.ask(path)
    while b'hx-trigger="load' in page:  # what takes its time is shown when it is there
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
            f"{statistics.median(pair.kept_s) * 1000:.0f}",
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
    for prefix, tree, now in (
        (f"{asked.size_mb} MB", large_tree(WORK, asked.size_mb), NOW),
        (f"{asked.files:,} sessions", small_tree(WORK, asked.files), _SMALL_NOW),
    ):
        pairs = _measure(tree, WORK / "screens" / tree.name, now, asked.rounds)
        bars += _bars(pairs, prefix)
        rows += _rows(pairs, prefix)
    sizes = _sizes(WORK / "screens" / "demo")
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
    head = (
        "tree",
        "page",
        "command, ms",
        "page the first time, ms",
        "page, ms",
        "ratio",
        "unchanged, ms",
    )
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
            " kind to that server, when nothing of it is kept yet. Sessions grow before each command and each page; the last column"
            " is a page when nothing changed since.",
            *bar_parts(bars),
            "## What each took\n",
            table(head, rows, 2),
            "## What a browser is sent\n",
            "A page of the demo with everything that it loads: HTML with its drawings inside, a few style sheets, htmx and our"
            " scripts, in kB; a browser keeps nothing of it. The server sends it as it is, since it stays on the machine.",
            table(("page", "sent", "with gzip"), transfers),
        )
    )


if __name__ == "__main__":
    main()
