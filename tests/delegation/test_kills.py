"""Whoever is killed when: what an office gave an id to ends in the journal exactly once, and as it was told."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.keeping import LEFT_RUNNING, LEFT_WAITING
from econome.delegation.order import Standing
from tests.delegation.desks import DATE, Scene, journaled, office_on, registered, run
from tests.delegation.openai_server import Reply, scripted
from tests.house.source import REPOSITORY
from tests.requirements import requirement

pytestmark = [
    requirement("D3", "D4"),
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork"),
]

ENDS = {
    ("terminee", None),
    ("echec", "it crashed"),
    ("annulee", "it was cancelled"),
    ("echec", "the server was stopped; ask again"),
    ("echec", LEFT_RUNNING),
    ("echec", LEFT_WAITING),
}


def _program(module: str, *words: str) -> list[str]:
    return [sys.executable, "-m", f"tests.delegation.{module}", *words]


@pytest.mark.slow
def test_an_office_may_be_killed_at_any_step_and_so_may_its_recovery(tmp_path: Path) -> None:
    answer = subprocess.run(
        _program("killing", str(tmp_path)),
        cwd=REPOSITORY,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=True,
    )
    lives = [json.loads(line) for line in answer.stdout.splitlines()]
    steps, reasons = {life["step"] for life in lives}, set()
    for life in lives:
        _check(life)
        reasons |= {(status, error) for _, status, error in life["journal"]}
    assert steps == set(range(1, max(steps) + 1))
    assert len(steps) > 40
    assert {life["killed"] for life in lives} >= set(range(1, 12)), "recoveries were not killed"
    assert reasons == ENDS


def _check(life: dict[str, Any]) -> None:
    given = {request_id for word, request_id in life["told"] if word == "id"}
    ended = {request_id: word for word, request_id in life["told"] if word != "id"}
    counts = Counter(request_id for request_id, _, _ in life["journal"])
    statuses = {request_id: status for request_id, status, _ in life["journal"]}
    assert set(counts.values()) <= {1}, life
    assert given <= counts.keys(), life
    assert ended.items() <= statuses.items(), life
    assert life["open"] == 0, life


@pytest.mark.slow
def test_a_server_killed_in_mid_generation_leaves_what_the_next_start_ends_once(
    tmp_path: Path,
) -> None:
    gate = threading.Event()
    with scripted(Reply("Once upon", gate, " a time")) as model:
        process = subprocess.Popen(
            _program("offering", str(tmp_path), model.url),
            cwd=REPOSITORY,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        with process:
            assert process.stdout is not None
            runs, waits = (process.stdout.readline().strip() for _ in range(2))
            assert process.stdout.readline() == "writing\n"
            process.kill()
        assert model.wait_until(lambda server: server.hung_up == 1)
    assert journaled(tmp_path) == []

    async def next_start() -> list[Standing]:
        async with office_on(tmp_path, Scene(), clock=time.monotonic) as office:
            return [await office.standing(one) for one in (runs, waits)]

    for _ in range(2):
        found = [(one.status, one.error) for one in run(next_start())]
        assert found == [("echec", LEFT_RUNNING), ("echec", LEFT_WAITING)]
        told = [(one["demande_id"], one["date"], one["tool_use_id"]) for one in journaled(tmp_path)]
        assert told == [(runs, DATE, "toolu_9"), (waits, DATE, "toolu_9")]
        assert registered(tmp_path) == []
