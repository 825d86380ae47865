"""The demo ledger: valid by the contract, and holding what it was meant to hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from econome.demo import tree as demo
from econome.demo.delegations import Saved, write_ledger
from econome.demo.ledger import Spent
from econome.savings.batch import read_event, split_stored
from tests.door import run

TODAY = 20_742  # 2026-10-16


@pytest.fixture(scope="module")
def responses(tmp_path_factory: pytest.TempPathFactory) -> tuple[Spent, ...]:
    return demo.write(tmp_path_factory.mktemp("demo"), TODAY).responses


def written(folder: Path) -> dict[str, bytes]:
    """Return the bytes of the ledger's files, by name."""
    return {path.name: path.read_bytes() for path in (folder / "logs" / "mcp").iterdir()}


def test_the_same_seed_makes_the_same_bytes(tmp_path: Path, responses: tuple[Spent, ...]) -> None:
    write_ledger(tmp_path / "one", responses)
    write_ledger(tmp_path / "two", reversed(responses))
    write_ledger(tmp_path / "other", responses, seed=2)
    assert written(tmp_path / "one") == written(tmp_path / "two") != written(tmp_path / "other")


def test_every_event_keeps_the_contract(tmp_path: Path, responses: tuple[Spent, ...]) -> None:
    write_ledger(tmp_path, responses)
    lines = written(tmp_path)["economies.jsonl"].splitlines(keepends=True)
    ids = [read_event(split_stored(line), None).id for line in lines]
    assert len(ids) == len(set(ids)) > 100


def test_the_balance_is_what_was_meant_and_verifies(
    tmp_path: Path, responses: tuple[Spent, ...]
) -> None:
    saved = write_ledger(tmp_path, responses)
    place = ("--data-dir", str(tmp_path), "--timezone", "UTC")
    total = json.loads(run("balance", *place, "--json").out)["total"]
    assert saved == Saved(
        *(total[name] for name in ("delegations", "avoided", "steering", "corrections"))
    )
    verified = run("balance", *place, "--verify")
    assert (verified.code, verified.err) == (0, "")


def test_every_kind_of_event_and_a_failed_request_are_in_it(
    tmp_path: Path, responses: tuple[Spent, ...]
) -> None:
    saved = write_ledger(tmp_path, responses)
    found = json.loads(run("balance", "--data-dir", str(tmp_path), "--json").out)
    assert min(saved.delegations, saved.steering, saved.corrections) > 0
    assert set(found["local"]["by_status"]) == {"echec", "terminee"}
