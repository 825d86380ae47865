"""A model behind an OpenAI-compatible server: asked over a real connection, streamed, retried, and stopped."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from econome.delegation.backends.openai import OpenAiBackend
from econome.delegation.options import BackendOptions
from econome.delegation.ports import Prompt, Written
from econome.errors import BackendAway, BackendFailed, EconomeError
from tests.delegation.openai_server import (
    MODEL,
    Failure,
    Reply,
    Script,
    Scripted,
    Thought,
    scripted,
)
from tests.requirements import requirement

pytestmark = requirement("D5")

PROMPT = Prompt(system="Be brief.", user="What is two and two?")
SCHEMA = {"type": "object", "required": ["sum"]}


def backend(
    server: Scripted, key: str | None = None, pauses_s: Sequence[float] = (0, 0, 0), **more: Any
) -> OpenAiBackend:
    return OpenAiBackend(
        BackendOptions(name="named", url=server.url, **more), key, pauses_s=pauses_s
    )


def ask(script: Script, prompt: Prompt = PROMPT, **more: Any) -> tuple[Written, Scripted]:
    """Return what a backend makes of a scripted server's answer, and the server."""
    with scripted(script) as server:
        return asyncio.run(backend(server, **more).generate(prompt, lambda pieces: None)), server


def failure(script: Script, prompt: Prompt = PROMPT, **more: Any) -> tuple[EconomeError, Scripted]:
    with scripted(script) as server:
        try:
            asyncio.run(backend(server, **more).generate(prompt, lambda pieces: None))
        except EconomeError as error:
            return error, server
    raise AssertionError("it answered")


def test_the_answer_is_put_together_with_the_counts_that_the_server_reports() -> None:
    pieces: list[int] = []
    with scripted(Reply("Fo", "ur", usage=(21, 2))) as server:
        written = asyncio.run(backend(server).generate(PROMPT, pieces.append))
    assert written == Written(text="Four", model=MODEL, tokens_in=21, tokens_out=2)
    assert pieces == [1, 2]
    assert server.requests == [
        {
            "model": MODEL,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "What is two and two?"},
            ],
            "stream": True,
            "stream_options": {"include_usage": True},
        }
    ]
    assert "Authorization" not in server.headers[0]


def test_what_the_prompt_sets_is_asked_for() -> None:
    prompt = Prompt(None, "x", model="big", temperature=0.0, max_tokens=9, schema=SCHEMA)
    _, server = ask(Reply("{}"), prompt)
    (body,) = server.requests
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("big", 0.0, 9)
    assert body["messages"] == [{"role": "user", "content": "x"}]
    assert body["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA},
    }


def test_counts_that_nobody_reports_are_estimated_and_marked() -> None:
    written, _ = ask(Reply(Thought("two and "), "Four", usage=None))
    sent = f"{PROMPT.system}\n{PROMPT.user}"
    assert (written.text, written.estimated) == ("Four", True)
    assert (written.tokens_in, written.tokens_out) == (-(-len(sent) // 4), 3)


def test_the_key_goes_along_and_stands_in_no_error() -> None:
    error, server = failure(Failure(401), key="a-very-secret-key")
    assert server.headers[0]["Authorization"] == "Bearer a-very-secret-key"
    assert "refuses the key (401)" in str(error)
    assert "secret" not in str(error)


KEY = "sk-a-very-secret-key"
DISGUISED = (
    KEY,
    KEY.upper(),
    f"{KEY[:9]} {KEY[9:]}",
    f"What is {KEY} two and two?",
    "WHAT IS TWO AND TWO?",
)


@pytest.mark.parametrize("said", DISGUISED)
def test_what_a_server_repeats_of_the_key_or_the_prompt_stands_in_no_error(said: str) -> None:
    body = json.dumps(
        {"error": {"message": said, "code": said, "type": said}, "model": said}
    ).encode()
    refused, _ = failure(Failure(500, body), key=KEY, model="m")
    broken, _ = failure(Reply("Fo", b"data: " + body + b"\n\n"), key=KEY, model="m")
    assert str(refused).partition("answered ")[2] == "500 (model m)"
    assert str(broken) == "named: broke off with an error"


def test_a_model_that_the_server_does_not_offer_is_not_believed() -> None:
    def model(named: str, listed: tuple[str, ...]) -> str:
        with scripted(Reply("x", model=named), models=listed) as server:
            return asyncio.run(
                backend(server, KEY, model="asked").generate(PROMPT, lambda pieces: None)
            ).model

    assert model("asked", ()) == "asked"
    assert model("offered", ("other", "offered")) == "offered"
    assert model("What is two and two?", ("other",)) == "asked"
    assert model(f"m-{KEY}", (f"m-{KEY}",)) == "asked"


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01garbage " + KEY.encode() + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + KEY.encode() + b"\x01: b\r\n\r\n",
    ],
)
def test_a_server_that_speaks_no_http_is_asked_once_and_said_to_be_there(garbage: bytes) -> None:
    async def run() -> tuple[EconomeError, EconomeError, int]:
        asked = 0

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal asked
            asked += 1
            await reader.readuntil(b"\r\n\r\n")
            writer.write(garbage)
            writer.close()

        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        async with server:
            options = BackendOptions("named", f"http://127.0.0.1:{port}/v1", model="m")
            there = OpenAiBackend(options, KEY, pauses_s=(0, 0, 0))
            with pytest.raises(BackendFailed) as failed:
                await there.generate(PROMPT, lambda pieces: None)
            with pytest.raises(BackendAway) as away:
                await there.models()
        return failed.value, away.value, asked

    failed, away, asked = asyncio.run(run())
    assert str(failed) == str(away)
    assert str(failed).endswith("answers what is no HTTP; is that the address of its API?")
    assert asked == 2


