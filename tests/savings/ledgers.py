"""Random ledgers with their journals, for the properties of the balance; and how a test reads one.

Names come from small pools, so that events meet; dates lie around midnights, both changes of the clock among them.
"""

from __future__ import annotations

import json
import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from econome.clock import zone
from econome.savings.account import Account, read_account
from econome.savings.balance import balance_report
from econome.savings.books import Books
from econome.savings.money import Money
from econome.savings.question import BY, NO_PRESET, Question
from tests.savings.builders import Payload, correction, delegation, ledger_line, steering

if TYPE_CHECKING:
    from econome.clock import Zone

__all__ = [
    "CLIENTS", "PRESETS", "TODAY", "UTC", "Written", "ended", "ledgers", "questions", "zones",
]  # fmt: skip

CLIENTS = ("claude-code", "codex", "a client")
PRESETS = ("small", "large", "")
TODAY = 20_742
UTC = zone("UTC")

_REQUESTS = tuple(f"dem-{number}" for number in range(5))
_DATES = (
    "2026-03-28T23:30:00Z", "2026-03-29T00:59:59.999Z", "2026-03-29T22:10:00Z", "2026-10-24T21:59:59Z",
    "2026-10-24T22:00:00Z", "2026-10-25T01:30:00+02:00", "2026-10-25T23:30:00.123456Z", "2026-10-26T04:44:00-00:30",
    "2026-06-30T23:59:60Z", "1969-12-31T23:59:59Z",
)  # fmt: skip
_DAYS = (20_540, 20_541, 20_749, 20_750, 20_751)
_DAMAGE = (
    b"{}\n", b"\n", b"nonsense\n", b'{"schema":1,"type":"pilotage"}\n', b"[1]\n", b"\xff\n", b" \t\r\n",
    b'{"schema":1,"type":"other","id":"x","date":"2026-10-25T00:00:00Z","client":"c","session_id":"s"}\n',
)  # fmt: skip


@dataclass(frozen=True)
class Written:
    """What the files hold: events, conflicts and ended requests as on the wire, and damaged lines among the events."""

    events: list[Payload] = field(default_factory=list)
    conflicts: list[Payload] = field(default_factory=list)
    journal: list[Payload] = field(default_factory=list)
    damage: dict[int, bytes] = field(default_factory=dict)

    def ledger_lines(self) -> list[bytes]:
        """Return the lines of the ledger, a damaged one before the event of its number."""
        lines: list[bytes] = []
        for number, event in enumerate(self.events):
            lines += [self.damage[number]] if number in self.damage else []
            lines.append(ledger_line(event))
        return lines

    def conflict_lines(self) -> list[bytes]:
        """Return the lines of the file of conflicts."""
        return [ledger_line(event) for event in self.conflicts]

    def journal_lines(self) -> list[bytes]:
        """Return the lines of the journal."""
        return [json.dumps(line).encode() + b"\n" for line in self.journal]

    def shuffled(self, rng: random.Random) -> Written:
        """Return the same, in another order."""
        lists = [self.events, self.conflicts, self.journal]
        mixed = [rng.sample(entries, len(entries)) for entries in lists]
        return replace(self, events=mixed[0], conflicts=mixed[1], journal=mixed[2])

    def books(self) -> Books:
        """Return the books of the files."""
        books = Books()
        books.add_lines(b"".join(self.ledger_lines()))
        books.conflicts.add_lines(b"".join(self.conflict_lines()))
        books.endings.add_lines(b"".join(self.journal_lines()))
        return books

    def account(self) -> Account:
        """Return what the slow reader makes of the lines."""
        return read_account(self.ledger_lines(), self.conflict_lines(), self.journal_lines())

    def report(
        self, question: Question | None = None, of: Zone = UTC, money: Money | None = None
    ) -> dict[str, Any]:
        """Return the balance."""
        asked = Question() if question is None else question
        return balance_report(self.books(), asked, of, TODAY, money=money)


