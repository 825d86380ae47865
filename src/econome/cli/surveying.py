"""Which models could do the work, and which one would: the settings' servers, those that are found, the embedded one.

It asks each for its models and sends no prompt.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

from econome.cli.backends_texts import BACKENDS
from econome.delegation.backends.choice import EMBEDDED, Backends
from econome.delegation.backends.found import detect
from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.choosing import backends_of
from econome.delegation.local_model import LocalModel
from econome.delegation.options import Options, options_of
from econome.delegation.presets import CODER
from econome.errors import BackendAway
from econome.settings import Settings

__all__ = ["survey"]

_Row = dict[str, Any]


async def survey(settings: Settings) -> _Row:
    """Return the report `econome.backends/1`.

    Raises:
        SettingsError: a setting is wrong.
    """
    options = options_of(settings)
    backends = backends_of(settings, options)
    try:
        usual, model, reason = await _usual(backends)
        named = [await _named(backends, one.name, one.url) for one in options.backends]
        found = await detect() if options.detect else []
        embedded = await _embedded(backends, settings)
    finally:
        await backends.close()
    others = [
        _row(one.name, "found", one.url, one.models, None)
        for one in found
        if one.name not in {each.name for each in options.backends}
    ]
    return {
        "schema": "econome.backends/1",
        "usual": usual,
        "usual_model": model,
        "usual_reason": reason,
        "detect": options.detect,
        "backends": [*named, *others, embedded],
        "coder": _coder(options, settings, usual),
    }


def _row(
    name: str, origin: str, url: str | None, models: tuple[str, ...], reason: str | None
) -> _Row:
    return {
        "name": name,
        "origin": origin,
        "url": url,
        "models": list(models),
        "ready": reason is None,
        "reason": reason,
    }


async def _usual(backends: Backends) -> tuple[str | None, str | None, str | None]:
    """Return who would do the work and with which model, or why nobody would."""
    try:
        backend = await backends.pick()
        model = await backend.usual_model() if isinstance(backend, OpenAiBackend) else EMBEDDED
    except BackendAway as error:
        return None, None, str(error)
    return backend.name, model, None


async def _named(backends: Backends, name: str, url: str) -> _Row:
    try:
        backend = await backends.pick(name)
        models = await backend.models() if isinstance(backend, OpenAiBackend) else ()
    except BackendAway as error:
        return _row(name, "settings", url, (), str(error))
    return _row(name, "settings", url, models, None)


async def _embedded(backends: Backends, settings: Settings) -> _Row:
    title = LocalModel(settings.data_dir).pin.title
    try:
        await backends.pick(EMBEDDED)
    except BackendAway as error:
        return _row(EMBEDDED, "embedded", None, (), str(error))
    return _row(EMBEDDED, "embedded", None, (title,), None)


def _coder(options: Options, settings: Settings, usual: str | None) -> _Row:
    path = shutil.which(options.opencode, path=settings.variable("PATH") or os.defpath)
    reason = None
    if path is None:
        reason = BACKENDS["no_program"].format(program=options.opencode)
    elif usual is None:
        reason = BACKENDS["no_model"]
    elif usual == EMBEDDED:
        reason = BACKENDS["too_small"]
    return {"name": CODER, "path": path, "ready": reason is None, "reason": reason}
