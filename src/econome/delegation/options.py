"""What the tables `[delegation]` and `[backends.*]` of the settings say, each value checked.

It knows names, bounds and what holds where nothing is said. It looks at no file and reaches no backend.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final

from econome.errors import SettingsError

if TYPE_CHECKING:
    from econome.settings import Settings

__all__ = ["ANSWERS_DAYS", "BackendOptions", "Options", "options_of", "read_options"]

ANSWERS_DAYS: Final = 7
"""How long whole answers are kept where the settings say nothing else."""

_YEAR_S = 31_536_000
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}", re.IGNORECASE)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ADDRESS = re.compile(
    r"https?://(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s/?#@\\:\[\]]+))(?::(?P<port>[0-9]{1,5}))?(?:/[^\s?#\\]*)?"
)
_LABELS = re.compile(
    r"[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*\.?", re.IGNORECASE
)
_RESERVED: Final = {
    "embedded": "the name stands for the embedded model",
    "opencode": "the name stands for the coder",
}


@dataclass(frozen=True, slots=True)
class BackendOptions:
    """A model server that the settings name; `key_env` is the environment variable that holds its key."""

    name: str
    url: str
    model: str | None = None
    workers: int = 1
    key_env: str | None = None
    first_s: float = 120.0
    pause_s: float = 60.0


@dataclass(frozen=True, slots=True)
class Options:
    """How work is handed over.

    `roots` are absolute, None where the settings name none; `sensitive` lets files be used whose names say that they
    hold a secret.
    """

    roots: tuple[str, ...] | None = None
    backend: str | None = None
    queue: int = 64
    deadline_s: float = 900.0
    review_h: float = 24.0
    answers_days: float = ANSWERS_DAYS
    max_file_kb: int = 512
    max_files_kb: int = 2048
    detect: bool = True
    opencode: str = "opencode"
    sensitive: bool = False
    backends: tuple[BackendOptions, ...] = ()


def options_of(settings: Settings) -> Options:
    """Return what the settings say of handing work over.

    Raises:
        SettingsError: a setting is wrong.
    """
    return read_options(
        settings.delegation, settings.backends, settings.config_file, settings.home()
    )


def read_options(
    delegation: Mapping[str, Any], backends: Mapping[str, Any], file: str, home: str
) -> Options:
    """Return the options that two tables of the settings *file* give; a path may begin with `~`, which is *home*.

    Raises:
        SettingsError: a name is not known, or a value cannot be used.
    """
    table = _Table(delegation, file, "delegation", Options, without=("backends",))
    return Options(
        roots=table.roots(home),
        backend=table.text("backend", None),
        queue=int(table.number("queue", 64, 1, 10_000, whole=True)),
        deadline_s=table.number("deadline_s", 900.0, 1, _YEAR_S),
        review_h=table.number("review_h", 24.0, 0.01, 8760),
        answers_days=table.number("answers_days", ANSWERS_DAYS, 0, 3650),
        max_file_kb=int(table.number("max_file_kb", 512, 1, 65_536, whole=True)),
        max_files_kb=int(table.number("max_files_kb", 2048, 1, 262_144, whole=True)),
        detect=table.truth("detect", True),
        opencode=table.text("opencode", None) or "opencode",
        sensitive=table.truth("sensitive", False),
        backends=tuple(_backend(name, raw, file) for name, raw in backends.items()),
    )


def _backend(name: str, raw: object, file: str) -> BackendOptions:
    where = f"backends.{name}"
    if not _NAME.fullmatch(name):
        raise SettingsError(file, where, "expected a name of letters, digits, dots and dashes")
    if name.lower() in _RESERVED:
        raise SettingsError(file, where, f"{_RESERVED[name.lower()]}; choose another")
    if not isinstance(raw, dict):
        raise SettingsError(file, where, "expected a table")
    table = _Table(raw, file, where, BackendOptions, without=("name",))
    url, key_env = table.text("url", None), table.text("key_env", None)
    if url is None or not _is_address(url):
        reason = 'expected the address of the API, such as "http://127.0.0.1:11434/v1"'
        raise SettingsError(file, f"{where}.url", reason)
    if key_env is not None and not _VARIABLE.fullmatch(key_env):
        # Without its text, which may be the key itself.
        reason = "expected the name of an environment variable, never the key itself"
        raise SettingsError(file, f"{where}.key_env", reason)
    return BackendOptions(
        name=name,
        url=url.rstrip("/"),
        model=table.text("model", None),
        workers=int(table.number("workers", 1, 1, 256, whole=True)),
        key_env=key_env,
        first_s=table.number("first_s", 120.0, 1, _YEAR_S),
        pause_s=table.number("pause_s", 60.0, 1, _YEAR_S),
    )


def _is_address(url: str) -> bool:
    """Whether a request can be sent there, as far as the text tells."""
    found = _ADDRESS.fullmatch(url)
    if found is None or not url.isprintable():
        return False
    if found["port"] is not None and not 0 < int(found["port"]) < 65_536:
        return False
    try:
        if found["v6"] is not None:
            return ip_address(found["v6"]).version == 6
        return bool(_LABELS.fullmatch(found["host"].encode("idna").decode("ascii")))
    except ValueError:  # an address or a name that is none
        return False


class _Table:
    """A table of the settings, whose values are asked for one by one."""

    def __init__(
        self, raw: Mapping[str, Any], file: str, where: str, made: type, without: tuple[str, ...]
    ) -> None:
        self._raw, self._file, self._where = raw, file, where
        known = sorted({field.name for field in fields(made)} - {*without})
        for name in raw:
            if name not in known:
                raise self._wrong(name, f"unknown setting; known: {', '.join(known)}")

    def _wrong(self, name: str, reason: str) -> SettingsError:
        return SettingsError(self._file, f"{self._where}.{name}", reason)

    def text(self, name: str, absent: str | None) -> str | None:
        value = self._raw.get(name, absent)
        if value is not None and (not isinstance(value, str) or not value.strip()):
            raise self._wrong(name, "expected a text")
        return value

    def truth(self, name: str, absent: bool) -> bool:
        value = self._raw.get(name, absent)
        if not isinstance(value, bool):
            raise self._wrong(name, "expected true or false")
        return value

    def number(
        self, name: str, absent: float, least: float, most: float, *, whole: bool = False
    ) -> float:
        value = self._raw.get(name, absent)
        fits = type(value) is int or (type(value) is float and not whole)
        if not fits or not least <= value <= most:
            kind = "a whole number" if whole else "a number"
            raise self._wrong(name, f"expected {kind} from {least:,.10g} to {most:,.10g}")
        return float(value)

    def roots(self, home: str) -> tuple[str, ...] | None:
        named = self._raw.get("roots")
        if named is None:
            return None
        if not isinstance(named, list) or not all(isinstance(one, str) for one in named):
            raise self._wrong("roots", "expected a list of directories")
        found = [home + one[1:] if one == "~" or one.startswith("~/") else one for one in named]
        if not all(one.startswith("/") and "\0" not in one for one in found):
            raise self._wrong("roots", "expected absolute paths, or paths that begin with ~/")
        return tuple(dict.fromkeys(found))
