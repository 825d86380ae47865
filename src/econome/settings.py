"""Where econome keeps things and what the user has set: the only reader of the environment and of `config.toml`.

Every report uses it, so `tomllib` is imported only where there is a file to read.
"""

from __future__ import annotations

import os
import sys

from econome.errors import RootMissing, SettingsError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["Settings", "ledger_dir", "load", "variable"]

_KNOWN = ("backends", "delegation", "history", "port", "prices", "reference_model", "timezone")

_PORT = 8090
"""Where the contract's clients look for the server unless told otherwise."""


class Settings:
    """The directories of a user, and the values of their `config.toml`.

    `price_overrides` is the raw `[prices]` table, `backends` and `delegation` are those of their names; `history` keeps the counters of deleted transcripts (F17);
    `timezone` is an IANA name or None for the system's zone; `port` is where the server listens; `reference_model`
    prices what a delegation avoided where no transcript names the model that it spared.
    """

    __slots__ = (
        "_environment", "backends", "cache_dir", "config_file", "data_dir", "delegation", "history", "port", "price_overrides",
        "reference_model", "timezone",
    )  # fmt: skip

    def __init__(self, environment: Mapping[str, str], data_dir: str | None = None) -> None:
        self._environment = environment
        self.cache_dir, config_dir, usual = _directories(environment)
        self.data_dir = usual if data_dir is None else os.path.abspath(data_dir)
        self.config_file = os.path.join(config_dir, "config.toml")
        self.history = False
        self.port = _PORT
        self.reference_model: str | None = None
        self.timezone: str | None = None
        self.price_overrides: dict[str, Any] = {}
        self.backends: dict[str, Any] = {}
        self.delegation: dict[str, Any] = {}

    def roots(self) -> list[str]:
        """Return the default roots that are there (R1): Claude Code's, then Codex's.

        Raises:
            RootMissing: a directory that the environment names does not exist.
        """
        home, found = self.home(), []
        named = self._environment.get("CLAUDE_CONFIG_DIR", "")
        chosen = [os.path.expanduser(part.strip()) for part in named.split(",") if part.strip()]
        codex = self._environment.get("CODEX_HOME", "").strip()
        chosen_codex = [os.path.expanduser(codex)] if codex else []
        config = self._environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        usual = [os.path.join(home, ".claude"), os.path.join(config, "claude")]
        for named_roots, defaults in (
            (chosen, usual),
            (chosen_codex, [os.path.join(home, ".codex")]),
        ):
            for root in named_roots:
                if not os.path.isdir(root):
                    raise RootMissing(root)
            found += named_roots or [root for root in defaults if os.path.isdir(root)]
        return list(dict.fromkeys(map(os.path.abspath, found)))

    def history_path(self) -> str:
        """Return where the history of deleted transcripts lies (F17)."""
        return os.path.join(self.data_dir, "history.sqlite")

    def ledger_dir(self) -> str:
        """Return the directory of the ledger and the journal."""
        return ledger_dir(self.data_dir)

    def token_path(self) -> str:
        """Return where the server's token lies."""
        return os.path.join(self.data_dir, "token")

    def places(self) -> list[str]:
        """Return where transcripts are looked for, whether anything is there or not."""
        home = self.home()
        config = self._environment.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        named = self._environment.get("CLAUDE_CONFIG_DIR", "")
        claude = [part.strip() for part in named.split(",") if part.strip()]
        claude = claude or [os.path.join(home, ".claude"), os.path.join(config, "claude")]
        codex = self._environment.get("CODEX_HOME", "").strip() or os.path.join(home, ".codex")
        return [os.path.join(root, "projects") for root in claude] + [
            os.path.join(codex, "sessions")
        ]

    def home(self) -> str:
        """Return the user's home directory."""
        return self._environment.get("HOME") or os.path.expanduser("~")

    def variable(self, name: str) -> str | None:
        """Return what the environment holds under a name that the settings give, None where that is nothing."""
        return self._environment.get(name) or None


def variable(name: str) -> str | None:
    """Return what this process's environment holds under *name*, for who reads no settings; None where that is nothing."""
    return os.environ.get(name) or None


def ledger_dir(data_dir: str) -> str:
    """Return the directory of the ledger, the journal and the register in a data directory."""
    return os.path.join(data_dir, "logs", "mcp")


def _directories(environment: Mapping[str, str]) -> tuple[str, str, str]:
    """The cache, configuration and data directories.

    On Linux these are the XDG ones, spelt out: importing `platformdirs` for them costs every report 10 ms.
    """
    if sys.platform.startswith("linux") and environment.get("HOME"):
        home = environment["HOME"]
        usual = (("CACHE", ".cache"), ("CONFIG", ".config"), ("DATA", ".local/share"))
        named = [(environment.get(f"XDG_{name}_HOME", ""), default) for name, default in usual]
        cache, config, data = (  # the specification has a relative one ignored
            os.path.join(place if os.path.isabs(place) else os.path.join(home, default), "econome")
            for place, default in named
        )
        return cache, config, data
    from platformdirs import PlatformDirs

    places = PlatformDirs("econome", appauthor=False)
    return places.user_cache_dir, places.user_config_dir, places.user_data_dir


def load(environment: Mapping[str, str] | None = None, data_dir: str | None = None) -> Settings:
    """Return the settings that hold in an environment (the process's own for None).

    *data_dir* replaces the usual data directory.

    Raises:
        SettingsError: `config.toml` cannot be read, names an unknown setting or gives one a wrong value.
    """
    settings = Settings(os.environ if environment is None else environment, data_dir)
    try:
        with open(settings.config_file, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return settings
    except OSError as error:
        raise SettingsError(settings.config_file, "", error.strerror or "cannot be read") from None
    from tomllib import TOMLDecodeError, loads

    try:
        values = loads(data.decode("utf-8"))
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(settings.config_file, "", str(error)) from None
    _apply(settings, values)
    return settings


def _apply(settings: Settings, values: dict[str, Any]) -> None:
    for name in values:
        if name not in _KNOWN:
            raise SettingsError(
                settings.config_file, name, f"unknown setting; known: {', '.join(_KNOWN)}"
            )
    history, zone = values.get("history", False), values.get("timezone")
    prices, port = values.get("prices", {}), values.get("port", _PORT)
    model = values.get("reference_model")
    if type(port) is not int or not 0 < port < 65536:
        raise SettingsError(settings.config_file, "port", "expected a number from 1 to 65535")
    if model is not None and (not isinstance(model, str) or not model):
        raise SettingsError(settings.config_file, "reference_model", "expected a model id")
    if not isinstance(history, bool):
        raise SettingsError(settings.config_file, "history", "expected true or false")
    if zone is not None and not isinstance(zone, str):
        raise SettingsError(settings.config_file, "timezone", "expected an IANA name")
    for name in ("prices", "backends", "delegation"):
        if not isinstance(values.get(name, {}), dict):
            raise SettingsError(settings.config_file, name, "expected a table")
    settings.backends, settings.delegation = (
        values.get("backends", {}),
        values.get("delegation", {}),
    )
    settings.history, settings.timezone, settings.price_overrides = history, zone, prices
    settings.port, settings.reference_model = port, model
