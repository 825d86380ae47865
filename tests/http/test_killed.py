"""A server that is killed, or asked to stop, in the middle of a generation, and the one that is started after it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from econome.delegation.keeping import LEFT_RUNNING, LEFT_WAITING
from tests.http.process import served
from tests.http.work import call, over_http, told, working
from tests.requirements import requirement

pytestmark = requirement("D3", "D4")

STOPPED = "the server was stopped; ask again"


@pytest.mark.slow
@pytest.mark.parametrize(
    "number, reasons",
    [(signal.SIGKILL, [LEFT_RUNNING, LEFT_WAITING]), (signal.SIGTERM, [STOPPED, STOPPED])],
    ids=["killed", "stopped"],
)
def test_what_ran_and_what_waited_have_failed_once_and_whoever_asks_is_told(
    tmp_path: Path, number: signal.Signals, reasons: list[str]
) -> None:
    with working(tmp_path, workers=1) as work:
        gate = work.hold("a long one")
        asked = {"consigne": "a long one", "attente_s": 0}
        ids = [
            told(call(over_http(work.server, "2026-07-28"), "deleguer", asked))["demande_id"]
            for _ in range(2)
        ]
        assert work.asked("a long one")
        work.server.stop(number)
        assert work.model.wait_for_hang_ups()
        gate.set()
        for _ in range(2):
            with served(work.server.directory) as again:
                answers = [
                    told(call(over_http(again, "2026-07-28"), "suivre", {"demande_id": one}))
                    for one in ids
                ]
                assert [(one["statut"], one["erreur"]) for one in answers] == [
                    ("echec", reason) for reason in reasons
                ]
                again.stop()
            lines = [(one["demande_id"], one["statut"], one["erreur"]) for one in work.journal()]
            assert sorted(lines) == sorted(
                (one, "echec", reason) for one, reason in zip(ids, reasons, strict=True)
            )
