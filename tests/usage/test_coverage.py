"""R6: what every answer says of how it was read."""

from __future__ import annotations

from pathlib import Path

from tests.builders import Row, Tree, assistant, counts, line, user
from tests.door import coverage, usage
from tests.requirements import requirement

SIDE: Row = {"isSidechain": True}


@requirement("R6")
def test_the_coverage_of_a_tree_with_something_of_everything(tree: Tree) -> None:
    tree.main(
        "s1",
        user(),
        assistant("a"),
        assistant("a", usage=counts(output=60)),
        assistant("a", usage=counts(output=70), time="2026-01-04T10:00:00Z"),
        assistant("b", usage=counts(output=-1)),
        assistant("c", time=None),
        assistant("a", requestId="req_other", **SIDE),
        assistant("d", model="<synthetic>"),
        b"broken",
        line({**assistant("e"), "x": float("nan")}),
    )
    last = tree.main("s2", assistant("f", time="2026-02-01T10:00:00Z"))
    last.write_bytes(last.read_bytes() + b'{"type": "assistant"')
    assert coverage(tree.root) == {
        "files": 2,
        "unreadable": [],
        "lines": 12,
        "usage_lines": 6,
        "responses": 3,
        "folded": 2,
        "replayed": 1,
        "rejected": 1,
        "malformed": 2,
        "pending": 1,
        "undated": 1,
        "first_day": "2026-01-04",
        "last_day": "2026-02-01",
        "roots": [str(tree.root)],
    }


@requirement("R6")
def test_the_coverage_of_an_empty_tree(tree: Tree) -> None:
    found = coverage(tree.root)
    assert found.pop("unreadable") == []
    assert found.pop("roots") == [str(tree.root)]
    assert (found.pop("first_day"), found.pop("last_day")) == (None, None)
    assert set(found.values()) == {0}


@requirement("R6")
def test_the_coverage_describes_the_tree_and_not_the_question(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", time="2026-02-01T00:00:00Z"))
    whole = coverage(tree.root)
    for question in (
        ("--days", "7"),
        ("--since", "2026-02-01"),
        ("--model", "claude-opus-4-5"),
        ("--by", "session"),
        ("--limit", "1"),
    ):
        assert coverage(tree.root, *question) == whole


@requirement("R6")
def test_the_days_covered_are_days_of_the_zone(tree: Tree) -> None:
    tree.main("s1", assistant("a", time="2026-01-05T02:00:00Z"))
    found = coverage(tree.root, "--timezone", "America/Los_Angeles")
    assert (found["first_day"], found["last_day"]) == ("2026-01-04", "2026-01-04")


@requirement("R6", "P4")
def test_the_models_without_a_price_are_named_in_every_answer(tree: Tree) -> None:
    tree.main("s1", assistant("a"), assistant("b", model="no-such-model-9"))
    for by in ("day", "session", "agent"):
        answer = usage(tree.root, "--by", by)
        assert "no-such-model-9" in str(answer["unpriced"])
        assert "haiku" not in str(answer["unpriced"])


@requirement("R6")
def test_an_answer_has_the_parts_its_schema_names_and_no_other(tree: Tree) -> None:
    tree.main("s1", assistant("a"))
    answer = usage(tree.root, "--by", "day", "--by", "model")
    assert answer.keys() == {
        "schema",
        "by",
        "rows",
        "total",
        "unpriced",
        "refused",
        "unsplit_write_tokens",
        "coverage",
        "prices",
        "today",
    }
    numbers = {
        "responses",
        "sessions",
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "cache_write_5m_tokens",
        "cache_write_1h_tokens",
        "web_searches",
        "cost_usd",
        "partial",
        "output_incomplete",
    }
    assert (answer["schema"], answer["by"]) == ("econome.usage/1", ["day", "model"])
    assert answer["total"].keys() == numbers
    assert [row.keys() for row in answer["rows"]] == [numbers | {"day", "model"}]
    assert answer["prices"].keys() == {"version", "checked"}
    assert answer["today"] == "2026-10-17"


@requirement("R6")
def test_an_unknown_type_of_line_is_a_line_and_nothing_else(tree: Tree, tmp_path: Path) -> None:
    tree.main("s1", {"type": "bridge-session", "x": 1}, {"no": "type"}, {"type": 7}, {})
    found = coverage(tree.root)
    assert (found["lines"], found["usage_lines"], found["malformed"]) == (4, 0, 0)
