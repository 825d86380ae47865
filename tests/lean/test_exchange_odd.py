"""Whatever is said, an exchange hands it on: as it came where it cannot be read, and never under a name of the menu's."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.moves import ToClient, ToServer
from econome.lean.records import Record
from tests.lean.connections import exchange, rpc, shown, tool
from tests.lean.oddities import ODD, lines, mutated
from tests.requirements import requirement

pytestmark = requirement("L2", "L11", "L20")

ANYTHING = {"type": "object", "properties": {"a": {}, "b": {}}}
TOOLS = [{"name": name, "inputSchema": ANYTHING} for name in ("one", "two", "three")]
OTHERS = [*TOOLS, {"name": "four", "inputSchema": ANYTHING}]
CHANGED = rpc(None, "notifications/tools/list_changed")
GROUPED = ("grouped", "signatures", "lean", "lazy")

CALL = rpc(7, "tools/call", {"name": "one", "arguments": {"a": [1.5, "é"], "b": None}})
RESULT = b'{"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"[{\\"a\\": 1}]"}],"isError":false}}'
MESSAGES = (CALL, RESULT, rpc(8, "tools/list", {"cursor": "x"}), rpc(None, "notifications/cancelled", {"requestId": 7}),
            rpc("q", "initialize", {"clientInfo": {"name": "x"}}), b"[" + CALL + b"]", CHANGED)  # fmt: skip


def answer(identity: object, result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode()


def listed(found: Exchange, tools: list[dict[str, Any]] = TOOLS) -> list[str]:
    """Have the tools listed; return the names that the client is shown."""
    found.client_said(rpc("l", "tools/list"))
    (move,) = found.server_said(answer("l", {"tools": tools}))
    return [one["name"] for one in json.loads(move.message)["result"]["tools"]]


def own(message: bytes) -> Any:
    return json.loads(message)["id"]


@pytest.mark.parametrize("passing", [True, False])
@given(st.lists(st.tuples(st.booleans(), lines() | mutated(*MESSAGES)), max_size=6))
def test_nothing_that_is_said_is_lost_or_raises(passing: bool, said: list[tuple[bool, bytes]]) -> None:  # fmt: skip
    found = exchange(client="another", passing=passing)
    for by_client, message in said:
        if not by_client:
            moves = shown(found.server_said(message))
            assert [way for way, _ in moves] == ["client"]
            assert passing is False or moves == [("client", message)]
        else:
            assert shown(found.client_said(message)) == [("server", message)]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("menu", ["flat", *GROUPED])
def test_an_answer_that_no_strict_reader_takes_passes(menu: str, odd: bytes) -> None:
    for form in (b'{"id":7,"result":%b}', b'{"id":7,"result":{"content":[],"structuredContent":%b}}',
                 b'{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"","data":%b}}'):  # fmt: skip
        found = exchange(menu=menu)
        listed(found)
        found.client_said(CALL)
        assert shown(found.server_said(form % odd)) == [("client", form % odd)]
        assert found.ended("gone") == []


@pytest.mark.parametrize("odd", ODD)
def test_an_id_that_is_no_id_passes_both_ways(odd: bytes) -> None:
    found = exchange(menu="grouped")
    listed(found)
    call = b'{"jsonrpc":"2.0","id":%b,"method":"tools/call","params":{"name":"one"}}' % odd
    back = b'{"jsonrpc":"2.0","id":%b,"result":{"content":[]}}' % odd
    assert shown(found.client_said(call)) == [("server", call)]
    assert shown(found.server_said(back)) == [("client", back)]


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("menu", GROUPED)
def test_a_call_of_the_menu_is_translated_whatever_its_arguments_hold(menu: str, odd: bytes) -> None:  # fmt: skip
    found = exchange(menu=menu)
    (name,) = listed(found)
    given = b'{"action":"two","a":{"in":%b},"b":%b}' % (odd, odd)
    call = b'{"id":7,"method":"tools/call","params":{"name":"%b","arguments":%b,"_meta":{"x":%b}}}'
    (move,) = found.client_said(call % (name.encode(), given, odd))
    assert move == ToServer(
        b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":'
        b'{"name":"two","arguments":{"a":{"in":%b},"b":%b},"_meta":{"x":%b}}}' % (odd, odd, odd),
        "tools/call",
        "two",
    )


@pytest.mark.parametrize("odd", [*ODD, b"[]", b"7", b'"two"', b"true"])
@pytest.mark.parametrize("menu", GROUPED)
def test_a_call_of_the_menu_without_an_object_of_arguments_is_refused_and_told_why(
    menu: str, odd: bytes
) -> None:
    if odd.startswith(b"{"):
        return
    found = exchange(menu=menu)
    (name,) = listed(found)
    call = b'{"id":7,"method":"tools/call","params":{"name":"%b","arguments":%b}}'
    (move,) = found.client_said(call % (name.encode(), odd))
    assert isinstance(move, ToClient)
    result = json.loads(move.message)["result"]
    assert result["isError"] is True
    said = result["content"][0]["text"]
    assert said.startswith("arguments must be an object; ")
    assert "three" in said


@pytest.mark.parametrize("more", [b'"_meta":5', b'"requestId":NaN,"_meta":null', b'"cursor":1e400'])
def test_odd_parameters_beside_the_arguments_hide_no_name_of_the_menu(more: bytes) -> None:
    found = exchange(menu="grouped")
    (name,) = listed(found)
    call = b'{"id":7,"method":"tools/call","params":{"name":"%b","arguments":{"action":"two"},%b}}'
    (move,) = found.client_said(call % (name.encode(), more))
    assert isinstance(move, ToServer)
    assert move.name == "two"


def test_an_id_that_is_used_again_hides_no_name_of_the_menu() -> None:
    found = exchange(menu="grouped")
    (name,) = listed(found)
    call = rpc(7, "tools/call", {"name": name, "arguments": {"action": "two"}})
    moves = [*found.client_said(call), *found.client_said(call)]
    assert [move.name for move in moves if isinstance(move, ToServer)] == ["two", "two"]
    for _ in range(2):
        assert shown(found.server_said(answer(7, {"content": []}))) == [
            ("client", answer(7, {"content": []}))
        ]


def test_what_nobody_thought_of_passes_and_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[Record] = []
    found = exchange(records=records)

    def stumble(*given: object) -> None:
        raise AssertionError

    monkeypatch.setattr("econome.lean.proxy.exchange.head_of", stumble)
    assert shown(found.client_said(CALL)) == [("server", CALL)]
    assert shown(found.server_said(RESULT)) == [("client", RESULT)]
    assert [(record.kind, record.form) for record in records] == [("fault", "message")] * 2


@pytest.mark.parametrize("flag", ["yes", 1, 0, None, []])
def test_an_answer_whose_error_flag_is_none_passes(flag: object) -> None:
    found = exchange(menu="flat")
    found.client_said(CALL)
    rows = json.dumps([{"a": n, "b": n} for n in range(20)], indent=1)
    result = {"content": [{"type": "text", "text": rows}], "isError": flag}
    assert shown(found.server_said(answer(7, result))) == [("client", answer(7, result))]


# Lists without an end


def again(number: int) -> str:
    return "again"


def further(number: int) -> str:
    return f"page {number}"


@pytest.mark.parametrize("cursor", [again, further])
@pytest.mark.parametrize("menu", ["flat", *GROUPED])
def test_a_list_without_an_end_is_left_to_the_client_page_by_page(
    menu: str, cursor: Callable[[int], str]
) -> None:
    found = exchange(menu=menu)
    found.client_said(rpc("l", "tools/list"))
    first = answer("l", {"tools": TOOLS[:1], "nextCursor": cursor(0)})
    moves = found.server_said(first)
    asked = 0
    while isinstance(moves[0], ToServer):
        asked += 1
        assert asked < 500
        page = {"tools": TOOLS[:1], "nextCursor": cursor(asked)}
        moves = found.server_said(answer(own(moves[0].message), page))
    assert shown(moves) == [("client", first)]
    second = rpc("m", "tools/list", {"cursor": cursor(0)})
    assert shown(found.client_said(second)) == [("server", second)]
    page_two = answer("m", {"tools": TOOLS[1:2], "nextCursor": cursor(1)})
    assert shown(found.server_said(page_two)) == [("client", page_two)]
    assert shown(found.client_said(CALL)) == [("server", CALL)]


def test_a_list_that_breaks_off_is_left_to_the_client_too() -> None:
    found = exchange(menu="grouped")
    found.client_said(rpc("l", "tools/list"))
    first = answer("l", {"tools": TOOLS[:1], "nextCursor": "x"})
    (asked,) = found.server_said(first)
    error = {"jsonrpc": "2.0", "id": own(asked.message), "error": {"code": 1, "message": "no"}}
    assert shown(found.server_said(json.dumps(error).encode())) == [("client", first)]


# Calls that wait


def test_calls_that_wait_share_one_list_and_keep_their_order() -> None:
    found = exchange(menu="grouped")
    first, second = (
        rpc(number, "tools/call", {"name": "shop", "arguments": {"action": name}})
        for number, name in ((1, "one"), (2, "two"))
    )
    (asked,) = found.client_said(first)
    ping = rpc("p", "ping")
    assert shown(found.client_said(ping)) == [("server", ping)]  # nothing else waits
    assert found.client_said(second) == []
    sent = found.server_said(answer(own(asked.message), {"tools": TOOLS}))
    assert [move.name for move in sent if isinstance(move, ToServer)] == ["one", "two"]


def test_a_call_that_waits_and_is_taken_back_leaves_the_others_to_one_list() -> None:
    found = exchange(menu="grouped")
    (asked,) = found.client_said(
        rpc(1, "tools/call", {"name": "shop", "arguments": {"action": "one"}})
    )
    assert found.client_said(rpc(None, "notifications/cancelled", {"requestId": 1})) == []
    call = rpc(2, "tools/call", {"name": "shop", "arguments": {"action": "two"}})
    assert found.client_said(call) == []
    (sent,) = found.server_said(answer(own(asked.message), {"tools": TOOLS}))
    assert isinstance(sent, ToServer)
    assert (own(sent.message), sent.name) == (2, "two")


# A list that has changed


@pytest.mark.parametrize("menu", GROUPED)
def test_a_call_that_a_changed_list_may_know_is_refused_only_once_it_is_read_anew(
    menu: str,
) -> None:
    found = exchange(menu=menu)
    (name,) = listed(found)
    assert shown(found.server_said(CHANGED)) == [("client", CHANGED)]
    call = rpc(7, "tools/call", {"name": name, "arguments": {"action": "four", "a": 1}})
    (asked,) = found.client_said(call)
    assert isinstance(asked, ToServer)
    assert (asked.method, asked.own) == ("tools/list", True)
    (sent,) = found.server_said(answer(own(asked.message), {"tools": OTHERS}))
    assert isinstance(sent, ToServer)
    assert sent.name == "four"
    nope = rpc(8, "tools/call", {"name": name, "arguments": {"action": "five"}})
    (refused,) = found.client_said(nope)
    assert isinstance(refused, ToClient)
    assert "four" in json.loads(refused.message)["result"]["content"][0]["text"]


def test_a_changed_list_that_cannot_be_had_refuses_by_the_old_one() -> None:
    found = exchange(menu="grouped")
    (name,) = listed(found)
    found.server_said(CHANGED)
    call = rpc(7, "tools/call", {"name": name, "arguments": {"action": "four"}})
    (asked,) = found.client_said(call)
    found.server_said(CHANGED)  # however often it changes meanwhile
    error = {"jsonrpc": "2.0", "id": own(asked.message), "error": {"code": 1, "message": "no"}}
    (refused,) = found.server_said(json.dumps(error).encode())
    assert json.loads(refused.message)["result"]["isError"] is True


# Messages that are too large


@pytest.mark.parametrize("first, last", [
    (b'{"jsonrpc":"2.0","id":"a","result":{', b'xx"}]}}'), (b'{"result":{', b'"}]},"jsonrpc":"2.0","id":"a"}'),
])  # fmt: skip
def test_an_answer_that_was_too_long_is_an_error_for_its_call(first: bytes, last: bytes) -> None:
    found = exchange(menu="flat")
    found.client_said(rpc("a", "tools/call", {"name": "one"}))
    (move,) = found.server_overflowed(first, last, 70_000_000)
    told = json.loads(move.message)
    assert (told["id"], told["result"]["isError"]) == ("a", True)
    assert "70,000,000 bytes" in told["result"]["content"][0]["text"]
    assert found.server_overflowed(first, last, 70_000_000) == []


@pytest.mark.parametrize("first, last, identity", [
    (b'{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"arguments":{"id":9,"a":"', b'a"}}}', 4),
    (b'{"method":"tools/call","params":{"arguments":{"id":9,"a":"', b'a"}},"jsonrpc":"2.0","id":"x"}', "x"),
    (b'{"params":{"arguments":{"id":9,"a":"', b'"}},"method":"tools/call","id":4}', 4),
    (b'{"method":"tools/call","params":{"arguments":{"id":9,"a":"', b'a"}},"jsonrpc":"2.0"}', None),
])  # fmt: skip
def test_a_request_that_was_too_long_is_answered_with_an_error_in_both_directions(
    first: bytes, last: bytes, identity: object
) -> None:
    text = "a message of 70,000,000 bytes is more than the proxy takes"
    refused = {"jsonrpc": "2.0", "id": identity, "error": {"code": -32600, "message": text}}
    (move,) = exchange().client_overflowed(first, last, 70_000_000)
    assert isinstance(move, ToClient)
    assert json.loads(move.message) == refused
    if b'"method"' in first:
        (back,) = exchange().server_overflowed(first, last, 70_000_000)
        assert isinstance(back, ToServer)
        assert json.loads(back.message) == refused


def test_a_client_s_answer_that_was_too_long_is_an_error_for_the_server_that_asked() -> None:
    found = exchange()
    found.server_said(rpc("q", "sampling/createMessage", {}))
    (move,) = found.client_overflowed(b'{"jsonrpc":"2.0","id":"q","result":{"a":"', b'"}}', 70_000_000)  # fmt: skip
    assert isinstance(move, ToServer)
    told = json.loads(move.message)
    assert (told["id"], told["error"]["code"]) == ("q", -32600)


def test_a_notification_that_was_too_long_is_answered_by_nobody() -> None:
    cut = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"id":1,"a":"', b'"}}', 70_000_000  # fmt: skip
    assert exchange().client_overflowed(*cut) == []
    assert exchange().server_overflowed(*cut) == []


def test_a_list_that_was_too_long_lets_go_the_calls_that_waited_for_it() -> None:
    found = exchange(menu="grouped")
    (asked,) = found.client_said(CALL)
    first = b'{"jsonrpc":"2.0","id":"%b","result":{"tools":[' % own(asked.message).encode()
    assert shown(found.server_overflowed(first, b"]}}", 70_000_000)) == [("server", CALL)]


# What is written down


@pytest.mark.parametrize("passing", [True, False])
def test_only_names_that_the_server_listed_are_written_down(passing: bool) -> None:
    records: list[Record] = []
    found = exchange(menu=None if passing else "flat", passing=passing, records=records)
    listed(found, [tool("one"), tool("two")])
    for name in ("one", "hello, my secret is 1234"):
        found.client_said(rpc(7, "tools/call", {"name": name, "arguments": {}}))
        found.server_said(answer(7, {"content": [{"type": "text", "text": "a"}]}))
    assert [record.tool for record in records if record.kind == "answer"] == ["one", "?"]


@pytest.mark.parametrize("passing", [True, False])
def test_an_answer_that_cannot_be_read_is_written_down_without_a_count(passing: bool) -> None:
    records: list[Record] = []
    found = exchange(menu=None if passing else "flat", passing=passing, records=records)
    listed(found)
    found.client_said(CALL)
    found.server_said(b'{"id":7,"result":{"content":[],"structuredContent":NaN}}')
    (record,) = (one for one in records if one.kind == "answer")
    assert (record.tool, record.form, record.before, record.after) == ("one", "untouched", 0, 0)
