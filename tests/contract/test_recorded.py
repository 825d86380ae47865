"""A recording is read once, whatever wrote it: answers find their calls, and what is of no use is counted."""

from __future__ import annotations

import json
from base64 import b64encode
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.contract import traffic
from econome.contract.recorded import Answers, Recording, Served
from econome.contract.traffic import LONGEST, Heard, heard, lines_of
from econome.tokenizers import tokenizer
from tests.requirements import requirement

_METHOD = tokenizer("chars/3.5")


def line(value: object) -> bytes:
    """Return one line of a recording."""
    return json.dumps(value).encode() + b"\n"


def asks(id_: object, tool: str = "get", **more: Any) -> dict[str, Any]:
    """Return a call of a tool."""
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/call", "params": {"name": tool}, **more}


def says(id_: object, *texts: str, **more: Any) -> dict[str, Any]:
    """Return an answer of texts."""
    content = [{"type": "text", "text": text} for text in texts]
    return {"jsonrpc": "2.0", "id": id_, "result": {"content": content, **more}}


def lists(id_: object, cursor: str | None = None) -> dict[str, Any]:
    """Return the question for a list of tools."""
    params = {} if cursor is None else {"cursor": cursor}
    return {"jsonrpc": "2.0", "id": id_, "method": "tools/list", "params": params}


def listed(id_: object, *names: str, cursor: str | None = None) -> dict[str, Any]:
    """Return a page of a list of tools."""
    result: dict[str, Any] = {"tools": [{"name": name} for name in names]}
    return {"id": id_, "result": result if cursor is None else {**result, "nextCursor": cursor}}


def read(*messages: object) -> Recording:
    """Return the recording of these values, or of raw lines, one each."""
    lines = [one if isinstance(one, bytes) else line(one) for one in messages]
    return Recording.read(lines, method=_METHOD)


def told(found: Recording, server: str = "") -> dict[str, tuple[int, int, int, int]]:
    """Return by tool its calls, how many were not answered, how many failed, and its tokens."""
    return {
        name: (one.calls, one.unanswered, one.errors, one.tokens.total)
        for name, one in found.servers[server].answers.items()
    }


@requirement("L15")
@pytest.mark.parametrize(
    ("raw", "sender", "channel", "server"),
    [
        (line(asks(1)), None, "", ""),
        (line({"direction": "client->server", "message": asks(1)}), "client", "", ""),
        (line({"from": "server", "payload": json.dumps(asks(1))}), "server", "", ""),
        (line({"level": "info", "msg": {"data": asks(1)}, "session": "a"}), None, "/a", ""),
        (line({"body": f"[out] to server: {json.dumps(asks(1))}"}), "client", "out", "out"),
        (
            b"2025-06-13T14:44:29.945Z [info] [time] Message from client: " + line(asks(1)),
            "client",
            "time",
            "time",
        ),
        (
            b"2025-07-12T05:51:44.601Z [time] [info] Message from server: "
            + line(asks(1)).strip()
            + b" { metadata: undefined }\r\n",
            "server",
            "time",
            "time",
        ),
        (b"[2025-01-17T10:30:15.123Z] [INFO] got " + line(asks(1)), None, "", ""),
        (b"[2025-01-17T10:30:15.123Z] [main] got " + line(asks(1)), None, "main", ""),
        (line({"server": "git", "message": asks(1)}), None, "/git", "git"),
        (line({"serverName": "git", "message": {"data": asks(1)}}), None, "/git", "git"),
        (b"\xef\xbb\xbf" + line(asks(1)), None, "", ""),
        (b"data: " + line(asks(1)), None, "", ""),
    ],
)
def test_a_message_is_heard_however_it_was_written_down(
    raw: bytes, sender: str | None, channel: str, server: str
) -> None:
    assert heard(raw) == ([Heard(sender, channel, asks(1), server)], "")


