"""Of what somebody else may have written nothing starts before it was shown and confirmed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from econome import settings
from econome.cli import questions
from econome.cli.sources_asked import rules_asked, sources_asked
from econome.cli.sources_texts import SOURCES
from econome.contract.sources import Source, Sources
from econome.errors import ConfigRefused, SettingsError, UsageError


def _asked(*words: str, needed: bool = True, **values: Any) -> Sources:
    given: dict[str, Any] = dict.fromkeys(("name", "url", "config", "rules", "tokenizer"))
    return sources_asked(settings.load(), words, {**given, "yes": False, **values}, needed=needed)


@pytest.fixture
def config(tmp_path: Path) -> str:
    """Return a configuration that may be anybody's."""
    path = tmp_path / "mcp.json"
    env = {"MODE": "x", "API_KEY": "s3cret"}
    servers = {
        "shop": {"command": "shop-server", "args": ["--all", "a b"], "env": env},
        "far": {
            "type": "http",
            "url": "http://127.0.0.1:9/mcp?key=s3cret",
            "headers": {"A": "s3cret"},
        },
        "\x1b[2Jbad": {"command": "rm"},
    }
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return str(path)


def test_a_command_is_a_server_named_after_it() -> None:
    shown = "npx -y @scope/server-shop 'a b'"
    found = _asked("npx", "-y", "@scope/server-shop", "a b")
    command = ("npx", "-y", "@scope/server-shop", "a b")
    assert found == Sources((Source("shop", command, shown=shown),), ())


def test_an_address_is_asked_with_the_headers_that_the_rules_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", "s3cret")
    rules = tmp_path / "rules.toml"
    rules.write_text('[servers.shop.header_env]\nx-key = "SHOP_TOKEN"\n', encoding="utf-8")
    (found,) = _asked(url="https://shop.example/mcp", name="shop", rules=str(rules)).sources
    assert (found.url, dict(found.headers)) == ("https://shop.example/mcp", {"x-key": "s3cret"})
    assert "s3cret" not in found.shown
    (without,) = _asked(url="https://shop.example/mcp", name="shop").sources
    assert dict(without.headers) == {}


@pytest.mark.parametrize("url", ["shop", "file:///etc/shop", "http://", "http://u:p@shop.example/"])
def test_what_is_no_address_of_a_server_is_wrong_usage(url: str) -> None:
    with pytest.raises(UsageError, match=r"^--url: "):
        _asked(url=url)


@pytest.mark.parametrize(
    "words, values, reason",
    [
        ((), {}, "which"),
        (("a",), {"url": "http://b"}, "one"),
        (("a",), {"config": "c"}, "one"),
        ((), {"url": "http://b", "config": "c"}, "one"),
        ((), {"config": "c", "name": "n"}, "unnamed"),
    ],
)
def test_what_does_not_go_together_is_said(
    words: tuple[str, ...], values: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UsageError, match=f"^{SOURCES[reason]}$"):
        _asked(*words, **values)


def test_where_no_server_is_needed_none_is_found() -> None:
    assert _asked(needed=False) == Sources((), ())


def test_a_configuration_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigRefused, match=r"mcp\.json: no such file$"):
        _asked(config=str(tmp_path / "mcp.json"))


def test_without_a_terminal_a_foreign_configuration_is_shown_and_refused(
    config: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError) as caught:
        _asked(config=config)
    assert str(caught.value) == SOURCES["unconfirmed"]
    err = capfd.readouterr().err
    assert "s3cret" not in err
    head, *entries = err.splitlines()
    assert head == SOURCES["foreign"].format(path=config)
    assert [line.partition(":")[0] for line in entries] == ["  shop", "  far", "  \ufffd[2Jbad"]
    assert [
        word
        for word in ("shop-server", "--all", "a b", "MODE=x", "API_KEY=…")
        if word not in entries[0]
    ] == []
    assert "http://127.0.0.1:9/mcp" in entries[1]


def test_it_is_taken_as_it_is_where_it_was_confirmed_beforehand(
    config: str, capfd: pytest.CaptureFixture[str]
) -> None:
    found = _asked(config=config, yes=True)
    assert [source.name for source in found.sources] == ["shop", "far", "\x1b[2Jbad"]
    assert found.sources[0].command == ("shop-server", "--all", "a b")
    assert found.sources[0].env == {"MODE": "x", "API_KEY": "s3cret"}
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("answer", [True, False])
def test_at_a_terminal_it_is_asked_for(
    config: str, answer: bool, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    asked: list[str] = []

    def confirm(question: str) -> bool:
        asked.append(capfd.readouterr().err + question)
        return answer

    monkeypatch.setattr(questions, "confirm", confirm)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    if answer:
        assert len(_asked(config=config).sources) == 3
    else:
        with pytest.raises(UsageError, match=f"^{SOURCES['declined']}$"):
            _asked(config=config)
    (seen,) = asked
    assert "shop-server" in seen
    assert seen.endswith(SOURCES["question"])


def test_a_configuration_of_this_user_is_not_asked_about(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = home / "claude"
    own.mkdir(exist_ok=True)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(own))
    servers = {"mcpServers": {"shop": {"command": "shop-server"}}}
    (own / ".claude.json").write_text(json.dumps(servers), encoding="utf-8")
    (found,) = _asked(config=str(own / ".claude.json")).sources
    assert (found.name, found.foreign) == ("shop", False)


def test_rules_are_those_of_the_file_that_was_named_and_no_others(home: Path) -> None:
    own = home / "config" / "econome" / "econome.toml"
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text("[servers.shop]\nlimit = 5\n", encoding="utf-8")
    assert rules_asked(None).servers == {}
    assert rules_asked(str(own)).server("shop").usual.limit == 5
    with pytest.raises(SettingsError, match="no such file"):
        rules_asked(str(own) + "x")
