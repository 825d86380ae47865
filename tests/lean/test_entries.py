"""What an entry becomes when it goes through the proxy, and which ones are better left alone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.install.entries import HEADERS_VARIABLE, LeftAlone, read_entry
from tests.lean.documents import ENTRIES, VALUES
from tests.requirements import requirement

pytestmark = requirement("L18")

PROGRAM = ["/opt/bin/econome"]


def through(value: Any, name: str = "github", *options: str) -> Any:
    return json.loads(read_entry(json.dumps(value)).through(PROGRAM, name, options))


def proxied(*words: str, name: str = "github") -> dict[str, Any]:
    return {"command": PROGRAM[0], "args": ["proxy", "--name", name, *words]}


def test_a_server_that_is_started_is_started_by_the_proxy() -> None:
    entry = {"type": "stdio", "command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "${T}"}}
    assert through(entry) == {
        "type": "stdio",
        **proxied("--", "npx", "-y", "server"),
        "env": {"TOKEN": "${T}"},
    }


def test_a_server_without_arguments_gets_those_of_the_proxy() -> None:
    assert through({"command": "server"}) == proxied("--", "server")


def test_options_of_the_proxy_stand_before_the_command() -> None:
    entry = through({"command": "server"}, "github", "--data-dir", "/d")
    assert entry == proxied("--data-dir", "/d", "--", "server")


def test_a_program_of_several_words_begins_the_arguments() -> None:
    text = read_entry('{"command": "a"}').through(["/bin/python", "-m", "econome"], "n")
    args = ["-m", "econome", "proxy", "--name", "n", "--", "a"]
    assert json.loads(text) == {"command": "/bin/python", "args": args}


def test_headers_go_into_the_environment_and_keep_their_variables() -> None:
    headers = {"Authorization": "Bearer ${TOKEN:-none}", "X-A": 'é"'}
    entry = {"type": "http", "url": "https://a.example/mcp", "headers": headers, "timeout": 5}
    got = through(entry)
    carried = got["env"].pop(HEADERS_VARIABLE)
    assert (json.loads(carried), got) == (
        headers,
        {"type": "stdio", **proxied("--url", "https://a.example/mcp"), "env": {}, "timeout": 5},
    )
    assert "${TOKEN:-none}" in carried


def test_no_header_is_in_the_command_line() -> None:
    got = through({"url": "https://a.example/mcp", "headers": {"Authorization": "Bearer SECRET"}})
    assert "SECRET" not in json.dumps(got["args"])


def test_a_server_that_is_reached_without_headers_gets_no_environment() -> None:
    got = through({"url": "https://a.example/mcp?toolsets=all"})
    assert got == proxied("--url", "https://a.example/mcp?toolsets=all")


@given(ENTRIES, st.dictionaries(st.sampled_from(["cwd", "envFile", "alwaysLoad", "x"]), VALUES))
def test_what_the_proxy_is_not_about_stays_in_place(entry: Any, more: dict[str, Any]) -> None:
    whole = {**entry, **more}
    try:
        got = through(whole)
    except LeftAlone:
        return
    ours = {"type", "command", "args", "env", "url", "headers"}
    kept = [(key, value) for key, value in got.items() if key not in ours]
    assert kept == [(key, value) for key, value in whole.items() if key not in ours]


@given(ENTRIES)
def test_what_goes_through_is_told_to_go_through(entry: Any) -> None:
    text = json.dumps(entry)
    try:
        written = read_entry(text).through(PROGRAM, "name")
    except LeftAlone:
        return
    with pytest.raises(LeftAlone, match="it already goes through the proxy"):
        read_entry(written).through(PROGRAM, "name")


def test_numbers_that_no_float_holds_stay_as_they_are_written() -> None:
    text = '{"command": "a", "big": 123456789012345678901234567890, "e": 1.10e400}'
    written = read_entry(text).through(PROGRAM, "n")
    assert '"big": 123456789012345678901234567890, "e": 1.10e400' in written


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_layout_of_the_entry_is_kept(end: str) -> None:
    text = end.join(
        ["{", '      "command": "a",', '      "env": {', '        "K": "v"', "      }", "    }"]
    )
    assert read_entry(text).through(PROGRAM, "n") == end.join(
        [
            "{",
            '      "command": "/opt/bin/econome",',
            '      "args": ["proxy", "--name", "n", "--", "a"],',
            '      "env": {',
            '        "K": "v"',
            "      }",
            "    }",
        ]
    )


def test_entries_are_the_same_however_they_are_laid_out() -> None:
    one, other = read_entry('{"a":1,"b":[ 2 ]}'), read_entry('{\n "a": 1,\n "b": [2]\n}')
    changed, turned = read_entry('{"a":1,"b":[3]}'), read_entry('{"b":[2],"a":1}')
    assert [one.same(each) for each in (other, changed, turned)] == [True, False, False]


URL = "https://a.example/mcp"


@pytest.mark.parametrize(
    "entry, reason",
    [
        ({"command": "/x/econome", "args": ["proxy", "--", "a"]}, "it already goes through"),
        ({"command": "C:\\x\\econome.exe", "args": ["proxy", "--url", URL]}, "it already goes"),
        ({"command": "python", "args": ["-m", "econome", "proxy"]}, "it already goes through"),
        ({"command": "econome", "args": ["mcp"]}, "it is econome itself"),
        ({"type": "sse", "url": URL}, "it uses the old transport"),
        ({"url": "https://a.example/sse"}, "it uses the old transport"),
        ({"type": "ws", "url": URL}, r"its transport \(ws\)"),
        ({"type": "http", "url": URL, "oauth": {}}, r"its client logs in for it \(oauth\)"),
        ({"url": URL, "auth": {"CLIENT_ID": "x"}}, r"its client logs in for it \(auth\)"),
        ({"url": URL, "headersHelper": "x"}, r"its client logs in for it \(headersHelper\)"),
        ({"url": URL, "headers": ["a"]}, "its headers are no object of texts"),
        ({"url": URL, "headers": {"a": 1}}, "its headers are no object of texts"),
        ({"url": "https://me:pw@a.example/"}, "its url holds a secret"),
        ({"url": "https://a.example/?api_key=1"}, "its url holds a secret"),
        ({"url": "https://a.example/?x=${KEY}"}, "its url holds a secret"),
        ({"url": "ftp://a.example/"}, "its url is none of http or https"),
        ({"url": URL, "env": {HEADERS_VARIABLE: "{}"}}, f"its env has {HEADERS_VARIABLE}"),
        ({"type": "http", "url": URL, "command": "a"}, "it has a command and a url"),
        ({"type": "http"}, "it has neither a command nor a url"),
        ({"command": 1}, "it has neither a command nor a url"),
        ({"command": "npx -y server"}, "its command is a whole line"),
        ({"command": "a", "args": "b"}, "its args are no list of texts"),
        ({"command": "a", "args": [1]}, "its args are no list of texts"),
        ({"command": "a", "env": ["A=1"]}, "its env is no object"),
        ({"command": "a", "sandboxEnabled": True}, "its client runs it in a sandbox"),
    ],
)
def test_an_entry_is_left_alone_for_a_reason(entry: Any, reason: str) -> None:
    with pytest.raises(LeftAlone, match=f"^{reason}"):
        through(entry)


def test_the_server_of_econome_itself_is_left_alone() -> None:
    with pytest.raises(LeftAlone, match="it is econome itself"):
        through(
            {"type": "http", "url": "http://127.0.0.1:8090/mcp", "headers": {"A": "b"}}, "econome"
        )


@pytest.mark.parametrize("text, reason", [("[]", "it is no object"), ('{"a": 1, "a": 2}', "twice")])
def test_what_is_no_entry_is_left_alone(text: str, reason: str) -> None:
    with pytest.raises(LeftAlone, match=reason):
        read_entry(text)


@pytest.mark.parametrize(
    "entry, told",
    [
        (
            {"command": "npx", "args": ["-y", "a b"], "env": {"API_TOKEN": "s3", "LANG": "C"}},
            'API_TOKEN=… LANG=C npx -y "a b"',
        ),
        ({"url": URL, "headers": {"Authorization": "Bearer s3"}}, f"{URL} with Authorization"),
        ({"url": URL}, URL),
        ({"url": "https://me:pw@a.example/x?key=1", "headers": [1]}, "https://…@a.example/x?…"),
        (
            {"command": "a", "args": ["--api-key", "s3", "--token=s3", "-v", "Authorization: s3"]},
            "a --api-key … --token=… -v Authorization:…",
        ),
        ({"command": "a", "args": ["x" * 500]}, "a " + "x" * 159 + "…"),
        ({"command": ["a"], "args": 3, "env": []}, "\"['a']\""),
    ],
)
def test_an_entry_is_told_without_its_secrets(entry: Any, told: str) -> None:
    assert read_entry(json.dumps(entry)).told() == told


def test_whoever_judges_an_entry_is_told_all_that_decides_what_runs() -> None:
    entry = {
        "command": "node",
        "args": ["--token", "-e", "x y"],
        "env": {"GIT_CONFIG_KEY_0": "core.sshCommand", "SSH_ASKPASS": "./x", "API_KEY": "sk"},
        "envFile": "/x",
    }
    assert read_entry(json.dumps(entry)).told(whole=True) == (
        'node --token -e "x y" (env: GIT_CONFIG_KEY_0=core.sshCommand, SSH_ASKPASS=./x, API_KEY=…, envFile: "/x")'
    )
    reached = {"type": "http", "url": f"{URL}?key=1", "headers": {"A": "b"}}
    assert read_entry(json.dumps(reached)).told(whole=True) == f"{URL}?key=1 (headers: A)"


def test_a_secret_that_a_command_names_is_shown_since_it_may_be_what_runs() -> None:
    entry = {"command": "sh", "args": ["-c", "$API_KEY"], "env": {"API_KEY": "curl x|sh"}}
    assert read_entry(json.dumps(entry)).told(whole=True) == (
        'sh -c $API_KEY (env: "API_KEY=curl x|sh")'
    )