@requirement("L15")
@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\n", ""),
        (b"Server started\n", "no JSON"),
        (b"[]\n", "no message"),
        (b"3\n", "no JSON"),
        (line({"level": "info"}), "no message"),
        (line(asks(1))[:20], "broken JSON"),
        (b"from client: " + line(asks(1))[:20], "broken JSON"),
        (b"[" * 100_000, "no JSON"),
        (b'{"a":' * 100_000, "broken JSON"),
        (b" " * (LONGEST + 1), "too long"),
        (b"\xff\xfe\n", "no JSON"),
    ],
)
def test_a_line_without_a_message_says_why(raw: bytes, reason: str) -> None:
    assert heard(raw) == ([], reason)


@requirement("L15")
def test_answers_find_their_calls_in_any_order_and_batch() -> None:
    found = read(
        asks(1, "a"),
        [asks(2, "b"), asks("2", "c"), asks(3, "a")],
        says("2", "x" * 35),
        [says(3, "x" * 7), says(1, "x" * 70)],
        says(9, "late"),
        b"noise\n",
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {}},
    )
    assert told(found) == {"a": (2, 0, 0, 22), "b": (1, 1, 0, 0), "c": (1, 0, 0, 10)}
    assert (found.lines, found.messages, found.tokenizer) == (7, 9, "chars/3.5")
    assert found.skipped == {"answers without a call": 1, "no JSON": 1}


@requirement("L15")
def test_errors_of_either_kind_are_answers_that_a_model_reads() -> None:
    found = read(
        asks(1),
        {"id": 1, "error": {"code": -1, "message": "x" * 7}},
        asks(2),
        says(2, "x" * 35, isError=True),
    )
    assert told(found) == {"get": (2, 0, 2, 12)}


@requirement("L15")
def test_a_session_that_begins_anew_takes_no_answer_of_the_one_before() -> None:
    begins = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {}}
    found = read(
        begins, asks(1, "a"), begins, asks(1, "b"), says(1, "x" * 7), asks(1, "c"), asks(1, "c"), says(1, "x" * 7)
    )  # fmt: skip
    assert told(found) == {"a": (1, 1, 0, 0), "b": (1, 0, 0, 2), "c": (2, 1, 0, 2)}


