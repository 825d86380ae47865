"""Puts the backends together that the settings describe: for an office, and for whoever asks a model without one."""

from __future__ import annotations

import time

from econome.delegation.backends.choice import Backends
from econome.delegation.local_model import LocalModel
from econome.delegation.options import Options, options_of
from econome.settings import Settings

__all__ = ["backends_of"]


def backends_of(settings: Settings, options: Options | None = None) -> Backends:
    """Return the backends of the settings; *options* are those of the settings, where they are read already.

    Raises:
        SettingsError: a setting is wrong.
    """
    options = options or options_of(settings)
    return Backends(options, LocalModel(settings.data_dir), settings.variable, time.monotonic)
