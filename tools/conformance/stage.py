"""The server that the official MCP conformance suite expects: its tools, resources and prompts."""

from __future__ import annotations

import json
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import ListenHandler
from mcp.shared.exceptions import MCPError

from tools.conformance.fixtures import BUS, NOTHING, PIXEL, TOOLS, embedded, image, text
from tools.conformance.rounds import ROUNDS, Context, prompt_round

__all__ = ["server"]

NAME = "econome-conformance"

RESOURCES = {
    "test://static-text": ("text/plain", "This is the content of the static text resource."),
    "test://static-binary": ("image/png", None),
    "test://watched-resource": ("text/plain", "Watched resource content"),
}
TEMPLATE = ("test://template/", "/data")

PROMPTS: dict[str, tuple[str, ...]] = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}


async def _list_tools(_: Context, __: Any) -> types.ListToolsResult:
    schemas = {name: schema for name, (_, schema) in TOOLS.items()} | dict.fromkeys(ROUNDS, NOTHING)
    listed = [
        types.Tool(name=name, description=f"Fixture {name}", input_schema=schema)
        for name, schema in schemas.items()
    ]
    return types.ListToolsResult(tools=listed)


async def _call_tool(
    context: Context, params: types.CallToolRequestParams
) -> types.CallToolResult | types.InputRequiredResult:
    if params.name in ROUNDS:
        answer = ROUNDS[params.name](context, params)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        return types.CallToolResult(content=[text(answer)])
    if params.name not in TOOLS:
        raise MCPError(code=types.INVALID_PARAMS, message=f"unknown tool {params.name}")
    try:
        found = await TOOLS[params.name][0](context, params.arguments or {})
    except ValueError as error:
        return types.CallToolResult(content=[text(str(error))], is_error=True)
    return types.CallToolResult(content=[text(found)] if isinstance(found, str) else found)


async def _list_resources(_: Context, __: Any) -> types.ListResourcesResult:
    listed = [
        types.Resource(
            uri=uri, name=uri.rpartition("/")[2], description="A fixture", mime_type=kind
        )
        for uri, (kind, _) in RESOURCES.items()
    ]
    return types.ListResourcesResult(resources=listed)


async def _list_templates(_: Context, __: Any) -> types.ListResourceTemplatesResult:
    template = types.ResourceTemplate(
        uri_template="{id}".join(TEMPLATE), name="template", description="A fixture"
    )
    return types.ListResourceTemplatesResult(resource_templates=[template])


async def _read_resource(
    _: Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    before, after = TEMPLATE
    inside: types.TextResourceContents | types.BlobResourceContents
    if uri in RESOURCES:
        kind, words = RESOURCES[uri]
        if words is None:
            inside = types.BlobResourceContents(uri=uri, mime_type=kind, blob=PIXEL)
        else:
            inside = types.TextResourceContents(uri=uri, mime_type=kind, text=words)
    elif uri.startswith(before) and uri.endswith(after):
        name = uri.removeprefix(before).removesuffix(after)
        data = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
        inside = types.TextResourceContents(
            uri=uri, mime_type="application/json", text=json.dumps(data)
        )
    else:
        raise MCPError(code=types.INVALID_PARAMS, message="Resource not found", data={"uri": uri})
    return types.ReadResourceResult(contents=[inside])


async def _subscribe(_: Context, __: Any) -> types.EmptyResult:
    return types.EmptyResult()


async def _list_prompts(_: Context, __: Any) -> types.ListPromptsResult:
    listed = [
        types.Prompt(
            name=name,
            description=f"Fixture {name}",
            arguments=[types.PromptArgument(name=one, required=True) for one in arguments],
        )
        for name, arguments in PROMPTS.items()
    ]
    return types.ListPromptsResult(prompts=listed)


async def _get_prompt(
    _: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | types.InputRequiredResult:
    given = params.arguments or {}
    said: list[types.ContentBlock]
    if params.name == "test_simple_prompt":
        said = [text("This is a simple prompt for testing.")]
    elif params.name == "test_prompt_with_arguments":
        pairs = ", ".join(f"{name}='{given.get(name, '')}'" for name in PROMPTS[params.name])
        said = [text(f"Prompt with arguments: {pairs}")]
    elif params.name == "test_prompt_with_embedded_resource":
        inside = "Embedded resource content for testing."
        said = [
            embedded(given.get("resourceUri", ""), "text/plain", inside),
            text("Please process the embedded resource above."),
        ]
    elif params.name == "test_prompt_with_image":
        said = [image(), text("Please analyze the image above.")]
    elif params.name in PROMPTS:
        answer = prompt_round(params)
        if isinstance(answer, types.InputRequiredResult):
            return answer
        said = [text(answer)]
    else:
        raise MCPError(code=types.INVALID_PARAMS, message=f"unknown prompt {params.name}")
    return types.GetPromptResult(
        messages=[types.PromptMessage(role="user", content=one) for one in said]
    )


async def _complete(_: Context, __: Any) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


async def _set_level(_: Context, __: Any) -> types.EmptyResult:
    return types.EmptyResult()


def server() -> Server[Any]:
    """Return a server that answers everything the suite asks."""
    made: Server[Any] = Server(
        NAME,
        version="1",
        get_tool_input_schema=lambda name: TOOLS[name][1] if name in TOOLS else None,
        on_list_tools=_list_tools,
        on_call_tool=_call_tool,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_subscribe_resource=_subscribe,
        on_unsubscribe_resource=_subscribe,
        on_subscriptions_listen=ListenHandler(BUS),
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
        on_completion=_complete,
        on_set_logging_level=_set_level,
    )
    # What a client echoes is sealed, so that a tampered state is refused before a tool sees it.
    made.middleware.append(
        RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=NAME)
    )
    return made
