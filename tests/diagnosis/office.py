"""A root of transcripts with a user's directories, and the diagnosis of it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from econome import clock
from econome.diagnosis.collecting import diagnose
from econome.settings import Settings
from econome.times import instant_text, read_day
from econome.usage.open import read_tree
from tests.builders import Row, Tree, assistant, counts

__all__ = [
    "DAY",
    "HAIKU",
    "OPUS",
    "TODAY",
    "Office",
    "Report",
    "answered",
    "at",
    "called",
    "said",
    "usd",
]

Report = dict[str, Any]

OPUS, HAIKU = "claude-opus-4-8", "claude-haiku-4-5-20251001"
"""USD per million tokens: input 5 and 1, five minutes 6.25 and 1.25, an hour 10 and 2, read 0.50 and 0.10, output 25 and 5."""

DAY = read_day("2026-05-05")
TODAY = read_day("2026-06-30")


def at(minutes: float, day: int = 0) -> str:
    """An instant, so many minutes after eight o'clock of a day after the first."""
    return instant_text((DAY + day) * 86400 + 8 * 3600 + round(minutes * 60))


def said(
    name: str,
    minutes: float,
    *,
    read: int = 0,
    five: int = 0,
    hour: int = 0,
    fresh: int = 0,
    output: int = 0,
    day: int = 0,
    model: str = OPUS,
    **more: Any,
) -> Row:
    """One response."""
    usage = counts(fresh, output, read, five + hour, five, hour)
    return assistant(name, time=at(minutes, day), model=model, usage=usage, **more)


def called(name: str, minutes: float, tool: str, given: Row | None = None, **more: Any) -> Row:
    """A response that calls a tool; the call has the response's name."""
    block = {"type": "tool_use", "id": f"toolu_{name}", "name": tool, "input": given or {}}
    return said(name, minutes, content=[block], **more)


def answered(name: str, minutes: float, content: Any, *, day: int = 0) -> Row:
    """What a tool answered."""
    block = {"type": "tool_result", "tool_use_id": f"toolu_{name}", "content": content}
    return {
        "type": "user",
        "uuid": f"u-{name}",
        "timestamp": at(minutes, day),
        "cwd": "/home/dev/shop",
        "message": {"role": "user", "content": [block]},
    }


def usd(tokens: int, per_million: str) -> str:
    """The exact price of so many tokens."""
    amount = Decimal(per_million) * tokens / 1_000_000
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


class Office:
    """A root, the directories of its user, and what a diagnosis says of them."""

    def __init__(self, folder: Path) -> None:
        self.tree = Tree(folder / "root")
        self.settings = Settings({"HOME": str(folder / "home")})

    def settings_data(self) -> Path:
        """Return the data directory."""
        return Path(self.settings.data_dir)

    def judge(
        self,
        since: int | None = None,
        until: int | None = None,
        zone: str = "UTC",
        index: bool = False,
    ) -> Report:
        """Return the report of days counted from the first."""
        first = None if since is None else DAY + since
        last = None if until is None else DAY + until
        with read_tree([str(self.tree.root)], self.settings, use_index=index, processes=1) as tree:
            return diagnose(self.settings, tree, first, last, clock.zone(zone), TODAY)

    def finding(self, rule: str, **period: Any) -> Report:
        """Return what a rule found, which must be something."""
        report = self.judge(**period)
        (found,) = (one for one in report["findings"] if one["rule"] == rule)
        assert judged(report, rule)["outcome"] == "found"
        return dict(found)

    def outcome(self, rule: str, **period: Any) -> tuple[str, str | None]:
        """Return the outcome of a rule and its reason."""
        report = self.judge(**period)
        one = judged(report, rule)
        assert (one["outcome"] == "found") == any(f["rule"] == rule for f in report["findings"])
        return one["outcome"], one["reason"]


def judged(report: Report, rule: str) -> Report:
    """Return how a rule was judged."""
    (one,) = (one for one in report["judged"] if one["rule"] == rule)
    return dict(one)
