"""Every field of every event: missing, of each wrong type, and at its limits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from econome.errors import BatchError
from econome.savings.batch import decode_event, read_batch
from econome.savings.wire import Delegation
from tests.requirements import requirement
from tests.savings.builders import Payload, body, correction, delegation, nested, steering, text

BUILDERS = {"delegation": delegation, "pilotage": steering, "correction": correction}
COUNT, BALANCE, TEXT, NULLABLE = "count", "balance", "text", "nullable"
DATE, FLAG, OBJECT, LIST = "date", "flag", "object", "list"

COMMON = {"schema": "schema", "id": TEXT, "date": DATE, "client": TEXT, "session_id": TEXT}
FIELDS: dict[str, dict[str, str]] = {
    "delegation": {
        **COMMON,
        "demande_id": TEXT,
        "agent_id": NULLABLE,
        "par_subagent": FLAG,
        "retour": "reply",
        "tokens_entree": COUNT,
        "tokens_sortie": COUNT,
        "estimation": OBJECT,
        "estimation.lus": COUNT,
        "estimation.ecrits": COUNT,
        "estimation.consigne": COUNT,
        "estimation.rendus": COUNT,
        "estimation.evites": BALANCE,
        "estimation.methode": TEXT,
    },
    "pilotage": {
        **COMMON,
        "agent_id": TEXT,
        "turn_id": TEXT,
        "demande_ids": LIST,
        "modele": TEXT,
        "usage": OBJECT,
        "usage.input_tokens": COUNT,
        "usage.output_tokens": COUNT,
        "usage.cache_read_input_tokens": COUNT,
        "usage.cache_creation_input_tokens": COUNT,
        "cout": COUNT,
    },
    "correction": {
        **COMMON,
        "demande_id": TEXT,
        "outil": "tool",
        "tool_use_id": TEXT,
        "tokens_lus": COUNT,
        "tokens_ecrits": COUNT,
        "cout": COUNT,
    },
}

LONG = '"' + "x" * 513 + '"'
NUMBERS = ["0.0", "1.0", "1e2", "1E0", "0.5", "-1.5", "1e400", "1" * 30, "1" * 5000]
NO_COUNT = [*NUMBERS, "9007199254740993", "true", "null", '""', '"1"', "[]", "[1]", "{}"]
NO_TEXT = ['""', LONG, "0", "1.5", "true", "[]", '["x"]', "{}"]
NO_CHOICE = ['""', "null", "1", "true", "[]", "{}"]
WRONG: dict[str, list[str]] = {
    "schema": [*NUMBERS, "0", "2", "-1", "true", "null", '"1"', "[1]", "{}"],
    COUNT: [*NO_COUNT, "-1", "-9007199254740992"],
    BALANCE: [*NO_COUNT, "-9007199254740993"],
    TEXT: [*NO_TEXT, "null"],
    NULLABLE: [*NO_TEXT, "false"],
    DATE: [
        '""',
        '"2026-10-30T09:12:04"',
        '"2026-02-30T09:12:04Z"',
        LONG,
        "1793351524",
        "null",
        "{}",
    ],
    FLAG: ["0", "1", "null", '"true"', '""', "[]", "{}"],
    "reply": [*NO_CHOICE, '"Complet"', '"full"', '"complet "', '"aper\u00e7u"'],
    "tool": [*NO_CHOICE, '"read"', '"MultiEdit"', '"Grep"', '"Read,Edit"'],
    OBJECT: ["null", "1", '"x"', "[]", "[1, 2, 3, 4]", "true"],
    LIST: ["null", "1", '"dem-1"', "[]", "{}", "true"],
}
RIGHT: dict[str, list[str]] = {
    "schema": ["1"],
    COUNT: ["0", "-0", "1", "9007199254740992"],
    BALANCE: ["0", "-1", "-9007199254740992", "9007199254740992"],
    TEXT: ['"x"', '" "', '"' + "x" * 512 + '"', '"' + "\U0001f600" * 512 + '"', '"\\u0000"'],
    NULLABLE: ["null", '"a1"', '"' + "x" * 512 + '"'],
    DATE: ['"2026-10-30T09:12:04Z"', '"2026-10-30T09:12:04.512+02:00"'],
    FLAG: ["true", "false"],
    "reply": ['"complet"', '"apercu"', '"\\u0061percu"'],
    "tool": ['"Read"', '"Edit"', '"Write"', '"NotebookEdit"', '"Bash"'],
    OBJECT: [],
    LIST: ['["x"]', '["x", "x"]', "[" + ",".join(['"dem-1"'] * 1000) + "]"],
}


def _cases(values: dict[str, list[str]]) -> list[tuple[str, str, str]]:
    """Return (kind, field, value as JSON) for each field of each kind."""
    return [
        (kind, field, value)
        for kind, fields in FIELDS.items()
        for field, sort in fields.items()
        for value in values[sort]
    ]


def _with(kind: str, field: str, value: str) -> bytes:
    """Return the text of an event of that kind with *value*, as JSON, in *field*."""
    event = nested(BUILDERS[kind](), **{field.replace(".", "__"): "@@"})
    return text(event).replace(b'"@@"', value.encode("utf-8"))


def _without(event: Payload, field: str) -> Payload:
    outer, _, inner = field.partition(".")
    if inner:
        return {**event, outer: _without(event[outer], inner)}
    return {name: value for name, value in event.items() if name != outer}


def _refused_field(event: bytes) -> str | None:
    with pytest.raises(BatchError) as caught:
        read_batch(b'{"evenements":[%b,%b]}' % (text(delegation(99)), event))
    assert caught.value.index == 1
    return caught.value.field


def _short(value: object) -> str:
    return str(value)[:24]


def _leaves(event: Payload, outer: str = "") -> Iterator[str]:
    for name, value in event.items():
        yield outer + name
        if isinstance(value, dict):
            yield from _leaves(value, f"{outer}{name}.")


@requirement("C-N9", "S4")
@pytest.mark.parametrize("kind", FIELDS)
def test_the_table_of_fields_is_that_of_the_events(kind: str) -> None:
    assert {*FIELDS[kind], "type"} == set(_leaves(BUILDERS[kind]()))


@requirement("C-N9", "C-N13", "C-N22", "S3")
@pytest.mark.parametrize(
    "kind, field", [(kind, field) for kind in FIELDS for field in FIELDS[kind]]
)
def test_a_missing_field_is_named(kind: str, field: str) -> None:
    assert _refused_field(text(_without(BUILDERS[kind](), field))) == field


@requirement("C-N7", "C-N9", "C-N10", "C-N11", "C-N13", "C-N22", "S3", "S4")
@pytest.mark.parametrize("kind, field, value", _cases(WRONG), ids=_short)
def test_a_value_of_the_wrong_type_or_beyond_its_limits_is_named(
    kind: str, field: str, value: str
) -> None:
    assert _refused_field(_with(kind, field, value)) == field


@requirement("C-N9", "C-N10", "C-N11", "C-N22", "S4", "C-M10", "C-M41")
@pytest.mark.parametrize("kind, field, value", _cases(RIGHT), ids=_short)
def test_every_value_within_the_contract_is_taken(kind: str, field: str, value: str) -> None:
    event = _with(kind, field, value)
    (received,) = read_batch(b'{"evenements":[%b]}' % event)
    assert received.line == event.replace(b'", "', b'","')


@requirement("C-N9", "C-M28", "S3", "S4")
@pytest.mark.parametrize(
    "value", ["", "x" * 513, None, 1, 1.5, True, [], ["dem-1"], {}], ids=_short
)
@pytest.mark.parametrize("place", [0, 1, 12])
def test_a_wrong_item_of_a_list_is_named_by_its_place(place: int, value: Any) -> None:
    ids: list[Any] = [f"dem-{number}" for number in range(13)]
    ids[place] = value
    assert _refused_field(text(steering(demande_ids=ids))) == f"demande_ids[{place}]"


@requirement("C-N22", "C-M19", "C-N10")
def test_a_negative_estimate_is_taken_as_it_is() -> None:
    (received,) = read_batch(body(delegation(estimation__evites=-1001)))
    event = decode_event(received.line)
    assert isinstance(event, Delegation)
    assert event.estimate.avoided == -1001


@requirement("S4", "C-M9", "C-M18", "C-M31", "C-M45")
@pytest.mark.parametrize(
    "event",
    [
        delegation(agent_id=None, par_subagent=True),
        delegation(agent_id="a1", par_subagent=False),
        delegation(estimation__evites=1, estimation__rendus=2, estimation__ecrits=3),
        delegation(id="anything at all", demande_id="dem-1"),
        steering(cout=0),
        steering(id="dem-1", agent_id="principal"),
        correction(tokens_lus=1, tokens_ecrits=2, cout=4),
        correction(tokens_lus=0, tokens_ecrits=0, cout=0),
    ],
)  # fmt: skip
def test_what_an_event_says_of_itself_is_not_computed_again(event: Payload) -> None:
    (received,) = read_batch(body(event))
    assert received.line == text(event)


@requirement("S4", "C-M5", "C-M29")
@pytest.mark.parametrize(
    "event",
    [
        delegation(client="another-client", estimation__methode="tiktoken", demande_id="42"),
        steering(client="\u00e9conome", modele="gpt-x", demande_ids=["not ours"]),
        correction(client="x", session_id="s", tool_use_id="reprise-1"),
    ],
)
def test_other_clients_models_and_ids_are_taken(event: Payload) -> None:
    (received,) = read_batch(body(event))
    assert received.line == text(event)
