"""Headers: which pass, which a user may add, and how those of 2026-07-28 repeat what a message says."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.errors import UsageError
from econome.lean.proxy.http_envelope import envelope_of, one_line, version_agreed
from econome.lean.proxy.http_headers import back, decoded, encoded, onward, own_headers, parameters
from econome.lean.proxy.http_schemas import Schemas
from tests.lean.connections import rpc, tool
from tests.requirements import requirement

pytestmark = requirement("L20")


@given(st.text())
def test_a_value_survives_its_header(value: str) -> None:
    told = encoded(value).encode("latin-1")
    assert told == told.strip()
    assert all(0x20 <= byte < 0x7F for byte in told)
    found = decoded(told)
    assert found is not None
    assert found.decode("utf-8", "surrogatepass") == value


@pytest.mark.parametrize("value", [b"=?base64?SGVsbG8?=", b"=?base64?SGVsbG9=?=", b"=?base64?!?="])
def test_what_is_no_canonical_base64_stands_for_nothing(value: bytes) -> None:
    assert decoded(value) is None


@pytest.mark.parametrize(
    "name",
    [
        "Host", "content-length", "Connection", "Transfer-Encoding", "Accept", "Content-Type", "Mcp-Session-Id",
        "mcp-method", "Mcp-Name", "MCP-Protocol-Version", "Mcp-Param-X", "a b", "", "é",
    ],
)  # fmt: skip
def test_a_header_that_the_protocol_sets_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="HEADERS") as caught:
        own_headers({name: "secret"}, "HEADERS")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("value", ["a\r\nX: y", "a\n", "", " a", 5, None, ["a"], "\x00", "\u0416"])
def test_a_value_that_is_no_line_is_refused_and_not_shown(value: Any) -> None:
    with pytest.raises(UsageError) as caught:
        own_headers({"X-Key": value}, "HEADERS")
    assert str(caught.value) == "HEADERS: X-Key: its value has to be one line of text"


def test_a_users_own_headers_are_taken_as_they_are() -> None:
    given = {"Authorization": "Bearer x y", "Cookie": "a=b", "X-Key": "é"}
    assert own_headers(given, "HEADERS") == given


def test_what_a_connection_names_is_about_that_connection() -> None:
    pairs = [(b"connection", b"close, X-A"), (b"x-a", b"1"), (b"x-b", b"2"), (b"te", b"trailers")]
    assert onward(pairs) == [(b"x-b", b"2")]
    assert back([(b"Connection", b"X-A"), (b"X-A", b"1"), (b"X-B", b"2")]) == [(b"x-b", b"2")]


def test_arguments_are_mirrored_as_the_schema_asks() -> None:
    schema = {
        "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "deep": {"properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
            "count": {"type": "integer", "x-mcp-header": "Count"},
            "bad": {"type": "string", "x-mcp-header": "no header"},
            "plain": {"type": "string"},
        },
        "items": {"properties": {"x": {"x-mcp-header": "Never"}}},
    }
    arguments = {"region": "é", "deep": {"on": True}, "count": 3, "bad": "x", "plain": "y"}
    assert parameters(schema, arguments) == {
        "mcp-param-region": "=?base64?w6k=?=", "mcp-param-on": "true", "mcp-param-count": "3",
    }  # fmt: skip
    assert parameters(schema, {"region": None, "deep": 5, "count": []}) == {}


def test_only_schemas_that_ask_for_a_header_are_kept() -> None:
    asks = tool("find", region="string")
    asks["inputSchema"]["properties"]["region"]["x-mcp-header"] = "Region"
    schemas = Schemas()

    def listed(*tools: object) -> bytes:
        return json.dumps({"id": 1, "result": {"tools": tools}}).encode()

    schemas.see(listed(asks, tool("plain", a="string")))
    assert (schemas.of("find"), schemas.of("plain")) == (asks["inputSchema"], None)
    schemas.see(listed(tool("find", region="string")))
    assert schemas.of("find") is None
    for odd in (
        b"[]",
        b'"x-mcp-header"',
        b'{"result":{"tools":[1,{"name":1,"inputSchema":{"x-mcp-header":1}}]}}',
    ):
        schemas.see(odd)


def test_an_envelope_says_what_a_request_is() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
    body = rpc(1, "tools/call", {"name": "é", "arguments": {"a": 1}, "_meta": meta})
    found = envelope_of(body)
    assert found.headers(None) == [
        (b"mcp-protocol-version", b"2026-07-28"), (b"mcp-method", b"tools/call"), (b"mcp-name", b"=?base64?w6k=?="),
    ]  # fmt: skip
    assert envelope_of(rpc(1, "tools/call", {"name": "e"})).headers(None) == []
    assert envelope_of(b"[]").method == envelope_of(b"{").method == ""


@pytest.mark.parametrize("line", ['{"a":\n 1,\r\n"b":2}', ' {"a":1} \n', '{"a":"x\\ny"}'])
def test_a_message_becomes_one_line_that_says_the_same(line: str) -> None:
    found = one_line(line.encode())
    assert b"\n" not in found
    assert b"\r" not in found
    assert json.loads(found) == json.loads(line)


def test_a_refusal_that_names_no_request_is_given_the_one_it_is_of() -> None:
    refused = b'{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}'
    assert json.loads(one_line(refused, b"7"))["id"] == 7
    assert one_line(refused) == refused
    answered = b'{"id":3,"error":{}}'
    assert one_line(answered, b"7") == answered


def test_the_version_is_the_one_that_was_agreed() -> None:
    assert version_agreed(b'{"id":0,"result":{"protocolVersion":"2025-06-18"}}') == "2025-06-18"
    for odd in (b"{}", b"[]", b'{"result":{"protocolVersion":5}}'):
        assert version_agreed(odd) == ""
