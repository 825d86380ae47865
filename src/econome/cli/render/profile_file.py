"""Where a report is written: a file of its own, whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator

from econome.cli.profile_texts import PROFILE_PLACE
from econome.drafts import put as put_whole
from econome.errors import FileRefused

__all__ = ["GENERATOR", "check_place", "put"]

GENERATOR = "econome profile"
"""How a report says whose it is: another file of that name is not written over."""

_BEGINNING = 1024
_MODE = 0o666


def check_place(path: str) -> None:
    """See that a report may be written there: nothing is there yet, or a report.

    Raises:
        FileRefused: something else is there.
    """
    try:
        found = os.stat(path)
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            _see_folder(path)
            return
        raise FileRefused(path, error.strerror or "cannot be used") from None
    if not stat.S_ISREG(found.st_mode):
        raise FileRefused(path, PROFILE_PLACE["no_file"])
    with _refused(path), open(path, "rb") as file:
        beginning = file.read(_BEGINNING)
    if beginning and f'<meta name="generator" content="{GENERATOR}'.encode() not in beginning:
        raise FileRefused(path, PROFILE_PLACE["kept"])


def put(path: str, text: str) -> None:
    """Write a report: beside its place first, so that whoever reads there finds the old one or the new one whole.

    Raises:
        FileRefused: it cannot be written, or something else came to be there.
    """
    check_place(path)
    with _refused(path):
        put_whole(os.path.realpath(path), text.encode(), _MODE)


def _see_folder(path: str) -> None:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise FileRefused(path, f"{folder} is no directory")


@contextlib.contextmanager
def _refused(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise FileRefused(path, error.strerror or "cannot be written") from None
