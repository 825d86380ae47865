"""The changes as unified diffs, made by git in a place of ours that holds nothing but them.

Attributes are set aside, or a changed `.gitattributes` could hide what changes. What makes programs run stands apart, before the rest.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from econome.delegation.coder.changes import Changed
from econome.delegation.coder.clone import PLAIN
from econome.delegation.coder.git import run
from econome.delegation.coder.paths import runs_code
from econome.delegation.order import Change
from econome.delegation.places import shown
from econome.errors import ChangeRefused

__all__ = ["Diffs", "make_diffs", "name_of"]

_APART = "# These files can make programs run:\n\n"
_REST = "# The other files:\n\n"
_LEFT_OUT = "# Left out, not applied: {paths}\n\n"
_TOLD = 20
_PLACES = ("--src-prefix=a/", "--dst-prefix=b/")


@dataclass(frozen=True, slots=True)
class Diffs:
    """The files that would change, and the diff of each, in the same order; `refusal` says why they cannot be applied.

    `left_out` are paths that are no part of it: what tools left behind, and new binary files.
    """

    changes: tuple[Change, ...]
    texts: tuple[str, ...]
    refusal: str | None = None
    left_out: tuple[str, ...] = ()

    def text(self, path: str | None) -> str:
        """Return the diff of one file or of all.

        Raises:
            ChangeRefused: the file is not among them.
        """
        pairs = list(zip(self.changes, self.texts, strict=True))
        if path is not None:
            for change, text in pairs:
                if change.path == path:
                    return text
            raise ChangeRefused(shown(path), "it is not among the changes")
        begin = _LEFT_OUT.format(paths=", ".join(self.left_out)) if self.left_out else ""
        apart = "".join(text for change, text in pairs if change.runs_code)
        rest = "".join(text for change, text in pairs if not change.runs_code)
        whole = f"{_APART}{apart}{_REST if rest else ''}{rest}" if apart else rest
        return begin + whole


def name_of(path: str) -> str:
    """Return a path as it may be shown: as it is where it is plain text, else escaped."""
    return path if path.isprintable() else shown(path)


def make_diffs(changes: Sequence[Changed], left_out: Sequence[str] = ()) -> Diffs:
    """Return the diffs of what was found.

    Raises:
        ChangeRefused: git failed.
    """
    plain = [each for each in changes if _is_shown(each)]
    made = dict(_patches(plain)) if plain else {}
    told, texts, refusal = [], [], None
    for each in changes:
        text, added, removed = made.get(each.path, ("", 0, 0))
        name = name_of(each.path)
        if each.reason is not None:
            text = f"# {name}: {each.reason}; as it is, nothing can be applied\n{text}"
            refusal = refusal or f"{name}: {each.reason}"
        told.append(Change(name, added, removed, each.kind, runs_code(each.path)))
        texts.append(text if text.endswith("\n") else f"{text}\n")
    return Diffs(tuple(told), tuple(texts), refusal, _told(left_out))


def _told(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the first of some paths as they may be shown, and how many more there are."""
    more = (f"{len(paths) - _TOLD} more",) if len(paths) > _TOLD else ()
    return (*map(name_of, paths[:_TOLD]), *more)


def _is_shown(each: Changed) -> bool:
    """Whether there is a content to show, under a name that git takes."""
    return not (each.old is None and each.new is None) and each.path.isprintable()


def _patches(changes: Sequence[Changed]) -> Iterable[tuple[str, tuple[str, int, int]]]:
    """Yield of each file its patch and the counts of its lines."""
    options = ("--no-ext-diff", "--no-textconv", "--no-renames", "--no-color", *_PLACES)
    with tempfile.TemporaryDirectory(prefix="econome-") as place:
        run(place, "init", "--quiet", "--bare", "--template=", ".")
        os.makedirs(os.path.join(place, "info"), exist_ok=True)
        with open(os.path.join(place, "info", "attributes"), "w", encoding="utf-8") as file:
            file.write(PLAIN)
        run(place, "fast-import", "--quiet", given=b"".join(_stream(changes)))
        _, counted = run(place, "diff", "--numstat", "-z", *options, "old", "new", "--")
        _, patch = run(place, "diff", "--patch", *options, "old", "new", "--")
    lines = counted.split(b"\0")[:-1]
    patches = (b"\n" + patch).split(b"\ndiff --git ")[1:]
    for line, text in zip(lines, patches, strict=True):
        added, removed, path = line.split(b"\t", 2)
        # Another encoding than UTF-8 stays legible, and is nobody's control character.
        whole = f"diff --git {text.decode('utf-8', 'backslashreplace')}"
        yield os.fsdecode(path), (whole, _count(added), _count(removed))


def _count(digits: bytes) -> int:
    return int(digits) if digits.isdigit() else 0


def _stream(changes: Sequence[Changed]) -> Iterable[bytes]:
    """Yield what makes git take two commits: what was, and what is to be."""
    for branch in (b"old", b"new"):
        yield b"commit refs/heads/%s\n" % branch
        yield b"committer econome <econome@localhost> 0 +0000\ndata 0\n"
        for each in changes:
            data = each.old if branch == b"old" else each.new
            if data is not None:
                mode = b"100755" if each.mode == 0o100755 else b"100644"
                yield b"M %s inline %s\ndata %d\n" % (mode, _quoted(each.path), len(data))
                yield data + b"\n"


def _quoted(path: str) -> bytes:
    plain = os.fsencode(path).replace(b"\\", b"\\\\").replace(b'"', b'\\"')
    return b'"' + plain + b'"'
