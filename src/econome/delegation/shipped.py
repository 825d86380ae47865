"""Reads the presets: those that econome brings, and the user's own, which win by name.

It opens these two files and judges nothing in them.
"""

from __future__ import annotations

import os
from typing import Final

from econome.delegation.presets import Preset, read_presets
from econome.errors import PresetError
from econome.settings import Settings

__all__ = ["load_presets", "presets_path", "shipped_presets"]

_SHIPPED: Final = os.path.join(os.path.dirname(__file__), "data", "presets.toml")
_LIMIT_BYTES = 1_048_576


def presets_path(settings: Settings) -> str:
    """Return where the user's own presets lie: beside `config.toml`."""
    return os.path.join(os.path.dirname(settings.config_file), "presets.toml")


def shipped_presets() -> dict[str, Preset]:
    """Return the presets that econome brings, by name."""
    with open(_SHIPPED, encoding="utf-8") as file:
        return read_presets(file.read(), _SHIPPED)


def load_presets(path: str) -> dict[str, Preset]:
    """Return all presets by name, those of the user's file at *path* in place of those that econome brings.

    Raises:
        PresetError: the user's file is there and cannot be read, or a value in it cannot be used.
    """
    presets = shipped_presets()
    try:
        with open(path, "rb") as file:
            data = file.read(_LIMIT_BYTES + 1)
    except FileNotFoundError:
        return presets
    except OSError as error:
        raise PresetError(path, "", error.strerror or "it cannot be read") from None
    if len(data) > _LIMIT_BYTES:
        raise PresetError(path, "", "it is too large")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise PresetError(path, "", "it is not text in UTF-8") from None
    return {**presets, **read_presets(text, path)}