def ended(request: str | None, **changes: Any) -> Payload:
    """Return the journal's line of a request that succeeded."""
    line = {
        "date": "2026-10-30T09:12:04.000Z",
        "demande_id": request,
        "tool_use_id": None,
        "statut": "terminee",
        "session": None,
        "preset": "small",
        "format": "text",
        "modele": "qwen-3",
        "tokens_entree": 4200,
        "tokens_sortie": 900,
        "duree_s": 2.5,
        "retour": "complet",
        "sortie": None,
        "erreur": None,
    }
    return {**line, **changes}


_costs = st.integers(0, 40)
_requests = st.sampled_from(_REQUESTS)
_clients = st.sampled_from(CLIENTS)
_dates = st.sampled_from(_DATES)
_sessions = st.sampled_from(("s1", "s2", "s3"))
_names = st.sampled_from((None, *PRESETS))


@st.composite
def _delegations(draw: st.DrawFn) -> Payload:
    return delegation(
        demande_id=draw(_requests), client=draw(_clients), date=draw(_dates), session_id=draw(_sessions),
        par_subagent=draw(st.booleans()), estimation__evites=draw(st.integers(-30, 60)),
        estimation__lus=draw(_costs), estimation__rendus=draw(_costs),
    )  # fmt: skip


@st.composite
def _steerings(draw: st.DrawFn) -> Payload:
    return steering(
        demande_ids=draw(st.lists(_requests, min_size=1, max_size=4)), client=draw(_clients),
        date=draw(_dates), session_id=draw(_sessions), cout=draw(_costs),
        modele=draw(st.sampled_from(("claude-haiku-4-5", "claude-nobody-9", "opencode"))),
    )  # fmt: skip


@st.composite
def _corrections(draw: st.DrawFn) -> Payload:
    return correction(
        demande_id=draw(_requests), client=draw(_clients), date=draw(_dates), session_id=draw(_sessions),
        cout=draw(_costs), tokens_lus=draw(_costs),
    )  # fmt: skip


@st.composite
def _journals(draw: st.DrawFn) -> list[Payload]:
    """Draw the lines of some requests, each at most once, and of some that were refused before they had an id."""
    named = draw(st.lists(_requests, unique=True, max_size=4))
    count = draw(st.integers(0, 2))
    return [
        ended(
            request, date=draw(_dates), preset=draw(_names), format=draw(_names), modele=draw(_names),
            statut=draw(st.sampled_from(("terminee", "echec", "refusee"))),
            tokens_entree=draw(st.none() | _costs), duree_s=draw(st.none() | st.floats(0, 9)),
        )
        for request in [*named, *[None] * count]
    ]  # fmt: skip


_events = st.one_of(_delegations(), _steerings(), _corrections())


@st.composite
def ledgers(draw: st.DrawFn, *, damaged: bool = False) -> Written:
    """Draw a ledger in which every id is different; with *damaged* lines among its own."""
    events = draw(st.lists(_events, max_size=12))
    conflicts = draw(st.lists(_events, max_size=3))
    places = st.dictionaries(st.integers(0, 11), st.sampled_from(_DAMAGE), max_size=3)
    return Written(
        [{**event, "id": f"event {number}"} for number, event in enumerate(events)],
        [{**event, "id": f"event {number}"} for number, event in enumerate(conflicts)],
        draw(_journals()),
        draw(places) if damaged else {},
    )


zones = st.sampled_from(("UTC", "Europe/Paris", "America/St_Johns", "Pacific/Kiritimati")).map(zone)

questions = st.builds(
    Question,
    since=st.none() | st.sampled_from(_DAYS),
    until=st.none() | st.sampled_from(_DAYS),
    client=st.none() | st.sampled_from((*CLIENTS, "nobody")),
    preset=st.none() | st.sampled_from((*PRESETS, NO_PRESET, "unheard of")),
    by=st.none() | st.sampled_from(BY),
    limit=st.none() | st.integers(1, 3),
)
