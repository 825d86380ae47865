"""The entries as they were before they went through the proxy, kept in the data directory for the way back.

One file an entry, mode 0600, since entries hold tokens. It is written before the client's file is, and removed after
that has its entry again: a crash in between loses nothing.
"""

from __future__ import annotations

import os
import re
import secrets
from contextlib import suppress
from hashlib import sha256
from typing import Final, Literal

import msgspec
from msgspec import Struct

from econome.drafts import sync_directory
from econome.durable import make_directory
from econome.errors import ConfigRefused
from econome.owned import open_own

__all__ = ["Original", "Originals", "proxied_dir"]

_SCHEMA: Final = "econome.proxied/1"
_MOST_BYTES = 4 * 1024 * 1024


class Original(Struct, frozen=True, kw_only=True):
    """An entry: where it is, its text as it was, to the letter, and the text that was put there."""

    schema: Literal["econome.proxied/1"] = _SCHEMA
    client: str
    path: str
    keys: tuple[str, ...]
    name: str
    original: str
    written: str
    comments: bool = False
    at: str = ""


_WRITE = msgspec.json.Encoder()
_READ = msgspec.json.Decoder(Original)


def proxied_dir(data_dir: str) -> str:
    """Return the directory of the originals in a data directory."""
    return os.path.join(data_dir, "proxied")


class Originals:
    """What was kept, by the place of each entry."""

    def __init__(self, directory: str) -> None:
        self.directory = directory

    def path_of(self, path: str, keys: tuple[str, ...], name: str) -> str:
        """Return where the original of an entry is kept."""
        place = "\0".join((os.path.realpath(path), *keys, name))
        digest = sha256(place.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        word = re.sub(r"[^A-Za-z0-9]+", "-", name)[:40].strip("-") or "entry"
        return os.path.join(self.directory, f"{word}-{digest}.json")

    def keep(self, original: Original) -> str:
        """Bring an original to the disk; return its path.

        Raises:
            ConfigRefused: it cannot be kept, so its entry must not be replaced.
        """
        path = self.path_of(original.path, original.keys, original.name)
        temporary = f"{path}.{secrets.token_hex(4)}"
        try:
            make_directory(self.directory)
            fd = open_own(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            with os.fdopen(fd, "wb") as file:
                file.write(_WRITE.encode(original) + b"\n")
                file.flush()
                os.fsync(fd)
            os.replace(temporary, path)
            sync_directory(self.directory)
        except OSError as error:
            with suppress(OSError):
                os.unlink(temporary)
            raise ConfigRefused(path, error.strerror or "it cannot be written") from None
        return path

    def find(self, path: str, keys: tuple[str, ...], name: str) -> Original | None:
        """Return the original of an entry, None where none is kept.

        Raises:
            ConfigRefused: it is there and cannot be used.
        """
        return self._read(self.path_of(path, keys, name))

    def all(self) -> list[Original]:
        """Return every original that is kept.

        Raises:
            ConfigRefused: one is there and cannot be used.
        """
        try:
            names = sorted(name for name in os.listdir(self.directory) if name.endswith(".json"))
        except (FileNotFoundError, NotADirectoryError):
            return []
        found = [self._read(os.path.join(self.directory, name)) for name in names]
        return [original for original in found if original is not None]

    def forget(self, original: Original) -> None:
        """Remove an original whose entry is back."""
        with suppress(FileNotFoundError):
            os.unlink(self.path_of(original.path, original.keys, original.name))

    def _read(self, path: str) -> Original | None:
        try:
            with os.fdopen(open_own(path, os.O_RDONLY), "rb") as file:
                return _READ.decode(file.read(_MOST_BYTES))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise ConfigRefused(path, error.strerror or "it cannot be read") from None
        except (msgspec.DecodeError, UnicodeDecodeError):
            raise ConfigRefused(path, "it is no original that econome kept") from None
