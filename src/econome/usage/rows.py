"""One line of usage as a plain tuple, checked; the form every reader yields.

A row is built 180,000 times for a gigabyte of transcripts, so it is a tuple and its layout is these constants.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from econome.times import parse_instant

__all__ = [
    "ABSENT", "AGENT", "BRANCH", "CACHE_READ", "CACHE_WRITE", "CWD", "EXTRAS", "FETCHES", "FINAL",
    "GEO", "INPUT", "MESSAGE_ID", "MODEL", "OUTPUT", "REQUEST_ID", "SEARCHES", "SESSION",
    "SIDECHAIN", "SPEED", "TIER", "TIME", "UUID", "WRITE_1H", "WRITE_5M", "Extras", "Rejected",
    "Row", "claude_row", "counter", "iteration_extras", "text_or", "usage_of",
]  # fmt: skip

Extras: TypeAlias = dict[tuple[str, int], tuple[str | None, tuple[int, ...]]]
Row: TypeAlias = tuple[Any, ...]

# The layout of a row.
MESSAGE_ID, REQUEST_ID, UUID, SIDECHAIN, SESSION, CWD, BRANCH, TIME, MODEL = range(9)
INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, WRITE_5M, WRITE_1H, SEARCHES, FETCHES = range(9, 17)
SPEED, TIER, GEO, FINAL, AGENT, EXTRAS = range(17, 23)

ABSENT = -1
"""Stands for a cache-write total that the line does not give (P5)."""

_LARGEST = 2**53


class Rejected(Exception):
    """A counter of the row cannot be one (R4)."""


def counter(value: object) -> int:
    """Return a counter's value (R4).

    Raises:
        Rejected: negative, fractional, infinite, boolean, other text, or above 2^53.
    """
    if value is None:
        return 0
    if type(value) is int:
        number = value
    elif (type(value) is float and value.is_integer()) or (
        type(value) is str and 1 <= len(value) <= 16 and value.isascii() and value.isdigit()
    ):
        number = int(value)
    else:
        raise Rejected
    if not 0 <= number <= _LARGEST:
        raise Rejected
    return number


def text_or(value: object, default: str) -> str:
    """Return *value* where it is text with something in it, lone surrogates replaced, else *default*."""
    if type(value) is not str or not value:
        return default
    if value.isascii():
        return value
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return value


def _token_counters(usage: dict[str, Any]) -> tuple[int, int, int, int, int, int]:
    written = usage.get("cache_creation_input_tokens")
    split = usage.get("cache_creation")
    split = split if type(split) is dict else {}
    return (
        counter(usage.get("input_tokens")),
        counter(usage.get("output_tokens")),
        counter(usage.get("cache_read_input_tokens")),
        ABSENT if written is None else counter(written),
        counter(split.get("ephemeral_5m_input_tokens")),
        counter(split.get("ephemeral_1h_input_tokens")),
    )


def iteration_extras(items: object) -> Extras | None:
    """Return what `usage.iterations` holds beside the top level (F6), or None.

    Keys are ("advisor", position) for calls to an advisor model and ("refused", position) for the attempts
    before a `fallback_message`; values are the item's model (None where it names none) and its six counters.

    Raises:
        Rejected: a counter of such an item cannot be one.
    """
    if type(items) is not list:
        return None
    fallback = max(
        (
            k
            for k, item in enumerate(items)
            if type(item) is dict and item.get("type") == "fallback_message"
        ),
        default=-1,
    )
    found: Extras = {}
    for position, item in enumerate(items):
        if type(item) is not dict:
            continue
        kind = item.get("type")
        if kind == "advisor_message":
            name = "advisor"
        elif position < fallback and kind not in ("fallback_message", "compaction"):
            name = "refused"
        else:
            continue
        found[name, position] = text_or(item.get("model"), "") or None, _token_counters(item)
    return found or None


def usage_of(record: object) -> dict[str, Any] | None:
    """Return the usage object of a Claude Code assistant record, or None where it is no usage line (F1)."""
    if type(record) is not dict or record.get("type") != "assistant":
        return None
    message = record.get("message")
    usage = message.get("usage") if type(message) is dict else None
    return usage if type(usage) is dict else None


def claude_row(record: dict[str, Any], usage: dict[str, Any]) -> Row | None:
    """Return the row of a usage line, or None where it is no response: synthetic, or an empty error (F1).

    Raises:
        Rejected: a counter cannot be one.
    """
    message = record["message"]
    model = text_or(message.get("model"), "unknown")
    if model == "<synthetic>":
        return None
    tools = usage.get("server_tool_use")
    tools = tools if type(tools) is dict else {}
    counters = _token_counters(usage)
    searches = counter(tools.get("web_search_requests"))
    fetches = counter(tools.get("web_fetch_requests"))
    if record.get("isApiErrorMessage") is True and max(*counters, searches, fetches) <= 0:
        return None
    return (
        text_or(message.get("id"), "") or None,
        text_or(record.get("requestId"), "") or None,
        text_or(record.get("uuid"), "") or None,
        record.get("isSidechain") is True,
        text_or(record.get("sessionId"), "") or text_or(record.get("session_id"), ""),
        text_or(record.get("cwd"), ""),
        text_or(record.get("gitBranch"), ""),
        parse_instant(record.get("timestamp")),
        model,
        *counters,
        searches,
        fetches,
        text_or(usage.get("speed"), ""),
        text_or(usage.get("service_tier"), ""),
        text_or(usage.get("inference_geo"), ""),
        message.get("stop_reason") is not None,
        text_or(record.get("attributionAgent"), ""),
        iteration_extras(usage.get("iterations")),
    )
