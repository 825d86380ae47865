"""Puts the backends together that the settings describe: for an office, and for whoever asks a model without one."""

from __future__ import annotations

import time

from econome.delegation.backends.choice import Backends
from econome.delegation.local_model import LocalModel
from econome.delegation.options import Options, read_options
from econome.settings import Settings

__all__ = ["backends_of", "options_of"]


def options_of(settings: Settings) -> Options:
    """Return what the settings say of handing work over.

    Raises:
        SettingsError: a setting is wrong.
    """
    return read_options(
        settings.delegation, settings.backends, settings.config_file, settings.home()
    )


def backends_of(settings: Settings, options: Options | None = None) -> Backends:
    """Return the backends of the settings; *options* are those of the settings, where they are read already.

    Raises:
        SettingsError: a setting is wrong.
    """
    options = options or options_of(settings)
    return Backends(options, LocalModel(settings.data_dir), settings.variable, time.monotonic)
