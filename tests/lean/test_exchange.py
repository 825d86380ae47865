"""An exchange passes all but menus and calls, and loses or mixes up nothing of those."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.exact import compact
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.moves import ToClient, ToServer
from econome.lean.records import Record
from econome.tokenizers import tokenizer
from tests.lean.connections import exchange, rpc, shown, tool
from tests.requirements import requirement

pytestmark = requirement("L2", "L10", "L11", "L20")

TOOLS = [
    tool("list_orders", customer="string"),
    tool("cancel_order", order="integer"),
    tool("say", text="string"),
    tool("find_customer", customer="string"),
    tool("find_order", order="integer"),
    tool("pay_order", order="integer"),
]

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
IDS = st.text() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)


def answer(identity: object, result: object) -> bytes:
    return json.dumps({"result": result, "jsonrpc": "2.0", "id": identity}).encode()


def listed(found: Exchange, tools: list[dict[str, Any]] = TOOLS) -> list[dict[str, Any]]:
    """Have the tools listed; return what the client is shown."""
    found.client_said(rpc("l", "tools/list"))
    (move,) = found.server_said(answer("l", {"tools": tools}))
    result: list[dict[str, Any]] = json.loads(move.message)["result"]["tools"]
    return result


def text_of(message: bytes) -> str:
    result = json.loads(message)["result"]
    text: str = result["content"][0]["text"]
    return text


@given(st.binary())
def test_bytes_that_are_no_message_pass_both_ways(data: bytes) -> None:
    found = exchange()
    assert shown(found.client_said(data)) == [("server", data)]
    assert shown(found.server_said(data)) == [("client", data)]


@given(IDS, st.text(min_size=1), VALUES)
def test_any_other_request_and_its_answer_pass_byte_for_byte(
    identity: object, method: str, params: object
) -> None:
    found = exchange()
    if method in ("tools/list", "tools/call"):
        return
    request = json.dumps({"params": params, "id": identity, "method": method}).encode()
    reply = json.dumps({"id": identity, "result": params}).encode()
    assert shown(found.client_said(request)) == [("server", request)]
    assert shown(found.server_said(reply)) == [("client", reply)]


@given(
    st.sampled_from(["1", '"1"', "1.0", '"\\u00e9"', "12345678901234567890123", '"\\ud800"', "-0"])
)
def test_an_id_comes_back_as_the_client_wrote_it(identity: str) -> None:
    found = exchange()
    found.client_said(f'{{"id":{identity},"method":"tools/list"}}'.encode())
    same = json.dumps(json.loads(identity))
    (move,) = found.server_said(f'{{"id":{same},"result":{json.dumps({"tools": TOOLS})}}}'.encode())
    assert f'"id":{identity},'.encode() in move.message


@pytest.mark.parametrize("menu", ["flat", "grouped", "signatures", "lean", "lazy", "untouched"])
def test_an_upstream_name_is_called_byte_for_byte_whatever_the_menu(menu: str) -> None:
    found = exchange(menu=menu)
    listed(found)
    call = b'{"id": 5, "method":"tools/call","params":{"name":"cancel_order",  "arguments":{"order":7.0}}}'
    assert found.client_said(call) == [ToServer(call, "tools/call", "cancel_order")]


@given(VALUES, VALUES)
def test_a_grouped_call_reaches_the_server_as_the_call_it_stands_for(
    first: object, second: object
) -> None:
    anything = {"type": "object", "properties": {"a": {}, "b": {}}}
    tools = [{"name": name, "inputSchema": anything} for name in ("one", "two", "three")]
    found = exchange(menu="grouped")
    (shown_tool,) = listed(found, tools)
    arguments = {"action": "two", "a": first, "b": second}
    call = rpc(1, "tools/call", {"name": shown_tool["name"], "arguments": arguments})
    (move,) = found.client_said(call)
    assert isinstance(move, ToServer)
    assert move.name == "two"
    sent = json.loads(move.message)
    assert sent["params"] == {"name": "two", "arguments": {"a": first, "b": second}}
    assert list(sent["params"]["arguments"]) == ["a", "b"]


@pytest.mark.parametrize("number", ["1.0", "-0.0", "1e5", "123456789012345678901234567890", "1.10"])
def test_a_number_in_a_grouped_call_keeps_its_digits(number: str) -> None:
    found = exchange(menu="grouped")
    anything = {"type": "object", "properties": {"a": {}}}
    (one,) = listed(
        found, [{"name": name, "inputSchema": anything} for name in ("one", *map(str, range(9)))]
    )
    params = f'{{"name":"{one["name"]}","arguments":{{"action":"one","a":{{"deep":[{number}]}}}}}}'
    (move,) = found.client_said(f'{{"id":1,"method":"tools/call","params":{params}}}'.encode())
    assert f'"arguments":{{"a":{{"deep":[{number}]}}}}'.encode() in move.message


def test_a_wrong_grouped_call_is_answered_without_the_server() -> None:
    found = exchange(menu="grouped")
    (one,) = listed(found)
    call = rpc(9, "tools/call", {"name": one["name"], "arguments": {"action": "nope"}})
    (move,) = found.client_said(call)
    assert isinstance(move, ToClient)
    said = json.loads(move.message)
    assert (said["id"], said["result"]["isError"]) == (9, True)
    assert "cancel_order" in said["result"]["content"][0]["text"]
    assert found.server_said(answer(9, {})) == [ToClient(answer(9, {}))]  # nothing was left open


def test_pages_are_gathered_and_shown_as_one_list_by_the_client_s_own_id() -> None:
    found = exchange(menu="grouped")
    found.client_said(rpc("l", "tools/list", {"_meta": {"progressToken": 4}}))
    first = {"tools": TOOLS[:2], "nextCursor": "p2", "ttlMs": 5}
    (asked,) = found.server_said(answer("l", first))
    assert isinstance(asked, ToServer)
    assert asked.own
    said = json.loads(asked.message)
    assert (said["method"], said["params"]["cursor"]) == ("tools/list", "p2")
    assert "progressToken" not in said["params"].get("_meta", {})
    (move,) = found.server_said(answer(said["id"], {"tools": TOOLS[2:]}))
    told = json.loads(move.message)
    assert (told["id"], told["result"]["ttlMs"], len(told["result"]["tools"])) == ("l", 5, 1)
    assert "nextCursor" not in told["result"]


def test_a_call_before_any_list_waits_for_a_menu_that_the_proxy_asks_for() -> None:
    found = exchange(menu="grouped")
    call = rpc(
        3, "tools/call", {"name": "shop", "arguments": {"action": "cancel_order", "order": 2}}
    )
    (asked,) = found.client_said(call)
    assert isinstance(asked, ToServer)
    assert (asked.method, asked.own) == ("tools/list", True)
    (sent,) = found.server_said(answer(json.loads(asked.message)["id"], {"tools": TOOLS}))
    assert json.loads(sent.message)["params"] == {"name": "cancel_order", "arguments": {"order": 2}}


def test_a_call_that_waits_and_is_taken_back_never_reaches_the_server() -> None:
    found = exchange(menu="grouped")
    (asked,) = found.client_said(rpc(3, "tools/call", {"name": "shop", "arguments": {}}))
    assert found.client_said(rpc(None, "notifications/cancelled", {"requestId": 3})) == []
    assert found.server_said(answer(json.loads(asked.message)["id"], {"tools": TOOLS})) == []


def test_a_call_that_was_taken_back_leaves_nothing_open() -> None:
    found = exchange(menu="flat")
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    cancelled = rpc(None, "notifications/cancelled", {"requestId": 3})
    assert shown(found.client_said(cancelled)) == [("server", cancelled)]
    assert found.ended("gone") == []


def test_an_id_that_is_used_twice_at_once_has_both_answers_passed() -> None:
    found = exchange()
    listed(found)
    rows = {
        "content": [
            {"type": "text", "text": json.dumps([{"a": n, "b": n} for n in range(9)], indent=1)}
        ]
    }
    for _ in range(2):
        found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    for _ in range(2):
        assert shown(found.server_said(answer(3, rows))) == [("client", answer(3, rows))]


def test_an_answer_of_rows_is_smaller_for_a_client_that_reads_texts() -> None:
    records: list[Record] = []
    found = exchange(menu="flat", records=records)
    listed(found)
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    rows = json.dumps([{"a": n, "b": f"x{n}"} for n in range(20)], indent=1)
    result = {
        "content": [{"type": "text", "text": rows}],
        "structuredContent": {"result": json.loads(rows)},
    }
    (move,) = found.server_said(answer(3, result))
    said = json.loads(move.message)["result"]
    assert "structuredContent" not in said
    assert len(said["content"][0]["text"]) < len(rows)
    record = records[-1]
    assert (record.kind, record.server, record.tool, record.client) == (
        "answer",
        "shop",
        "say",
        "claude-code",
    )
    assert 0 < record.after < record.before
    assert record.added_us > 0


def test_a_client_in_no_policy_keeps_its_structure() -> None:
    found = exchange(client="another")
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    value = {"rows": [{"a": n, "b": f"x{n}"} for n in range(20)]}
    text = json.dumps(value)
    result = {"content": [{"type": "text", "text": text}], "structuredContent": value}
    (move,) = found.server_said(answer(3, result))
    assert json.loads(move.message)["result"]["structuredContent"] == value


@pytest.mark.parametrize(
    "result",
    [
        {"content": [{"type": "text", "text": "[1, 2]"}], "isError": True},
        {"resultType": "input_required", "inputRequests": {}},
        {"task": {"taskId": "t"}},
        {"content": "odd"},
        {"content": [{"type": "image", "data": "AAAA", "mimeType": "image/png"}]},
    ],
)
def test_what_is_no_plain_result_passes(result: object) -> None:
    found = exchange(menu="flat")
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {}}))
    assert shown(found.server_said(answer(3, result))) == [("client", answer(3, result))]


def test_a_proxy_that_passes_changes_nothing_and_measures_both() -> None:
    records: list[Record] = []
    found = exchange(passing=True, records=records)
    request = rpc("l", "tools/list")
    menu = answer("l", {"tools": TOOLS})
    assert shown(found.client_said(request)) == [("server", request)]
    assert shown(found.server_said(menu)) == [("client", menu)]
    call = rpc(1, "tools/call", {"name": "say", "arguments": {"text": "a"}})
    result = answer(1, {"content": [{"type": "text", "text": '[{"a": 1}, {"a": 2}, {"a": 3}]'}]})
    assert shown(found.client_said(call)) == [("server", call)]
    assert shown(found.server_said(result)) == [("client", result)]
    kinds = [(record.kind, record.form, record.before == record.after > 0) for record in records]
    assert kinds == [("menu", "untouched", True), ("answer", "untouched", True)]


def test_a_request_of_the_newer_era_names_its_client_and_gets_a_complete_result() -> None:
    found = exchange(client="another", menu="grouped")
    about = {
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code"},
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "progressToken": 1,
    }
    call = rpc(3, "tools/call", {"name": "shop", "arguments": {"action": "nope"}, "_meta": about})
    (asked,) = found.client_said(call)
    meta = json.loads(asked.message)["params"]["_meta"]
    assert meta == {name: value for name, value in about.items() if name != "progressToken"}
    (move,) = found.server_said(answer(json.loads(asked.message)["id"], {"tools": TOOLS}))
    assert json.loads(move.message)["result"]["resultType"] == "complete"


def test_a_batch_passes() -> None:
    found = exchange(menu="grouped")
    batch = b"[" + rpc(1, "tools/list") + b"," + rpc(2, "ping") + b"]"
    assert shown(found.client_said(batch)) == [("server", batch)]


def test_a_cut_answer_says_so_first_and_the_rest_can_be_had() -> None:
    found = exchange(menu="flat", limit=3)
    names = [one["name"] for one in listed(found)]
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    rows = [{"id": n, "name": f"person {n}"} for n in range(10)]
    (move,) = found.server_said(
        answer(3, {"content": [{"type": "text", "text": json.dumps(rows)}]})
    )
    content = json.loads(move.message)["result"]["content"]
    said = "\n".join(block["text"] for block in content)
    assert "person 2" in said
    assert "person 3" not in said
    call = f'more {{"handle":"{0:032x}","offset":3}}'
    assert said.startswith(f"[cut] 3 of 10 shown, 7 hidden. Read on: {call}\n")
    assert "more" in names
    (page,) = found.client_said(
        rpc(4, "tools/call", {"name": "more", "arguments": {"handle": f"{0:032x}", "offset": 3}})
    )
    assert "person 5" in text_of(page.message)


@requirement("L19")
@pytest.mark.parametrize(("limit", "rows_cut"), [(3, 7), (10, 0), (None, 0)])
def test_what_was_cut_of_an_answer_is_written_down_in_tokens_and_rows(
    limit: int | None, rows_cut: int
) -> None:
    records: list[Record] = []
    found = exchange(menu="flat", limit=limit, records=records)
    listed(found)
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    rows = [{"id": n, "name": f"person {n}", "city": "Lyon"} for n in range(10)]
    found.server_said(answer(3, {"content": [{"type": "text", "text": json.dumps(rows)}]}))
    kept = rows[:limit]
    count = tokenizer("features-v1").count
    record = records[-1]
    assert (record.kind, record.tool, record.rows_cut) == ("answer", "say", rows_cut)
    assert record.cut == count(compact(rows)) - count(compact(kept))
    assert (record.cut > 0) is (rows_cut > 0)


def test_what_an_economy_stumbles_over_passes_and_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    records: list[Record] = []
    found = exchange(menu="flat", records=records)
    listed(found)
    call = rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}})
    found.client_said(call)

    def stumble(*given: object, **named: object) -> None:
        raise RecursionError

    monkeypatch.setattr("econome.lean.proxy.calling.shape", stumble)
    result = answer(3, {"content": [{"type": "text", "text": "[1]"}]})
    assert shown(found.server_said(result)) == [("client", result)]
    assert [(record.kind, record.tool) for record in records[1:]] == [
        ("fault", "say"),
        ("answer", "say"),
    ]


def test_a_result_nested_beyond_reading_passes() -> None:
    found = exchange(menu="flat")
    found.client_said(rpc(3, "tools/call", {"name": "say", "arguments": {"text": "a"}}))
    deep = (
        b'{"id":3,"result":{"content":[],"structuredContent":' + b"[" * 5000 + b"]" * 5000 + b"}}"
    )
    assert shown(found.server_said(deep)) == [("client", deep)]
    assert found.ended("gone") == []


@pytest.mark.parametrize("output", [None, {"type": "object"}, {"properties": {"a": {}}}])
@pytest.mark.parametrize("select", [True, False])
def test_a_selection_that_was_not_offered_goes_on_as_it_came(
    output: dict[str, Any] | None, select: bool
) -> None:
    found = exchange(menu="flat", select=select)
    declared = {} if output is None else {"outputSchema": output}
    (order,) = listed(found, [{**tool("order", id="integer"), **declared}])
    assert "_select" not in order["inputSchema"]["properties"]
    call = rpc(3, "tools/call", {"name": "order", "arguments": {"id": 1, "_select": ["status"]}})
    assert shown(found.client_said(call)) == [("server", call)]
    whole = answer(3, {"content": [{"type": "text", "text": '{"status":"paid","b":1}'}]})
    (move,) = found.server_said(whole)
    assert json.loads(text_of(move.message)) == {"status": "paid", "b": 1}


def test_a_selection_is_the_proxy_s_to_carry_out() -> None:
    found = exchange(menu="flat", select=True)
    record = {"status": "paid", "note": "n" * 400} | {f"detail_{n}": n for n in range(20)}
    fields = {name: {"type": "string"} for name in record}
    output = {"type": "object", "properties": fields}
    (order,) = listed(found, [{**tool("order", id="integer"), "outputSchema": output}])
    offered = order["inputSchema"]["properties"]["_select"]["items"]["enum"]
    assert sorted(offered) == sorted(record)
    call = {"name": "order", "arguments": {"id": 1, "_select": ["status"]}}
    (sent,) = found.client_said(rpc(3, "tools/call", call))
    assert json.loads(sent.message)["params"]["arguments"] == {"id": 1}
    result = {
        "content": [{"type": "text", "text": json.dumps(record)}],
        "structuredContent": record,
    }
    (move,) = found.server_said(answer(3, result))
    assert "paid" in text_of(move.message)
    assert "nnn" not in text_of(move.message)
