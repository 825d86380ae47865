"""The fixtures of the conformance suite that ask the client for something and are called again with its answer.

Since protocol 2026-07-28 a server sends no request of its own: a tool answers with what it needs and a state, and the
client repeats the call with both.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

__all__ = ["ROUNDS", "Context", "prompt_round"]

Context = ServerRequestContext[Any, Any]
Answer = str | types.InputRequiredResult
Call = types.CallToolRequestParams | types.GetPromptRequestParams
Round = Callable[[Context, types.CallToolRequestParams], Answer]


def _form(message: str, **fields: str) -> types.ElicitRequest:
    """Return a question to the client's user with one field of a type each."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in fields.items()},
        "required": list(fields),
    }
    return types.ElicitRequest(
        params=types.ElicitRequestFormParams(message=message, requested_schema=schema)
    )


def _sample(text: str, limit: int) -> types.CreateMessageRequest:
    asked = types.SamplingMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[asked], max_tokens=limit)
    )


def _roots() -> types.ListRootsRequest:
    return types.ListRootsRequest()


def _needs(
    asked: dict[str, types.InputRequest], state: str | None = None
) -> types.InputRequiredResult:
    return types.InputRequiredResult(input_requests=asked, request_state=state)


def _given(params: Call, name: str) -> Any:
    return (params.input_responses or {}).get(name)


def _field(params: Call, name: str, field: str) -> Any:
    """Return what the client's user put into a field of a question; None where it was not answered so."""
    given = _given(params, name)
    if not isinstance(given, types.ElicitResult) or not given.content:
        return None
    return given.content.get(field)


def _elicitation(_: Context, params: types.CallToolRequestParams) -> Answer:
    name = _field(params, "user_name", "name")
    if not isinstance(name, str):
        return _needs({"user_name": _form("What is your name?", name="string")})
    return f"Hello, {name}!"


def _sampling(_: Context, params: types.CallToolRequestParams) -> Answer:
    given = _given(params, "capital_question")
    if not isinstance(given, types.CreateMessageResult):
        return _needs({"capital_question": _sample("What is the capital of France?", 100)})
    return getattr(given.content, "text", "")


def _list_roots(_: Context, params: types.CallToolRequestParams) -> Answer:
    given = _given(params, "client_roots")
    if not isinstance(given, types.ListRootsResult):
        return _needs({"client_roots": _roots()})
    return " ".join(str(root.uri) for root in given.roots)


def _with_state(_: Context, params: types.CallToolRequestParams) -> Answer:
    if _field(params, "confirm", "ok") is None or params.request_state != "asked":
        return _needs({"confirm": _form("Please confirm", ok="boolean")}, "asked")
    return "state-ok"


def _several(_: Context, params: types.CallToolRequestParams) -> Answer:
    asked: dict[str, types.InputRequest] = {
        "user_name": _form("What is your name?", name="string"),
        "greeting": _sample("Generate a greeting", 50),
        "client_roots": _roots(),
    }
    if asked.keys() - (params.input_responses or {}).keys():
        return _needs(asked, "asked")
    return f"Hello, {_field(params, 'user_name', 'name')}!"


def _steps(_: Context, params: types.CallToolRequestParams) -> Answer:
    name = _field(params, "step1", "name")
    if params.request_state is None:
        return _needs({"step1": _form("Step 1: What is your name?", name="string")}, "one")
    if params.request_state == "one" and isinstance(name, str):
        question = _form("Step 2: What is your favorite color?", color="string")
        return _needs({"step2": question}, f"two {name}")
    return f"{params.request_state.removeprefix('two ')} likes {_field(params, 'step2', 'color')}"


def _declared(context: Context, _: types.CallToolRequestParams) -> Answer:
    """Ask only for what the client said that it can do."""
    able = context.session.client_capabilities or types.ClientCapabilities()
    asked: dict[str, types.InputRequest] = {}
    if able.sampling is not None:
        asked["greeting"] = _sample("Generate a greeting", 50)
    if able.elicitation is not None:
        asked["user_name"] = _form("What is your name?", name="string")
    if able.roots is not None:
        asked["client_roots"] = _roots()
    return _needs(asked) if asked else "the client can do nothing"


ROUNDS: dict[str, Round] = {
    "test_input_required_result_elicitation": _elicitation,
    "test_input_required_result_sampling": _sampling,
    "test_input_required_result_list_roots": _list_roots,
    "test_input_required_result_request_state": _with_state,
    "test_input_required_result_multiple_inputs": _several,
    "test_input_required_result_multi_round": _steps,
    "test_input_required_result_tampered_state": _with_state,
    "test_input_required_result_capabilities": _declared,
}


def prompt_round(params: types.GetPromptRequestParams) -> Answer:
    """Answer for the prompt that needs something first."""
    context = _field(params, "user_context", "context")
    if not isinstance(context, str):
        question = _form("What context should the prompt use?", context="string")
        return _needs({"user_context": question})
    return f"Work in this context: {context}"
