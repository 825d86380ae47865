"""Short names of models and projects, for whoever shows them. Pure; what cannot be seen in them is left to the face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

__all__ = ["model_labels", "project_labels"]


def model_labels(ids: Iterable[str]) -> dict[str, str]:
    """Return each model id shortened (``claude-haiku-4-5-20251001``: ``haiku-4-5``).

    Ids that would look alike stay as they are.
    """
    shortened = {model: _without_date(model.removeprefix("claude-")) for model in ids}
    found = Counter(shortened.values())
    return {
        model: label if label and found[label] == 1 else model for model, label in shortened.items()
    }


def _without_date(model: str) -> str:
    head, date = model[:-9], model[-8:]
    dated = len(model) > 9 and date.isascii() and date.isdigit() and model[-9] in "-@"
    return head if dated and date.startswith("20") else model


def project_labels(paths: Collection[str]) -> dict[str, str]:
    """Return for each project the shortest tail of its path that no other project has (F9).

    A project without a path has an empty label.
    """
    tails: dict[tuple[str, ...], int] = {}
    parts = {path: tuple(path.replace("\\", "/").rstrip("/").split("/")) for path in paths}
    for names in parts.values():
        for at in range(len(names)):
            tails[names[at:]] = tails.get(names[at:], 0) + 1
    labels = {}
    for path, names in parts.items():
        own = (names[at:] for at in range(len(names) - 1, -1, -1))
        tail = next((tail for tail in own if tails[tail] == 1 and tail != ("",)), None)
        labels[path] = "/".join(tail) if tail else path
    return labels
