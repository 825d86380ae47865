"""The published description of what programs may ask: `/openapi.json`.

The schemas of the events are those that the reader of batches decodes with, and the parameters come from the tables
that the command line reads; only paths and statuses are written down here. Pages and MCP are not in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.json import schema_components

from econome import __version__
from econome.savings import wire
from econome.savings.batch import BATCH_EVENTS
from econome.server.delegating.posted import LINES, ROUTE, Posted
from econome.server.delegating.wire import MENU
from econome.server.queries import (
    BALANCE_PARAMETERS,
    DIAGNOSIS_PARAMETERS,
    EVENTS_PARAMETERS,
    FLAGS,
    LEAN_PARAMETERS,
    LIVE_PARAMETERS,
    SESSION_PARAMETERS,
    SESSIONS_PARAMETERS,
    USAGE_PARAMETERS,
)
from econome.server.wire import BATCH_REFUSAL, RECEIPT, REFUSAL
from econome.usage.asking import ALL_DAYS, Option

__all__ = ["PATH", "document"]

PATH = "/openapi.json"

_Schema = dict[str, Any]

_EVENTS = (wire.Delegation, wire.Steering, wire.Correction)
_REF = "#/components/schemas/"
_MOST = 999_999_999

_REASONS: Final = {
    400: "A parameter is wrong; of a body: it is no JSON, or of a type or an encoding that is not taken.",
    401: "The token is missing or wrong.",
    403: "The request comes from a page of another origin.",
    404: "There is no such tool, or no such session.",
    409: "The state of this machine does not allow it: a setting is wrong, a directory is gone.",
    413: "The body is larger than 1,048,576 bytes, as sent or unpacked.",
    421: "The `Host` header names another server.",
    422: "An event, or the batch, breaks the contract; nothing of it was kept.",
    503: "The disk takes or gives nothing, or too many wait for news; ask again later.",
}
_FOR_ALL = (403, 421)
_KNOWN = (401, *_FOR_ALL)

_ABOUT = """The ledger and the figures of one machine.

Every path wants `Authorization: Bearer TOKEN`, but the one of health. What is checked first answers first: `Host` (421),
`Origin` (403), token (401), path (404), method (405, with `Allow`), size (413), media type and JSON (400), batch (422).
"""


def document() -> _Schema:
    """Return the description, in OpenAPI 3.1."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "econome", "version": __version__, "description": _ABOUT},
        "security": [{"token": []}],
        "paths": {
            "/economies": {"post": _economies()},
            "/api/v1/health": {"get": _health()},
            "/api/v1/usage": {
                "get": _report("What was consumed", USAGE_PARAMETERS, "econome.usage/1", (400, 409))
            },
            "/api/v1/balance": {
                "get": _report(
                    "What delegations saved",
                    BALANCE_PARAMETERS,
                    "econome.balance/1",
                    (400, 409, 503),
                )
            },
            "/api/v1/events": {
                "get": _report(
                    "The stored events that a figure of the balance is made of, the latest first",
                    EVENTS_PARAMETERS,
                    "econome.events/1",
                    (400, 409, 503),
                )
            },
            "/api/v1/lean": {
                "get": _report(
                    "What menus and answers of MCP servers cost less",
                    LEAN_PARAMETERS,
                    "econome.lean/1",
                    (400, 409),
                )
            },
            "/api/v1/sessions": {
                "get": _report(
                    "The sessions, the latest first",
                    SESSIONS_PARAMETERS,
                    "econome.sessions/1",
                    (400, 409),
                )
            },
            "/api/v1/session": {
                "get": _report(
                    "All of one session, by its id or the only one that begins so",
                    SESSION_PARAMETERS,
                    "econome.session/1",
                    (400, 404, 409),
                    needed=True,
                )
            },
            "/api/v1/live": {"get": _news()},
            "/api/v1/diagnosis": {
                "get": _report(
                    "What may have cost more than it had to",
                    DIAGNOSIS_PARAMETERS,
                    "econome.diagnosis/1",
                    (400, 409, 503),
                )
            },
            "/api/v1/login-codes": {"post": _login_codes()},
            ROUTE: {"post": _tool_call()},
            "/metrics": {"get": _metrics()},
            PATH: {"get": _itself()},
        },
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": {
                **_event_schemas(),
                "Batch": _batch(),
                "Receipt": RECEIPT,
                "Refusal": REFUSAL,
                "BatchRefusal": BATCH_REFUSAL,
                **_call_schemas(),
            },
        },
    }


def _event_schemas() -> dict[str, _Schema]:
    _, schemas = schema_components(
        (*_EVENTS, wire.Estimate, wire.Usage), ref_template=_REF + "{name}"
    )
    for kind in _EVENTS:
        # What the decoder checks beside the types (S4): RFC 3339, with a zone.
        schemas[kind.__name__]["properties"][wire.DATE_FIELD]["format"] = "date-time"
    return schemas


