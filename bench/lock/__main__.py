"""`python -m bench.lock`: lock real public MCP servers, check real upgrades, and time the check of a large one.

Servers and homes are made below the work folder; nothing of the user's is read. Exits 0 whatever the figures are.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from bench.lock.locking import lock_all
from bench.lock.page import Found, bars, page
from bench.lock.servers import Places, install
from bench.lock.speed import measure
from bench.lock.upgrading import upgrade_all
from bench.pages import bar_lines


def main() -> None:
    """Parse the options, install, run, print."""
    parser = argparse.ArgumentParser(prog="python -m bench.lock", description=__doc__)
    here = Path(__file__).resolve().parent.parent / ".work" / "lock"
    parser.add_argument("--work", type=Path, default=here, help="where servers and homes are put")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the page of the figures")
    parser.add_argument("--rounds", type=int, default=15, help="rounds of time (0: none)")
    options = parser.parse_args()
    work = options.work.resolve()
    places = Places(work / "servers", work / "data", work / "home")
    install(places)
    speed = measure(places, options.rounds) if options.rounds else None
    found = Found(tuple(lock_all(places)), tuple(upgrade_all(places)), speed)
    for line in bar_lines(bars(found), 82):
        print(line)
    if options.page is not None:
        options.page.write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