@requirement("L15")
@pytest.mark.parametrize("wrapped", [True, False])
def test_the_ids_of_either_side_are_its_own(wrapped: bool) -> None:
    def by(side: str, message: dict[str, Any]) -> dict[str, Any]:
        return {"direction": side, "message": message} if wrapped else message

    found = read(
        by("client", asks(1, "a")),
        by("server", {"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}}),
        by("client", {"jsonrpc": "2.0", "id": 1, "result": {"role": "user", "content": {}}}),
        by("server", says(1, "x" * 7)),
    )
    assert told(found) == {"a": (1, 0, 0, 2)}
    assert found.skipped == {}


@requirement("L15")
def test_servers_in_one_log_keep_their_ids_apart() -> None:
    def logged(server: str, side: str, message: object) -> bytes:
        return f"2025-06-13T14:44:29Z [info] [{server}] Message from {side}: ".encode() + line(
            message
        )

    found = read(
        logged("one", "client", asks(1, "a")),
        logged("two", "client", asks(1, "b")),
        logged("two", "server", says(1, "x" * 7)),
        logged("one", "server", says(1, "x" * 35)),
    )
    assert told(found, "one") == {"a": (1, 0, 0, 10)}
    assert told(found, "two") == {"b": (1, 0, 0, 2)}


def of_two() -> Recording:
    """Return the recording of two servers, which both have `get` and list their tools."""
    lines = []
    for at, (server, text) in enumerate((("git", "x" * 7), ("shop", "x" * 35), ("shop", "x" * 70))):
        rows = asks(at), says(at, text), lists(9), listed(9, "get", f"own_{server}")
        lines += [{"server": server, "message": one} for one in rows]
    lines.append({"server": "git", "message": asks(8, "log")})
    return read(*lines)


@requirement("L15")
def test_servers_that_have_a_tool_of_the_same_name_are_kept_apart() -> None:
    found = of_two()
    assert told(found, "git") == {"get": (1, 0, 0, 2), "log": (1, 1, 0, 0)}
    assert told(found, "shop") == {"get": (2, 0, 0, 30)}
    assert [tool["name"] for tool in found.servers["git"].menu] == ["get", "own_git"]
    assert found.of("")[0].menu == ()


@requirement("L15")
def test_a_server_has_its_own_calls_of_a_recording_and_what_is_left_out_is_counted() -> None:
    found = of_two()
    others = "of the recording, 2 calls of other servers: shop"
    git = found.servers["git"]
    assert found.of("git") == (git, (others,))
    own, left = found.of("git", {"get"})
    assert (list(own.answers), own.menu) == (["get"], git.menu)
    assert left == (others, "of the recording, 1 call of tools that the server does not have")


@requirement("L15")
def test_a_server_that_the_recording_does_not_name_is_the_only_one_that_fits() -> None:
    found = of_two()
    own, left = found.of("mine", {"log"})
    assert (list(own.answers), len(left)) == (["log"], 2)
    both = ("of the recording, 4 calls of other servers: git, shop",)
    assert found.of("mine", {"get"}) == (Served(), both)
    assert found.of("mine") == (Served(), both)
    alone = read(asks(1), says(1, "x"))
    assert alone.of("mine") == (alone.servers[""], ())
    assert alone.of("mine", {"other"})[0].answers == {}
    mixed = read(asks(1), {"server": "git", "message": asks(1, "log")})
    assert mixed.of("git")[1] == ("of the recording, 1 call of other servers: one without a name",)


@requirement("L15")
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_that_is_too_long_is_one_line_of_which_no_more_is_kept_than_shows_it(
    end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 200
    monkeypatch.setattr(traffic, "LONGEST", most)
    short = line(asks(1))
    full = short[:-1].ljust(most - 1) + b"\n"
    for many in (most, most + 1, 2 * most + 1, 2 * most + 2, 5 * most):
        data = full + b"x" * many + b"\n" + short + short[:-1] + end
        read_ = list(lines_of(BytesIO(data)))
        assert [one[:1] for one in read_] == [b"{", b"x", b"{", b"{"]
        assert max(map(len, read_)) <= most + 1
        found = Recording.read(read_, method=_METHOD)
        assert (found.lines, found.messages) == (4, 3)
        assert found.skipped["too long"] == 1


@requirement("L15")
def test_the_last_whole_list_of_tools_is_the_menu() -> None:
    found = read(
        lists(1), listed(1, "old"),
        lists(2), listed(2, "a", "b", cursor="x"), lists(3, "x"), listed(3, "c"),
        lists(4), listed(4, "half", cursor="y"),
        lists(5, "z"), {"id": 5, "error": {"code": 1, "message": "no"}},
    )  # fmt: skip
    assert [tool["name"] for tool in found.of("")[0].menu] == ["a", "b", "c"]


@requirement("L15")
def test_what_limits_and_encoding_save_is_measured_as_answers_pass() -> None:
    rows = [{"id": at, "name": f"row {at}", "open": True} for at in range(60)]
    text = json.dumps(rows, separators=(",", ":"))
    found = read(asks(1), says(1, text), asks(2), says(2, "plain"), asks(3), says(3, isError=True))
    measured = found.servers[""].answers["get"].measured
    assert measured is not None
    before = _METHOD.count(text) + _METHOD.count("plain")
    assert (measured.limit, measured.answers, measured.before) == (50, 2, before)
    assert (measured.cut, measured.rows_cut) == (1, 10)
    assert 0 < measured.encoded < measured.limited < before


@requirement("L15")
@pytest.mark.parametrize("indent", [None, 2, 8])
def test_a_limit_saves_the_rows_that_it_cuts_and_not_the_blanks_around_them(
    indent: int | None,
) -> None:
    rows = [{"id": at, "name": f"row {at}"} for at in range(60)]
    text = json.dumps(rows, indent=indent)
    image = {"type": "image", "data": "", "mimeType": "image/png"}
    whole = {"content": [{"type": "text", "text": text}, image]}
    found = read(asks(1), {"id": 1, "result": whole}).servers[""].answers["get"]
    measured = found.measured
    assert measured is not None
    assert measured.before == found.tokens.total == _METHOD.count(text) + 1_568
    bare = [json.dumps(part, separators=(",", ":")) for part in (rows, rows[:50])]
    most = _METHOD.count(bare[0]) - _METHOD.count(bare[1])
    assert most - 40 < measured.before - measured.limited < most  # the note of the cut costs some
    assert measured.before - measured.encoded < _METHOD.count(text)


@requirement("L15")
def test_kinds_and_the_worst_answer_are_kept_as_sizes_without_a_text() -> None:
    image = {"type": "image", "data": b64encode(bytes(9)).decode(), "mimeType": "image/png"}
    result = {"content": [{"type": "text", "text": "secret"}, image]}
    found = read(asks(1), says(1, "[1,2]"), asks(2), {"id": 2, "result": result})
    answers = found.servers[""].answers["get"]
    assert {kind: (own.many, own.total) for kind, own in answers.kinds.items()} == {
        "data": (1, 2),
        "text": (1, 2),
        "image": (1, 1_568),
    }
    assert (answers.payload, answers.overhead, answers.tokens.largest) == (1_572, 0, 1_570)
    assert answers.methods == {"assumed 1,568 tokens"}
    assert "secret" not in repr(found)


@requirement("L15")
def test_calls_without_a_name_and_of_too_many_tools_are_counted() -> None:
    found = read(
        {**asks(1), "params": {}},
        asks(2, "x" * 300),
        *[asks(at, f"t{at}") for at in range(5_001)],
    )
    assert found.skipped == {"calls without a name": 2, "calls of still other tools or servers": 1}
    assert len(found.servers[""].answers) == 5_000
    many = read(*[{"server": f"s{at}", "message": asks(1)} for at in range(1_001)])
    assert (len(many.servers), many.skipped) == (
        1_000,
        {"calls of still other tools or servers": 1},
    )


_MESSAGES = st.one_of(
    st.builds(asks, st.integers(0, 3), st.sampled_from("ab")),
    st.builds(says, st.integers(0, 3), st.text(max_size=9)),
    st.builds(lists, st.integers(0, 3), st.sampled_from([None, "x"])),
    st.builds(listed, st.integers(0, 3), st.sampled_from("ab")),
)
_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(
                ["id", "method", "params", "result", "error", "name", "content", "message", "data", "type",
                 "text", "tools", "nextCursor", "direction", "session", "structuredContent"]
            ),
            inner, max_size=5,
        ),
    ),
    max_leaves=12,
)  # fmt: skip
_ODD = st.fixed_dictionaries(
    {"id": _JSON}, optional={"method": _JSON | st.just("tools/call"), "params": _JSON, "result": _JSON, "error": _JSON}
)  # fmt: skip


