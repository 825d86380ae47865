"""Write the demo tree: made-up transcripts of two agents, the same bytes for the same arguments.

Nothing in it comes from anyone's machine. Tests, the documentation's figures and `econome demo`
read it through the same code as real transcripts.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from econome.demo.broken import broken
from econome.demo.ledger import Ledger, Spent
from econome.demo.plan import calendar
from econome.demo.rollouts import rollouts
from econome.demo.sessions import tell
from econome.demo.story import Story
from econome.demo.transcript import Line
from econome.demo.words import Dice

__all__ = ["DemoTree", "write"]


@dataclass(frozen=True, slots=True)
class DemoTree:
    """Where the tree is, and what it was meant to hold.

    `claude` serves as `CLAUDE_CONFIG_DIR`, `codex` as `CODEX_HOME`. `responses` was noted while
    the lines were made, so a reader can be checked against it.
    """

    claude: Path
    codex: Path
    responses: tuple[Spent, ...]

    @property
    def roots(self) -> tuple[Path, Path]:
        """Both directories, in the order a command line would give them."""
        return (self.claude, self.codex)


def write(folder: str | os.PathLike[str], today: int, *, seed: int = 1) -> DemoTree:
    """Write the tree into *folder*; *today*, its last day, counts days since 1970-01-01.

    Token totals do not depend on *today*, dates do. Every session ends before 16:00 UTC of its
    day. A file's time is that of its last line.

    Raises:
        OSError: The folder cannot be written.
    """
    base = Path(folder)
    tree = base / "claude" / "projects"
    dice, ledger = Dice(seed), Ledger()
    before: Story | None = None
    for sitting in calendar(dice):
        story = tell(dice, ledger, sitting, today, before)
        for file in story.files:
            _write(tree / file.path, _encode(file.lines), story.main.now_ms)
        before = story
    path, data = broken(dice, ledger, today)
    noon_ms = (today * 24 + 12) * 3_600_000
    _write(tree / path, data, noon_ms)
    for path, lines in rollouts(dice, ledger, today):
        _write(base / "codex" / "sessions" / path, _encode(lines), noon_ms)
    return DemoTree(base / "claude", base / "codex", tuple(ledger.entries))


def _encode(lines: list[Line]) -> bytes:
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines).encode()


def _write(path: Path, data: bytes, at_ms: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(at_ms * 1_000_000, at_ms * 1_000_000))
