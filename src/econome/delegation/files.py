"""Reads the files that a request names, inside the allowed roots and within limits (D7).

A file is judged by what was opened, never by what lay at its path a moment before. It decides nothing about who may
ask, and what it refuses it names by path, never by content.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

from econome.delegation.folders import NO_LINK, Place, Roots, find, reason_of, standing_in
from econome.delegation.places import refuse_secret, shown
from econome.delegation.seen import Eyes
from econome.errors import FileRefused

__all__ = ["Limits", "open_regular", "read_files"]

_STEP_BYTES = 65_536

# Without waiting for the other end of a pipe, and without making a terminal ours.
_READING: int = os.O_RDONLY | NO_LINK | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may be read: bytes of one file and of all files of a request, and how many files.

    `sensitive` lets files be used whose names say that they hold a secret.
    """

    file_bytes: int = 512 * 1024
    total_bytes: int = 2048 * 1024
    files: int = 200
    sensitive: bool = False


def read_files(
    paths: Sequence[str],
    base: str | None,
    roots: Roots,
    limits: Limits,
    eyes: Eyes | None = None,
) -> list[tuple[str, str]]:
    """Return the name, as it was asked for, and the text of each file, once each; *eyes* remember what was read.

    Raises:
        FileRefused: one of them may not be read, is no text or is too large; nothing is given then.
    """
    if len(paths) > limits.files:
        raise FileRefused(shown(paths[limits.files]), f"more than {limits.files} files; name fewer")
    places: dict[str, Place] = {}
    for path in paths:
        place = find(path, base, roots, writing=False)
        if not limits.sensitive:
            refuse_secret(path, place.parts)
        places.setdefault(place.path, place)
    texts, read, left = [], [], limits.total_bytes
    for place in places.values():
        data = _bytes_of(place, limits, left)
        texts.append((place.asked, _text_of(place, data)))
        read.append((place.path, data))
        left -= len(data)
    if eyes is not None:  # only now: of a request that is refused its caller sees nothing
        for path, data in read:
            eyes.saw(path, data)
    return texts


def _bytes_of(place: Place, limits: Limits, left: int) -> bytes:
    with standing_in(place) as directory:
        fd = open_regular(directory, place)
        try:
            # What the size says costs nothing to ask; it may be wrong, so reading has the same end.
            if os.fstat(fd).st_size > limits.file_bytes:
                raise FileRefused(shown(place.asked), _too_large(limits.file_bytes))
            data = _read(fd, limits.file_bytes + 1)
        except OSError as error:
            raise FileRefused(shown(place.asked), error.strerror or "it cannot be read") from None
        finally:
            os.close(fd)
    if len(data) > limits.file_bytes:
        raise FileRefused(shown(place.asked), _too_large(limits.file_bytes))
    if len(data) > left:
        raise FileRefused(
            shown(place.asked),
            f"the files together are larger than {_size(limits.total_bytes)}; name fewer",
        )
    return data


def _too_large(limit_bytes: int) -> str:
    return f"it is larger than {_size(limit_bytes)}; give a part of it"


def _size(count: int) -> str:
    return f"{count} bytes" if count % 1024 else f"{count // 1024} KB"


def _read(fd: int, limit_bytes: int) -> bytes:
    """Return what can be read, *limit_bytes* at most."""
    pieces, left = [], limit_bytes
    while left and (piece := os.read(fd, min(_STEP_BYTES, left))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _text_of(place: Place, data: bytes) -> str:
    if b"\0" in data:
        raise FileRefused(shown(place.asked), "it is not text")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise FileRefused(shown(place.asked), "it is not text in UTF-8") from None


def open_regular(directory: int, place: Place) -> int:
    """Return the descriptor of a place's file, open for reading in the open *directory*.

    Raises:
        FileRefused: it is not there, or is not a regular file.
    """
    try:
        # Opening a device can do something already, so it is looked at first, and again once it is open.
        _refuse_irregular(place, os.stat(place.name, dir_fd=directory, follow_symlinks=False))
        fd = os.open(place.name, _READING, dir_fd=directory)
    except OSError as error:
        raise FileRefused(shown(place.asked), reason_of(error, directory, place.name)) from None
    try:
        _refuse_irregular(place, os.fstat(fd))
    except BaseException:
        os.close(fd)
        raise
    return fd


def _refuse_irregular(place: Place, found: os.stat_result) -> None:
    if stat.S_ISLNK(found.st_mode):
        raise FileRefused(shown(place.asked), "it is a link; name what it leads to")
    if stat.S_ISDIR(found.st_mode):
        raise FileRefused(shown(place.asked), "it is a directory; name the files in it")
    if not stat.S_ISREG(found.st_mode):
        raise FileRefused(shown(place.asked), "it is not a regular file")
