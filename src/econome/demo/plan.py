"""Who works on what and when in the demo tree: projects, models by date, the calendar of sessions.

Everything hangs on the distance to the last day, never on the weekday or the date itself, so the
token totals of the tree are the same whatever "today" is.
"""

from __future__ import annotations

from dataclasses import dataclass

from econome.demo.words import Dice

__all__ = ["DAYS", "FEATURES", "PROJECTS", "Project", "Sitting", "calendar", "helper_model"]

DAYS = 45
"""How many days the tree spans, the last one included."""


@dataclass(frozen=True, slots=True)
class Project:
    """A directory someone works in, its branches, and how often it is chosen."""

    cwd: str
    branches: tuple[str, ...]
    weight: int

    @property
    def slug(self) -> str:
        """The directory's name under `projects`: every other character becomes a dash."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.cwd)


PROJECTS = (
    Project("/home/ada/work/harbor-api", ("main", "feature/berth-slots", "fix/tide-rounding"), 9),
    Project("/home/ada/work/harbor-web", ("main", "feature/night-map"), 6),
    Project("/home/ada/work/lantern", ("main", "spike/fog-model"), 4),
    Project("/home/ada/work/lantern/.claude/worktrees/dusk", ("dusk",), 2),
    Project("/home/ada/tools/moss-cli", ("main", "release/2.x"), 3),
    Project("/home/ada/notes/recipes", ("",), 1),
    # the same last name as the first project: two projects, never one
    Project("/home/ada/archive/harbor-api", ("legacy",), 1),
)

FEATURES = {
    3: "old-build",
    6: "old-build",
    8: "flat-agent",
    10: "inline-agent",
    12: "compaction",
    15: "fork",
    18: "refusal",
    21: "old-build",
    24: "unpriced",
    27: "nested",
    29: "fast",
    31: "resume",
    34: "suggestion",
    36: "search",
    39: "workflow",
    42: "compaction",
    44: "us-only",
    47: "fork",
    49: "advisor",
    51: "side-question",
    53: "long-prompt",
    56: "nested",
}
"""What is special about a session, by its rank in time; the others are plain."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """One session to write: how many days before the last one, when, where and with what."""

    rank: int
    age: int
    minute: int
    project: Project
    branch: str
    model: str
    feature: str

    @property
    def version(self) -> str:
        """The version of the agent that wrote the transcript."""
        if self.feature in ("old-build", "flat-agent", "inline-agent"):
            return {"old-build": "2.1.29", "flat-agent": "2.0.44", "inline-agent": "1.0.110"}[
                self.feature
            ]
        return "2.1.301" if self.age < 12 else "2.1.288"

    @property
    def hourly(self) -> bool:
        """Whether the main conversation keeps its cache for an hour rather than five minutes."""
        return self.rank % 3 != 0 and self.feature not in ("flat-agent", "inline-agent")


def calendar(dice: Dice) -> list[Sitting]:
    """Return the sessions of the tree in time order, between 06:30 and 14:00 UTC of their day.

    Those hours lie on the same calendar day from six hours west of Greenwich to nine hours east.
    """
    sittings: list[Sitting] = []
    weights = [project.weight for project in PROJECTS]
    for age in range(DAYS - 1, -1, -1):
        quiet = age % 7 in (2, 3)
        count = dice.choice((0, 0, 1)) if quiet else dice.choice((1, 1, 2, 2, 3))
        if age in (0, DAYS - 1):
            count = 2
        minute = 390 + dice.randrange(60)
        for _ in range(count):
            rank = len(sittings)
            feature = FEATURES.get(rank, "")
            project = dice.choices(PROJECTS, weights)[0]
            if feature in ("fork", "resume"):  # it goes on where the session before it was
                project = sittings[-1].project
            sittings.append(
                Sitting(
                    rank, age, minute, project, dice.choice(project.branches),
                    _main_model(dice, age, feature), feature,
                )
            )  # fmt: skip
            minute += 100 + dice.randrange(30)
    return sittings


def _main_model(dice: Dice, age: int, feature: str) -> str:
    fixed = {
        "unpriced": "claude-example-9",
        "long-prompt": "claude-haiku-5-5",
        "fast": "claude-opus-4-8",
    }
    if feature in fixed:
        return fixed[feature]
    newest = "claude-opus-5-5" if age < 20 else "claude-opus-4-8"
    return dice.choices((newest, "claude-sonnet-5-5", "claude-haiku-4-5-20251001"), (6, 4, 1))[0]


def helper_model(dice: Dice, age: int) -> str:
    """Return the model a sub-agent runs on."""
    small = "claude-haiku-5-5" if age < 8 else "claude-haiku-4-5-20251001"
    return dice.choices((small, "claude-sonnet-5-5"), (3, 2))[0]
