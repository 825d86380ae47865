"""What a model id names: the exact Claude model behind the ways it is written (P3).

Only spellings are undone here, never meaning: a date, a vendor's prefix, a Bedrock region, a
version written with a dot. What is left must be in the price table as it stands, so
``claude-opus-5`` never prices ``claude-opus-5-5``, and a suffix nobody lists stays in the id.
An id that is no Claude id is only trimmed and put in small letters.

This module is read on the fast path: nothing but built-in modules, not even ``re``.
"""

from __future__ import annotations

from itertools import pairwise

__all__ = ["BEDROCK_REGIONS", "ModelId", "normalise"]

BEDROCK_REGIONS = ("us", "eu", "au", "jp", "apac", "global")
"""Prefixes of Bedrock's cross-region inference profiles, as in ``eu.anthropic.claude-…``."""

_ALIASES = {"claude-opus-4-0": "claude-opus-4", "claude-sonnet-4-0": "claude-sonnet-4"}
"""Second names that Anthropic's list of models gives to a model; each names exactly one."""


class ModelId:
    """A model id after normalising.

    ``canonical`` is what the price table is asked for, ``region`` the Bedrock prefix ("" when
    there was none), ``steps`` one sentence for each thing undone. A plain class: ``dataclasses``
    would cost the fast path more than its whole work.
    """

    __slots__ = ("canonical", "region", "steps")

    def __init__(self, canonical: str, region: str, steps: list[str]) -> None:
        self.canonical, self.region, self.steps = canonical, region, steps

    def __repr__(self) -> str:
        return f"ModelId({self.canonical!r}, {self.region!r}, {self.steps!r})"


def normalise(model: str) -> ModelId:
    """Undo the spelling of *model* and say what was undone."""
    steps: list[str] = []
    name = model.strip()
    if name != model:
        steps.append("spaces around the id removed")
    if name != name.lower():
        name = name.lower()
        steps.append("capitals made small")
    name = _without_end(name, "[1m]", "context window mark", steps)
    plain, undone = name, len(steps)
    if name.startswith("anthropic/"):
        name = name[len("anthropic/") :]
        steps.append("prefix `anthropic/` removed")
    name, region, bedrock = _without_bedrock_prefix(name, steps)
    name = _without_bedrock_version(name, bedrock, steps)
    name = _without_date(name, steps)
    name = _without_dots(name, steps)
    if not name.startswith("claude-"):
        return ModelId(plain, "", steps[:undone])  # another vendor's id stands for itself
    if name in _ALIASES:
        steps.append(f"`{name}` is another name of `{_ALIASES[name]}`")
        name = _ALIASES[name]
    return ModelId(name, region, steps)


def _without_end(name: str, end: str, what: str, steps: list[str]) -> str:
    if not name.endswith(end):
        return name
    steps.append(f"{what} `{end}` removed")
    return name[: -len(end)]


def _without_bedrock_prefix(name: str, steps: list[str]) -> tuple[str, str, bool]:
    """Take off ``anthropic.`` or ``eu.anthropic.``: the rest, the region, and whether it stood."""
    head, found, rest = name.partition("anthropic.")
    region = head[:-1] if head.endswith(".") else ""
    if not found or (head and region not in BEDROCK_REGIONS):
        return name, "", False
    if region:
        steps.append(f"Bedrock region prefix `{region}.` removed")
    steps.append("Bedrock prefix `anthropic.` removed")
    return rest, region, True


def _without_bedrock_version(name: str, bedrock: bool, steps: list[str]) -> str:
    """Take off the ``-v1:0`` that ends an id of Bedrock; a bare ``-v1`` only behind its prefix."""
    head, _, version = name.rpartition("-v")
    major, colon, minor = version.partition(":")
    if not head or not _digits(major) or not (_digits(minor) if colon else bedrock):
        return name
    steps.append(f"Bedrock version `-v{version}` removed")
    return head


def _without_date(name: str, steps: list[str]) -> str:
    """Take off one ``-20251001``, ``@20251001`` or ``-latest``, and Vertex's ``-v2`` before an @."""
    head, at, tag = name.rpartition("@")
    if at:
        if not (_is_date(tag) or tag in ("default", "latest")):
            return name
        steps.append(f"Vertex version `@{tag}` removed")
        stem, _, revision = head.rpartition("-v")
        if stem and _digits(revision):  # claude-3-5-sonnet-v2@20241022
            steps.append(f"Vertex revision `-v{revision}` removed")
            return stem
        return head
    head, _, tag = name.rpartition("-")
    if head and _is_date(tag):
        steps.append(f"date `-{tag}` removed")
        return head
    return _without_end(name, "-latest", "alias", steps)


def _without_dots(name: str, steps: list[str]) -> str:
    """Write ``claude-opus-4.6`` as ``claude-opus-4-6``: only a dot between two digits."""
    parts = name.split(".")
    if len(parts) == 1 or not all(
        left[-1:].isdigit() and right[:1].isdigit() for left, right in pairwise(parts)
    ):
        return name
    steps.append("dotted version written with hyphens")
    return "-".join(parts)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_date(text: str) -> bool:
    return (
        len(text) == 8
        and _digits(text)
        and text.startswith("20")
        and "01" <= text[4:6] <= "12"
        and "01" <= text[6:] <= "31"
    )
