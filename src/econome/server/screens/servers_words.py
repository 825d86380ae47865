"""The words of the pages of servers, in the reader's language, for what reports name by a word of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from econome.contract.measured import Economy, LockState, Measured
from econome.server.screens.diagnosis_words import economies

if TYPE_CHECKING:
    from econome.clock import Zone
    from econome.server.telling import Telling

__all__ = ["BASES", "RISKS", "Words", "short"]

RISKS: Final = ("critical", "high", "medium", "low", "unknown")
"""The static classes, the worst first; `unknown` is no class."""

BASES: Final = ("counted", "measured", "estimated")
"""How the figures of an economy may be come by; they are never added up."""

_MOST_LETTERS: Final = 60
"""So many letters of a name stand in a table; the whole name is the tooltip."""

_STATES: Final = "tools closed in the state "
_SHORTS: Final = "short texts in the state "


def short(**names: str) -> dict[str, str]:
    """Return, by column, what is shown in place of names that are too long for a table."""
    return {
        column: name[: _MOST_LETTERS - 1] + "…"
        for column, name in names.items()
        if len(name) > _MOST_LETTERS
    }


class Words:
    """Says the words of reports in one language."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling
        text = telling.text
        self.risks: Mapping[str, str] = {
            "critical": text("critical"),
            "high": text("high"),
            "medium": text("medium"),
            "low": text("low"),
            "unknown": text("n/a"),
        }
        self.bases: Mapping[str, str] = {
            "counted": text("counted"),
            "measured": text("measured"),
            "estimated": text("estimated"),
        }
        self._severities: Mapping[str, str] = {
            "BREAKING": text("breaking"),
            "RISKY": text("risky"),
            "SAFE": text("safe"),
            "COSMETIC": text("cosmetic"),
        }
        self.percentiles = text("half within"), text("95 in 100 within")
        self._reached = {
            "stdio": text("started here"),
            "http": text("reached over HTTP"),
            "config": text("from a configuration"),
            "recording": text("from a recording"),
        }
        self._outcomes = {
            "holds": text("holds"),
            "fails": text("does not hold"),
            "unchecked": text("could not be checked"),
            "locked": text("locked, not checked since"),
        }
        self._why = {
            "away": text("the server did not answer"),
            "lock": text("the lock cannot be used"),
            "signature": text("the signature does not hold"),
            "settings": text("the rules or settings cannot be used"),
        }
        self._steps = {
            **economies(telling),
            "lock": text("Keep it with a lock"),
        }
        self._subjects = {
            "server": text("server"),
            "tool": text("tool"),
            "prompt": text("prompt"),
            "resource": text("resource"),
            "template": text("template"),
            "namespace": text("namespace"),
            "answer": text("answer"),
        }

    def tokens(self, figure: int | None) -> str:
        """Return a figure of tokens."""
        return self._telling.text("{count} tokens", count=self._telling.count(figure))

    def characters(self, figure: int | None) -> str:
        """Return a figure of characters."""
        return self._telling.text("{count} characters", count=self._telling.count(figure))

    def profiled(self, measured: Measured, zone: Zone) -> str:
        """Return when a server was looked at and how, and which version it called itself."""
        when = self._telling.instant(measured.at, zone)
        told = self._telling.text("Last profile: {when}, {how}.", when=when, how=self._reached[measured.reached])  # fmt: skip
        if not measured.version:
            return told
        version = self._telling.text("The server calls itself version {version}.", version=measured.version)  # fmt: skip
        return f"{told} {version}"

    def method(self, tokenizer: str, *, estimate: bool) -> str:
        """Return how tokens were counted, and whether that is an estimate."""
        if estimate:
            return self._telling.text("{tokenizer}, an estimate", tokenizer=tokenizer)
        return tokenizer

    def risk(self, risk: str | None) -> str:
        """Return the static class of a tool or of a server."""
        return self.risks.get(risk or "unknown", risk or "")

    def counts(self, risks: Mapping[str, int]) -> str:
        """Return how many tools there are of each class, the worst first."""
        told = [f"{self._telling.count(risks[name])} {self.risks[name]}" for name in RISKS if risks.get(name)]  # fmt: skip
        return ", ".join(told)

    def outcome(self, state: LockState | None) -> str:
        """Return how a lock stands."""
        if state is None:
            return self._telling.text("not locked yet")
        told = self._outcomes[state.outcome]
        why = "" if state.checked is None else self._why.get(state.checked.why, "")
        return f"{told}: {why}" if why else told

    def severity(self, severity: str) -> str:
        """Return how bad a difference is."""
        return self._severities.get(severity, severity)

    def subject(self, subject: str) -> str:
        """Return what a difference or a ceiling is about."""
        return self._subjects.get(subject, subject)

    def step(self, economy: str) -> str:
        """Return what an economy does."""
        return self._steps.get(economy, economy)

    def what(self, row: Economy) -> str:
        """Return what an economy is tried on."""
        text = self._telling.text
        if row.economy == "group":
            return text("menu as {form}", form=row.what.rpartition(" ")[2])
        if row.economy == "table":
            return text("descriptions")
        if row.what.startswith(_STATES):
            return text("tools closed in the state {state}", state=row.what.removeprefix(_STATES))
        if row.what.startswith(_SHORTS):
            return text("short texts in the state {state}", state=row.what.removeprefix(_SHORTS))
        if row.economy == "compact":
            return text("first sentences of descriptions")
        return row.what