def _call_schemas() -> dict[str, _Schema]:
    _, schemas = schema_components((Posted,), ref_template=_REF + "{name}")
    return schemas


def _batch() -> _Schema:
    events = {
        "type": "array",
        "minItems": 1,
        "maxItems": BATCH_EVENTS,
        "items": {
            "oneOf": [{"$ref": _REF + kind.__name__} for kind in _EVENTS],
            "discriminator": {
                "propertyName": wire.TYPE_FIELD,
                "mapping": {
                    tag: _REF + kind.__name__
                    for tag, kind in zip(
                        (wire.DELEGATION, wire.STEERING, wire.CORRECTION), _EVENTS, strict=True
                    )
                },
            },
        },
    }
    return {
        "type": "object",
        "properties": {wire.BATCH_FIELD: events},
        "required": [wire.BATCH_FIELD],
    }


def _operation(summary: str, answer: _Schema, refusals: Sequence[int], **more: object) -> _Schema:
    """Return an operation that answers 200 with *answer*, a media type object."""
    responses: _Schema = {"200": {"description": "Done.", "content": answer}}
    for status in sorted(refusals):
        name = "BatchRefusal" if status == 422 else "Refusal"
        responses[str(status)] = {
            "description": _REASONS[status],
            "content": {"application/json": {"schema": {"$ref": _REF + name}}},
        }
    challenge = {"WWW-Authenticate": {"required": True, "schema": {"const": "Bearer"}}}
    if "401" in responses:
        responses["401"]["headers"] = challenge
    return {"summary": summary, **more, "responses": responses}


def _json(schema: _Schema) -> _Schema:
    return {"application/json": {"schema": schema}}


def _economies() -> _Schema:
    body = {"required": True, "content": _json({"$ref": _REF + "Batch"})}
    return _operation(
        "Keep a batch of events, whole or not at all",
        _json({"$ref": _REF + "Receipt"}),
        (*_KNOWN, 400, 413, 422, 503),
        requestBody=body,
    )


def _health() -> _Schema:
    well = {"type": "object", "properties": {"ok": {"const": True}}, "required": ["ok"]}
    return _operation(
        "Whether the server answers",
        _json({**well, "additionalProperties": False}),
        _FOR_ALL,
        security=[],
    )


def _report(
    summary: str,
    parameters: Sequence[Option],
    schema: str,
    refusals: Sequence[int],
    *,
    needed: bool = False,
) -> _Schema:
    report = {
        "type": "object",
        "properties": {"schema": {"const": schema}},
        "required": ["schema"],
    }
    return _operation(
        summary,
        _json(report),
        (*_KNOWN, *refusals),
        parameters=[_parameter(option, needed=needed) for option in parameters],
    )


def _news() -> _Schema:
    return _operation(
        "Events named `changed`, as often as something changed, of one session or of anything; never what",
        {"text/event-stream": {"schema": {"type": "string"}}},
        (*_KNOWN, 400, 503),
        parameters=[_parameter(option) for option in LIVE_PARAMETERS],
    )


def _login_codes() -> _Schema:
    code = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "seconds": {"type": "integer"}},
        "required": ["code", "seconds"],
    }
    return _operation("A code that lets one browser in, once", _json(code), _KNOWN)


def _tool_call() -> _Schema:
    tool = {"name": "tool", "in": "path", "required": True, "schema": {"enum": list(MENU)}}
    return _operation(
        "Call a tool that hands work to a local model; lines of progress, then its answer",
        {LINES: {"schema": {"type": "string"}}},
        (*_KNOWN, 400, 404, 413),
        parameters=[tool],
        requestBody={"required": True, "content": _json({"$ref": f"{_REF}{Posted.__name__}"})},
    )


def _metrics() -> _Schema:
    text = {"text/plain": {"schema": {"type": "string"}}}
    return _operation("The same counts for Prometheus", text, (*_KNOWN, 409))


def _itself() -> _Schema:
    return _operation("This description", _json({"type": "object"}), _KNOWN)


def _parameter(option: Option, *, needed: bool = False) -> _Schema:
    schema = _value(option)
    if option.repeatable:
        schema = {"type": "array", "items": schema, "maxItems": 2, "uniqueItems": True}
    always = {"required": True} if needed else {}
    return {"name": option.key, "in": "query", **always, "schema": schema}


def _value(option: Option) -> _Schema:
    count = {"type": "integer", "minimum": 1, "maximum": _MOST}
    schemas: dict[str, _Schema] = {
        "choice": {"enum": list(option.choices)},
        "count": count,
        "day": {"type": "string", "format": "date"},
        "days": {"oneOf": [count, {"const": ALL_DAYS}]},
        "flag": {"enum": list(FLAGS)},
        "text": {"type": "string", "minLength": 1},
    }
    return schemas[option.kind]