@requirement("L15")
@given(st.lists(_MESSAGES | _ODD | _JSON | st.binary(max_size=30), max_size=12))
def test_no_recording_is_too_odd_and_its_sums_agree(messages: list[Any]) -> None:
    found = read(*messages)
    for one in (own for server in found.servers.values() for own in server.answers.values()):
        assert one.tokens.many + one.unanswered == one.calls
        assert one.payload + one.overhead == one.tokens.total
        assert sum(own.total for own in one.kinds.values()) == one.tokens.total
    assert found.lines == len(messages)


@requirement("L15")
@given(st.lists(st.tuples(st.sampled_from("ab"), st.text(max_size=50)), max_size=8), st.randoms())
def test_the_order_of_answers_changes_nothing(pairs: list[tuple[str, str]], dice: Any) -> None:
    def recorded(order: list[tuple[str, str]]) -> dict[str, Answers]:
        lines = []
        for at, (tool, text) in enumerate(order):
            lines += [asks(at, tool), says(at, text)]
        return dict(read(*lines).of("")[0].answers)

    other = list(pairs)
    dice.shuffle(other)
    one, two = recorded(pairs), recorded(other)
    for answers in (*one.values(), *two.values()):
        answers.worst = None  # of two that weigh the same, the first
    assert one == two
