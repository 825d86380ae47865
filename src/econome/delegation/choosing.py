"""Puts the backends together that the settings describe, for whoever asks a model without an office."""

from __future__ import annotations

import time

from econome.delegation.backends.choice import Backends
from econome.delegation.local_model import LocalModel
from econome.delegation.options import read_options
from econome.settings import Settings

__all__ = ["backends_of"]


def backends_of(settings: Settings) -> Backends:
    """Return the backends of the settings.

    Raises:
        SettingsError: a setting is wrong.
    """
    options = read_options(
        settings.delegation, settings.backends, settings.config_file, settings.home()
    )
    return Backends(options, LocalModel(settings.data_dir), settings.variable, time.monotonic)
