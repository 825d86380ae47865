"""The transcript trees that are read: one large, a copy of it that grows, and one of many small files."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zlib
from itertools import islice
from pathlib import Path

from econome.demo.tree import write as write_demo

__all__ = ["Growing", "large_tree", "small_tree"]

REPOSITORY = Path(__file__).resolve().parent.parent
MAKER = REPOSITORY.parent / "shared" / "tools" / "make_corpus.py"


def large_tree(work: Path, size_mb: int) -> Path:
    """Return a tree of about *size_mb* megabytes below *work*, made when it is not there yet."""
    tree = work / f"tree-{size_mb}mb"
    if (tree / "complete").is_file():
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    if MAKER.is_file():
        print(f"making a tree of {size_mb} MB with {MAKER.name} ...", flush=True)
        command = [sys.executable, str(MAKER), "--out", str(tree), "--size-mb", str(size_mb)]
        subprocess.run(command, check=True)
    else:
        print(f"making a tree of {size_mb} MB out of demo trees ...", flush=True)
        _many_demos(tree, size_mb)
    (tree / "complete").touch()
    return tree


def _many_demos(tree: Path, size_mb: int) -> None:
    """Fill *tree* with demo trees of different seeds, each with its projects under names of its own."""
    size, seed = 0, 0
    while size < size_mb * 1_000_000:
        seed += 1
        part = tree / f"part-{seed}"
        write_demo(part, 20_743, seed=seed)
        for project in sorted((part / "claude" / "projects").iterdir()):
            target = tree / "projects" / f"{project.name}-{seed}"
            target.parent.mkdir(exist_ok=True)
            project.rename(target)
            size += sum(path.stat().st_size for path in target.rglob("*.jsonl"))
        shutil.rmtree(part)


def small_tree(work: Path, files: int) -> Path:
    """Return a tree of *files* transcripts of three lines each."""
    tree = work / f"tree-{files}-files"
    if (tree / "complete").is_file():
        return tree
    shutil.rmtree(tree, ignore_errors=True)
    print(f"making a tree of {files} small files ...", flush=True)
    for number in range(files):
        folder = tree / "projects" / f"-home-dev-project-{number % 250}"
        if number < 250:
            folder.mkdir(parents=True)
        session = f"{number:08x}-0000-4000-8000-000000000000"
        lines = [_user(session, number), *(_response(session, number, turn) for turn in range(2))]
        (folder / f"{session}.jsonl").write_text("".join(lines), encoding="utf-8")
    (tree / "complete").touch()
    return tree


def _line(row: dict[str, object]) -> str:
    return json.dumps(row, separators=(",", ":")) + "\n"


def _place(session: str, number: int, turn: int) -> dict[str, object]:
    day, minute = number % 120, number % 50 + turn
    return {
        "cwd": f"/home/dev/project-{number % 250}",
        "sessionId": session,
        "uuid": f"{number:08x}-{turn:04x}-4000-8000-{zlib.crc32(session.encode('ascii')):012x}",
        "timestamp": f"2026-{day // 28 + 1:02}-{day % 28 + 1:02}T10:{minute:02}:00.000Z",
    }


def _user(session: str, number: int) -> str:
    message = {"role": "user", "content": "please mend the failing check " * 20}
    return _line({"type": "user", **_place(session, number, 0), "message": message})


def _response(session: str, number: int, turn: int, *, tag: str = "small") -> str:
    message = {
        "id": f"msg_{tag}_{number:08x}_{turn}",
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-6",
        "content": [{"type": "text", "text": "the check passes now " * 20}],
        "stop_reason": "end_turn",
        "usage": {
            "input_tokens": 7,
            "cache_creation_input_tokens": 900,
            "cache_read_input_tokens": 21_000,
            "cache_creation": {"ephemeral_5m_input_tokens": 900, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 340,
            "service_tier": "standard",
        },
    }
    row = {"type": "assistant", **_place(session, number, turn + 1), "message": message}
    return _line({**row, "requestId": f"req_{tag}_{number:08x}_{turn}"})


class Growing:
    """A copy of a tree whose three largest sessions grow by five responses each time it is asked."""

    def __init__(self, tree: Path, work: Path) -> None:
        self.root = work / "growing"
        shutil.rmtree(self.root, ignore_errors=True)
        shutil.copytree(tree / "projects", self.root / "projects")
        sessions = (self.root / "projects").glob("*/*.jsonl")
        by_size = sorted(sessions, key=lambda path: path.stat().st_size, reverse=True)
        self._files = list(islice(by_size, 3))
        self._rounds = 0

    def grow(self) -> None:
        """Append fifteen new responses."""
        self._rounds += 1
        for place, path in enumerate(self._files):
            number = self._rounds * 10 + place
            lines = (_response(path.stem, number, turn, tag="grown") for turn in range(5))
            with path.open("a", encoding="utf-8") as file:
                file.write("".join(lines))
