"""What opencode says is read as it looks, and nothing that it says breaks the reading (D5)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.coder.paths import runs_code
from econome.delegation.coder.speech import (
    SUBJECT_LIMIT,
    Asked,
    Idle,
    Piece,
    Refused,
    Trouble,
    failure_in,
    read_event,
    settings,
    written_in,
)
from econome.delegation.order import Question
from econome.delegation.ports import Written
from tests.requirements import requirement

pytestmark = requirement("D5")

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)
_KEYS = st.sampled_from(
    ["id", "sessionID", "status", "permission", "patterns", "metadata", "command", "type", "attempt"]
)  # fmt: skip
_KINDS = st.sampled_from(
    ["permission.asked", "question.asked", "session.status", "session.idle", "message.part.delta"]
)


def _event(kind: str, **about: Any) -> dict[str, Any]:
    return {"type": kind, "properties": {"sessionID": "ses", **about}}


@pytest.mark.parametrize(
    "raw, event",
    [
        (_event("session.idle"), Idle()),
        (_event("session.idle", sessionID="another"), None),
        (_event("message.part.delta", delta="Hi"), Piece()),
        (_event("question.asked", id="que_1"), Refused("que_1")),
        (_event("session.status", status={"type": "retry", "attempt": 2}), None),
        (_event("session.status", status={"type": "busy"}), None),
        (_event("session.created"), None),
        ({"type": "session.idle"}, None),
    ],
)
def test_an_event_is_read(raw: dict[str, Any], event: object) -> None:
    assert read_event(raw, "ses") == event


def test_a_model_that_is_tried_again_and_again_is_trouble() -> None:
    raw = _event("session.status", status={"type": "retry", "attempt": 3, "message": "words of it"})
    event = read_event(raw, "ses")
    assert isinstance(event, Trouble)
    assert "words of it" not in event.reason


@pytest.mark.parametrize(
    "permission, metadata, patterns, question",
    [
        ("bash", {"command": "ls;\nrm x"}, ["ls", "rm x"], Question("bash", "ls;\nrm x")),
        ("webfetch", {"url": "http://a/"}, ["*"], Question("webfetch", "http://a/")),
        ("external_directory", {}, ["/a/*", "/b"], Question("external_directory", "/a/*, /b")),
        ("bash", {"command": "a\x1b[2K\u202eb"}, [], Question("bash", "a\\x1b[2K\\u202eb")),
        ("bash", {"command": "a" * (SUBJECT_LIMIT + 1)}, [], None),
        ("bash", {}, [], None),
        ("bash", None, None, None),
    ],
)
def test_a_question_shows_all_of_the_act_or_is_not_put(
    permission: str, metadata: object, patterns: object, question: Question | None
) -> None:
    raw = _event(
        "permission.asked", id="per_1", permission=permission, metadata=metadata, patterns=patterns
    )
    assert read_event(raw, "ses") == Asked("per_1", question)


@given(_KINDS, st.dictionaries(_KEYS, _JSON | st.dictionaries(_KEYS, _JSON)))
def test_no_event_breaks_the_reading(kind: str, about: dict[str, Any]) -> None:
    read_event({"type": kind, "properties": about}, "ses")


@given(st.lists(_JSON | st.fixed_dictionaries({"info": _JSON, "parts": _JSON})))
def test_no_message_breaks_the_reading(messages: list[Any]) -> None:
    assert failure_in(messages) is None or isinstance(failure_in(messages), str)
    assert written_in(messages, "m", "").tokens_in >= 0


def _answer(text: str, tokens: dict[str, Any], **more: Any) -> dict[str, Any]:
    info = {"role": "assistant", "tokens": tokens, **more}
    return {"info": info, "parts": [{"type": "text", "text": text}, {"type": "tool"}]}


def test_tokens_of_all_answers_are_summed_with_what_was_cached() -> None:
    messages = [
        {"info": {"role": "user", "tokens": {"input": 9}}, "parts": []},
        _answer("", {"input": 10, "output": 2, "reasoning": 3, "cache": {"read": 5, "write": 1}}),
        _answer(" Done. ", {"input": 20, "output": 4}),
    ]
    assert written_in(messages, "m", "brief") == Written("Done.", "m", 36, 9)


def test_where_no_tokens_are_reported_they_are_counted_and_marked() -> None:
    assert written_in([_answer("12345678", {})], "m", "1234") == Written(
        "12345678", "m", 1, 2, True
    )


def test_a_last_answer_that_was_cut_is_marked() -> None:
    cut, whole = _answer("a", {"input": 1}, finish="length"), _answer("b", {"input": 1})
    assert written_in([whole, cut], "m", "brief").cut
    assert not written_in([cut, whole], "m", "brief").cut


def test_only_the_kind_of_a_failure_is_told() -> None:
    error = {"name": "APIError", "data": {"message": "words of it"}}
    assert failure_in([_answer("", {}, error=error)]) == "APIError"
    assert failure_in([_answer("", {}, error=error), _answer("", {})]) is None


def test_the_settings_hold_no_key_and_ask_for_all_that_leads_out() -> None:
    told = settings("http://127.0.0.1:1/v1", "m")
    permission = told["permission"]
    asked = {name for name, rule in permission.items() if rule == "ask"}
    assert asked == {"*", "bash", "webfetch", "websearch", "codesearch", "external_directory"}
    assert permission["edit"]["*"] == "allow"
    assert {permission["edit"][name] for name in (".git", ".Git/*", "*/.GIT/*")} == {"deny"}
    assert told["provider"]["local"]["options"] == {"baseURL": "http://127.0.0.1:1/v1"}


@pytest.mark.parametrize(
    "path, runs",
    [
        (".claude/settings.json", True),
        (".mcp.json", True),
        (".github/workflows/ci.yml", True),
        ("sub/.husky/pre-commit", True),
        ("package.json", True),
        ("Makefile", True),
        ("tests/CONFTEST.py", True),
        (".envrc", True),
        (".vscode/tasks.json", True),
        ("tools/run.sh", True),
        ("vite.config.ts", True),
        ("docker-compose.prod.yml", True),
        (".gitattributes", True),
        ("src/main.py", False),
        ("docs/makefile/notes.md", False),
        ("README.md", False),
    ],
)
def test_files_that_tools_obey_are_marked(path: str, runs: bool) -> None:
    assert runs_code(path) is runs
