"""`python -m bench.lean`: ask real public MCP servers a fixed script of calls and count what a model reads of it."""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

import quicktok

from bench.lean.data import build, page
from bench.lean.record import compact, record
from bench.lean.servers import Places, install

TOKENIZER = "o200k_base"


def summarize(recorded: dict[str, Any]) -> None:
    """Print how many tokens menus and answers are, by server and by kind."""
    encoding = quicktok.get_encoding(TOKENIZER)
    kinds = ("rows", "nested", "text")
    answers: Counter[tuple[str, str]] = Counter()
    counts: Counter[str] = Counter()
    for answer in recorded["answers"]:
        if answer["result"].get("isError"):
            print(f"error: {answer['server']} {answer['tool']}: {answer['baseline'][:200]}")
        if answer["scripted"]:
            answers[answer["server"], answer["kind"]] += len(encoding.encode(answer["baseline"]))
            counts[answer["kind"]] += 1
    menus: Counter[str] = Counter()
    print(
        f"{TOKENIZER} tokens\n{'server':<14}{'tools':>6}{'menu':>8}"
        + "".join(f"{k:>9}" for k in kinds)
    )
    for name, menu in recorded["menus"].items():
        shown = [
            {
                "name": tool["name"],
                "description": tool.get("description", ""),
                "input_schema": tool["inputSchema"],
            }
            for tool in menu
        ]
        menus[name] = len(encoding.encode(compact(shown)))
        own = "".join(f"{answers[name, kind]:>9,}" for kind in kinds)
        print(f"{name:<14}{len(menu):>6}{menus[name]:>8,}{own}")
    sums = "".join(f"{sum(n for (_, k), n in answers.items() if k == kind):>9,}" for kind in kinds)
    print(f"{'all':<20}{sum(menus.values()):>8,}{sums}")
    print(f"{'calls':<28}" + "".join(f"{counts[kind]:>9}" for kind in kinds))


def main() -> None:
    """Parse the options, set the servers and their data up, run the script."""
    parser = argparse.ArgumentParser(prog="python -m bench.lean", description=__doc__)
    here = Path(__file__).resolve().parent.parent / ".work" / "lean"
    parser.add_argument("--work", type=Path, default=here, help="where servers and data are put")
    parser.add_argument(
        "--record", type=Path, required=True, metavar="DIR", help="keep menus and answers in DIR"
    )
    options = parser.parse_args()
    work = options.work.resolve()
    places = Places(work / "servers", work / "data", work / "home")
    install(places)
    build(places.data)
    with page(places.data) as address:
        recorded = record(Places(places.installed, places.data, places.home, address))
    options.record.mkdir(parents=True, exist_ok=True)
    text = json.dumps(recorded, indent=1, ensure_ascii=False)
    (options.record / "recorded.json").write_text(text + "\n", encoding="utf-8")
    summarize(recorded)


if __name__ == "__main__":
    main()
