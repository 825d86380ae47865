"""What the answers of MCP tools weighed is counted from a user's own transcripts, and nothing but counts comes out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract.weighed import Weighed, counted, weighed
from econome.errors import FileRefused, RootMissing
from econome.usage.detail import ResultPart, ToolCall
from tests.requirements import requirement
from tests.usage.details import Place, call, result

pytestmark = requirement("L15")

READ, LIST = "mcp__shop__read", "mcp__shop__list"
OTHER = "22222222-2222-4222-8222-222222222222"


class East:
    """Fourteen hours before UTC, so that its next day begins at 10:00 there."""

    def offset(self, seconds: int) -> int:
        return 14 * 3600


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def _weighed(place: Place, **options: Any) -> Weighed:
    return weighed([str(place.root)], str(place.database.parent), **options)


def _pair(number: int, name: str, content: Any, **more: Any) -> list[Any]:
    """Return the lines of one call and its answer."""
    identity = f"toolu_{number:024}"
    failed = more.pop("failed", None)
    return [
        call(identity, name, minutes=number, **more),
        result(identity, content, minutes=number + 0.5, failed=failed),
    ]


def _spread(
    p50: int | None, p95: int | None, largest: int | None, total: int | None
) -> dict[str, Any]:
    return {"p50": p50, "p95": p95, "max": largest, "total": total}


def test_answers_are_counted_by_tool(place: Place) -> None:
    image = {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"},
    }
    place.write(
        *_pair(1, READ, "é" * 7),
        *_pair(2, READ, "x" * 14, failed=True),
        *_pair(3, READ, [{"type": "text", "text": "y" * 70}, image]),
        call("toolu_open", READ, minutes=4),
        *_pair(5, LIST, ""),
        *_pair(6, "Bash", "z" * 500),
    )
    found = _weighed(place)
    assert found == Weighed(
        {
            READ: {
                "calls": 4,
                "unanswered": 1,
                "failures": 1,
                "sessions": 1,
                "first_day": "2026-01-05",
                "last_day": "2026-01-05",
                "characters": _spread(14, 74, 74, 95),
                "utf8_bytes": _spread(14, 74, 74, 102),
                "tokens": {"method": "chars/3.5", "not_told": 1, **_spread(4, None, None, None)},
                "kinds": {
                    "image": {"blocks": 1, "characters": 4, "utf8_bytes": 4},
                    "text": {"blocks": 3, "characters": 91, "utf8_bytes": 98},
                },
            },
            LIST: found.tools[LIST],
        },
        sessions=1,
        files=1,
        lines=11,
        malformed=0,
        unreadable=0,
    )
    assert list(found.tools) == [READ, LIST]
    assert (found.tools[LIST]["calls"], found.tools[LIST]["characters"]) == (1, _spread(0, 0, 0, 0))


def test_a_tool_that_never_answered_has_no_sizes(place: Place) -> None:
    place.write(call(name=READ))
    counts = _weighed(place).tools[READ]
    assert (counts["calls"], counts["unanswered"], counts["failures"]) == (1, 1, 0)
    assert counts["characters"] == counts["utf8_bytes"] == _spread(None, None, None, 0)
    assert (counts["tokens"], counts["kinds"]) == (
        {"method": "chars/3.5", "not_told": 0, **_spread(None, None, None, 0)},
        {},
    )


@pytest.mark.parametrize(
    "block",
    [
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QUJD"}},
        {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
        {"type": "image", "data": "QUJD", "mimeType": "image/png"},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "QUJD"}},
        {"type": "audio", "data": "QUJD", "mimeType": "audio/wav"},
    ],
)  # fmt: skip
def test_tokens_of_an_answer_that_is_more_than_text_are_not_known_and_never_zero(
    place: Place, block: dict[str, Any]
) -> None:
    place.write(*_pair(1, READ, [block]))
    alone = _weighed(place).tools[READ]["tokens"]
    assert alone == {"method": "chars/3.5", "not_told": 1, **_spread(None, None, None, None)}
    place.write(*(line for at in range(1, 41) for line in _pair(at, READ, [block] if at == 1 else "x" * 35)))  # fmt: skip
    among = _weighed(place).tools[READ]["tokens"]
    assert among == {"method": "chars/3.5", "not_told": 1, **_spread(10, 10, None, None)}


def test_calls_whose_names_tell_no_server_and_tool_are_left_out_and_counted(place: Place) -> None:
    names = ["mcp__noend", "mcp____x", "mcp__s__", "mcp__", "mcp__a b.c__d e", READ, "Bash"]
    place.write(*(line for at, name in enumerate(names) for line in _pair(at, name, "x")))
    found = _weighed(place)
    assert (list(found.tools), found.unnamed, found.odd, found.sessions) == ([READ], 4, 1, 1)


def test_a_call_that_several_transcripts_repeat_is_one(place: Place) -> None:
    rows = _pair(1, READ, "four")
    place.write(*rows)
    place.write(*rows, path=f"{OTHER}.jsonl")
    assert _weighed(place).tools[READ]["calls"] == 1


def test_sessions_and_days_are_told_apart(place: Place) -> None:
    place.write(*_pair(1, READ, "a"), *_pair(300, READ, "b"))
    later = [{**row, "sessionId": OTHER} for row in _pair(2, READ, "c")]
    place.write(*later, path=f"{OTHER}.jsonl")
    counts = _weighed(place, zone=East()).tools[READ]
    assert (counts["sessions"], counts["first_day"], counts["last_day"]) == (
        2,
        "2026-01-06",
        "2026-01-06",
    )
    assert _weighed(place).tools[READ]["first_day"] == "2026-01-05"
    assert _weighed(place).sessions == 2


def test_what_is_new_is_added_to_what_was_read(place: Place) -> None:
    place.write(*_pair(1, READ, "a"))
    assert _weighed(place).tools[READ]["calls"] == 1
    place.write(*_pair(1, READ, "a"), *_pair(2, READ, "bb"))
    assert _weighed(place).tools[READ]["characters"] == _spread(1, 2, 2, 3)
    assert _weighed(place) == _weighed(place)


def test_counts_are_found_by_a_servers_own_names(place: Place) -> None:
    place.write(
        *_pair(1, "mcp__my_shop__items_list", "a"),
        *_pair(2, "mcp__my_shop__other", "bb"),
        *_pair(3, "mcp__two__parts__read", "ccc"),
    )
    found = _weighed(place)
    ours = found.of("my shop", ["items.list", "never"])
    assert {tool: counts["characters"]["total"] for tool, counts in ours.items()} == {
        "items.list": 1
    }
    assert {tool: one["calls"] for tool, one in found.of("two__parts", ["read"]).items()} == {
        "read": 1
    }
    assert {server: list(tools) for server, tools in found.by_server().items()} == {
        "two": ["parts__read"],
        "my_shop": ["other", "items_list"],
    }


def test_no_text_of_a_transcript_comes_out_or_is_kept(place: Place) -> None:
    mark = "MARKMARKMARK"
    place.write(
        *_pair(1, READ, mark, given={"file_path": f"/home/{mark}", "query": mark}),
        *_pair(2, f"mcp__shop__{mark} and a sentence", mark),
    )
    found = _weighed(place)
    assert mark not in json.dumps(found.tools)
    kept = b"".join(file.read_bytes() for file in place.database.parent.iterdir())
    assert mark.encode() not in kept
    assert str(place.root) not in json.dumps(found.tools)


def test_a_root_that_is_not_there_is_told(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(RootMissing) as caught:
        weighed([gone], str(tmp_path / "data"))
    assert caught.value.path == gone


def test_a_data_directory_that_cannot_be_used_is_told(place: Place) -> None:
    blocked = place.root.parent / "blocked"
    blocked.write_text("a file", encoding="utf-8")
    with pytest.raises(FileRefused):
        weighed([str(place.root)], str(blocked))


def test_a_tree_without_mcp_has_nothing(place: Place) -> None:
    place.write(*_pair(1, "Bash", "x"))
    assert _weighed(place) == Weighed({}, 0, files=1, lines=2, malformed=0, unreadable=0)


_PARTS = st.tuples(st.sampled_from(["text", "other", "image"]), st.integers(0, 10_000))
_ANSWERS = st.lists(
    st.tuples(
        st.sampled_from([READ, LIST, "Bash"]),
        st.sampled_from([None, True, False]),
        st.lists(_PARTS, max_size=3),
    ),
    max_size=30,
)


@given(_ANSWERS, st.randoms(use_true_random=False))
def test_counts_add_up_whatever_the_order(answers: list[Any], rng: Any) -> None:
    calls = [
        ToolCall(
            id=str(number),
            name=name,
            server="" if name == "Bash" else "shop",
            tool="" if name == "Bash" else name[len("mcp__shop__") :],
            response=None,
            session=f"session {number % 3}",
            agent="",
            sidechain=False,
            project="",
            called_ns=None,
            returned_ns=None,
            failed=failed,
            file="",
            parts=() if failed is None else tuple(ResultPart(kind, 1, size, size) for kind, size in parts),
        )
        for number, (name, failed, parts) in enumerate(answers)
    ]  # fmt: skip
    weight = counted(calls)
    found, sessions = weight.tools, weight.sessions
    shuffled = list(calls)
    rng.shuffle(shuffled)
    assert counted(shuffled) == weight
    ours = [call for call in calls if call.server]
    assert sessions == len({call.session for call in ours})
    assert found.keys() == {call.name for call in ours}
    for name, counts in found.items():
        sizes = sorted(c.characters for c in ours if c.name == name and c.failed is not None)
        texts = [
            c.characters
            for c in ours
            if c.name == name and c.failed is not None and {p.kind for p in c.parts} <= {"text"}
        ]
        assert counts["calls"] == sum(c.name == name for c in ours)
        assert counts["calls"] - counts["unanswered"] == len(sizes)
        assert counts["characters"]["total"] == sum(sizes)
        tokens = counts["tokens"]
        assert tokens["not_told"] == len(sizes) - len(texts)
        if tokens["not_told"]:
            assert (tokens["max"], tokens["total"]) == (None, None)
        else:
            assert sum(texts) / 3.5 <= tokens["total"] < sum(texts) / 3.5 + len(texts) + 1e-9
        if sizes:
            assert counts["characters"]["p95"] == sizes[-(-len(sizes) * 95 // 100) - 1]
            assert (counts["first_day"], counts["characters"]["max"]) == (None, sizes[-1])
