"""Scores are kept, one of each preset, backend and model, and what is damaged costs no more than itself."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation import scores
from econome.delegation.scores import Score, keep_score, latest, read_scores
from econome.errors import LedgerUnwritable
from tests.requirements import requirement

pytestmark = requirement("D6")


def _score(**changes: Any) -> Score:
    fields = {
        "preset": "code",
        "digest": "0123456789abcdef",
        "backend": "ollama",
        "model": "qwen3:8b",
        "passed": 2,
        "total": 3,
        "date": "2026-10-17T12:00:00Z",
    }
    return Score(**{**fields, **changes})


def test_a_score_takes_the_place_of_the_earlier_one_of_its_kind(tmp_path: Path) -> None:
    path = str(tmp_path / "data" / "scores.json")
    one, other, better = _score(), _score(model="other"), _score(passed=3)
    for score in (one, other, better):
        keep_score(path, score)
    assert read_scores(path) == [other, better]
    assert latest(read_scores(path)) == {"code": better}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert os.listdir(tmp_path / "data") == ["scores.json"]


def test_of_too_many_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scores, "SCORES_LIMIT", 2)
    path = str(tmp_path / "scores.json")
    for model in "abc":
        keep_score(path, _score(model=model))
    assert [score.model for score in read_scores(path)] == ["b", "c"]


def test_what_is_no_score_is_passed_over_and_the_others_count(tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    keep_score(str(path), _score())
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"scores":[', b'"scores":[1,{"preset":2},null,'))
    assert read_scores(str(path)) == [_score()]


@given(data=st.binary())
def test_any_file_is_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any-scores.json"
    path.write_bytes(data)
    assert read_scores(str(path)) == []


def test_a_disk_that_takes_nothing_is_told_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "scores.json")
    keep_score(path, _score())

    def full(*_args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(LedgerUnwritable, match="No space left"):
        keep_score(path, _score(model="other"))
    assert read_scores(path) == [_score()]
    assert os.listdir(tmp_path) == ["scores.json"]
