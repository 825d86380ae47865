"""Opens directories one name at a time, so that nothing that is swapped meanwhile leads out of them (D7).

From the top of the file system down, each name is opened in the directory that is already open, and no link is
followed. What a descriptor stands for stays inside whatever is renamed or linked afterwards. It opens no file.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from econome.delegation.places import parts_of, refuse_closed, shown
from econome.errors import FileRefused

__all__ = [
    "NO_LINK", "SETTING", "Place", "Roots", "find", "is_whole", "no_roots", "outside", "reaching_for", "reason_of", "standing_in",
]  # fmt: skip

SETTING: Final = "`roots` under [delegation] in config.toml"
"""Where it is set what may be used."""

NO_LINK: int = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)

# To pass through a directory takes less than to list it; where a system knows the difference, so do we.
_THROUGH: int = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | NO_LINK
_ABLE = {os.open, os.stat, os.mkdir, os.rename, os.link, os.unlink} <= os.supports_dir_fd


@dataclass(frozen=True, slots=True)
class Roots:
    """What may be reached: below `allowed`, and where a client names roots of its own (`narrowed`), below those too.

    Directories in `closed` are out of reach wherever they lie and whatever leads to them: econome's own data.
    """

    allowed: tuple[str, ...]
    narrowed: tuple[str, ...] | None = None
    closed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A file's place: the real path of an allowed root, the names below it, and the path as it was asked for."""

    asked: str
    root: str
    parts: tuple[str, ...]
    closed: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Return the whole path."""
        return "/".join((self.root.rstrip("/"), *self.parts))

    @property
    def name(self) -> str:
        """Return the last name."""
        return self.parts[-1]


def find(path: str, base: str | None, roots: Roots, *, writing: bool) -> Place:
    """Return the place that *path* names; a relative one begins at *base*, else at the one root.

    Raises:
        FileRefused: it cannot be named, or lies outside the roots.
    """
    absolute, parts = parts_of(path)
    if not _ABLE:
        raise FileRefused(shown(path), "this system cannot open files safely for others")
    areas = list(_areas(roots))
    if not areas:
        raise FileRefused(shown(path), no_roots(roots))
    wholes = [parts] if absolute else _from_base(path, parts, base, areas)
    matches = [
        (len(spelt), root, (*below, *whole[len(spelt) :]))
        for root, below, spellings in areas
        for spelt in spellings
        for whole in wholes
        if len(whole) > len(spelt) and whole[: len(spelt)] == spelt
    ]
    if not matches:
        if any(whole in spellings for _, _, spellings in areas for whole in wholes):
            raise FileRefused(shown(path), "it is a directory; name the files in it")
        raise FileRefused(shown(path), outside(roots))
    _, root, inside = max(matches)
    refuse_closed(path, inside, writing=writing)
    return Place(path, root, inside, roots.closed)


def outside(roots: Roots) -> str:
    """Return what is told of a path that lies outside."""
    missing = next((one for one in roots.allowed if not os.path.isdir(one)), None)
    gone = "" if missing is None else f"; {shown(missing)}, one of them, does not exist"
    return f"it is outside the directories that may be used; {SETTING} sets them{gone}"


def no_roots(roots: Roots) -> str:
    """Return what is told where nothing may be used."""
    if roots.allowed:
        return "the client's own roots lie outside the directories that may be used"
    return f'no directory may be used here; name some in {SETTING}, such as roots = ["~/code"]'


def _from_base(
    path: str, parts: tuple[str, ...], base: str | None, areas: list[_Area]
) -> list[tuple[str, ...]]:
    """Return the absolute spellings of a relative path."""
    if base is not None:
        if not is_whole(base):
            raise FileRefused(shown(path), "it begins at no directory; say it in full")
        return [(*_spelt(each), *parts) for each in (base, os.path.realpath(base))]
    if len({(root, below) for root, below, _ in areas}) > 1:
        raise FileRefused(shown(path), "it is relative and there are several roots; say it in full")
    return [(*areas[0][2][0], *parts)]


_Area = tuple[str, tuple[str, ...], list[tuple[str, ...]]]
"""A real root, the names below it that narrow it, and the spellings that lead there."""


def _areas(roots: Roots) -> Iterator[_Area]:
    for given in roots.allowed:
        root = os.path.realpath(given)
        real, alias = _spelt(root), _spelt(given)
        if roots.narrowed is None:
            yield root, (), [real, alias]
            continue
        for own in filter(is_whole, roots.narrowed):
            narrow = _spelt(os.path.realpath(own))
            if narrow[: len(real)] == real:
                below = narrow[len(real) :]
                yield root, below, [narrow, (*alias, *below), _spelt(own)]
            elif real[: len(narrow)] == narrow:
                yield root, (), [real, alias]


def is_whole(path: str) -> bool:
    """Return whether what a client calls a directory can be one; to ask the system for another is an error of ours."""
    try:
        return path.startswith("/") and b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:
        return False


def _spelt(path: str) -> tuple[str, ...]:
    return tuple(part for part in os.path.abspath(path).split("/") if part)


@contextmanager
def standing_in(place: Place, *, make: bool = False) -> Iterator[int]:
    """Give the open directory of a place's file, made where it is missing and *make* says so.

    Raises:
        FileRefused: it is not there, is none, or a link or what is closed lies on the way.
    """
    fd = _walk(place, _made if make else _missing)
    assert fd is not None
    try:
        yield fd
    finally:
        os.close(fd)


@contextmanager
def reaching_for(place: Place) -> Iterator[int | None]:
    """Give the open directory of a place's file, or None where it is not there yet and could be made.

    Raises:
        FileRefused: it is none, or a link or what is closed lies on the way.
    """
    fd = _walk(place, lambda _place, _fd, _part: False)
    try:
        yield fd
    finally:
        if fd is not None:
            os.close(fd)


_Absent = Callable[[Place, int, str], bool]
"""What is done about a directory that is missing; returns whether it is there now."""


def _walk(place: Place, absent: _Absent) -> int | None:
    """Open the directory of a place's file; None where *absent* left one missing."""
    closed = _identities(place.closed)
    above = _spelt(place.root)
    fd = os.open("/", _THROUGH)
    try:
        for depth, part in enumerate((*above, *place.parts[:-1])):
            try:
                below = os.open(part, _THROUGH, dir_fd=fd)
            except FileNotFoundError:
                if not (absent if depth >= len(above) else _no_root)(place, fd, part):
                    os.close(fd)
                    return None
                below = os.open(part, _THROUGH, dir_fd=fd)
            os.close(fd)
            fd = below
            found = os.fstat(fd)
            if (found.st_dev, found.st_ino) in closed:
                raise FileRefused(shown(place.asked), "it lies in econome's own data")
    except OSError as error:
        reason = reason_of(error, fd, part)
        os.close(fd)
        raise FileRefused(shown(place.asked), reason) from None
    except BaseException:
        os.close(fd)
        raise
    return fd


