"""What `econome profile` offers next can be done: an entry is named only where a configuration has it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from econome.__main__ import main
from tests.contract.listed import command, entry


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, here = tmp_path / "home", tmp_path / "here"
    home.mkdir()
    (here / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)
    monkeypatch.chdir(here)


def _write(path: Path, name: str, words: tuple[str, ...]) -> None:
    entries = {name: {"command": words[0], "args": list(words[1:])}}
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")


def _offered(capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    """Return what is offered to send a server through the proxy, and see that the offer finds its entry."""
    assert main(["profile", *words]) == 0
    out = capfd.readouterr().out.splitlines()
    found = [line.partition("  ")[0] for line in out if line.startswith("econome proxy install")]
    for each in found:
        assert main([*shlex.split(each)[1:], "--yes"]) == 0
        capfd.readouterr()
    return found


def test_without_an_entry_nothing_is_offered_to_install(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert _offered(capfd, "--", *command(tmp_path, tools=[entry("find")])) == []


def test_an_entry_that_starts_the_same_is_offered_by_its_own_name(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, tools=[entry("find")])
    _write(tmp_path / "home" / ".claude.json", "desk", words)
    assert _offered(capfd, "--", *words) == ["econome proxy install desk"]
    assert _offered(capfd, "--", *words) == []


def test_an_entry_of_the_project_is_offered_with_its_option(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, tools=[entry("find")])
    _write(tmp_path / "here" / ".mcp.json", "desk", ("other",))
    offered = _offered(capfd, "--name", "desk", "--", *words)
    assert offered == ["econome proxy install --project desk"]


def test_an_entry_of_a_file_that_was_named_is_offered_with_that_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "my servers.json"
    _write(config, "desk", command(tmp_path, tools=[entry("find")]))
    told = f"econome proxy install --config '{config}' desk"
    assert _offered(capfd, "--config", str(config), "--yes") == [told]


def test_of_two_clients_with_the_same_entry_one_is_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, tools=[entry("find")])
    _write(tmp_path / "home" / ".claude.json", "desk", words)
    (tmp_path / "home" / ".cursor").mkdir()
    _write(tmp_path / "home" / ".cursor" / "mcp.json", "desk", words)
    told = "econome proxy install --client claude-code desk"
    assert _offered(capfd, "--", *words) == [told]
