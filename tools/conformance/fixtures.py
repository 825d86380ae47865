"""The tools that the official MCP conformance suite asks a server for.

They do nothing of use: the suite calls them to see every kind of content, error, notification and question to the client
pass over the wire.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.subscriptions import InMemorySubscriptionBus, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from tools.conformance.rounds import Context

__all__ = ["BUS", "NOTHING", "PIXEL", "TOOLS", "embedded", "image", "text"]

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="

Arguments = Mapping[str, Any]
Content = types.ContentBlock
Tool = Callable[[Context, Arguments], Awaitable[str | list[Content]]]


def text(words: str) -> types.TextContent:
    """Return a block of text."""
    return types.TextContent(type="text", text=words)


def image() -> types.ImageContent:
    """Return the smallest picture there is."""
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, kind: str, words: str) -> types.EmbeddedResource:
    """Return a resource inside an answer."""
    inside = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    return types.EmbeddedResource(type="resource", resource=inside)


async def _simple(_: Context, __: Arguments) -> str:
    return "This is a simple text response for testing."


async def _picture(_: Context, __: Arguments) -> list[Content]:
    return [image()]


async def _sound(_: Context, __: Arguments) -> list[Content]:
    return [types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]


async def _enclosed(_: Context, __: Arguments) -> list[Content]:
    return [
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ]


async def _mixed(_: Context, __: Arguments) -> list[Content]:
    inside = json.dumps({"test": "data", "value": 123})
    return [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", "application/json", inside),
    ]


async def _failing(_: Context, __: Arguments) -> str:
    raise ValueError("This tool intentionally returns an error for testing")


async def _logging(context: Context, _: Arguments) -> str:
    for step in ("Tool execution started", "Tool processing data", "Tool execution completed"):
        await context.session.send_log_message("info", step, related_request_id=context.request_id)
    return "logged three lines"


async def _progressing(context: Context, _: Arguments) -> str:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return "reported three steps"


async def _sampling(context: Context, arguments: Arguments) -> str:
    asked = types.SamplingMessage(role="user", content=text(str(arguments["prompt"])))
    request = types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[asked], max_tokens=100)
    )
    answer = await context.session.send_request(
        request,
        types.CreateMessageResult,
        metadata=ServerMessageMetadata(related_request_id=context.request_id),
    )
    return f"LLM response: {getattr(answer.content, 'text', '')}"


async def _elicited(context: Context, message: str, properties: dict[str, Any]) -> str:
    """Ask the client's user to fill in a form; return what came back."""
    form = {"type": "object", "properties": properties, "required": list(properties)}
    answer = await context.session.elicit_form(message, form, context.request_id)
    return f"action={answer.action}, content={json.dumps(answer.content)}"


async def _elicitation(context: Context, arguments: Arguments) -> str:
    asked = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    return f"User response: {await _elicited(context, str(arguments['message']), asked)}"


async def _defaults(context: Context, _: Arguments) -> str:
    asked = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    }
    return f"Elicitation completed: {await _elicited(context, 'Who are you?', asked)}"


def _titled(count: int) -> list[dict[str, str]]:
    return [{"const": f"value{n}", "title": f"Choice {n}"} for n in range(1, count + 1)]


async def _enums(context: Context, _: Arguments) -> str:
    plain = ["option1", "option2", "option3"]
    asked = {
        "untitledSingle": {"type": "string", "enum": plain},
        "titledSingle": {"type": "string", "oneOf": _titled(3)},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": plain}},
        "titledMulti": {"type": "array", "items": {"anyOf": _titled(3)}},
    }
    return f"Elicitation completed: {await _elicited(context, 'Choose', asked)}"


async def _without_capability(context: Context, _: Arguments) -> str:
    """Need what the client may not have declared: sampling."""
    declared = context.session.client_capabilities
    if declared is None or declared.sampling is None:
        needed = types.ClientCapabilities(sampling=types.SamplingCapability())
        data = types.MissingRequiredClientCapabilityErrorData(required_capabilities=needed)
        raise MCPError(
            code=types.MISSING_REQUIRED_CLIENT_CAPABILITY,
            message="this tool needs a client that can sample",
            data=data.model_dump(by_alias=True, mode="json", exclude_none=True),
        )
    return "the client can sample"


async def _echo(_: Context, arguments: Arguments) -> str:
    return str(arguments.get("region", ""))


BUS = InMemorySubscriptionBus()


async def _tools_changed(_: Context, __: Arguments) -> str:
    await BUS.publish(ToolsListChanged())
    return "told"


async def _prompts_changed(_: Context, __: Arguments) -> str:
    await BUS.publish(PromptsListChanged())
    return "told"


NOTHING: dict[str, Any] = {"type": "object", "properties": {}}
DIALECT: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


def _needing(name: str, **more: Any) -> dict[str, Any]:
    """Return the schema of arguments that are one text."""
    return {
        "type": "object",
        "properties": {name: {"type": "string", **more}},
        "required": [name],
    }


TOOLS: dict[str, tuple[Tool, dict[str, Any]]] = {
    "test_simple_text": (_simple, NOTHING),
    "test_image_content": (_picture, NOTHING),
    "test_audio_content": (_sound, NOTHING),
    "test_embedded_resource": (_enclosed, NOTHING),
    "test_multiple_content_types": (_mixed, NOTHING),
    "test_error_handling": (_failing, NOTHING),
    "test_tool_with_logging": (_logging, NOTHING),
    "test_logging_tool": (_logging, NOTHING),
    "test_tool_with_progress": (_progressing, NOTHING),
    "test_sampling": (_sampling, _needing("prompt")),
    "test_elicitation": (_elicitation, _needing("message")),
    "test_elicitation_sep1034_defaults": (_defaults, NOTHING),
    "test_elicitation_sep1330_enums": (_enums, NOTHING),
    "test_missing_capability": (_without_capability, NOTHING),
    "test_streaming_elicitation": (_progressing, NOTHING),
    "test_trigger_tool_change": (_tools_changed, NOTHING),
    "test_trigger_prompt_change": (_prompts_changed, NOTHING),
    "json_schema_2020_12_tool": (_simple, DIALECT),
    "test_custom_header": (_echo, _needing("region", **{"x-mcp-header": "Region"})),
}
