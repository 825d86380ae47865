"""What a running server answers to the questions that a verification asks of the files.

Days depend on the zone, and a server may have been started in another one: it is asked in a zone with a name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from econome import clock
from econome.errors import ServerAway
from econome.savings.asking import NO_PRESET_WORD
from econome.savings.balance import SCHEMA
from econome.savings.question import NO_PRESET, Question
from econome.savings.report import Answered
from econome.settings import Settings
from econome.times import period_texts

if TYPE_CHECKING:
    from econome.clock import Zone

__all__ = ["ServerAnswers", "answers_of_the_server", "query_of"]

_ZONE = "UTC"

_MANY = 100_000
"""Of a ledger with more events the server is not asked for a row of each delegation: that answer has no end."""


@dataclass(frozen=True, slots=True)
class ServerAnswers:
    """The answers of the server of a data directory, the zone of their days, and where it is.

    `url` is None where no server runs; `silent` says why one that holds the ledger gave no answer.
    """

    zone: Zone
    answers: list[Answered] = field(default_factory=list)
    url: str | None = None
    silent: str | None = None


def answers_of_the_server(settings: Settings, questions: Sequence[Question]) -> ServerAnswers:
    """Ask the server that runs on a data directory, if one does; of a large ledger not for every delegation.

    Raises:
        ServerRefused: it answered with a refusal.
        TokenUnsafe: there is no token to show to it.
    """
    from econome.savings.lock import holder
    from econome.server.client import running

    zone = clock.zone(_ZONE)
    found = holder(settings.ledger_dir())
    if found is None or found.url is None:
        return ServerAnswers(zone)
    answers: list[Answered] = []
    events = 0
    try:
        with running(settings) as server:
            for question in questions:
                if question.by == "delegation" and events > _MANY:
                    continue
                path = f"/api/v1/balance?{query_of(question)}"
                answers.append((question, server.report(path, SCHEMA)))
                events = answers[-1][1]["ledger"]["events"]
    except ServerAway as error:
        return ServerAnswers(zone, silent=str(error))
    return ServerAnswers(zone, answers, found.url)


def query_of(question: Question) -> str:
    """Return the query string that asks a question of the JSON API, in the zone of this module."""
    preset = NO_PRESET_WORD if question.preset == NO_PRESET else question.preset
    given = {
        "by": question.by,
        **period_texts(question.since, question.until),
        "client": question.client,
        "preset": preset,
        "limit": question.limit,
        "timezone": _ZONE,
    }
    return urlencode({name: value for name, value in given.items() if value is not None})
