"""`_select` through the proxy: refused before anything is sent, never afterwards, and only where it was offered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from econome.lean.menus import Menu
from econome.lean.proxy.exchange import Exchange
from econome.lean.proxy.moves import ToClient, ToServer
from econome.lean.rules import ServerRules, ToolRules
from tests.lean.connections import exchange, rpc, tool
from tests.lean.schemas import count
from tests.requirements import requirement

pytestmark = requirement("L8", "LC6")

FIELDS = [*(f"detail_{at}" for at in range(18)), "id", "status", "nickname", "client"]
OTHERS = [*FIELDS[:14], "size"]
FORMS = pytest.mark.parametrize("form", ["flat", "grouped", "signatures", "lean", "lazy"])


def declared(name: str, fields: list[str], **more: Any) -> dict[str, Any]:
    output = {"type": "object", "properties": {field: {"type": "string"} for field in fields}}
    return {**tool(name, number="integer"), "outputSchema": output, **more}


def closed(entry: dict[str, Any]) -> dict[str, Any]:
    return {**entry, "inputSchema": {**entry["inputSchema"], "additionalProperties": False}}


TOOLS = [
    declared("order", FIELDS),
    declared("part", OTHERS),
    *(tool(f"file_{at}", number="integer", note="string") for at in range(8)),
    closed(tool("close", number="integer")),
]
ORDER = {field: f"{field} of it" for field in FIELDS if field != "nickname"}


def listed(found: Exchange, tools: list[dict[str, Any]] = TOOLS) -> list[dict[str, Any]]:
    found.client_said(rpc("l", "tools/list"))
    (move,) = found.server_said(said("l", {"tools": tools}))
    shown: list[dict[str, Any]] = json.loads(move.message)["result"]["tools"]
    return shown


def said(identity: object, result: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": identity, "result": result}).encode()


def called(found: Exchange, shown: list[dict[str, Any]], name: str, **arguments: Any) -> Any:
    """Call a tool as the menu has it; return the one move of that."""
    own = {one["name"] for one in shown}
    if name not in own:
        name, arguments = "shop", {"action": name, **arguments}
    (move,) = found.client_said(rpc(3, "tools/call", {"name": name, "arguments": arguments}))
    return move


def result_of(message: bytes) -> dict[str, Any]:
    result: dict[str, Any] = json.loads(message)["result"]
    return result


@FORMS
@pytest.mark.parametrize("name", ["nope", "size", "detail", "", "nope.id"])
def test_a_name_that_the_tool_does_not_declare_is_refused_and_nothing_is_sent(
    form: str, name: str
) -> None:
    found = exchange(menu=form, select=True)
    move = called(found, listed(found), "order", number=1, _select=["id", name])
    assert isinstance(move, ToClient)
    result = result_of(move.message)
    assert result["isError"] is True
    (text,) = (block["text"] for block in result["content"])
    assert text.startswith(
        f"order: _select: no such field: {name}; choose from: detail_0, detail_1"
    )
    assert found.ended("gone") == []


@FORMS
@pytest.mark.parametrize(
    ("select", "answers"),
    [
        (["nickname"], [ORDER]),
        (["id", "nickname"], [ORDER, [ORDER], [], {}, {"items": []}, "text", "[1, 2]", [None]]),
        (["client.nope"], [ORDER, [ORDER], [], {}]),
        (["client.name", "id"], [{"client": None}, {"client": []}, {"client": {"name": 1}}]),
        ("id", [ORDER]),
        ([1], [ORDER]),
    ],
)
def test_a_call_that_was_sent_is_never_answered_by_an_error(
    form: str, select: Any, answers: list[Any]
) -> None:
    found = exchange(menu=form, select=True)
    shown = listed(found)
    for value in answers:
        move = called(found, shown, "order", number=1, _select=select)
        assert isinstance(move, ToServer)
        assert json.loads(move.message)["params"] == {"name": "order", "arguments": {"number": 1}}
        text = value if isinstance(value, str) else json.dumps(value)
        content = {"content": [{"type": "text", "text": text}]}
        (back,) = found.server_said(said(3, content))
        assert "isError" not in result_of(back.message)


def test_a_path_that_leads_nowhere_is_told_beside_all_of_the_answer() -> None:
    found = exchange(menu="flat", select=True)
    called(found, listed(found), "order", number=1, _select=["status.nope"])
    content = [{"type": "text", "text": json.dumps({"status": "paid"})}]
    (back,) = found.server_said(
        said(3, {"content": content, "structuredContent": {"status": "paid"}})
    )
    result = result_of(back.message)
    assert "structuredContent" not in result  # a structure would hide the remark
    assert [block["text"].partition(";")[0] for block in result["content"]] == [
        "_select: no such field: status.nope",
        '{"status":"paid"}',
    ]


@FORMS
def test_what_is_said_of_one_tool_holds_for_no_other(form: str) -> None:
    usual = {"order": ToolRules(select=True)}
    but_one = {"order": ToolRules(select=False)}
    for rules, offered in (
        (ServerRules(tools=usual), FIELDS),
        (ServerRules(usual=ToolRules(select=True), tools=but_one), OTHERS),
    ):
        found = exchange(menu=form, rules=rules)
        enums = {
            tuple(fields["_select"]["items"]["enum"])
            for one in listed(found)
            if "_select" in (fields := one["inputSchema"].get("properties", {}))
        }
        assert enums == {tuple(sorted(offered))}


@pytest.mark.parametrize("form", ["grouped", "signatures", "lean", "lazy"])
def test_an_action_without_it_takes_it_as_any_other_argument(form: str) -> None:
    found = exchange(menu=form, rules=ServerRules(tools={"order": ToolRules(select=True)}))
    shown = listed(found)
    arguments = {"number": 1, "_select": ["size"]}
    move = called(found, shown, "part", **arguments)
    assert json.loads(move.message)["params"] == {"name": "part", "arguments": arguments}
    refused = result_of(called(found, shown, "close", **arguments).message)
    assert refused["content"][0]["text"].startswith("close: it has no field _select")
    direct = rpc(4, "tools/call", {"name": "close", "arguments": arguments})
    assert found.client_said(direct) == [ToServer(direct, "tools/call", "close")]


@FORMS
def test_a_client_that_keeps_structures_is_not_offered_it_and_sends_it_as_it_came(
    form: str,
) -> None:
    found = exchange(client="another", menu=form, select=True)
    assert "_select" not in json.dumps(listed(found))
    call = rpc(3, "tools/call", {"name": "order", "arguments": {"number": 1, "_select": ["nope"]}})
    assert found.client_said(call) == [ToServer(call, "tools/call", "order")]


def test_a_menu_asks_for_each_tool_by_its_name() -> None:
    asked: list[str] = []

    def select(name: str) -> bool:
        asked.append(name)
        return name == "part"

    menu = Menu.of(TOOLS, name="shop", form="flat", count=count, select=select)
    assert asked == [one["name"] for one in TOOLS]
    assert menu.selecting == {"part"}
