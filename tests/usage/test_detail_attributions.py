"""The slower pass: what Claude Code itself wrote a response down to (F16)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.demo import tree as demo
from econome.usage import detail as d
from econome.usage.readers.claude_detail import refresh
from tests.builders import Row, assistant, lines
from tests.requirements import requirement
from tests.usage.details import SALT, SESSION, Place, at, call, ns

pytestmark = requirement("F16")

NAMES: Row = {
    "attributionAgent": "Explore",
    "attributionSkill": "shop:review",
    "attributionPlugin": "shop",
    "attributionMcpServer": "Claude Browser",
    "attributionMcpTool": "open_page",
}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def said(name: str = "a", minutes: float = 0, **more: Any) -> Row:
    return assistant(name, time=at(minutes), **{"sessionId": SESSION, **more})


def found(place: Place, session: str | None = None) -> list[d.Attribution]:
    with place.refresh() as detail:
        return list(detail.attributions(session))


# One response


def test_a_response_keeps_the_names_as_they_were_written(place: Place) -> None:
    place.write(said(**NAMES, version="2.1.230"), said("b", 1))
    assert found(place) == [
        d.Attribution(
            response=d.response_key("msg_01a", "req_011a", None),
            agent="Explore",
            skill="shop:review",
            plugin="shop",
            mcp_server="Claude Browser",
            mcp_tool="open_page",
            session=SESSION,
            at_ns=ns(0),
            version="2.1.230",
        )
    ]


def test_an_attribution_and_a_call_of_one_response_have_one_key(place: Place) -> None:
    """Without a request, both leave it open; the usage index puts counters in its place."""
    loose = call("toolu_01B", attributionSkill="write")
    loose["message"]["id"] = "msg_2"
    del loose["requestId"]
    place.write(call(attributionSkill="review"), loose)
    with place.refresh() as detail:
        called = {one.response for one in detail.calls()}
        assert {one.response for one in detail.attributions()} == called
    assert {key and key[1] for key in called} == {"req_011a", None}


@pytest.mark.parametrize("key", sorted(NAMES))
@pytest.mark.parametrize(
    "value, kept",
    [
        ("x-y_z.1:w", "x-y_z.1:w"),
        ("This is a whole sentence.", "invalid"),
        ("a\nb", "invalid"),
        ("h\u00e9", "invalid"),
        ("x" * 129, "invalid"),
        ("a  b", "invalid"),
        ("", None),
        (None, None),
        (7, None),
        (["x"], None),
    ],
)
def test_a_name_that_is_none_is_called_invalid_or_passed_over(
    place: Place, key: str, value: Any, kept: str | None
) -> None:
    place.write(said() | {key: value})
    names = [
        (one.agent, one.skill, one.plugin, one.mcp_server, one.mcp_tool) for one in found(place)
    ]
    assert names == ([] if kept is None else [tuple(kept if k == key else "" for k in NAMES)])


@pytest.mark.parametrize(
    "server, kept",
    [
        ("claude.ai Google Drive", "claude.ai Google Drive"),
        ("plugin:shop:stock", "plugin:shop:stock"),
        ("one of four words", "one of four words"),
        ("one of more than four words", "invalid"),
        (" ", "invalid"),
        ("a (b)", "invalid"),
        ("x" * 100 + " " + "x" * 100, "invalid"),
    ],
)
def test_only_a_server_may_have_a_few_words_for_a_name(
    place: Place, server: str, kept: str
) -> None:
    place.write(said(attributionMcpServer=server, attributionMcpTool="a b"))
    assert [(one.mcp_server, one.mcp_tool) for one in found(place)] == [(kept, "invalid")]


@pytest.mark.parametrize(
    "names, version, consumed",
    [
        (NAMES, "2.1.222", True),
        (NAMES, "2.1.222-beta.1", True),
        (NAMES, "2.2", True),
        (NAMES, "10.0.0", True),
        (NAMES, "2.1.221", None),
        (NAMES, "2.1.99", None),
        (NAMES, "soon", None),
        (NAMES, "", None),
        (NAMES, None, None),
        ({"attributionMcpTool": "open_page"}, "2.1.221", None),
        ({"attributionSkill": "review"}, "2.1.221", False),
        ({"attributionSkill": "review"}, "2.1.222", False),
    ],
)
def test_an_mcp_pair_is_sure_to_mark_the_consumer_since_2_1_222(
    place: Place, names: Row, version: str | None, consumed: bool | None
) -> None:
    place.write(said(**names, version=version))
    assert [(one.consumed_mcp, one.version) for one in found(place)] == [(consumed, version or "")]


@requirement("F1")
def test_what_is_no_response_has_no_attribution(place: Place) -> None:
    nothing = {"input_tokens": 0, "output_tokens": 0}
    place.write(
        said("a", **NAMES, model="<synthetic>"),
        said("b", **NAMES, usage=nothing, isApiErrorMessage=True),
        said("c", **NAMES, usage={"input_tokens": -1}),
        said("d", **NAMES, message={"usage": None}),
        said("e", **NAMES, type="user"),
        said("f", **NAMES, message={"id": None}, requestId=None, uuid=None),
    )
    assert [one.response for one in found(place)] == [None]


# Copies


@requirement("F2", "F5")
def test_a_response_counts_once_over_its_lines_and_copies(place: Place) -> None:
    other = "00000000-1111-4111-8111-111111111111"  # its path sorts first
    first, second = said(**NAMES), said(**NAMES, minutes=1, uuid="u-2")
    place.write(first, second)
    place.write(first, second, said("b", 5, sessionId=other), path=f"{other}.jsonl")
    helper = [row | {"isSidechain": True, "version": "2.1.1"} for row in (first, second)]
    place.write(*helper, path=f"{SESSION}/subagents/agent-acompact-1.jsonl")
    (one,) = found(place)
    assert (one.session, one.at_ns, one.version) == (SESSION, ns(0), "2.1.200")


def test_attributions_of_one_session_are_asked_for_by_its_id(place: Place) -> None:
    other = SESSION.replace("1", "2")
    place.write(said(attributionSkill="review"))
    place.write(
        said("b", 2, attributionSkill="write", sessionId=other),
        said("c", 1, attributionSkill="read", sessionId=other),
        path=f"{other}.jsonl",
    )
    assert [one.skill for one in found(place)] == ["review", "read", "write"]
    assert [one.skill for one in found(place, other)] == ["read", "write"]
    assert found(place, "nobody") == []


@requirement("F12")
def test_an_attribution_that_arrives_later_is_found_as_by_a_fresh_reading(
    place: Place, tmp_path: Path
) -> None:
    rows = [said("a", **NAMES), said("b", 1), said("b", 1, uuid="u-2", attributionSkill="late")]
    whole = lines(rows)
    file = place.write()
    sizes = []
    for end in range(0, len(whole) + 1, 97):
        file.write_bytes(whole[:end])
        warm = found(place)
        with refresh([place.root], tmp_path / "data" / f"{end}.db", SALT) as detail:
            assert warm == list(detail.attributions())
        sizes.append(len(warm))
    file.write_bytes(whole)
    assert sorted({*sizes, len(found(place))}) == [0, 1, 2]


def test_a_tree_gives_the_same_attributions_as_a_slow_count(tmp_path: Path) -> None:
    tree = demo.write(tmp_path, 20_742)
    expected: dict[tuple[str, str], str] = {}
    for file in (tree.claude / "projects").rglob("*.jsonl"):
        for line in file.read_bytes().split(b"\n"):
            try:
                record = json.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict) and record.get("attributionAgent"):
                key = record["message"]["id"], record["requestId"]
                expected[key] = record["attributionAgent"]
    with refresh([tree.claude], tmp_path / "detail.db", SALT) as detail:
        attributions = list(detail.attributions())
    assert {one.response: one.agent for one in attributions} == {
        d.response_key(*key, None): agent for key, agent in expected.items()
    }
    assert len(attributions) == len(expected) > 100
