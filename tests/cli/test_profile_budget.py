"""A profile holds a server against the budgets of the directory in which it is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.contract.listed import command, entry
from tests.door import run
from tests.requirements import requirement

pytestmark = [requirement("L15"), pytest.mark.usefixtures("here")]


def _profile(here: Path, *options: str) -> Any:
    words = command(here.parent, tools=[entry("search"), entry("list")])
    ran = run("profile", "--json", "--name", "shop", *options, "--", *words)
    assert ran.code == 0
    (server,) = json.loads(ran.out)["servers"]
    return server


def test_budgets_of_this_directory_are_held_against_a_profile(here: Path) -> None:
    assert _profile(here)["budget"] is None
    text = "[budgets.shop]\nmenu_tokens = 5\n[budgets.other]\ntool_tokens = 1\n"
    (here / "econome.toml").write_text(text, encoding="utf-8")
    found = _profile(here)
    assert [(one["level"], one["scope"], one["tokens"], one["ceiling"]) for one in found["budget"]] == [
        ("fail", "server", found["menu"]["per_turn"], 5)
    ]  # fmt: skip
    words = command(here.parent, tools=[entry("search"), entry("list")])
    shown = run("profile", "--name", "shop", "--", *words)
    assert shown.code == 0
    assert "5" in " ".join(shown.out.split()).partition("Over ")[2][:120]


def test_budgets_of_a_file_that_is_named_are_within_those_of_this_directory(here: Path) -> None:
    (here / "econome.toml").write_text("[budgets.shop]\nmenu_tokens = 5\n", encoding="utf-8")
    rules = here / "rules.toml"
    for ceiling, least in ((9, 5), (4, 4)):
        rules.write_text(f"[budgets.shop]\nmenu_tokens = {ceiling}\n", encoding="utf-8")
        found = _profile(here, "--rules", "rules.toml")
        assert [one["ceiling"] for one in found["budget"]] == [least]
