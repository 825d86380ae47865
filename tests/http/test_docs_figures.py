"""The seconds and counts in docs/server.md are those that hold: who changes one of them changes its sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from econome.server import (
    body,
    client,
    conversation,
    heads,
    listening,
    logins,
    mcp,
    serving,
    standing,
)
from tests.requirements import requirement

PAGE = Path(__file__).parents[2] / "docs" / "server.md"
WORDS: dict[float, str] = {1: "a second", 60: "a minute", 1800: "half an hour"}


def _time(seconds: float) -> str:
    return WORDS.get(seconds, f"{seconds:g} seconds")


SENTENCES = [
    f"header of a request has to come within {_time(heads.HEAD_SECONDS)} and its body "
    f"within {heads.BODY_SECONDS:g} more",
    f"a connection may lie idle, and an answer unread, for {heads.IDLE_SECONDS:g}.",
    f"At most {listening.CONNECTIONS} connections are open at once, "
    f"fewer where the process may have fewer than {2 * listening.CONNECTIONS} files open",
    f"ends the requests in flight within {_time(serving._STOP_SECONDS)}",
    f"streams that were opened with it end within {_time(standing.LOOK_SECONDS)}",
    f"It ends after {logins.SESSION_SECONDS / 3600:g} hours",
    f"The link works once, within {_time(logins.CODE_SECONDS)}",
    f"at most {mcp.SESSIONS} at once (one more gets 429), "
    f"each until it was idle for {_time(mcp.IDLE_SECONDS)}",
    f"it answers what it was asked, for up to {_time(conversation.END_SECONDS)}",
    f"does not answer within {_time(client.FIRST_SECONDS)}",
    f"A body may have {body.LIMIT_BYTES / 1_048_576:g} MiB",
    f"the connection is closed {_time(body.DRAIN_SECONDS)} later",
]


@requirement("S1", "S2", "S10")
@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_page_has_the_figure_that_holds(sentence: str) -> None:
    assert sentence in " ".join(PAGE.read_text(encoding="utf-8").split())


@requirement("S2")
def test_the_rest_of_a_large_body_is_taken_up_to_64_kilobytes_and_for_a_second() -> None:
    drained = (body.LIMIT_BYTES, body.DRAIN_BYTES, body.DRAIN_SECONDS)
    assert drained == (1_048_576, 64 * 1024, 1.0)


@requirement("S1", "S5")
def test_calls_of_tools_may_end_before_a_stop_cuts_them_off() -> None:
    assert mcp._STOP_SECONDS < serving._STOP_SECONDS
