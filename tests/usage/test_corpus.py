"""The whole of R and F on shapes of real transcripts, and on the made ones of known totals."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.door import Answer, text, usage
from tests.requirements import requirement

ZONES = {"UTC": "expected-utc.json", "America/Los_Angeles": "expected-los-angeles.json"}


def numbers(row: Answer) -> Answer:
    """A row in the words of the corpus."""
    return {
        "input": row["input_tokens"],
        "output": row["output_tokens"],
        "cache_read": row["cache_read_tokens"],
        "cache_write": row["cache_write_5m_tokens"] + row["cache_write_1h_tokens"],
        "w1h": row["cache_write_1h_tokens"],
        "searches": row["web_searches"],
        "responses": row["responses"],
    }


def known(row: Answer) -> Answer:
    """A row of the corpus; its `w5m` is the split as written, where a report counts the unsplit too."""
    return {name: value for name, value in row.items() if name != "w5m"}


@requirement("F2", "F3", "F5", "F7", "F8", "F10", "F13")
@pytest.mark.parametrize("zone", ZONES)
def test_the_shapes_of_real_transcripts_give_what_was_counted_slowly(
    corpus: Path, shared: Path, zone: str
) -> None:
    wanted = json.loads((shared / "corpus" / ZONES[zone]).read_text(encoding="utf-8"))
    for by in ("model", "day", "agent"):
        answer = usage(corpus, "--by", by, "--timezone", zone)
        found = {row[by]: numbers(row) for row in answer["rows"]}
        assert found == {name: known(row) for name, row in wanted[f"by_{by}"].items()}
        assert numbers(answer["total"]) == known(wanted["total"])
        assert answer["total"]["sessions"] == wanted["sessions"]
        assert answer["total"]["output_incomplete"] == wanted["incomplete"]
        assert {name: answer["coverage"][name] for name in wanted["coverage"]} == wanted["coverage"]


@pytest.fixture(scope="module", params=(1, 2, 3))
def made(
    request: pytest.FixtureRequest, shared: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Any]:
    """A tree of the shared generator, and what it says of it."""
    out = tmp_path_factory.mktemp("made")
    expect = out / "expected.json"
    tool = [sys.executable, str(shared / "tools" / "make_corpus.py")]
    options = ["--out", str(out / "root"), "--size-mb", "8", "--seed", str(request.param)]
    subprocess.run([*tool, *options, "--expect", str(expect)], check=True, capture_output=True)
    return out / "root", json.loads(expect.read_text(encoding="utf-8"))


def tokens(row: Answer) -> Answer:
    """A row in the words of the generator."""
    return {
        "responses": row["responses"],
        "input": row["input_tokens"],
        "output": row["output_tokens"],
        "cache_read": row["cache_read_tokens"],
        "cache_5m": row["cache_write_5m_tokens"],
        "cache_1h": row["cache_write_1h_tokens"],
    }


@requirement("F2", "F3", "F11")
def test_a_made_tree_gives_the_totals_it_was_made_with(made: tuple[Path, Any]) -> None:
    root, wanted = made
    names = {
        "day": "by_day",
        "model": "by_model",
        "agent": "by_agent_type",
        "project": "by_project",
    }
    for by, name in names.items():
        answer = usage(root, "--by", by)
        assert tokens(answer["total"]) == wanted["total"]
        found = {row[by]: tokens(row) for row in answer["rows"]}
        if by == "project":
            found = {re.sub("[^A-Za-z0-9]", "-", path): row for path, row in found.items()}
        assert found == wanted[name]
    assert answer["coverage"]["files"] == wanted["corpus"]["files"]
    assert answer["coverage"]["lines"] == wanted["corpus"]["lines"]


@requirement("F12")
def test_a_made_tree_that_grew_is_read_on(made: tuple[Path, Any]) -> None:
    root, _ = made
    text(root)
    files = sorted((root / "projects").rglob("*.jsonl"))
    for path in files[::4]:
        data = path.read_bytes()
        half = data[: len(data) // 2]
        path.write_bytes(half)
        assert text(root) == text(root, args=("--no-index",))
        path.write_bytes(data)
    assert text(root) == text(root, args=("--no-index",))
