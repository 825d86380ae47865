"""A client's configuration becomes the servers that its client would start, and what cannot be started says why."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.expanding import Around, start_of
from econome.contract.sources import Source, Sources, sources_of
from econome.errors import ConfigRefused
from econome.lean.install.entries import LeftAlone, read_entry
from tests.requirements import requirement

pytestmark = requirement("L15")

HELD = {"TOKEN": "s3cret", "EMPTY": "", "DIR": "/srv"}


class User:
    """A home directory, a directory of work in it, and an environment."""

    def __init__(self, home: Path, environment: Mapping[str, str] = HELD) -> None:
        self.home, self.environment = home, environment
        self.work = home / "work"
        (self.work / ".git").mkdir(parents=True)

    def file(self, where: str, held: Any) -> str:
        """Write a file below the home directory: a text as it is, anything else as JSON."""
        path = self.home / where
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(held if isinstance(held, str) else json.dumps(held), encoding="utf-8")
        return str(path)

    def found(self, path: str, here: Path | None = None) -> Sources:
        """Return what is found in a file by who works in a directory."""
        return sources_of(
            path,
            home=str(self.home),
            here=str(here or self.work),
            platform="linux",
            variable=lambda name: self.environment.get(name) or None,
        )


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


def _around(**differing: Any) -> Around:
    whole: dict[str, Any] = {
        "variable": lambda name: HELD.get(name) or None,
        "home": "/home/me",
        "folder": "/home/me/work",
    }
    return Around(**{**whole, **differing})


def _started(value: Any, **around: Any) -> Any:
    """Return what an entry comes to: its command, address, headers, variables and directory; or why it is left out."""
    try:
        start = start_of(read_entry(json.dumps(value)), _around(**around))
    except LeftAlone as error:
        return str(error)
    return (
        start.url or " ".join(start.command or ()),
        {**start.headers},
        {**start.env},
        start.cwd,
    )


PLAIN = {"command": "npx", "args": ["-y", "server"]}


@pytest.mark.parametrize(
    "where",
    [
        ".config/Claude/claude_desktop_config.json",
        ".cursor/mcp.json",
        ".claude.json",
        ".config/Code/User/mcp.json",
    ],
)
def test_the_file_of_a_users_own_client_is_theirs(user: User, where: str) -> None:
    key = "servers" if "Code" in where else "mcpServers"
    path = user.file(where, {key: {"a": {**PLAIN, "env": {"API_KEY": "abc"}}}})
    expected = Source(
        "a",
        ("npx", "-y", "server"),
        env={"API_KEY": "abc"},
        shown="npx -y server (env: API_KEY=…)",
        foreign=False,
    )
    assert user.found(path) == Sources((expected,), ())
    link = user.home / "link.json"
    link.symlink_to(path)
    assert user.found(str(link)) == Sources((expected,), ())


@pytest.mark.parametrize(
    ("where", "key", "folder"),
    [
        ("work/.mcp.json", "mcpServers", None),
        ("other/.mcp.json", "mcpServers", "other"),
        ("other/.cursor/mcp.json", "mcpServers", "other"),
        ("other/.vscode/mcp.json", "servers", "other"),
        ("other/servers.json", "servers", None),
        ("work/copy.json", "mcpServers", None),
    ],
)
def test_any_other_file_may_be_somebody_elses(
    user: User, where: str, key: str, folder: str | None
) -> None:
    path = user.file(where, {key: {"a": {**PLAIN, "env": {"API_KEY": "abc"}}}})
    cwd = None if folder is None else str(user.home / folder)
    inside = "" if cwd is None else f"; in {cwd}"
    assert user.found(path) == Sources(
        (
            Source(
                "a",
                ("npx", "-y", "server"),
                env={"API_KEY": "abc"},
                cwd=cwd,
                shown=f"npx -y server (env: API_KEY=…{inside})",
                foreign=True,
            ),
        ),
        (),
    )


def test_entries_of_the_nearest_directory_go_before_those_of_the_user(user: User) -> None:
    inner = user.work / "inner"
    inner.mkdir()
    path = user.file(
        ".claude.json",
        {
            "mcpServers": {"a": {"command": "user-a"}, "b": {"command": "user-b"}},
            "projects": {
                str(user.work): {"mcpServers": {"a": {"command": "work-a"}, "c": {"command": "c"}}},
                str(inner): {
                    "mcpServers": {"a": {"command": "inner-a"}},
                    "disabledMcpServers": ["c"],
                },
                "/elsewhere": {"mcpServers": {"d": {"command": "d"}}},
            },
        },
    )
    nearer = "an entry of this name for a nearer directory goes before it"

    def told(here: Path) -> Any:
        found = user.found(path, here)
        return [(one.name, one.command) for one in found.sources], list(found.left_out)

    assert told(inner) == (
        [("a", ("inner-a",)), ("b", ("user-b",))],
        [("a", nearer), ("c", "it is disabled for this directory"), ("a", nearer)],
    )
    assert told(user.work) == (
        [("a", ("work-a",)), ("c", ("c",)), ("b", ("user-b",))],
        [("a", nearer)],
    )
    assert told(user.home)[0] == [("a", ("user-a",)), ("b", ("user-b",))]


def test_comments_are_read_where_the_client_allows_them(user: User) -> None:
    text = '{\n// mine\n"servers": {"a": {"command": "x", /* no */ "args": [],},},\n}'
    path = user.file("work/.vscode/mcp.json", text)
    assert [one.command for one in user.found(path).sources] == [("x",)]
    with pytest.raises(ConfigRefused):
        user.found(user.file(".claude.json", text))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("{", "it does not parse: line 1: Expecting property name enclosed in double quotes"),
        ("", "it does not parse: line 1: Expecting value"),
        ('{"mcpServers": {}, "mcpServers": {}}', "it names 'mcpServers' twice in one object; leave one of them"),
        ('{"mcpServers": {"a": {}, "a": {}}}', "it names 'a' twice in one object; leave one of them"),
        ("{}", "it names no servers: mcpServers or servers is not in it"),
        ("[]", "it names no servers: mcpServers or servers is not in it"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_configuration_says_where_and_why(
    user: User, text: str, reason: str
) -> None:
    path = user.file("work/servers.json", text)
    with pytest.raises(ConfigRefused) as caught:
        user.found(path)
    assert str(caught.value) == f"{path}: {reason}"


def test_a_file_that_is_not_there_is_refused(user: User) -> None:
    gone = str(user.home / "gone.json")
    with pytest.raises(ConfigRefused) as caught:
        user.found(gone)
    assert str(caught.value) == f"{gone}: no such file"


def test_a_configuration_without_servers_has_none(user: User) -> None:
    assert user.found(user.file("work/.mcp.json", {"mcpServers": {}})) == Sources((), ())


def test_one_entry_that_cannot_be_started_keeps_no_other_from_it(user: User) -> None:
    path = user.file(
        "work/.mcp.json",
        {
            "mcpServers": {
                "old": {"type": "sse", "url": "https://x.example/sse"},
                "good": PLAIN,
                "odd": 7,
                "twice": {"url": "https://u:p@x.example/"},
                "header": {"url": "https://x.example/", "headers": {"Host": "y"}},
                "bare": {"url": "ftp://x.example/"},
                "unset": {"command": "x", "env": {"KEY": "${NOBODY}"}},
            }
        },
    )
    found = user.found(path)
    assert [one.name for one in found.sources] == ["good"]
    assert found.left_out == (
        ("old", "it uses the old transport (sse), which is not spoken here"),
        ("odd", "it is no object"),
        (
            "twice",
            "leave out the name and password; ECONOME_UPSTREAM_HEADERS can hold a header",
        ),
        ("header", "its headers: Host: the protocol sets this header; leave it out"),
        ("bare", "give the http:// or https:// URL of an MCP endpoint"),
        ("unset", "the variable NOBODY is not set"),
    )


def test_no_value_of_a_variable_stands_in_what_is_shown(user: User) -> None:
    entries = {
        "a": {"command": "x", "args": ["--key", "${TOKEN}"], "env": {"K": "${TOKEN}"}},
        "b": {"url": "https://x.example/${TOKEN}", "headers": {"Authorization": "B ${TOKEN}"}},
    }
    for where in ("work/.mcp.json", ".cursor/mcp.json"):
        found = user.found(user.file(where, {"mcpServers": entries}))
        assert [one.command or one.url for one in found.sources] == [
            ("x", "--key", "s3cret"),
            "https://x.example/s3cret",
        ]
        assert "s3cret" not in "".join(one.shown for one in found.sources)


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (PLAIN, ("npx -y server", {}, {}, None)),
        ({"command": "x", "cwd": "sub"}, ("x", {}, {}, "/home/me/work/sub")),
        ({"command": "x", "cwd": "${DIR}/sub"}, ("x", {}, {}, "/srv/sub")),
        ({"command": "${DIR}/x"}, ("/srv/x", {}, {}, None)),
        ({"command": "x", "args": ["${NO:-a b}${TOKEN:-no}"]}, ("x a bs3cret", {}, {}, None)),
        ({"command": "x", "args": ["${EMPTY:-b}", "${NO:-}"]}, ("x b ", {}, {}, None)),
        ({"command": "x", "args": ["${NO:-a:-b}"]}, ("x a:-b", {}, {}, None)),
        ({"command": "x", "args": ["$TOKEN $$"]}, ("x $TOKEN $$", {}, {}, None)),
        ({"command": "x", "env": {"A": "${env:TOKEN}", "B": 7, "C": None}},
         ("x", {}, {"A": "s3cret", "B": "7"}, None)),
        ({"command": "x", "args": ["${workspaceFolder}${/}a", "${userHome}", "${workspaceFolderBasename}"]},
         ("x /home/me/work/a /home/me work", {}, {}, None)),
        ({"type": "http", "url": "https://x.example/${DIR}", "headers": {"A": "Bearer ${TOKEN}"}},
         ("https://x.example//srv", {"A": "Bearer s3cret"}, {}, None)),
        ({"type": "streamable-http", "url": "https://x.example/sse"},
         ("https://x.example/sse", {}, {}, None)),
        ({"command": "econome", "args": ["mcp"]}, ("econome mcp", {}, {}, None)),
        ({"command": "/opt/bin/econome", "args": ["proxy", "--name", "a", "--", "npx", "-y", "b", "--", "c"],
          "env": {"T": "${TOKEN}"}, "cwd": "/tmp"},
         ("npx -y b -- c", {}, {"T": "s3cret"}, "/tmp")),
        ({"command": "python", "args": ["-m", "econome", "proxy", "--url", "https://x.example/m"],
          "env": {"ECONOME_UPSTREAM_HEADERS": '{"A":"Bearer ${TOKEN}"}', "B": "c"}},
         ("https://x.example/m", {"A": "Bearer s3cret"}, {"B": "c"}, None)),
        ({"command": "econome", "args": ["proxy", "--name=a", "--url=https://x.example/m?a=b"]},
         ("https://x.example/m?a=b", {}, {}, None)),
        ({"command": "econome", "args": ["proxy", "--name", "a"]},
         "it goes through the proxy, and nothing in it says to which server"),
        ({"command": "econome", "args": ["proxy", "--"]},
         "it goes through the proxy, and nothing in it says to which server"),
        ({"command": "econome", "args": ["proxy", "--url", "https://x.example/m"],
          "env": {"ECONOME_UPSTREAM_HEADERS": "{"}},
         "its ECONOME_UPSTREAM_HEADERS is no JSON object of texts"),
        ({"command": "x", "args": ["${NO}"]}, "the variable NO is not set"),
        ({"command": "x", "args": ["${EMPTY}"]}, "the variable EMPTY is not set"),
        ({"command": "x", "args": ["${env:NO}"]}, "the variable NO is not set"),
        ({"command": "x", "env": {"A": "${input:key}"}},
         "it asks for an input (key), which only its client can"),
        ({"command": "x", "args": ["${config:a.b}"]},
         "it refers to ${config:a.b}, which only its client knows"),
        ({"command": "x", "args": ["${}"]}, "it refers to ${}, which only its client knows"),
        ({"command": "x", "disabled": True}, "it is disabled"),
        ({"command": "x", "enabled": False}, "it is disabled"),
        ({"url": "https://x.example/sse"}, "it uses the old transport (sse), which is not spoken here"),
        ({"type": "ws", "url": "wss://x.example/"}, "its transport (ws) is not spoken here"),
        ({"url": "https://x.example/", "oauth": {}},
         "its client logs in for it (oauth), which cannot be done here"),
        ({"command": "x", "sandboxEnabled": True},
         "its client runs it in a sandbox, and here it would run without one"),
        ({"command": "x", "envFile": ".env"},
         "it takes variables from a file (envFile), which is not read here"),
        ({"type": "http", "url": "https://x.example/", "command": "x"},
         "it has a command and a url; leave one of them"),
        ({"type": "http"}, "it has neither a command nor a url"),
        ({}, "it has neither a command nor a url"),
        ({"command": ""}, "it has neither a command nor a url"),
        ({"command": "npx -y x"}, "its command is a whole line; divide it into command and args"),
        ({"command": "x", "args": "y"}, "its args are no list of texts"),
        ({"command": "x", "cwd": 7}, "its cwd is no text"),
        ({"command": "x", "env": []}, "its env is no object of texts"),
        ({"command": "x", "env": {"A": True}}, "its env is no object of texts"),
        ({"url": "https://x.example/", "headers": {"A": ["b"]}}, "its headers is no object of texts"),
    ],
)  # fmt: skip
def test_an_entry_comes_to_what_its_client_would_start(entry: Any, expected: Any) -> None:
    assert _started(entry) == expected


def test_a_client_that_fills_nothing_in_is_taken_at_its_word(user: User) -> None:
    entry = {"command": "x", "args": ["${TOKEN}", "${no such}"]}
    assert _started(entry, expands=False) == ("x ${TOKEN} ${no such}", {}, {}, None)
    path = user.file(".config/Claude/claude_desktop_config.json", {"mcpServers": {"a": entry}})
    assert user.found(path).sources[0].command == ("x", "${TOKEN}", "${no such}")


_WORDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=12)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | _WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_WORDS, inner, max_size=3),
    max_leaves=8,
)
_FIELDS = st.sampled_from(
    ["type", "command", "args", "url", "env", "headers", "cwd", "disabled", "oauth", "x"]
)


@given(st.dictionaries(_FIELDS, _VALUES, max_size=6))
def test_no_entry_is_too_odd_to_be_started_or_left_out(entry: dict[str, Any]) -> None:
    found = _started(entry)
    assert isinstance(found, str) or isinstance(found[0], str)


@given(st.lists(_WORDS.filter(lambda word: "${" not in word), max_size=4))
def test_words_that_refer_to_nothing_stay_as_they_are(words: list[str]) -> None:
    start = start_of(read_entry(json.dumps({"command": "x", "args": ["a", *words]})), _around())
    assert start.command == ("x", "a", *words)


def test_the_environment_of_this_process_is_not_looked_at(
    user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(os.environ, "NOBODY", "here")
    path = user.file("work/.mcp.json", {"mcpServers": {"a": {"command": "${NOBODY}"}}})
    assert user.found(path).left_out == (("a", "the variable NOBODY is not set"),)
