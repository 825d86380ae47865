"""Calls in transcripts whose names tell no tool of a server are left out of the sizes, and that is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main
from tests.usage.details import Place, call, result

NAMES = ("mcp__shop__find", "mcp__noend", "mcp____x", "mcp__s__", "mcp__a b.c__d e", "Read")


def test_calls_whose_names_tell_no_tool_of_a_server_are_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    place = Place(tmp_path)
    lines: list[Any] = []
    for at, name in enumerate(NAMES):
        identity = f"toolu_{at:024}"
        lines += [call(identity, name, minutes=at), result(identity, "x", minutes=at + 0.5)]
    place.write(*lines)
    words = ["profile", "--transcripts", "--root", str(place.root)]
    assert main([*words, "--json"]) == 0
    weighed = json.loads(capfd.readouterr().out)["weighed"]
    assert (list(weighed["servers"]), weighed["unnamed"], weighed["odd"]) == (["shop"], 3, 1)
    assert main(words) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert "Left out: 3 calls by names of MCP tools that tell no server and tool." in out
    assert "Left out: 1 call by names with odd signs" in out
