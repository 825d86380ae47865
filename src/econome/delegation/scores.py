"""Keeps how well each preset's own checks went on each backend, in one small file (D6).

A score is no pass. What the file holds is read tolerantly: a score that is lost can be made again.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from econome.drafts import put
from econome.durable import make_directory
from econome.errors import LedgerUnwritable

__all__ = ["FILE", "SCORES_LIMIT", "Score", "keep_score", "latest", "read_scores"]

FILE: Final = "scores.json"
"""The name of the file in the data directory."""

SCORES_LIMIT: Final = 500
_LIMIT_BYTES = 1_048_576

_Count = Annotated[int, Meta(ge=0)]


class Score(Struct, frozen=True, kw_only=True):
    """How many of a preset's checks a model held, and when; `digest` is of the preset as it was then."""

    preset: str
    digest: str
    backend: str
    model: str
    passed: _Count
    total: _Count
    date: str


class _File(Struct):
    schema: str
    scores: list[msgspec.Raw]


_SCHEMA = "econome.scores/1"


def read_scores(path: str) -> list[Score]:
    """Return the scores in a file, the oldest first; what is no score is passed over."""
    try:
        with open(path, "rb") as file:
            data = file.read(_LIMIT_BYTES)
        rows = msgspec.json.decode(data, type=_File).scores
    except (OSError, ValueError, RecursionError):
        return []
    found = []
    for row in rows:
        with suppress(ValueError, RecursionError):
            found.append(msgspec.json.decode(row, type=Score))
    return found


def keep_score(path: str, score: Score) -> None:
    """Put a score in the place of the earlier one of the same preset, backend and model.

    Raises:
        LedgerUnwritable: it cannot be written; the earlier scores are still there.
    """
    same = score.preset, score.backend, score.model
    rows = [row for row in read_scores(path) if (row.preset, row.backend, row.model) != same]
    data = msgspec.json.encode({"schema": _SCHEMA, "scores": [*rows, score][-SCORES_LIMIT:]})
    try:
        make_directory(os.path.dirname(path))
        put(path, data)
    except OSError as error:
        raise LedgerUnwritable(path, error.strerror or str(error)) from None


def latest(scores: list[Score]) -> dict[str, Score]:
    """Return the last score of each preset."""
    return {score.preset: score for score in scores}
