"""An answer is kept whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from econome.delegation.answers import Answers
from tests.delegation.ground import no_space
from tests.requirements import requirement

pytestmark = requirement("D3")


def test_an_answer_that_does_not_reach_the_disk_leaves_nothing_and_the_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = Answers(str(tmp_path), 7)
    kept = Path(answers.keep("dem-0000000001", "kept"))
    monkeypatch.setattr(os, "fsync", no_space)
    for request_id in ("dem-0000000001", "dem-0000000002"):
        with pytest.raises(OSError, match="No space left on device"):
            answers.keep(request_id, "lost")
    assert {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()} == {
        kept.name: "kept"
    }
