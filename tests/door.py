"""The public door of the tests: `econome …` in process, and what it answered.

`usage` asks three times - without an index, then twice with one that is new, or was left by an
earlier question, or has just been written - and holds all three answers to the same bytes; so each
test of a rule tests the index too.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from econome.__main__ import main

Answer = dict[str, Any]

PERIOD = frozenset({"--days", "--since", "--until"})
EMPTY = {
    "responses": 0,
    "sessions": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "cache_read_tokens": 0,
    "cache_write_5m_tokens": 0,
    "cache_write_1h_tokens": 0,
    "web_searches": 0,
    "output_incomplete": 0,
}


@dataclass(frozen=True, slots=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str


def run(*args: str) -> Ran:
    """Run `econome` with *args* in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    with (
        io.TextIOWrapper(out, "utf-8", newline="", write_through=True) as to_out,
        io.TextIOWrapper(err, "utf-8", newline="", write_through=True) as to_err,
    ):
        with contextlib.redirect_stdout(to_out), contextlib.redirect_stderr(to_err):
            code = main(list(args))
        to_out.flush()
        to_err.flush()
        return Ran(code, out.getvalue().decode(), err.getvalue().decode())


def spawn(*args: str, code: str | None = None) -> subprocess.Popen[str]:
    """Start `econome` with *args* in a process of its own, or the Python text *code*."""
    what = ["-m", "econome"] if code is None else ["-c", code]
    return subprocess.Popen(
        [sys.executable, *what, *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def finish(process: subprocess.Popen[str]) -> Ran:
    """Wait for *process*."""
    with process:
        try:
            out, err = process.communicate(timeout=60)
        finally:
            process.kill()
    return Ran(process.returncode, out, err)


def arguments(roots: tuple[Path, ...], args: tuple[str, ...]) -> list[str]:
    """The command line of a JSON usage report over all time, in UTC, by day, unless *args* differ."""
    line = ["usage", "--json"]
    for root in roots:
        line += ["--root", str(root)]
    if not PERIOD.intersection(args):
        line += ["--days", "all"]
    if "--timezone" not in args:
        line += ["--timezone", "UTC"]
    if "--by" not in args:
        line += ["--by", "day"]
    return [*line, *args]


def text(*roots: Path, args: tuple[str, ...] = ()) -> str:
    """The bytes of one JSON report; the command must succeed and say nothing else, but where it found nothing."""
    ran = run(*arguments(roots, args))
    nothing = '"files": 0' in ran.out and '"responses": 0' in ran.out
    assert ran.code == 0
    assert ran.err == "" or (nothing and ran.err.startswith("No transcript found."))
    return ran.out


def usage(root: Path, *args: str, also: tuple[Path, ...] = ()) -> Answer:
    """The usage report of *root*, the same whatever the index knew: nothing, an earlier state, this one."""
    roots = (root, *also)
    cold = text(*roots, args=(*args, "--no-index"))
    earlier = any(cache().iterdir())
    assert text(*roots, args=args) == cold, "a run with an index differs from a cold one"
    if earlier:
        forget()
    assert text(*roots, args=args) == cold, "the next run differs from a cold one"
    answer: Answer = json.loads(cold)
    return answer


def cache() -> Path:
    """The directory that holds the index of this test."""
    return Path(os.environ["XDG_CACHE_HOME"])


def forget() -> None:
    """Delete the index."""
    shutil.rmtree(cache(), ignore_errors=True)
    cache().mkdir()


def figures(row: Answer) -> Answer:
    """The counted numbers of a row, without labels and money."""
    return {name: row[name] for name in EMPTY}


def total(root: Path, *args: str) -> Answer:
    """The counted numbers of the whole tree."""
    return figures(usage(root, *args)["total"])


def split(root: Path, by: str, *args: str, number: str = "responses") -> dict[Any, Any]:
    """One number of each row, by the dimension *by*."""
    rows = usage(root, "--by", by, *args)["rows"]
    return {row[by]: row[number] for row in rows}


def coverage(root: Path, *args: str) -> Answer:
    """How the tree was read."""
    found: Answer = usage(root, *args)["coverage"]
    return found


def expected(responses: int = 1, sessions: int = 1, **numbers: int) -> Answer:
    """The counted numbers of *responses* plain responses, but for *numbers*."""
    plain = {
        "input_tokens": 3 * responses,
        "output_tokens": 50 * responses,
        "cache_read_tokens": 1000 * responses,
        "cache_write_5m_tokens": 200 * responses,
    }
    return {**EMPTY, "responses": responses, "sessions": sessions, **plain, **numbers}
