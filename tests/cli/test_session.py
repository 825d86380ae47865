"""`econome session`: one session in detail, and the list of the latest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.demo.tree import DemoTree
from tests.builders import Row, Tree, assistant, counts, returned
from tests.door import run
from tests.requirements import requirement

MODEL = "claude-haiku-4-5"


def _session(name: str = "s1") -> dict[str, Any]:
    ran = run("session", name, "--json")
    assert (ran.code, ran.err) == (0, "")
    answer: dict[str, Any] = json.loads(ran.out)
    return answer


def _tree(agents: list[dict[str, Any]]) -> list[Any]:
    """Return agents as [kind and id, own responses, children]."""
    return [
        [
            f"{row['agent']} {row['agent_id'] or ''}".strip(),
            row["responses"],
            _tree(row["children"]),
        ]
        for row in agents
    ]


def _cost_state(session: str, cost: object, **models: Row) -> Row:
    return {
        "type": "cost-state",
        "sessionId": session,
        "totalCostUSD": cost,
        "hasUnknownModelCost": False,
        "modelUsage": models,
    }


def test_the_answer_as_a_whole(tree: Tree) -> None:
    tree.main("s1", assistant("a", model=MODEL, time="2026-10-17T08:10:00.5Z"))
    tokens = {
        "input_tokens": 3, "output_tokens": 50, "cache_read_tokens": 1000,
        "cache_write_5m_tokens": 200, "cache_write_1h_tokens": 0, "web_searches": 0,
    }  # fmt: skip
    row = {"responses": 1, **tokens, "cost_usd": "0.000603", "partial": False}
    row["output_incomplete"] = 0
    answer = _session()
    del answer["prices"]
    assert answer == {
        "schema": "econome.session/1",
        "session": "s1",
        "source": "claude",
        "projects": ["/home/dev/shop"],
        "branches": ["main"],
        "first": "2026-10-17T08:10:00.500Z",
        "last": "2026-10-17T08:10:00.500Z",
        "total": row,
        "models": [{"model": MODEL, **row}],
        "agents": [
            {
                "agent": "main",
                "agent_id": None,
                **row,
                "with_children": {
                    "responses": 1, "cost_usd": "0.000603", "partial": False, "output_incomplete": 0,
                },
                "children": [],
            }
        ],
        "responses": [
            {
                "time": "2026-10-17T08:10:00.500Z",
                "model": MODEL,
                "agent": "main",
                "agent_id": None,
                **tokens,
                "cost_usd": "0.000603",
                "output_incomplete": False,
            }
        ],
        "refused": [],
        "recorded": None,
        "unpriced": [],
    }  # fmt: skip


def test_a_first_look_and_a_second_give_the_same(demo: DemoTree) -> None:
    session = json.loads(run("session", "--json", "--no-index").out)["sessions"][0]["session"]
    cold = run("session", session, "--json", "--no-index")
    assert run("session", session, "--json") == cold
    assert run("session", session, "--json") == cold


def test_the_sums_are_those_of_the_usage_report(demo: DemoTree) -> None:
    rows = json.loads(run("usage", "--by", "session", "--json").out)["rows"]
    listed = {row["session"]: row for row in json.loads(run("session", "--json").out)["sessions"]}
    assert listed.keys() == {row["session"] for row in rows}
    for row in rows[::7]:
        expected = {key: row[key] for key in row if key not in ("session", "sessions")}
        answer = _session(row["session"])
        assert answer["total"] == expected
        assert {key: listed[row["session"]][key] for key in expected} == expected
        assert sum(part["responses"] for part in answer["models"]) == expected["responses"]
        (main,) = answer["agents"]
        assert main["with_children"]["cost_usd"] == expected["cost_usd"]


@requirement("F10")
def test_a_nested_agent_stands_below_the_one_that_started_it(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-01-05T10:00:00Z"))
    tree.agent(
        "s1", "a1", assistant("b", time="2026-01-05T10:01:00Z"), returned("a2"),
        meta={"agentType": "Plan"},
    )  # fmt: skip
    tree.agent(
        "s1", "a2", assistant("c", time="2026-01-05T10:02:00Z"), meta={"agentType": "Explore"}
    )
    tree.agent(
        "s1", "a3", assistant("d", time="2026-01-05T10:03:00Z"),
        meta={"agentType": "Explore", "parentAgentId": "a2"},
    )  # fmt: skip
    assert _tree(_session()["agents"]) == [
        ["main", 1, [["Plan a1", 1, [["Explore a2", 1, [["Explore a3", 1, []]]]]]]]
    ]


@requirement("F5")
def test_a_compaction_file_that_repeats_a_call_started_nobody(tree: Tree) -> None:
    tree.main("s1", assistant("a"), returned("a1"))
    tree.agent("s1", "acompact-1", assistant("a"), returned("a1"), assistant("b"))
    tree.agent("s1", "a1", assistant("c"), meta={"agentType": "Plan"})
    (main,) = _session()["agents"]
    found = {row["agent"]: _tree(row["children"]) for row in main["children"]}
    assert found == {"compaction": [], "Plan": []}


def test_agents_that_name_each_other_as_parents_stand_below_the_main_thread(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    for name, parent in (("a1", "a2"), ("a2", "a1"), ("a3", "a3"), ("a4", "a9")):
        meta = {"agentType": "Plan", "parentAgentId": parent}
        tree.agent("s1", name, assistant(name), meta=meta)
    (main,) = _session()["agents"]
    assert sorted(row["agent_id"] for row in main["children"]) == ["a1", "a2", "a3", "a4"]


@requirement("F10")
def test_an_old_side_chain_in_the_main_file_stands_below_the_main_thread(tree: Tree) -> None:
    tree.main("s1", assistant("b", isSidechain=True, time="2026-01-05T09:00:00Z"), assistant("a"))
    assert _tree(_session()["agents"]) == [["main", 1, [["unknown", 1, []]]]]


@requirement("F6")
def test_an_advisor_stands_below_whom_it_advised_and_a_refused_attempt_apart(tree: Tree) -> None:
    advice = {"type": "advisor_message", "model": "claude-opus-5", **counts()}
    refused = {"type": "message", "model": "claude-opus-5", **counts(fresh=77)}
    answer = {"type": "fallback_message", "model": MODEL, **counts()}
    tree.main("s1", assistant("a", usage=counts(iterations=[advice])))
    tree.agent(
        "s1", "a1", assistant("b", usage=counts(iterations=[refused, answer])),
        meta={"agentType": "Plan"},
    )  # fmt: skip
    found = _session()
    assert _tree(found["agents"]) == [["main", 1, [["advisor", 1, []], ["Plan a1", 1, []]]]]
    assert [row["input_tokens"] for row in found["refused"]] == [77]
    assert found["total"]["responses"] == 3


@requirement("F15")
def test_the_largest_cost_record_is_compared_and_never_added(tree: Tree) -> None:
    used = {"inputTokens": 1_000_010, "outputTokens": 0, "cacheReadInputTokens": 0,
            "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 1.25}  # fmt: skip
    helper = {"inputTokens": 40, "costUSD": 0.5}
    tree.main(
        "s1",
        _cost_state("s1", 0.4),
        assistant("a", model=MODEL, usage=counts(1_000_000, 0, 0, 0)),
        _cost_state("s1", 1.75, **{MODEL: used, "claude-helper-0": helper}),
        _cost_state("s1", 1.2),
        _cost_state("other", 99),
        b'{"type":"cost-state","sessionId":"s1","totalCostUSD":"77"}',
        b'{"type":"cost-state","totalCostUSD":88',
    )
    answer = _session()
    assert answer["total"]["cost_usd"] == "1"
    nothing = {
        "output_tokens": 0, "cache_read_tokens": 0, "cache_write_tokens": 0, "web_searches": 0,
    }  # fmt: skip
    assert answer["recorded"] == {
        "recorded_usd": "1.75",
        "counted_usd": "1",
        "gap_usd": "0.75",
        "unknown_model_cost": False,
        "models": [
            {
                "model": MODEL,
                "recorded_usd": "1.25",
                "counted_usd": "1",
                "gap_usd": "0.25",
                "gap_tokens": {"input_tokens": 10, **nothing},
            },
            {
                "model": "claude-helper-0",
                "recorded_usd": "0.5",
                "counted_usd": "0",
                "gap_usd": "0.5",
                "gap_tokens": {"input_tokens": 40, **nothing},
            },
        ],
    }
    text = " ".join(run("session", "s1").out.split())
    assert "$1.75; its responses here: $1.00; gap $0.75" in text


@requirement("F13")
def test_unfinished_output_is_marked_where_it_stands(tree: Tree) -> None:
    tree.main("s1", assistant("a", stop=None), assistant("b"))
    assert [row["output_incomplete"] for row in _session()["responses"]].count(True) == 1
    printed = run("session", "s1").out
    assert "≥50" in printed
    assert "1 of 2 responses never wrote their final output" in printed


def test_the_latest_responses_are_shown(tree: Tree) -> None:
    rows = [assistant(f"r{at:02}", time=f"2026-01-05T10:{at:02}:00Z") for at in range(30)]
    tree.main("s1", *rows)
    printed = run("session", "s1", "--limit", "3").out
    times = [line.split()[0] for line in printed.splitlines() if line[:3] == "10:"]
    assert times == ["10:27:00", "10:28:00", "10:29:00"]
    assert "the latest 3 of 30" in printed


def test_the_beginning_of_an_id_is_enough_where_it_names_one(tree: Tree) -> None:
    for session in ("abc-1", "abc-2", "abc"):
        tree.main(session, assistant(session))
    assert _session("abc-1")["session"] == "abc-1"
    assert _session("abc")["session"] == "abc"
    ran = run("session", "abc-")
    assert (ran.code, ran.out) == (1, "")
    assert "2 sessions" in ran.err


def test_an_unknown_session_is_named(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    ran = run("session", "nope", "--json")
    assert (ran.code, ran.out, "nope" in ran.err) == (1, "", True)


def test_sessions_are_listed_by_their_last_response(tree: Tree) -> None:
    tree.main("old-but-first", assistant("a", time="2026-10-01T10:00:00Z"))
    tree.main("newest-session", assistant("b", time="2026-10-03T10:20:00Z"))
    tree.main("without-a-time", assistant("c", time=None))
    answer = json.loads(run("session", "--json").out)
    assert [(row["session"], row["last"]) for row in answer["sessions"]] == [
        ("newest-session", "2026-10-03T10:15:00Z"),
        ("old-but-first", "2026-10-01T10:00:00Z"),
        ("without-a-time", None),
    ]
    assert [
        row["session"]
        for row in json.loads(run("session", "--json", "--limit", "1").out)["sessions"]
    ] == ["newest-session"]
    printed = run("session", "--limit", "2").out.splitlines()
    assert printed[1].startswith("newest-s  2026-10-03 10:15")
    assert "and 1 earlier" in printed[3]


def test_ids_are_shown_as_long_as_they_must_be_to_be_told_apart(tree: Tree) -> None:
    for session in ("0199aaaa-1111-x", "0199aaaa-1122-x"):
        tree.main(session, assistant(session))
    shown = [line.split()[0] for line in run("session").out.splitlines()[1:3]]
    assert sorted(shown) == ["0199aaaa-111", "0199aaaa-112"]


@pytest.mark.parametrize("width", [50, 80, 120])
def test_a_session_fits_its_terminal(
    demo: DemoTree, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    session = json.loads(run("session", "--json").out)["sessions"][0]["session"]
    wide = [line for line in run("session", session).out.splitlines() if len(line) > width]
    assert wide == []


@requirement("F13")
def test_unfinished_output_makes_every_sum_of_it_a_lower_bound(tree: Tree) -> None:
    tree.main("s1", assistant("a", usage=counts(output=7), stop=None), assistant("b"))
    printed = run("session", "s1").out
    assert "out ≥57 ·" in printed
    assert "1 of 2 responses never wrote their final output" in printed
    (model,) = (line for line in printed.splitlines() if line.startswith("haiku-4-5"))
    assert "≥57" in model.split()
    assert "≥57" in run("session").out.splitlines()[1].split()
    assert "≥57" in run("blocks").out.splitlines()[1].split()


@pytest.mark.parametrize("line", [("session",), ("session", "s1")])
def test_columns_that_do_not_fit_are_named(
    tree: Tree, monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    tree.main("s1", assistant("a"))
    before, _, after = run(*line).out.partition("Not shown at this width: ")
    assert "responses" not in before.splitlines()[0]
    assert after.startswith(("responses", "cache write"))


def test_an_empty_id_is_wrong_usage(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    ran = run("session", "")
    assert (ran.code, ran.out) == (2, "")


@requirement("F17")
@pytest.mark.parametrize("line", [("session",), ("blocks",), ("usage",), ()])
def test_what_is_gone_from_disk_is_shown_as_such(
    tree: Tree, home: Path, line: tuple[str, ...]
) -> None:
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("history = true\n", encoding="utf-8")
    tree.main("s1", assistant("a"))
    gone = tree.main("s2", assistant("b"))
    run("usage")
    gone.unlink()
    assert "from history: 1 file no longer on disk" in " ".join(run(*line).out.split())


def test_two_agents_of_one_service_are_told_apart(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    for name in ("acompact-1234abcd", "acompact-5678efab"):
        tree.agent("s1", name, assistant(name))
    printed = run("session", "s1").out
    assert "compaction 1234abcd" in printed
    assert "compaction 5678efab" in printed
