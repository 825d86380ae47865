"""What comes out of a server's stream, whatever its pieces are and however its bytes are dealt out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.backends.stream import LINE_LIMIT, TEXT_LIMIT, Answer, Lines, reported
from econome.errors import BackendFailed
from tests.requirements import requirement

pytestmark = requirement("D5")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["choices", "delta", "content", "usage", "model", "finish_reason"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def event(content: str | None = None, finish: str | None = None, **more: Any) -> bytes:
    delta = {} if content is None else {"content": content}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return json.dumps({"choices": [choice], **more}).encode()


def read(*payloads: bytes) -> Answer:
    answer = Answer("named", "asked-model", "the prompt")
    for payload in payloads:
        answer.add(payload)
    return answer


def streamed(data: bytes, cuts: list[int]) -> list[bytes]:
    lines, start = Lines("named"), 0
    found: list[bytes] = []
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        found += lines.feed(data[start:cut])
        start = cut
    return [*found, *lines.end()]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=8),
    st.lists(st.integers(0, 10_000), max_size=12),
    st.sampled_from(
        [b"\n\n", b"\r\n\r\n", b"\n", b"\r\r", b"\n: ping\n\n", b"\nevent: x\nid: 1\n\n"]
    ),
    st.booleans(),
)
def test_however_the_bytes_are_dealt_out_the_text_is_the_same(
    texts: list[str], cuts: list[int], end: bytes, ended: bool
) -> None:
    payloads = [event(text) for text in texts]
    data = b"".join(b"data: " + payload + end for payload in payloads)
    found = streamed(data if ended else data.rstrip(b"\r\n"), cuts)
    assert found == payloads
    assert read(*found).received() == "".join(texts)


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_server_sends_only_a_backend_failure_is_raised(payload: bytes) -> None:
    answer = Answer("named", "asked-model", "the prompt")
    try:
        answer.add(payload)
    except BackendFailed:
        pass
    answer.text().encode()
    assert answer.model.isprintable()
    assert answer.usage is None or all(0 <= count <= 2**53 for count in answer.usage)


@pytest.mark.parametrize(
    "payload",
    [b"{", b"[1]", b"null", b"\xff", b'{"choices":[]}', b'{"choices":[{"delta":5}]}', b"[" * 5000],
)
def test_what_is_no_event_is_passed_over(payload: bytes) -> None:
    assert read(payload, event("x")).text() == "x"


def test_the_last_usage_and_the_model_that_the_server_names_are_kept() -> None:
    answer = read(
        event("a", model="real", usage={"prompt_tokens": 9, "completion_tokens": 1}),
        event(None, "stop", usage={"prompt_tokens": 9, "completion_tokens": 4}),
    )
    assert (answer.model, answer.usage, answer.ended, answer.cut) == ("real", (9, 4), True, False)


@pytest.mark.parametrize(
    "usage",
    [
        {"prompt_tokens": 9},
        {"prompt_tokens": -1, "completion_tokens": 2},
        {"prompt_tokens": 1.5, "completion_tokens": 2},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": 2**60, "completion_tokens": 2},
        [9, 2],
    ],
)
def test_counts_that_are_none_are_not_taken_for_some(usage: object) -> None:
    assert read(event("a", usage=usage)).usage is None


def test_an_answer_that_reached_its_limit_is_cut() -> None:
    assert read(event("a"), event(None, "length")).cut


@pytest.mark.parametrize(
    "said, text",
    [
        ("<think>\nhm\n</think>\n\nfour", "four"),
        ("\n<think></think>four", "four"),
        ("<thinking>a</thinking><think>b</think>four", "four"),
        ("hm\n</think>\n\nfour", "four"),
        ("<think>never ends", ""),
        ("write <think>x</think> so", "write <think>x</think> so"),
        ("four", "four"),
    ],
)
def test_reasoning_is_no_part_of_the_answer(said: str, text: str) -> None:
    assert read(*(event(letter) for letter in said)).text() == text


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_reasoning_in_a_field_of_its_own_is_received_and_not_answered(field: str) -> None:
    thought = json.dumps({"choices": [{"delta": {field: "hm "}}]}).encode()
    answer = read(thought, event("four"))
    assert (answer.text(), answer.received(), answer.pieces) == ("four", "hm four", 2)


def test_a_character_that_comes_in_two_halves_is_whole() -> None:
    high, low = b'{"choices":[{"delta":{"content":"\\ud83d"}}]}', event("\udcb0")
    assert read(high, low).text() == "\U0001f4b0"
    assert read(high).text() == "\ufffd"


def test_an_answer_that_was_not_streamed_is_read_from_its_message() -> None:
    whole = {"choices": [{"message": {"content": [{"type": "text", "text": "four"}]}}]}
    assert read(json.dumps(whole).encode()).text() == "four"


def test_an_answer_without_end_is_stopped() -> None:
    pieces = [event("x" * 100_000)] * (TEXT_LIMIT // 100_000)
    assert len(read(*pieces).text()) == TEXT_LIMIT
    with pytest.raises(BackendFailed, match=r"^named: answered more than 2,000,000 characters$"):
        read(*pieces, event("x"))


def test_a_line_without_end_is_stopped() -> None:
    assert streamed(b"x" * LINE_LIMIT, [LINE_LIMIT // 2]) == []
    with pytest.raises(BackendFailed, match="larger than"):
        streamed(b"x" * (LINE_LIMIT + 1), [LINE_LIMIT // 2])


def test_an_error_in_the_stream_is_told_in_one_line() -> None:
    with pytest.raises(BackendFailed) as caught:
        read(b'{"error":{"message":"out of\\n memory\\u001b[1m","code":500}}')
    assert str(caught.value) == "named: broke off with an error: out of memory?[1m"


@given(st.text(min_size=24, max_size=80), st.text(max_size=20), st.text(max_size=20))
def test_an_error_that_quotes_the_prompt_is_not_told(prompt: str, before: str, after: str) -> None:
    told = reported({"error": {"message": f"{before}{prompt}{after}"}}, f"Read this: {prompt}")
    windows = {prompt[at : at + 24] for at in range(len(prompt) - 23)}
    assert not any(window in told for window in windows)


@pytest.mark.parametrize(
    "body, told",
    [
        ({"error": "model not found"}, ": model not found"),
        ({"detail": "no such route"}, ": no such route"),
        ({"error": {"code": 1}}, ""),
        ([], ""),
        (None, ""),
    ],
)
def test_an_error_is_read_in_each_of_its_forms(body: object, told: str) -> None:
    assert reported(body, "a prompt") == told
