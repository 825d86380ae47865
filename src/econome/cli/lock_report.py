"""What a comparison with a lock came to, as the one value that every report of it is written from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from econome.contract.findings import SEVERITIES, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from econome.contract.ceilings import Over
    from econome.contract.drift import Drift
    from econome.contract.glance import Seen

__all__ = ["ALWAYS", "CHANGED", "SAME", "Kept", "LockReport", "Signature", "Written"]

SAME, CHANGED = 0, 1
"""The exit codes of a comparison that was made."""

ALWAYS = frozenset({"class-risen", "limit-lifted", "limit-raised"})
"""The kinds that count whatever severity is asked for: answers may grow larger than was promised (L16)."""


@dataclass(frozen=True, slots=True)
class Kept:
    """One server of a lock: how many tools its menu has, what they take, and the worst static class of its tools.

    *unknown* counts the tools of whose answers nothing is known, and *reason* says why; *worst* is None where that is all of them.
    """

    name: str
    tools: int
    tokens: int
    worst: str | None
    unknown: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Signature:
    """The signature of a lock that was checked: its *path*, who made it as the file *signers* has them, and whether that one was asked for.

    *signer* and *signers* are empty where there is one that nobody asked to look at.
    """

    path: str
    signer: str = ""
    signers: str = ""
    asked: bool = False


@dataclass(frozen=True, slots=True)
class LockReport:
    """A comparison; *path* is the lock as it was named, *uri* as a code host finds it, *against* the second of two lockfiles.

    *fail_on* is the severity from which on a difference counts. *lines* is where in the lock something stands, by server, kind of
    thing (`tools`, `prompts`, …, empty for the server) and name. *accept* is the command that would make the lock hold again.
    *strays* are names that only budgets have, each with one like it or an empty text. *left_out* are servers of a configuration
    that cannot be looked at, with the reason. *budget_files* are those that may hold the budgets.
    """

    path: str
    drift: Drift
    tokenizer: str
    uri: str = ""
    against: str | None = None
    fail_on: str = SEVERITIES[-1]
    overs: tuple[Over, ...] = ()
    kept: tuple[Kept, ...] = ()
    estimate: bool = True
    lines: Mapping[tuple[str, str, str], int] = field(default_factory=dict)
    left_out: tuple[tuple[str, str], ...] = ()
    accept: str = ""
    strays: tuple[tuple[str, str], ...] = ()
    signature: Signature | None = None
    budget_files: tuple[str, ...] = ("econome.toml",)

    @property
    def findings(self) -> list[Finding]:
        """The differences, the worst first."""
        return sorted(self.drift.findings, key=lambda one: one.rank)

    def counts(self, one: Finding) -> bool:
        """Return whether a difference is bad enough to fail."""
        return one.kind in ALWAYS or SEVERITIES.index(one.severity) <= SEVERITIES.index(
            self.fail_on
        )

    @property
    def only_holds(self) -> bool:
        """Whether nothing is to be told but that the lock holds."""
        told = (
            self.drift.findings,
            self.drift.unchecked,
            self.overs,
            self.left_out,
            self.strays,
            self.signature,
        )
        return not any(told)

    @property
    def failing(self) -> list[Finding]:
        """The differences that count."""
        return [one for one in self.findings if self.counts(one)]

    @property
    def failing_overs(self) -> list[Over]:
        """The budgets that do not hold and fail for it."""
        return [one for one in self.overs if one.level == "fail"]

    @property
    def next_command(self) -> str:
        """The command after which the next check passes, empty where locking anew is not enough or not needed."""
        return self.accept if self.findings and not self.failing_overs else ""

    @property
    def exit_code(self) -> int:
        """What the command ends with: 1 where a difference counts or a budget does not hold."""
        return CHANGED if self.failing_overs or self.failing else SAME

    def line(self, one: Finding) -> int:
        """Return the line of the lock that a difference is about; that of the server, or the first, where it is not in it."""
        places = ((one.server, f"{one.subject}s", one.name), (one.server, "", ""))
        return next((self.lines[place] for place in places if place in self.lines), 1)


@dataclass(frozen=True, slots=True)
class Written:
    """What was locked: the servers that were asked, and what *others* of the file stayed as they were.

    *changed* says that the bytes of the file are others than before, *check* is the command that compares with it. *resign* is the
    command that signs it, where a signature beside it no longer holds.
    """

    path: str
    kept: tuple[Kept, ...]
    others: tuple[str, ...]
    changed: bool
    tokenizer: str
    estimate: bool
    check: str
    left_out: tuple[tuple[str, str], ...] = ()
    seen: tuple[Seen, ...] = ()
    overs: tuple[Over, ...] = ()
    signed: bool = False
    resign: str = ""
    strays: tuple[tuple[str, str], ...] = ()

    def report(self) -> dict[str, Any]:
        """Return all of it as plain values for JSON."""
        return {
            "schema": "econome.lock/1",
            "lock": self.path,
            "changed": self.changed,
            "signed": self.signed,
            "signature_holds": None if not self.signed and not self.resign else self.signed,
            "tokenizer": self.tokenizer,
            "estimate": self.estimate,
            "servers": [
                {
                    "name": one.name,
                    "tools": one.tools,
                    "tokens": one.tokens,
                    "class": one.worst,
                    "unknown": one.unknown,
                }
                for one in self.kept
            ],
            "others": list(self.others),
            "seen": [asdict(one) for one in self.seen],
            "budgets": [asdict(one) for one in self.overs],
            "stray_budgets": [{"name": name, "near": near or None} for name, near in self.strays],
            "left_out": [{"name": name, "reason": reason} for name, reason in self.left_out],
        }
