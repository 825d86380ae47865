"""The benchmark of locks can be believed: its large server is the same at every run, and its checks find what they are for."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import bench.lock
from bench.lock.locking import Locked, differences
from bench.lock.page import Found, bars, page
from bench.lock.servers import SERVERS, Places, command, environment
from bench.lock.speed import BARE, Speed, Way
from bench.lock.upgrading import Tried, Upgrade, differing, misjudged, refused
from tests.contract import many
from tests.contract.many import NOUNS, TOOLS, VERBS, changed, tools
from tests.requirements import requirement

pytestmark = requirement("L16", "L17")

MANY = Path(many.__file__)
BARE_CLIENT = Path(bench.lock.__file__).with_name("bare.py")

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def _size(value: object) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def test_the_large_server_has_741_tools_that_are_the_same_at_every_run() -> None:
    made = tools()
    assert (len(made), len({one["name"] for one in made})) == (TOOLS, len(NOUNS) * len(VERBS))
    written = json.dumps(made, sort_keys=True).encode()
    assert hashlib.sha256(written).hexdigest()[:16] == "00e385a1767384bf"


@pytest.mark.slow
def test_the_large_server_has_schemas_of_a_real_size_that_are_valid() -> None:
    sizes = [_size(one["inputSchema"]) for one in tools()]
    assert 500 <= sum(sizes) / len(sizes) <= 700
    assert (min(sizes), max(sizes)) == (295, 915)
    for one in (*tools(), *changed(tools(), "all")):
        Draft202012Validator.check_schema(one["inputSchema"])


@pytest.mark.parametrize(
    "how, schemas, texts", [("none", 0, 0), ("texts", 0, TOOLS), ("all", TOOLS, TOOLS)]
)
def test_a_later_version_of_the_large_server_changes_all_that_it_says(
    how: str, schemas: int, texts: int
) -> None:
    pairs = list(zip(tools(), changed(tools(), how), strict=True))
    different = [
        sum(old[key] != new[key] for old, new in pairs) for key in ("inputSchema", "description")
    ]
    assert different == [schemas, texts]
    assert tools() == [old for old, _ in pairs]


@pytest.mark.parametrize("pages", [TOOLS, 100])
def test_the_large_server_answers_a_bare_client_page_by_page(pages: int) -> None:
    words = [sys.executable, str(BARE_CLIENT), sys.executable, str(MANY), "--pages", str(pages)]
    done = subprocess.run(words, capture_output=True, encoding="utf-8", check=True)
    assert done.stdout == f"{pages}\n"


@given(values)
def test_a_value_does_not_differ_from_itself(value: Any) -> None:
    assert list(differences(value, json.loads(json.dumps(value)))) == []


@given(values, values)
def test_values_that_are_written_otherwise_differ_somewhere(one: Any, other: Any) -> None:
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    assert (list(differences(one, other)) == []) == same


def test_differences_are_told_by_their_place() -> None:
    one = {"a": [1, {"b/c": 2}], "d": 1, "e": True}
    other = {"a": [1, {"b/c": 3}], "e": 1, "f": 0}
    assert list(differences(one, other)) == ["/a/1/b~1c", "/d", "/e", "/f"]


def test_tools_that_are_gone_new_or_written_otherwise_are_those_that_differ() -> None:
    old: list[dict[str, Any]] = [
        {"name": "a", "x": 1, "y": 2},
        {"name": "b"},
        {"name": "c"},
        {"name": "d", "_meta": 1},
    ]
    new: list[dict[str, Any]] = [
        {"y": 2, "x": 1, "name": "a"},
        {"name": "b", "x": 1},
        {"name": "d"},
        {"name": "e"},
    ]
    assert differing(old, new) == {"b", "c", "e"}


@pytest.mark.parametrize(
    "kind, call, wrong",
    [
        ("call-refused", {"n": 1}, []),
        ("call-refused", {"n": 2}, ["t"]),
        ("call-refused", {"n": ""}, ["t"]),
        ("call-widened", {"n": 3}, []),
        ("call-widened", {"n": 1}, ["t"]),
    ],
)
def test_a_shown_call_that_a_validator_judges_otherwise_is_found(
    kind: str, call: dict[str, Any], wrong: list[str]
) -> None:
    old, new = (
        [{"name": "t", "inputSchema": {"properties": {"n": {"type": "integer", **bounds}}}}]
        for bounds in ({"maximum": 2}, {"minimum": 2})
    )
    shown = [{"kind": kind, "name": "t", "witness": call}]
    assert list(misjudged(shown, old, new)) == wrong


@pytest.mark.parametrize(
    "text, says",
    [
        ("MCP error -32602: Input validation error: Invalid arguments for tool echo", True),
        ("1 validation error for echoArguments", True),
        ("ENOENT: no such file or directory", False),
    ],
)
def test_only_an_error_about_arguments_is_a_refusal(text: str, says: bool) -> None:
    content = [{"type": "text", "text": text}]
    assert refused({"content": content, "isError": True}) is says
    assert refused({"content": content}) is False


def test_a_server_is_given_the_data_folder_and_nothing_of_the_user(tmp_path: Path) -> None:
    places = Places(tmp_path / "servers", tmp_path / "data", tmp_path / "home")
    for server in SERVERS:
        said = [*command(server, "now", places), *environment(server, places).values()]
        assert not any("{data}" in one for one in said)
        own = {"PATH", "HOME", "LC_ALL", "TZ"} | server.variables.keys()
        assert environment(server, places).keys() == own
        assert server.version("before") != server.version("now")


def _locked(*differ: str) -> Locked:
    return Locked(SERVERS[0], 3, 1, 1200, "low", 5000, 0.5, differ)


def _finding(kind: str, severity: str) -> dict[str, Any]:
    return {"kind": kind, "severity": severity, "subject": "tool", "name": "t"}


def _upgrade(*tried: Tried) -> Upgrade:
    findings = (_finding("call-refused", "BREAKING"), _finding("text-reworded", "COSMETIC"))
    return Upgrade(SERVERS[0], 1, findings, (), (), 2, (), tried, (100, 90), 0.7)


def _speed(ours: float) -> Speed:
    ways = (
        Way(BARE, "nothing changed", (0.1, 0.1, 0.2), (0.1,), 0),
        Way("econome lock --check", "nothing changed", (ours, ours, ours + 0.1), (ours,), 0),
    )
    return Speed(ways, 741, 700_000, (1.0,), (3.0,), 0.9)


HELD = Tried("t", {}, before=False, now=True)
GOOD = Found((_locked(),) * 10, (_upgrade(HELD),), _speed(0.4))


def test_the_bars_are_met_where_all_is_as_asked() -> None:
    shown = [(bar.measured, bar.met) for bar in bars(GOOD)]
    assert shown == [
        ("10", True),
        ("0", True),
        ("0", True),
        ("0 of 2", True),
        ("1 of 1", True),
        ("0.30", True),
    ]


@pytest.mark.parametrize(
    "found, missed",
    [
        (replace(GOOD, locked=(_locked(),) * 9), 0),
        (replace(GOOD, locked=(*GOOD.locked, _locked("/instructions"))), 1),
        (replace(GOOD, upgrades=(replace(_upgrade(HELD), untold=("u",)),)), 2),
        (replace(GOOD, upgrades=(replace(_upgrade(HELD), groundless=("t",)),)), 2),
        (replace(GOOD, upgrades=(replace(_upgrade(HELD), misjudged=("t",)),)), 3),
        (replace(GOOD, upgrades=(_upgrade(HELD, replace(HELD, before=True)),)), 4),
        (replace(GOOD, upgrades=(_upgrade(replace(HELD, now=False)),)), 4),
        (replace(GOOD, speed=_speed(0.7)), 5),
    ],
)
def test_each_thing_that_is_not_as_asked_misses_its_bar(found: Found, missed: int) -> None:
    assert [number for number, bar in enumerate(bars(found)) if not bar.met] == [missed]


def test_a_tool_of_which_the_earlier_list_names_no_argument_is_no_bar() -> None:
    silent = replace(HELD, before=True, named=False)
    shown = replace(GOOD, upgrades=(_upgrade(HELD, silent),))
    assert [bar.measured for bar in bars(shown)][4] == "1 of 1"
    assert f"| {SERVERS[0].name} | none | 2 | 1 | 2 | 1 | 1 |" in page(shown)


def test_a_page_has_the_same_cells_in_every_row_of_a_table() -> None:
    lines = page(GOOD).splitlines()
    tables: list[set[int]] = [set()]
    for line in lines:
        if line.startswith("|"):
            tables[-1].add(line.count("|"))
        elif tables[-1]:
            tables.append(set())
    assert [len(table) for table in tables if table] == [1] * 5
    assert not any("{" in line for line in lines)
    assert f"| {SERVERS[0].name} | none | 1 | 1 | 1 | 1 | 0 |" in lines


def test_a_page_without_times_has_no_word_of_them() -> None:
    shown = page(replace(GOOD, speed=None))
    assert "## Time" not in shown
    assert "adds to a bare client" not in shown
