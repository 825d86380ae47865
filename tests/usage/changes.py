"""Ways in which a tree changes between two reports, picked at random."""

from __future__ import annotations

import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.builders import Row, Tree, line
from tests.usage.forest import SLUGS, plant, response, sometimes


class Weather:
    """Changes a tree, one change at a time."""

    def __init__(self, tree: Tree, chance: random.Random) -> None:
        self.tree, self.chance = tree, chance
        self.pool: list[Row] = []
        self.changes: list[Callable[[Path], None]] = [
            self.append,
            self.append,
            self.append_torn,
            self.append_line_end,
            self.cut,
            self.cut_to_nothing,
            self.rewrite,
            self.rewrite,
            self.rewrite_in_old_time,
            self.rewrite_and_append,
            self.replace,
            self.delete,
            self.rename,
            self.swap,
            self.touch,
            self.link,
            self.symlink,
            self.copy,
            self.meta,
            self.meta,
            self.move_directory,
            self.delete_directory,
        ]

    def files(self, pattern: str = "*.jsonl") -> list[Path]:
        """The files of the tree, in an order that does not depend on the disk."""
        return sorted(p for p in (self.tree.root / "projects").rglob(pattern) if p.is_file())

    def change(self) -> str:
        """Change one thing, and return what was done."""
        files = self.files()
        if len(files) < 2 or sometimes(self.chance, 0.15):
            plant(self.tree, self.chance, self.pool)
            return "plant"
        act = self.chance.choice(self.changes)
        path = self.chance.choice(files)
        act(path)
        return f"{act.__name__} {path.relative_to(self.tree.root)}"

    def row(self) -> Row:
        """A line to add: a new one, or one that stands elsewhere already."""
        if self.pool and sometimes(self.chance, 0.5):
            return self.chance.choice(self.pool)
        self.pool.append(response(self.chance))
        return self.pool[-1]

    def append(self, path: Path) -> None:
        """A session goes on."""
        with path.open("ab") as out:
            for _ in range(self.chance.randrange(1, 4)):
                out.write(line(self.row()) + b"\n")

    def append_torn(self, path: Path) -> None:
        """A session goes on, and its last line is still being written."""
        whole = line(self.row())
        with path.open("ab") as out:
            out.write(whole[: self.chance.choice((1, len(whole) // 2, len(whole) - 1, len(whole)))])

    def append_line_end(self, path: Path) -> None:
        """The last line ends."""
        with path.open("ab") as out:
            out.write(b"\n")

    def cut(self, path: Path) -> None:
        """A file loses its end."""
        os.truncate(path, self.chance.randrange(path.stat().st_size + 1))

    def cut_to_nothing(self, path: Path) -> None:
        """A file loses everything."""
        os.truncate(path, 0)

    def rewrite(self, path: Path) -> None:
        """A file says something else in as many bytes."""
        before = path.stat()
        data = path.read_bytes()
        places = [found.start() for found in re.finditer(rb"(?<=tokens\": )\d(?=[,}])", data)]
        spot = self.chance.choice(places) if places else 0
        digit = str(self.chance.randrange(10)).encode()
        while path.stat().st_ctime_ns == before.st_ctime_ns:  # clocks of files have a coarse tick
            with path.open("r+b") as out:
                out.write(data[:spot] + digit + data[spot + 1 :])
            if not data:
                return

    def rewrite_in_old_time(self, path: Path) -> None:
        """The same, with the old time of change put back."""
        before = path.stat()
        self.rewrite(path)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def rewrite_and_append(self, path: Path) -> None:
        """A file changes at some place and grows at the end."""
        self.rewrite(path)
        self.append(path)

    def replace(self, path: Path) -> None:
        """Another file takes the place of this one."""
        other = path.with_name("new")
        other.write_bytes(path.read_bytes() + line(self.row()) + b"\n")
        os.replace(other, path)

    def delete(self, path: Path) -> None:
        """A file goes."""
        path.unlink()

    def rename(self, path: Path) -> None:
        """A file gets another name, which may say something else of its rows."""
        name = self.chance.choice(
            ("s1.jsonl", "s9.jsonl", "agent-a1.jsonl", "agent-acompact-7.jsonl")
        )
        target = self.tree.root / "projects" / self.chance.choice(SLUGS) / name
        target.parent.mkdir(exist_ok=True)
        os.replace(path, target)

    def swap(self, path: Path) -> None:
        """Two files change places."""
        other = self.chance.choice(self.files())
        if other != path:
            spare = path.with_name("spare")
            os.replace(path, spare)
            os.replace(other, path)
            os.replace(spare, other)

    def touch(self, path: Path) -> None:
        """Only the times of a file change."""
        os.utime(path, ns=(0, self.chance.randrange(2**60)))

    def link(self, path: Path) -> None:
        """A file gets a second name."""
        name = path.with_name(f"{self.chance.choice('az')}{self.chance.randrange(99)}.jsonl")
        if not name.exists():
            os.link(path, name)

    def symlink(self, path: Path) -> None:
        """A link to a file, or to the directory above, or to nothing."""
        name = path.with_name(f"l{self.chance.randrange(9)}.jsonl")
        if not os.path.lexists(name):
            os.symlink(self.chance.choice((path.name, "..", "nowhere")), name)

    def copy(self, path: Path) -> None:
        """A fork: the same lines in another file."""
        target = path.with_name(f"f{self.chance.randrange(9)}.jsonl")
        if target != path:
            shutil.copyfile(path, target)

    def meta(self, path: Path) -> None:
        """A meta file comes, changes or goes."""
        for agent in self.files("agent-*.jsonl")[:3]:
            meta = agent.with_suffix("").with_suffix(".meta.json")
            data = self.chance.choice(
                (None, b"", b'{"agentType": "Mapper"}', b'{"agentType": "Planners"}')
            )
            if data is not None:
                meta.write_bytes(data)
            elif meta.exists():
                meta.unlink()

    def move_directory(self, path: Path) -> None:
        """A project gets another slug."""
        target = self.tree.root / "projects" / f"-m{self.chance.randrange(9)}"
        source = self.project_of(path)
        if not target.exists() and source is not None:
            os.rename(source, target)

    def delete_directory(self, path: Path) -> None:
        """A project goes."""
        source = self.project_of(path)
        if source is not None:
            shutil.rmtree(source)

    def project_of(self, path: Path) -> Path | None:
        """The slug's directory of a file."""
        below = path.relative_to(self.tree.root / "projects").parts
        return self.tree.root / "projects" / below[0] if len(below) > 1 else None
