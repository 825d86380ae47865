"""`python -m bench.lean`: ask real public MCP servers a fixed script of calls, with `econome proxy` and without.

Servers, data and homes are made below the work folder; nothing of the user's is read. Exits 0 whatever the figures are.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from bench.lean.counting import JUDGE, counters
from bench.lean.data import build
from bench.lean.data import page as served
from bench.lean.figures import Figures, bars
from bench.lean.page import page
from bench.lean.record import record
from bench.lean.runs import Setting, run
from bench.lean.servers import Places, install
from bench.pages import bar_lines

_KINDS = ("rows", "nested", "text")


def summarize(recorded: dict[str, Any]) -> None:
    """Print how many tokens menus and answers are without a proxy, by server and by kind."""
    from bench.lean.counting import menu_text

    count = counters()[JUDGE]
    print(
        f"{JUDGE} tokens\n{'server':<14}{'tools':>6}{'menu':>8}"
        + "".join(f"{k:>9}" for k in _KINDS)
    )
    for name, menu in recorded["menus"].items():
        cells = [
            sum(
                count(answer["baseline"])
                for answer in recorded["answers"]
                if (answer["server"], answer["kind"]) == (name, kind) and answer["scripted"]
            )
            for kind in _KINDS
        ]
        shown = "".join(f"{cell:>9,}" for cell in cells)
        print(f"{name:<14}{len(menu):>6}{count(menu_text(menu)):>8,}{shown}")
    for answer in recorded["answers"]:
        if answer["result"].get("isError"):
            print(f"error: {answer['server']} {answer['tool']}: {answer['baseline'][:200]}")


def show(figures: Figures) -> None:
    """Print the bars, and what is wrong."""
    print()
    for line in bar_lines(bars(figures), 58):
        print(line)
    for line in (*figures.larger(), *figures.faults())[:40]:
        print(f"  {line}")


def main() -> None:
    """Parse the options, set the servers and their data up, run, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.lean", description=__doc__)
    here = Path(__file__).resolve().parent.parent / ".work" / "lean"
    parser.add_argument("--work", type=Path, default=here, help="where servers and data are put")
    parser.add_argument(
        "--record", type=Path, metavar="DIR", help="only keep menus and answers without a proxy"
    )
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of the figures")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of latency (0: none)")
    parser.add_argument("--each", type=int, default=20, help="random calls of each tool")
    options = parser.parse_args()
    work = options.work.resolve()
    places = Places(work / "servers", work / "data", work / "home")
    install(places)
    if options.record is not None:
        build(places.data)
        with served(places.data) as address:
            recorded = record(Places(places.installed, places.data, places.home, address))
        options.record.mkdir(parents=True, exist_ok=True)
        text = json.dumps(recorded, indent=1, ensure_ascii=False)
        (options.record / "recorded.json").write_text(text + "\n", encoding="utf-8")
        summarize(recorded)
        return
    figures = run(Setting(places, options.rounds, options.each))
    show(figures)
    if options.page is not None:
        options.page.write_text(page(figures), encoding="utf-8")


if __name__ == "__main__":
    main()
