"""R3: memory stays bounded whatever the length of lines and files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.builders import SLUG, Row, Tree, assistant, line, user
from tests.door import arguments, expected, figures, finish, spawn
from tests.requirements import requirement

FULL: Row = {"sessionId": "s1", "isSidechain": False}
MEBIBYTE = 1 << 20
LIMIT_KIB = 450 * 1024

# Linux hands the peak of the process that starts another on to it, so the process's own stands in /proc only.
MEASURED = """
import os, re, resource, sys
from econome.__main__ import main
code = main(sys.argv[1:])
peaks = [resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss]
if os.path.exists("/proc/self/status"):
    with open("/proc/self/status", encoding="ascii") as status:
        peaks.append(int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1]))
else:
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(max(peaks), file=sys.stderr)
sys.exit(code)
"""


def write_long_lines(path: Path, kinds: str) -> None:
    """Write one line of 100 MB a letter of *kinds* (user or assistant), and a short one at the end."""
    filler = b"x" * MEBIBYTE
    path.parent.mkdir(parents=True)
    with path.open("wb") as out:
        for number, kind in enumerate(kinds):
            row = user("@") if kind == "u" else assistant(f"long{number}", **FULL)
            head, tail = line(row).replace(b"Done.", b"@", 1).split(b"@", 1)
            out.write(head)
            for _ in range(100):
                out.write(filler)
            out.write(tail + b"\n")
        out.write(line(assistant("short", **FULL)) + b"\n")


@pytest.mark.slow
@requirement("R3", "F14")
def test_lines_of_100_megabytes_are_read_in_bounded_memory(tree: Tree) -> None:
    write_long_lines(tree.root / "projects" / SLUG / "s1.jsonl", "uauaua")
    ran = finish(spawn(*arguments((tree.root,), ("--no-index",)), code=MEASURED))
    assert ran.code == 0, ran.err
    assert figures(json.loads(ran.out)["total"]) == expected(4)
    assert int(ran.err) < LIMIT_KIB


@requirement("R3")
def test_a_long_line_still_being_written_is_pending_in_bounded_memory(tree: Tree) -> None:
    path = tree.root / "projects" / SLUG / "s1.jsonl"
    write_long_lines(path, "ua")
    with path.open("ab") as out:
        out.write(line(assistant("cut", **FULL))[:-9] + b"x" * 100 * MEBIBYTE)
    ran = finish(spawn(*arguments((tree.root,), ("--no-index",)), code=MEASURED))
    assert ran.code == 0, ran.err
    answer = json.loads(ran.out)
    assert figures(answer["total"]) == expected(2)
    assert answer["coverage"]["pending"] == 1
    assert int(ran.err) < LIMIT_KIB
