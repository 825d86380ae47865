"""`python -m bench`: set the contenders up, run them in turn round by round, print what they cost beside the bars.

Every contender has a home of its own below the work folder; nothing of the user's is read. Rounds during which
other work took more than a third of a core are replaced while that helps. Exits 0 whatever the figures are.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import sys
import time
from dataclasses import replace
from pathlib import Path

from bench.answers import last_day, tokens
from bench.bars import BARS, judge
from bench.measure import Contender, Cost, Failure, busy_seconds, median, run
from bench.peers import CCUSAGE, PACKAGES, TOKSCALE, install, seed_prices, wipe_cache
from bench.trees import Growing, large_tree, small_tree

FOREIGN_CORES = 0.33
NOTHING = Path(os.devnull)
REPORT = '"schema": "econome.usage/1"'


class Setting:
    """Where the bench works, and the environments it gives."""

    def __init__(self, work: Path, peers: Path) -> None:
        self.work, self.peers = work, peers
        self.runs = work / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)
        script = Path(sys.executable).with_name("econome")
        self.econome = (str(script),) if script.is_file() else (sys.executable, "-m", "econome")

    def home(self, name: str) -> Path:
        """Return an empty home of that name."""
        home = self.work / "homes" / name
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        return home

    def environment(self, home: Path, tree: Path) -> dict[str, str]:
        """Return an environment in which *home* is home and *tree* holds the transcripts."""
        return {
            "PATH": os.defpath,
            "HOME": str(home),
            "CLAUDE_CONFIG_DIR": str(tree),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }

    def own(
        self, name: str, tree: Path, *arguments: str, stdin: Path = NOTHING, expected: str = REPORT
    ) -> Contender:
        """Return a contender that runs econome on *tree* in a home of its own."""
        home = self.home("-".join(re.findall(r"\w+", name)))
        return Contender(
            name,
            (*self.econome, *arguments),
            self.environment(home, tree),
            stdin=stdin,
            expected=expected,
        )


def forgetting(contender: Contender) -> Contender:
    """Return *contender* with its home wiped before each run."""
    home = Path(contender.environment["HOME"])

    def wipe() -> None:
        shutil.rmtree(home)
        home.mkdir()

    return replace(contender, before=wipe)


def status_file(setting: Setting, tree: Path) -> Path:
    """Write what Claude Code gives a status line about the first session of *tree*."""
    session = next(iter(sorted((tree / "projects").glob("*/*.jsonl"))))
    with session.open(encoding="utf-8") as lines:
        rows = (json.loads(line) for line in lines)
        directory = next((row["cwd"] for row in rows if "cwd" in row), "/")
    status = {
        "session_id": session.stem,
        "transcript_path": str(session),
        "cwd": directory,
        "model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6"},
        "workspace": {"current_dir": directory, "project_dir": directory},
        "cost": {"total_cost_usd": 1.25, "total_duration_ms": 640_000},
        "context_window": {"used_percentage": 41, "context_window_size": 200_000},
    }
    path = setting.work / "status.json"
    path.write_text(json.dumps(status), encoding="utf-8")
    return path


def status_line(setting: Setting, tree: Path) -> Contender:
    """Return the status line on the last day of *tree*, with an index that is there already."""
    given = status_file(setting, tree)
    line = setting.own("statusline", tree, "statusline", stdin=given, expected="session $")
    first = Contender("statusline's index", (*setting.econome, "usage", "--json"), line.environment)
    run(first, setting.runs / first.name)
    if day := last_day((setting.runs / first.name).with_suffix(".out")):
        line.environment["ECONOME_NOW"] = f"{day}T12:00:00Z"
    return line


def own_contenders(setting: Setting, tree: Path) -> list[Contender]:
    """Return econome in all its states on *tree*, and a bare interpreter."""
    bare = setting.environment(setting.home("bare"), tree)
    report = ("usage", "--json")
    growing = Growing(tree, setting.work)
    grown = setting.own("3 files appended", growing.root, *report)
    return [
        Contender("python -c pass", (sys.executable, "-c", "pass"), bare),
        setting.own("cold, no index", tree, *report, "--no-index"),
        forgetting(setting.own("first run", tree, *report)),
        setting.own("warm", tree, *report),
        replace(grown, before=growing.grow),
        status_line(setting, tree),
        setting.own("--help", tree, "--help", expected="Usage:"),
    ]


def peer_contenders(setting: Setting, tree: Path) -> list[Contender]:
    """Return the other readers on *tree*, or none with the reason printed."""
    if reason := install(setting.peers):
        print(f"without ccusage and tokscale: {reason}")
        return []
    print(f"peers: {', '.join(PACKAGES)}")
    cold, warm = setting.home("tokscale-cold"), setting.home("tokscale-warm")
    for home in (cold, warm):
        seed_prices(home)
    graph = (str(setting.peers / TOKSCALE), "graph", "-c", "claude", "--no-spinner")
    daily = (str(setting.peers / CCUSAGE), "claude", "daily", "--offline", "--json")
    return [
        Contender("ccusage", daily, setting.environment(setting.home("ccusage"), tree)),
        Contender(
            "tokscale cold", graph, setting.environment(cold, tree), before=lambda: wipe_cache(cold)
        ),
        Contender("tokscale warm", graph, setting.environment(warm, tree)),
    ]


def measure(setting: Setting, contenders: list[Contender], rounds: int) -> list[Contender]:
    """Run all *contenders* in turn, *rounds* times after one that does not count; return those that work."""
    working = []
    for contender in contenders:
        try:
            run(contender, setting.runs / contender.name)
        except Failure as failure:
            print(f"left out, {failure}", flush=True)
        else:
            working.append(contender)
            if counted := tokens((setting.runs / contender.name).with_suffix(".out")):
                print(f"{contender.name:<20}counts {counted:>18,} tokens", flush=True)
    done: list[tuple[float, list[Cost]]] = []
    while sum(foreign <= FOREIGN_CORES for foreign, _ in done) < rounds and len(done) < 3 * rounds:
        busy, started, spent = busy_seconds(), time.perf_counter(), time.process_time()
        try:
            costs = [run(contender, setting.runs / "measured") for contender in working]
        except Failure as failure:
            print(f"left out from now on, {failure}", flush=True)
            working = [one for one in working if one.name != failure.name]
            done.clear()
            continue
        elapsed = time.perf_counter() - started
        ours = sum(cost.cpu_s for cost in costs) + time.process_time() - spent
        done.append(((busy_seconds() - busy - ours) / elapsed if busy else 0.0, costs))
    kept = sorted(done, key=lambda one: one[0])[:rounds]
    for _, costs in kept:
        for contender, cost in zip(working, costs, strict=True):
            contender.costs.append(cost)
    noisy = sum(foreign > FOREIGN_CORES for foreign, _ in kept)
    print(
        f"{len(kept)} of {len(done)} rounds of {len(working)} contenders; in {noisy} of them other "
        f"work took more than {FOREIGN_CORES} cores",
        flush=True,
    )
    return working


def show(contenders: dict[str, Contender]) -> None:
    """Print what each contender cost, and how that stands against the bars.

    No peak reads below that of this program, which the kernel counts towards what it starts.
    """
    print(f"\n{'contender':<20}{'wall s':>10}{'cpu s':>10}{'peak MB':>10}")
    for name, contender in contenders.items():
        costs = contender.costs
        print(
            f"{name:<20}{median([c.wall_s for c in costs]):>10.3f}"
            f"{median([c.cpu_s for c in costs]):>10.3f}{median([c.peak_mb for c in costs]):>10.1f}"
        )
    print(f"\n{'bar':<44}{'measured':>12}{'limit':>10}{'goal':>8}")
    for bar in BARS:
        if (judged := judge(bar, contenders)) is not None:
            value, verdict = judged
            name = f"{bar.subject}: {bar.measure.__name__}" + (f" / {bar.peer}" if bar.peer else "")
            goal = "" if bar.goal is None else f"{bar.goal:g}"
            print(f"{name:<44}{value:>10.3f} {bar.unit:<2}{bar.limit:>9g}{goal:>8}  {verdict}")


def main() -> None:
    """Parse the options, measure, print."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    here = Path(__file__).resolve().parent / ".work"
    parser.add_argument("--work", type=Path, default=here, help="where trees and homes are made")
    parser.add_argument(
        "--peers", type=Path, help="where the npm packages are (default: in --work)"
    )
    parser.add_argument("--tree", type=Path, help="a tree to read; made when not given")
    parser.add_argument("--size-mb", type=int, default=1000, help="size of the tree that is made")
    parser.add_argument("--rounds", type=int, default=7, help="measured rounds (default 7)")
    parser.add_argument("--no-peers", action="store_true", help="measure econome alone")
    parser.add_argument("--small", type=int, default=50_000, help="small files; 0 leaves them out")
    parser.add_argument("--large", action="store_true", help="add a tree of 4 GB, cold")
    options = parser.parse_args()
    work: Path = options.work.resolve()
    setting = Setting(work, options.peers.resolve() if options.peers else work / "peers")
    tree = options.tree.resolve() if options.tree else large_tree(work, options.size_mb)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, tree {tree.name}")

    contenders = own_contenders(setting, tree)
    if not options.no_peers:
        contenders += peer_contenders(setting, tree)
    done = {contender.name: contender for contender in measure(setting, contenders, options.rounds)}
    if options.small:
        small = small_tree(work, options.small)
        warm = setting.own("small files, warm", small, "usage", "--json")
        cold = setting.own("small files, cold", small, "usage", "--json", "--no-index")
        for contender in measure(setting, [cold, warm], 3):
            done[contender.name] = contender
    if options.large:
        huge = setting.own("4 GB, cold", large_tree(work, 4000), "usage", "--json", "--no-index")
        for contender in measure(setting, [huge], 3):
            done[contender.name] = contender
    show(done)


if __name__ == "__main__":
    main()
