"""What comes out of a server's stream, whatever its pieces are and however its bytes are dealt out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from econome.delegation.backends import bodies
from econome.delegation.backends.bodies import reported
from econome.delegation.backends.stream import DONE, LINE_LIMIT, TEXT_LIMIT, Answer, Events
from econome.errors import BackendFailed
from tests.requirements import requirement

pytestmark = requirement("D5")

TOLD = {"", *(f": {words}" for _, words in bodies._FAILURES)}


@contextmanager
def timed(most_s: float) -> Iterator[None]:
    """Hold what is done to so much of the processor's time."""
    began = time.process_time()
    yield
    assert time.process_time() - began < most_s


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
    answer = Answer("named", "asked-model")
    for payload in payloads:
        answer.add(json.loads(payload))
    return answer


def streamed(data: bytes, cuts: Sequence[int] = ()) -> list[object]:
    events, start = Events("named"), 0
    found: list[object] = []
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        found += events.feed(data[start:cut])
        start = cut
    return [*found, *events.end()]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), max_size=8),
    st.lists(st.integers(0, 10_000), max_size=12),
    st.sampled_from(
        [
            b"\n\n",
            b"\r\n\r\n",
            b"\n",
            b"\r\r",
            b"\r",
            b"\r\n",
            b"\n: ping\n\n",
            b"\nevent: x\nid: 1\n\n",
        ]
    ),
    st.booleans(),
)
def test_however_the_bytes_are_dealt_out_the_text_is_the_same(
    texts: list[str], cuts: list[int], end: bytes, ended: bool
) -> None:
    payloads = [event(text) for text in texts]
    data = b"".join(b"data: " + payload + end for payload in payloads)
    found = streamed(data if ended else data.rstrip(b"\r\n"), cuts)
    assert found == [json.loads(payload) for payload in payloads]
    assert read(*payloads).received() == "".join(texts)


@given(
    st.lists(st.integers(0, 10_000), max_size=12),
    st.integers(1, 6),
    st.sampled_from([b"\n", b"\r\n", b"\r"]),
)
@example([14, 14], 1, b"\r\n")  # nothing comes between the two halves of a line end
def test_an_event_on_several_lines_is_one(cuts: list[int], parts: int, end: bytes) -> None:
    said = json.dumps({"choices": [{"delta": {"content": "NOT"}}]}, indent=1).encode().split(b"\n")
    held = [
        b"\n".join(said[at::1] if at == parts - 1 else said[at : at + 1]) for at in range(parts)
    ]
    rows = [row for line in held for row in line.split(b"\n")]
    data = end.join(b"data: " + row for row in rows) + end + b"id: 1" + end + end
    assert streamed(b"\xef\xbb\xbf" + data, cuts) == [{"choices": [{"delta": {"content": "NOT"}}]}]


@pytest.mark.parametrize(
    "broken",
    [
        b'data: {"choices":[{"delta":{"content":"NOT "}}]\n\n',
        b'data: {"choices":[{"delta":{"content":"caf\xe9 NOT "}}]}\n\n',
        b"data: " + b"[" * 100_000 + b"\n\n",
        b"data: hello\n\n",
        b'data: {"a":\ndata: {"b":1}\n\n',
    ],
)
def test_a_piece_that_cannot_be_read_is_not_left_out_of_an_answer(broken: bytes) -> None:
    with pytest.raises(BackendFailed, match="the answer is not whole"):
        streamed(b"data: " + event("one ") + b"\n\n" + broken + b"data: " + event("two") + b"\n\n")


def test_what_holds_no_piece_is_passed_over() -> None:
    data = b": ping\n\ndata\n\ndata: \n\nevent: x\ndata: null\n\ndata: [DONE]\n\ndata: {"
    assert streamed(data) == [{}, DONE]


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_whatever_a_server_sends_only_a_backend_failure_is_raised(payload: bytes) -> None:
    answer = Answer("named", "asked-model")
    try:
        for each in streamed(b"data: " + payload + b"\n\n"):
            answer.add(each)
    except BackendFailed:
        pass
    answer.text().encode()
    assert answer.model == "asked-model"
    assert answer.named is None or answer.named.isprintable()
    assert answer.usage is None or all(0 <= count <= 2**53 for count in answer.usage)


@pytest.mark.parametrize(
    "payload",
    [b"[1]", b"null", b"3", b'{"choices":[]}', b'{"choices":[{"delta":5}]}'],
)
def test_what_is_no_event_is_passed_over(payload: bytes) -> None:
    assert read(payload, event("x")).text() == "x"


def test_the_last_usage_and_the_model_that_the_server_names_are_kept() -> None:
    answer = read(
        event("a", model="real", usage={"prompt_tokens": 9, "completion_tokens": 1}),
        event(None, "stop", usage={"prompt_tokens": 9, "completion_tokens": 4}),
    )
    assert (answer.named, answer.usage, answer.ended, answer.cut) == ("real", (9, 4), True, False)


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


def test_an_error_in_the_stream_is_told_in_words_of_ours() -> None:
    with pytest.raises(BackendFailed) as caught:
        read(b'{"error":{"message":"CUDA: out of\\n memory for sk-key","code":500}}')
    assert str(caught.value) == "named: broke off with an error"
    with pytest.raises(BackendFailed) as caught:
        read(b'{"error":{"message":"CUDA: out of memory for sk-key","code":500}}')
    assert str(caught.value) == (
        "named: broke off with an error: there is not enough memory for the model"
    )


@given(st.recursive(st.text(), lambda inner: st.dictionaries(st.sampled_from(
    ["error", "message", "detail", "code", "type"]), inner), max_leaves=5))  # fmt: skip
def test_nothing_that_a_server_says_is_told(body: object) -> None:
    assert reported(body) in TOLD


@pytest.mark.parametrize(
    "body, told",
    [
        ({"error": 'model "qwen3:8b" not found, try pulling it first'}, "it has no such model"),
        ({"error": {"message": "x", "code": "model_not_found"}}, "it has no such model"),
        (
            {"error": {"message": "This model's maximum context length is 8192 tokens.", "code": 400}},
            "the prompt is longer than the model's context",
        ),
        (
            {"error": {"code": 400, "type": "exceed_context_size_error", "message": "the request exceeds ..."}},
            "the prompt is longer than the model's context",
        ),
        (
            {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
            "the model is still being loaded; ask again later",
        ),
        (
            {"error": "model requires more system memory (5.6 GiB) than is available"},
            "there is not enough memory for the model",
        ),
        ({"detail": "Too Many Requests"}, "it takes no more requests for now"),
        ({"detail": "no such route"}, ""),
        ({"error": {"code": 1}}, ""),
        ([], ""),
        (None, ""),
    ],
)  # fmt: skip
def test_an_error_is_understood_in_each_of_its_forms(body: object, told: str) -> None:
    assert reported(body) == (f": {told}" if told else "")


@pytest.mark.parametrize(
    "said", ["<think></think>", "<think>", "<thinking>a</thinking> ", "</think>", " "]
)
def test_reasoning_without_end_is_taken_out_in_one_pass(said: str) -> None:
    answer = Answer("named", "asked-model")
    for _ in range(10):
        answer.add(json.loads(event(said * (180_000 // len(said)))))
    with timed(2.0):
        assert answer.text().replace("</think>", "").strip() == ""