def _no_root(place: Place, _fd: int, _part: str) -> bool:
    reason = f"{shown(place.root)}, below which it may be, does not exist; {SETTING} sets that"
    raise FileRefused(shown(place.asked), reason)


def _missing(place: Place, _fd: int, part: str) -> bool:
    raise FileRefused(shown(place.asked), f"there is no directory {shown(part)}")


def _made(_place: Place, fd: int, part: str) -> bool:
    try:
        os.mkdir(part, dir_fd=fd)
    except FileExistsError:  # somebody else made it, or something else
        pass
    return True


def _identities(directories: tuple[str, ...]) -> set[tuple[int, int]]:
    found = set()
    for directory in directories:
        try:
            at = os.stat(directory)
        except OSError:
            continue
        found.add((at.st_dev, at.st_ino))
    return found


def reason_of(error: OSError, fd: int, name: str) -> str:
    """Return in words why *name* could not be opened in the directory *fd*."""
    if error.errno == errno.ENOENT:
        return "there is no such file"
    if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENOTDIR):
        try:
            if stat.S_ISLNK(os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode):
                return f"{shown(name)} is a link; name what it leads to"
        except (OSError, ValueError):
            pass
        return f"{shown(name)} is not a directory"
    if error.errno in (errno.EAGAIN, errno.ENXIO):
        return "it is not a regular file, or somebody else holds it"
    return error.strerror or "it cannot be opened"
