"""`econome backends`: which models could do the work, which one would, and what each lacks that could not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.backends.found import USUAL
from tests.delegation.openai_server import MODEL, Reply, scripted
from tests.door import run
from tests.requirements import requirement

pytestmark = requirement("D5")


def _settle(home: Path, text: str) -> None:
    config = home / "config" / "econome"
    config.mkdir()
    (config / "config.toml").write_text(text, encoding="utf-8")


def _report() -> dict[str, Any]:
    ran = run("backends", "--json")
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def test_without_any_model_it_says_what_each_lacks(home: Path) -> None:
    _settle(home, "[delegation]\ndetect = false\nopencode = 'no-such-program'\n")
    report = _report()
    (embedded,) = report["backends"]
    assert (report["usual"], report["usual_model"], report["detect"]) == (None, None, False)
    assert (embedded["name"], embedded["ready"], embedded["models"]) == ("embedded", False, [])
    assert "econome local setup" in report["usual_reason"]
    assert (report["coder"]["ready"], report["coder"]["path"]) == (False, None)
    assert "no-such-program" in report["coder"]["reason"]
    ran = run("backends")
    assert (ran.code, ran.err) == (0, "")
    assert "detect = false" in ran.out


def test_the_servers_of_the_settings_and_those_that_are_found_are_told_with_their_models(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(USUAL):
        monkeypatch.delitem(USUAL, name)
    program = home / "opencode"
    program.write_text("", encoding="utf-8")
    program.chmod(0o700)
    with scripted(Reply("x")) as server, scripted(Reply("x")) as other:
        monkeypatch.setitem(USUAL, "ollama", int(other.url.split(":")[2].split("/")[0]))
        url = "http://127.0.0.1:9/v1"
        _settle(
            home,
            f"[delegation]\nopencode = '{program}'\n[backends.away]\nurl = '{url}'\n"
            f"[backends.mine]\nurl = '{server.url}'\nmodel = 'this'\n",
        )
        report = _report()
        away, mine, found, embedded = report["backends"]
        shown = run("backends").out
    assert (server.requests, other.requests) == ([], [])  # nobody was asked to write anything
    assert (away["name"], away["ready"], away["models"], away["url"]) == ("away", False, [], url)
    assert mine == {
        "name": "mine", "origin": "settings", "url": server.url, "models": [MODEL], "ready": True,
        "reason": None,
    }  # fmt: skip
    assert (found["name"], found["origin"], found["models"]) == ("ollama", "found", [MODEL])
    assert embedded["name"] == "embedded"
    assert (report["usual"], report["usual_model"], report["usual_reason"]) == (
        "mine",
        "this",
        None,
    )
    assert report["coder"] == {
        "name": "opencode", "path": str(program), "ready": True, "reason": None,
    }  # fmt: skip
    assert "mine would do the work, with this." in shown
    assert server.url in shown
