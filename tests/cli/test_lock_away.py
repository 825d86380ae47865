"""A list that cannot be read is not locked, and what a server that is away wrote last is shown before the one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.listed import command, entry
from tests.door import run
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")


@pytest.mark.parametrize("name", ["lock", "profile"])
def test_what_a_server_that_ended_wrote_last_is_shown_before_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    words = command(tmp_path, tools=[entry("pay")], die="tools/list", stderr="no \x1b[2Jkey\n")
    ran = run(name, "--", *words)
    first, second = ran.err.splitlines()
    assert first == "no  [2Jkey"
    assert second.startswith("econome: ")


def test_a_list_with_an_entry_that_cannot_be_read_is_neither_locked_nor_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    good = command(tmp_path, tools=[entry("pay")])
    listed = json.dumps({"tools": [entry("pay"), 7]})
    odd = command(tmp_path, "odd", tools=[], raw={"tools/list": listed})
    assert run("lock", "--name", "shop", "--", *odd).code == 2
    assert not (tmp_path / "econome.lock").exists()
    assert run("lock", "--name", "shop", "--", *good).code == 0
    ran = run("lock", "--check", "--name", "shop", "--", *odd)
    assert (ran.code, ran.out) == (2, "")
    assert "entry 2 of its tools is no object that can be read" in ran.err
