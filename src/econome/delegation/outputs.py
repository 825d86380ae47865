"""Writes an answer to the file that a request names: whole or not at all, and over nothing unseen (D7).

The new file is written without a name, or beside the old one, and takes its name in one step. What it holds is data: where
it goes was said by the caller, never by the model.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import dataclass

from econome.delegation.files import open_regular
from econome.delegation.folders import NO_LINK, Place, Roots, find, reaching_for, standing_in
from econome.delegation.fresh import Fresh, fresh_file
from econome.delegation.places import refuse_secret, shown
from econome.delegation.seen import Eyes
from econome.errors import FileRefused
from econome.renames import exchange

__all__ = ["check_output", "write_output"]

_STEP_BYTES = 65_536
_UNSEEN = "it exists and is not what you last saw; read it first, or let it be overwritten"
_MEANWHILE = "it was changed meanwhile; nothing was written"


@dataclass(frozen=True, slots=True)
class _Old:
    """What stands where the answer goes: the rights of the file."""

    mode: int


def check_output(
    path: str,
    base: str | None,
    roots: Roots,
    *,
    overwrite: bool = False,
    eyes: Eyes | None = None,
    sensitive: bool = False,
) -> str:
    """Return the whole path of an output that could be written now; nothing is written.

    Raises:
        FileRefused: it could not.
    """
    place = _find(path, base, roots, sensitive)
    with reaching_for(place) as directory:
        if directory is not None:
            _old(directory, place, None if overwrite else eyes or _blind)
    return place.path


def write_output(
    path: str,
    text: str,
    base: str | None,
    roots: Roots,
    *,
    overwrite: bool = False,
    eyes: Eyes | None = None,
    sensitive: bool = False,
) -> str:
    """Write *text*, with a line end where it has none, and return the whole path.

    Missing directories below the root are made. An existing file is replaced only where *overwrite* says so, or where it
    still is what *eyes* last saw; it is then what they see next.

    Raises:
        FileRefused: the file may not be written, or cannot be; what was there is still there.
    """
    place = _find(path, base, roots, sensitive)
    data = text.encode("utf-8", "replace")
    if not data.endswith(b"\n"):
        data += b"\n"
    looking = None if overwrite else eyes or _blind
    try:
        with standing_in(place, make=True) as directory:
            old = _old(directory, place, looking)
            with fresh_file(directory, 0o666 if old is None else 0o600) as new:
                _fill(new, data, old)
                _take_name(directory, new, place, looking, old)
            _sync(directory)
    except OSError as error:
        raise FileRefused(
            shown(place.asked), f"it cannot be written: {error.strerror or error}"
        ) from None
    if eyes is not None:
        eyes.saw(place.path, data)
    return place.path


def _find(path: str, base: str | None, roots: Roots, sensitive: bool) -> Place:
    place = find(path, base, roots, writing=True)
    if not sensitive:
        refuse_secret(path, place.parts)
    return place


class _Blind(Eyes):
    """Eyes that have seen nothing."""

    def __init__(self) -> None:
        pass

    def known(self, path: str) -> None:
        return None


_blind = _Blind()


def _old(directory: int, place: Place, looking: Eyes | None) -> _Old | None:
    """Return what stands in the way and may be replaced; None where there is nothing.

    Raises:
        FileRefused: it may not be replaced.
    """
    try:
        os.stat(place.name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    fd = open_regular(directory, place)
    try:
        if looking is not None and not _is_seen(fd, looking.known(place.path)):
            raise FileRefused(shown(place.asked), _UNSEEN)
        return _Old(stat.S_IMODE(os.fstat(fd).st_mode) & 0o777)
    finally:
        os.close(fd)


def _is_seen(fd: int, known: tuple[int, bytes] | None) -> bool:
    """Return whether an open file holds what is known of it; one of another size is not read."""
    if known is None or os.fstat(fd).st_size != known[0]:
        return False
    digest, left = hashlib.sha256(), known[0] + 1
    while left and (piece := os.read(fd, min(_STEP_BYTES, left))):
        digest.update(piece)
        left -= len(piece)
    return digest.digest() == known[1]


def _fill(new: Fresh, data: bytes, old: _Old | None) -> None:
    """Write the new file, on disk and with the rights of the old one."""
    with open(new.fd, "wb", closefd=False) as file:
        file.write(data)
    if old is not None:
        os.fchmod(new.fd, old.mode)
    os.fsync(new.fd)


def _take_name(
    directory: int, new: Fresh, place: Place, looking: Eyes | None, old: _Old | None
) -> None:
    """Give the new file the name of the old one; of what came between nothing is lost."""
    if old is None:
        _take_free_name(directory, new, place, looking)
        return
    beside = new.named()
    if looking is None:
        os.rename(beside, place.name, src_dir_fd=directory, dst_dir_fd=directory)
    elif exchange(directory, beside, place.name):
        _keep_exchange(directory, beside, place, looking)
    else:
        if _old(directory, place, looking) is None:
            raise FileRefused(shown(place.asked), _MEANWHILE)
        os.rename(beside, place.name, src_dir_fd=directory, dst_dir_fd=directory)


def _take_free_name(directory: int, new: Fresh, place: Place, looking: Eyes | None) -> None:
    try:
        new.link(place.name)
        return
    except FileExistsError:
        taken = True
    except OSError:  # a file system without second names
        taken = _there(directory, place.name)
    if taken and looking is not None:
        raise FileRefused(shown(place.asked), _MEANWHILE)
    os.rename(new.named(), place.name, src_dir_fd=directory, dst_dir_fd=directory)


def _there(directory: int, name: str) -> bool:
    try:
        os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def _keep_exchange(directory: int, beside: str, place: Place, looking: Eyes) -> None:
    """Look at what was replaced, now that nobody finds it by its name; put it back where it is not what was seen."""
    ours = _identity(directory, place.name)
    replaced = Place(place.asked, place.root, (*place.parts[:-1], beside))
    if _holds_seen(directory, replaced, looking.known(place.path)):
        return
    with suppress(
        OSError
    ):  # also where the name is gone; what was replaced is then kept under another
        exchange(directory, beside, place.name)
        if _identity(directory, beside) == ours:
            raise FileRefused(shown(place.asked), _MEANWHILE)
    # Somebody replaced ours at once. One state of theirs has the name of ours, and must not be unlinked.
    kept = f"{place.name}.{secrets.token_hex(4)}.kept"
    os.rename(beside, kept, src_dir_fd=directory, dst_dir_fd=directory)
    raise FileRefused(
        shown(place.asked), f"it was changed twice meanwhile; one state is in {shown(kept)}"
    )


def _holds_seen(directory: int, place: Place, known: tuple[int, bytes] | None) -> bool:
    try:
        fd = open_regular(directory, place)
    except FileRefused:  # a link or a directory
        return False
    try:
        return _is_seen(fd, known)
    except OSError:
        return False
    finally:
        os.close(fd)


def _identity(directory: int, name: str) -> tuple[int, int]:
    found = os.stat(name, dir_fd=directory, follow_symlinks=False)
    return found.st_dev, found.st_ino


def _sync(directory: int) -> None:
    """Bring the new name to disk; where a directory may not be opened for that, the system does it in its time."""
    with suppress(OSError):
        fd = os.open(".", os.O_RDONLY | NO_LINK, dir_fd=directory)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
