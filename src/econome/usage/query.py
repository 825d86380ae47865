"""What a report of usage asks for. A value: it looks at nothing.

It is on the path of every report, so it imports nothing heavy.
"""

from __future__ import annotations

from econome.prices.ids import normalise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BY", "SORTS", "TIMED", "Query"]

TIMED = ("day", "week", "month", "hour")
"""What a row can be of that depends on the time of its responses."""

BY = ("day", "week", "month", "model", "project", "session", "agent", "branch", "hour", "source")
"""What a row of a report can be of."""

SORTS = {
    "responses": "responses",
    "sessions": "sessions",
    "input": "input_tokens",
    "output": "output_tokens",
    "cache-read": "cache_read_tokens",
    "cache-write-5m": "cache_write_5m_tokens",
    "cache-write-1h": "cache_write_1h_tokens",
    "cost": "cost_usd",
}
"""The names of the orders beside `key`, and the column each goes by, the greatest first."""


class Query:
    """A question: rows by what, of which days, projects, models, sessions, agents and sources.

    `since` and `until` are local day numbers, both included; None leaves the period open. Undated responses belong
    to questions about all days only (F7).
    """

    __slots__ = (
        "agent", "by", "cost", "limit", "model", "project", "session", "since", "sort", "source", "until",
    )  # fmt: skip

    def __init__(
        self,
        by: tuple[str, ...] = ("day",),
        since: int | None = None,
        until: int | None = None,
        project: str | None = None,
        model: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        source: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cost: bool = True,
    ) -> None:
        self.by, self.since, self.until = by, since, until
        self.project, self.model, self.session = project, model, session
        self.agent, self.source = agent, source
        self.sort, self.limit, self.cost = sort, limit, cost

    def order(self) -> str:
        """Return the order of rows: as asked, else by key where time comes first, else the dearest first."""
        if self.sort is not None:
            return self.sort
        if self.by[:1] and self.by[0] not in TIMED:
            return "cost" if self.cost else "responses"
        return "key"

    def tests(self) -> list[tuple[str, Callable[[str], bool]]]:
        """Return the tests that a cell must pass: (name of the dimension, test of its value)."""
        found: list[tuple[str, Callable[[str], bool]]] = []
        if self.project is not None:
            found.append(("project", _project_test(self.project)))
        if self.model is not None:
            found.append(("model", _model_test(self.model)))
        if self.session is not None:
            begin = self.session
            found.append(("session", lambda session: session.startswith(begin)))
        if self.agent is not None:
            found.append(("agent", self.agent.__eq__))
        if self.source is not None:
            found.append(("source", self.source.__eq__))
        return found


def _project_test(asked: str) -> Callable[[str], bool]:
    """A project is named by its whole path or by the last parts of it."""
    wanted = asked.replace("\\", "/").rstrip("/") or asked
    return lambda path: (
        ("/" + path.replace("\\", "/").rstrip("/")).endswith("/" + wanted.lstrip("/"))
        and (not wanted.startswith("/") or path.replace("\\", "/").rstrip("/") == wanted)
    )


def _model_test(asked: str) -> Callable[[str], bool]:
    """A model is named by its id, in any of the spellings that P3 takes for one, or without `claude-`."""
    ids = {normalise(asked).canonical, normalise(f"claude-{asked}").canonical}
    return lambda model: model == asked or normalise(model).canonical in ids