@pytest.mark.parametrize(
    "last", [b"data: [DONE]\n\n", b'data: {"choices":[{"finish_reason":"stop"}]}\n\n']
)
def test_an_answer_is_whole_once_its_end_was_heard(last: bytes) -> None:
    written, _ = ask(Reply("Four", last, threading.Event()), model="m", pause_s=0.2)
    assert (written.text, written.estimated) == ("Four", True)
    written, _ = ask(Reply("Four", last, cut=True), model="m")
    assert written.text == "Four"


def test_nothing_is_read_after_the_last_event() -> None:
    with scripted(Reply("Four", b"data: [DONE]\n\n", threading.Event(), "EVIL")) as server:
        written = asyncio.run(backend(server, model="m").generate(PROMPT, lambda pieces: None))
        assert written.text == "Four"
        assert server.wait_for_hang_ups()


def test_an_answer_with_a_broken_piece_is_a_failure() -> None:
    error, server = failure(
        Reply("one ", b'data: {"choices":[{"delta":{"content":"NOT "}}]\n\n', "two")
    )
    assert (type(error), len(server.requests)) == (BackendFailed, 1)
    assert "cannot be read" in str(error)


def test_the_model_of_the_settings_is_asked_and_that_of_the_prompt_before_it() -> None:
    _, server = ask(Reply("x"), model="set")
    _, other = ask(Reply("x"), Prompt(None, "x", model="own"), model="set")
    assert (server.requests[0]["model"], other.requests[0]["model"]) == ("set", "own")


def test_a_server_without_a_model_is_told_apart() -> None:
    with scripted(models=["nomic-embed-text"]) as server, pytest.raises(BackendAway) as caught:
        asyncio.run(backend(server).generate(PROMPT, lambda pieces: None))
    assert "no model that writes text" in str(caught.value)


def test_a_connection_that_breaks_before_an_answer_is_tried_again() -> None:
    written, server = ask([Failure(0), Failure(0), Failure(0), Reply("Four")], model="m")
    assert (written.text, len(server.requests)) == ("Four", 4)


def test_a_server_that_is_away_is_said_to_be_away_after_three_more_tries() -> None:
    error, server = failure(Failure(0), model="m")
    assert (type(error), len(server.requests)) == (BackendAway, 4)
    assert str(error).startswith(f"named: {server.url} cannot be reached (")


def test_each_of_the_three_more_tries_is_made_after_a_longer_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses, real = list[float](), asyncio.sleep

    async def pause(seconds: float) -> None:
        pauses.extend([seconds] if seconds else [])
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", pause)
    with scripted([Failure(0), Failure(0), Failure(0), Reply("Four")]) as server:
        asked = OpenAiBackend(BackendOptions(name="named", url=server.url, model="m"))
        asyncio.run(asked.generate(PROMPT, lambda pieces: None))
        assert len(server.requests) == 4
    assert pauses == [0.2, 0.8, 2.0]


def test_a_port_where_nothing_listens_is_said_to_be_so() -> None:
    with scripted() as server:
        pass
    with pytest.raises(BackendAway, match=r"\(Connection refused\); start it"):
        asyncio.run(backend(server, model="m").generate(PROMPT, lambda pieces: None))


@pytest.mark.parametrize("status", [404, 429, 500, 503])
def test_an_answer_of_http_is_never_asked_for_again(status: int) -> None:
    error, server = failure(Failure(status), model="m")
    assert (type(error), len(server.requests)) == (BackendFailed, 1)
    assert str(error) == f"named: {server.url} answered {status} (model m)"


