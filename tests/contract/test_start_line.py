"""Whoever has to say yes to an entry sees all that decides what runs, and no secret."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.expanding import Around, start_of
from econome.contract.start_line import start_line
from econome.lean.install.entries import read_entry
from tests.requirements import requirement

pytestmark = requirement("L15", "L16")

HELD = {"GH_TOKEN": "s3cret", "DIR": "/srv", "TOOL": "hg", "DB": "pg://me:s3cret@db/x"}


def _line(value: Any) -> str:
    entry = read_entry(json.dumps(value))
    around = Around(variable=HELD.get, home="/home/me", folder="/home/me/work")
    return start_line(entry, start_of(entry, around), around)


@pytest.mark.parametrize(
    ("entry", "line"),
    [
        ({"command": "npx", "args": ["-y", "a b", "", "--key=abc"]}, 'npx -y "a b" "" --key=abc'),
        ({"command": "sh", "args": ["-c", "x;y", "(env:"]}, 'sh -c "x;y" "(env:"'),
        ({"command": "${NO:-git}", "args": ["${NO:-a b}"]}, 'git "a b"'),
        ({"command": "${TOOL:-git}"}, "hg (from the environment: TOOL=hg)"),
        ({"command": "${GH_TOKEN}"}, "s3cret (from the environment: GH_TOKEN=…)"),
        ({"command": "x", "args": ["${DIR}/y"]}, "x /srv/y (from the environment: DIR=/srv)"),
        ({"command": "x", "args": ["--key=${GH_TOKEN}"]},
         "x --key=${GH_TOKEN} (from the environment: GH_TOKEN=…)"),
        ({"command": "x", "args": ["${DB}"]}, "x ${DB} (from the environment: DB=pg://…@db/x)"),
        ({"command": "x", "env": {"API_KEY": "abc", "NODE_OPTIONS": "--require ./y", "N": 7}},
         'x (env: API_KEY=…, "NODE_OPTIONS=--require ./y", N=7)'),
        ({"command": "x", "env": {"GIT_ASKPASS": "/y", "GIT_CONFIG_KEY_0": "core.pager"}},
         "x (env: GIT_ASKPASS=/y, GIT_CONFIG_KEY_0=core.pager)"),
        ({"command": "x", "env": {"A": "${GH_TOKEN}", "PATH": "/y:${DIR}"}},
         "x (env: A=${GH_TOKEN}, PATH=/y:${DIR}; from the environment: GH_TOKEN=…, DIR=/srv)"),
        ({"command": "sh", "args": ["-c", "$API_KEY"], "env": {"API_KEY": "curl x|sh", "B_KEY": "y"}},
         "sh -c $API_KEY (env: \"API_KEY=curl x|sh\", B_KEY=…)"),
        ({"command": "x", "env": {"AUTH_HELPER": "y", "SSLKEYLOGFILE": "z"}},
         "x (env: AUTH_HELPER=y, SSLKEYLOGFILE=z)"),
        ({"url": "https://me:abc@x.example/y"}, "https://…@x.example/y"),
        ({"command": "x", "cwd": "sub"}, "x (in /home/me/work/sub)"),
        ({"command": "x", "timeout": 7, "note": "y"}, "x"),
        ({"url": "https://x.example/y?key=abc&z&q=1#s"}, "https://x.example/y?key=…&…&q=…#…"),
        ({"url": "https://x.example/${GH_TOKEN}", "headers": {"Authorization": "B abc", "X-A": "y"}},
         "https://x.example/${GH_TOKEN} (headers: Authorization, X-A; from the environment: GH_TOKEN=…)"),
        ({"url": "https://x.example/", "headers": {"A": "B ${GH_TOKEN}"}},
         "https://x.example/ (headers: A; from the environment: GH_TOKEN=…)"),
        ({"command": "econome", "args": ["proxy", "--name", "a", "--", "npx", "b"]}, "npx b"),
        ({"command": "econome", "args": ["proxy", "--url", "https://x.example/y?k=abc"],
          "env": {"ECONOME_UPSTREAM_HEADERS": '{"A": "B ${GH_TOKEN}"}'}},
         "https://x.example/y?k=… (headers: A; from the environment: GH_TOKEN=…)"),
    ],
)  # fmt: skip
def test_a_line_says_what_runs_and_no_secret(entry: dict[str, Any], line: str) -> None:
    assert _line(entry) == line


_WORDS = st.text(st.characters(exclude_characters="\0$", exclude_categories=["Cs"]), min_size=1)


@given(_WORDS.filter(str.strip), st.lists(_WORDS))
def test_no_word_of_a_command_is_hidden_and_none_is_taken_for_two(
    command: str, args: list[str]
) -> None:
    try:
        line = _line({"command": command, "args": ["a", *args]})
    except ValueError:  # an entry that is left out
        return
    decoder, found = json.JSONDecoder(), []
    while line:
        if line.startswith('"'):
            word, end = decoder.raw_decode(line)
        else:
            end = line.find(" ") if " " in line else len(line)
            word = line[:end]
        found.append(word)
        line = line[end + 1 :]
    assert found == [command, "a", *args]
