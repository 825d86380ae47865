"""The arithmetic of the producer of events, equal to the JavaScript one on every input (S8).

It knows what a delegation avoided, what a turn and a rework cost, which delegation a call reworks and which share of a
request is a follow-up's. It watches no tool calls and makes no events.

A JavaScript number is a double and a JavaScript length counts UTF-16 units. Counters up to 2**53 are exact either way;
sums above it are rounded here as they are there, and no such sum is a counter of the contract.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import floor
from typing import NamedTuple

from econome.savings.wire import METHOD, PREVIEW, Estimate, Reply, Usage
from econome.tokens import estimate_tokens

__all__ = [
    "Rework",
    "estimate_delegation",
    "follow_up_share",
    "rework_cost",
    "rework_target",
    "steering_cost",
]

_PATH_ARGUMENT = {
    "Read": "file_path",
    "Edit": "file_path",
    "Write": "file_path",
    "NotebookEdit": "notebook_path",
}
_WRITTEN_ARGUMENTS = {
    "Read": (),
    "Edit": ("old_string", "new_string"),
    "Write": ("content",),
    "NotebookEdit": ("new_source",),
    "Bash": ("command",),
}
_ANSWERS_ARE_READ = frozenset({"Read", "Bash"})
_NAME_UNITS = 6  # a shorter file name stands in too many commands by chance


class Rework(NamedTuple):
    """What one tool call on a delegation's output cost, in tokens."""

    read: int
    written: int
    cost: int


def estimate_delegation(
    *, brief: str, tokens_in: int, tokens_out: int, reply: Reply, answer: str, by_subagent: bool
) -> Estimate:
    """Return what a delegation spared Claude (`estimer`); *answer* is what Claude was given to read.

    A sub-agent's brief and its reading of the answer are part of the cost of its turn, so they are not taken off
    here. The result may be negative.
    """
    brief_tokens = estimate_tokens(brief)
    read = max(0.0, float(tokens_in) - brief_tokens)
    written = float(tokens_out)
    returned = float(estimate_tokens(answer)) if reply == PREVIEW else written
    avoided = read + written
    if not by_subagent:
        avoided -= brief_tokens + returned
    return Estimate(
        read=int(read),
        written=int(written),
        brief=brief_tokens,
        returned=int(returned),
        avoided=int(avoided),
        method=METHOD,
    )


def steering_cost(usage: Usage) -> int:
    """Return the cost of a turn (`cout`): a cache read counts a tenth, a half is rounded up."""
    cached = _round(usage.cache_read_input_tokens / 10)
    paid = float(usage.input_tokens) + usage.cache_creation_input_tokens + usage.output_tokens
    return int(paid + cached)


def rework_target(
    tool: str, arguments: Mapping[str, object], outputs: Mapping[str, str]
) -> str | None:
    """Return the request whose output a tool call reads or changes (`cible`), or None.

    *outputs* leads from the path of an output to its request, oldest first; of several that fit, the newest is
    meant, since it wrote the file last. A command that holds one output's whole path is not about another output of
    the same name.
    """
    if tool == "Bash":
        return _named_in(_text(arguments, "command"), outputs)
    path = _normal(_text(arguments, _PATH_ARGUMENT[tool])) if tool in _PATH_ARGUMENT else ""
    fitting = [request for output, request in outputs.items() if path and _normal(output) == path]
    return fitting[-1] if fitting else None


def rework_cost(tool: str, arguments: Mapping[str, object], result: str) -> Rework | None:
    """Return what a tool call on an output cost (`mesurerCorrection`), or None where there is nothing to send.

    Arguments that are missing or no text are empty. The texts of one call are estimated as one.
    """
    names = _WRITTEN_ARGUMENTS.get(tool)
    if names is None:
        return None
    written = estimate_tokens("".join(_text(arguments, name) for name in names))
    read = estimate_tokens(result) if tool in _ANSWERS_ARE_READ else 0
    return Rework(read, written, read + written) if read + written else None


def follow_up_share(usage: Usage, followed: int, launched: int) -> Usage:
    """Return the share of a request's usage that *followed* of the *launched* tools before it caused (`suivi`).

    Each counter is multiplied, then divided, then rounded on its own, halves up, so the shares of all the tools may
    add up to a few tokens more or less than the whole.

    Raises:
        ValueError: *followed* is not between 0 and *launched*, or nothing was launched.
    """
    if not 0 <= followed <= launched or not launched:
        raise ValueError(f"{followed} of {launched} tools is no share")
    return Usage(
        *(
            _round(float(counter) * followed / launched)
            for counter in (
                usage.input_tokens,
                usage.output_tokens,
                usage.cache_read_input_tokens,
                usage.cache_creation_input_tokens,
            )
        )
    )


def _round(number: float) -> int:
    """Return `Math.round(number)`: the nearest whole number, a half goes up."""
    below = floor(number)
    return below + (number - below >= 0.5)


def _text(arguments: Mapping[str, object], name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def _normal(path: str) -> str:
    r"""Return *path* with `\` as `/` and in lower case, one letter for each UTF-16 unit.

    Pairs of surrogates are joined for the lower case and parted again, so that one text is found in another exactly
    where JavaScript finds it.
    """
    joined = path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    lowered = joined.replace("\\", "/").lower()
    if lowered.isascii():
        return lowered
    units = lowered.encode("utf-16-le", "surrogatepass")
    return "".join(chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2))


def _named_in(command: str, outputs: Mapping[str, str]) -> str | None:
    """Return the newest request whose path the command holds, else the newest whose file name it holds."""
    text = _normal(command)
    paths = [(_normal(output), request) for output, request in outputs.items()]
    by_path = [request for path, request in paths if path and path in text]
    if by_path:
        return by_path[-1]
    names = [(path.rpartition("/")[2], request) for path, request in paths]
    by_name = [request for name, request in names if len(name) >= _NAME_UNITS and name in text]
    return by_name[-1] if by_name else None