def test_a_redirect_is_not_followed() -> None:
    with scripted() as other:
        away = Failure(307, headers=(("Location", f"{other.url}/chat/completions"),))
        error, _ = failure(away, model="m", key="secret")
        assert "is not followed" in str(error)
        assert other.requests == []


def test_no_proxy_of_the_environment_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    written, _ = ask(Reply("Four"), model="m")
    assert written.text == "Four"


def test_an_answer_that_breaks_off_is_not_asked_for_again() -> None:
    error, server = failure(Reply("Fo", cut=True), model="m")
    assert (type(error), len(server.requests)) == (BackendFailed, 1)
    assert str(error) == "named: its answer broke off after 1 pieces"


def test_a_stream_that_ends_before_the_answer_does_is_broken_off() -> None:
    error, _ = failure(Failure(200, b'{"choices":[{"message":{"content":"Fo"}}]}'), model="m")
    assert str(error) == "named: its answer broke off after 1 pieces"


def test_a_server_that_does_not_stream_is_understood() -> None:
    whole = b"""{"model": "plain",
      "choices": [{"message": {"content": "Four"}, "finish_reason": "stop"}],
      "usage": {"prompt_tokens": 5, "completion_tokens": 1}}"""
    written, _ = ask(Failure(200, whole), model="m")
    assert written == Written(text="Four", model="m", tokens_in=5, tokens_out=1)


def test_an_answer_at_its_limit_is_marked_as_cut() -> None:
    written, _ = ask(Reply("Fo", finish="length"), model="m")
    assert written.cut


def test_no_answer_at_all_is_a_failure_that_says_what_to_change() -> None:
    error, _ = failure(Reply(Thought("hm"), finish="length"), model="m")
    assert str(error) == (
        "named: the model came to no answer within `max_tokens`; allow it more (model m)"
    )


def test_a_server_that_takes_no_schema_is_asked_without_it() -> None:
    prompt = Prompt(None, "x", schema=SCHEMA)
    written, server = ask([Failure(400), Reply("{}")], prompt, model="m")
    assert written.text == "{}"
    assert ["response_format" in body for body in server.requests] == [True, False]


def test_a_model_that_does_not_begin_is_given_up_in_time() -> None:
    error, _ = failure(Reply(threading.Event(), "x"), model="m", first_s=0.05)
    assert str(error) == "named: said nothing for 0.05 s; `first_s` in the settings gives it longer"


def test_a_model_that_pauses_too_long_is_given_up_in_time() -> None:
    error, _ = failure(Reply("Fo", threading.Event(), "ur"), model="m", pause_s=0.05)
    assert str(error) == (
        "named: said nothing for 0.05 s after 1 pieces; `pause_s` in the settings gives it longer"
    )


@pytest.mark.parametrize("pieces", [[], ["Fo"]], ids=["before the first piece", "in the middle"])
def test_the_server_sees_at_once_that_a_cancelled_request_hung_up(pieces: list[str]) -> None:
    async def give_up(server: Scripted) -> None:
        begun = asyncio.Event()
        asking = asyncio.create_task(
            backend(server, model="m").generate(PROMPT, lambda count: begun.set())
        )
        await asyncio.to_thread(server.wait_for_requests)
        if pieces:
            await begun.wait()
        assert server.hung_up == 0
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        # The task has ended, and the loop goes on: it is the task's end that closed the connection.
        assert await asyncio.to_thread(server.wait_for_hang_ups)

    with scripted(Reply(*pieces, threading.Event(), "ur")) as server:
        asyncio.run(give_up(server))
        assert (server.hung_up, server.answered) == (1, 0)


def test_a_cancelled_pause_between_tries_ends_it() -> None:
    async def give_up(server: Scripted) -> None:
        asking = asyncio.create_task(
            backend(server, model="m", pauses_s=(3600,)).generate(PROMPT, lambda count: None)
        )
        await asyncio.to_thread(server.wait_for_requests)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with scripted(Failure(0)) as server:
        asyncio.run(give_up(server))
        assert len(server.requests) == 1


@pytest.mark.slow
def test_many_prompts_at_once_each_have_their_own_answer() -> None:
    def echo(body: dict[str, Any]) -> Reply:
        return Reply(body["messages"][-1]["content"])

    async def many(server: Scripted) -> list[str]:
        asked = backend(server, model="m")
        prompts = [Prompt(None, f"prompt {number}") for number in range(40)]
        written = await asyncio.gather(*(asked.generate(one, lambda _: None) for one in prompts))
        return [one.text for one in written]

    with scripted(echo) as server:
        assert asyncio.run(many(server)) == [f"prompt {number}" for number in range(40)]
