"""The scripted server that the tests of delegation ask: it speaks as a real one does, and sees a client hang up."""

from __future__ import annotations

import http.client
import json
import threading
from typing import Any

from tests.delegation.openai_server import MODEL, Failure, Reply, ToolCall, scripted
from tests.requirements import requirement

pytestmark = requirement("D5")


def _ask(port: int, **more: Any) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    body = {"model": MODEL, "messages": [], **more}
    connection.request("POST", "/v1/chat/completions", json.dumps(body))
    answer = connection.getresponse()
    read = answer.status, answer.read()
    connection.close()
    return read


def test_an_answer_is_streamed_in_its_pieces_with_the_usage_that_was_asked_for() -> None:
    with scripted(Reply("Hel", "lo", usage=(5, 2))) as server:
        status, data = _ask(server.port, stream=True, stream_options={"include_usage": True})
    lines = [line[6:] for line in data.split(b"\n\n") if line]
    events = [json.loads(line) for line in lines[:-1]]
    texts = [choice["delta"].get("content") for e in events for choice in e["choices"]]
    assert (status, lines[-1], texts) == (200, b"[DONE]", ["Hel", "lo", None])
    assert events[-1]["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    assert server.requests[0]["stream"] is True


def test_an_answer_that_is_not_streamed_is_whole_and_may_call_a_tool() -> None:
    with scripted(Reply("x", ToolCall("write", {"path": "a"}))) as server:
        status, data = _ask(server.port)
    (choice,) = json.loads(data)["choices"]
    assert (status, choice["finish_reason"], choice["message"]["content"]) == (
        200,
        "tool_calls",
        "x",
    )
    assert choice["message"]["tool_calls"][0]["function"] == {
        "name": "write",
        "arguments": '{"path": "a"}',
    }


def test_replies_follow_one_another_and_the_last_one_stays() -> None:
    with scripted([Failure(503), Reply("ok")]) as server:
        assert [_ask(server.port)[0] for _ in range(3)] == [503, 200, 200]


def test_a_client_that_hangs_up_at_a_gate_is_noticed() -> None:
    with scripted(Reply("a", threading.Event(), "b")) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        connection.request("POST", "/v1/chat/completions", b'{"stream":true}')
        answer = connection.getresponse()
        assert answer.read1(6) == b"data: "
        assert server.hung_up == 0
        answer.close()
        connection.close()
        assert server.wait_for_hang_ups()
        assert server.answered == 0
