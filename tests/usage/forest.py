"""Random small trees: copies, forks, replays, absent ids, UUID ids, gateways, helpers, damage."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

from tests.builders import (
    Row,
    Tree,
    assistant,
    call,
    counts,
    line,
    returned,
    user,
    uuid_of,
    without,
)

UUIDS = (uuid_of("one"), uuid_of("two"))
IDS = ("msg_1", "msg_2", "msg_3", "gateway", "gateway", None, *UUIDS)
REQUESTS = ("req_1", "req_2", "req_3", None)
MODELS = (
    "claude-haiku-4-5-20251001",
    "claude-opus-4-8",
    "claude-sonnet-4-5",
    "no-such-model",
    None,
)
SESSIONS = ("s1", "s2", "s3")
AGENTS = ("a1", "a2", "acompact-1", "aside_question-1", "aprompt_suggestion-1")
ADVISERS = ("claude-opus-4-8", None)
CALLED = (("a1", "Plan"), ("a2", "Explore"))
SLUGS = ("-a", "-b-", "-b", "-c")
FOLDERS = ("{session}/subagents", "", "{session}/subagents/workflows/wf_1")
ZONES = ("UTC", "America/Los_Angeles", "Asia/Kathmandu", "Australia/Lord_Howe")


def sometimes(chance: random.Random, share: float) -> bool:
    """True in about *share* of the cases."""
    return chance.random() < share


def moment(chance: random.Random) -> Any:
    """A time near some midnight, or none that can be used."""
    if sometimes(chance, 0.1):
        return chance.choice((None, "", "later", 7))
    day, hour = chance.choice((4, 5, 6)), chance.choice((0, 7, 8, 13, 18, 23))
    written = f"2026-04-{day:02}T{hour:02}:{chance.choice((0, 14, 15, 29, 30, 59)):02}:59"
    return written + chance.choice(("Z", ".5Z", ".123456789Z", "", "+02:00", "-09:30"))


def advice(chance: random.Random, model: str | None) -> Row:
    """What an adviser used; the same model at the same position, as it is in life."""
    found = {"type": "advisor_message", **counts(fresh=2, output=chance.choice((0, 1, 2)))}
    return found if model is None else {**found, "model": model}


def use(chance: random.Random) -> Row:
    """A usage object, now and then with an adviser or with a counter that is none."""
    write = chance.choice((0, 5, 9, None))
    hour = chance.choice((0, 0, 3, 20))
    found = counts(
        fresh=chance.choice((0, 1, 2, 3, 250_000)),
        output=chance.choice((0, 1, 2, 7)),
        read=chance.choice((0, 4)),
        write=write,
        w5m=chance.choice((0, write, 2)),
        w1h=hour,
        searches=chance.choice((0, 0, 0, 1)),
        speed=chance.choice(("standard", "standard", "fast")),
        inference_geo=chance.choice((None, "us", "")),
    )
    if sometimes(chance, 0.03):
        found["output_tokens"] = chance.choice((-1, 1.5, True, "x", 2**63))
    if sometimes(chance, 0.15):
        items: list[Row] = [{"type": "message"}, *(advice(chance, name) for name in ADVISERS)]
        found["iterations"] = items[: chance.randrange(4)]
    return found


def response(chance: random.Random) -> Row:
    """One line of some response."""
    row = assistant(
        chance.choice("uvwxyz"),
        model=chance.choice(MODELS),
        stop=chance.choice((None, "end_turn")),
        cwd=chance.choice(("/a/web", "/b/web", None)),
        usage=use(chance),
        message={"id": chance.choice(IDS)},
        requestId=chance.choice(REQUESTS),
        gitBranch=chance.choice(("main", "fix", None)),
    )
    row["timestamp"] = moment(chance)
    if sometimes(chance, 0.1):
        row["sessionId"] = chance.choice(SESSIONS)
    if sometimes(chance, 0.1):
        row["isSidechain"] = chance.choice((True, False))
    if sometimes(chance, 0.1):
        row["attributionAgent"] = chance.choice(("Plan", "Explore"))
    if sometimes(chance, 0.03):
        row["message"]["model"] = "<synthetic>"
    if sometimes(chance, 0.03):
        del row["uuid"]
    return row


def lines_of(chance: random.Random, pool: list[Row], session: str, own: bool) -> list[Row | bytes]:
    """The lines of one file: own responses, copies from *pool*, prompts, calls, damage.

    With *own* no row names another session than its file's.
    """
    found: list[Row | bytes] = []
    for _ in range(chance.randrange(8)):
        row = response(chance)
        if pool and sometimes(chance, 0.5):
            row = chance.choice(pool)
        elif sometimes(chance, 0.7):
            pool.append(row)
        if own:
            row = without(row, "sessionId")
        kept = {"sessionId": session} if own else {}
        full = {"sessionId": session if own else chance.choice(SESSIONS), **row}
        kind = chance.random()
        if kind < 0.7:
            found.append(row)
        elif kind < 0.75:
            found.append(line(full) + line({**response(chance), **kept}))
        elif kind < 0.80:
            found.append(line(full)[: chance.randrange(300)] + line(full))
        elif kind < 0.84:
            found.append(chance.choice((b"", b"\0", b"[]", b"{", b"NaN", line(full)[:99])))
        elif kind < 0.92:
            name, called = chance.choice(CALLED)
            found.append(assistant(f"call-{name}", content=[call(f"toolu_{name}", called)]))
            found.append(returned(name, f"toolu_{name}"))
        else:
            found.append(user())
    return found


def grow(tree: Tree, chance: random.Random) -> None:
    """Fill *tree* with a few files."""
    pool: list[Row] = []
    for _ in range(chance.randrange(1, 7)):
        plant(tree, chance, pool)


def plant(tree: Tree, chance: random.Random, pool: list[Row]) -> None:
    """Write one more file, over another when both have one name."""
    session, slug = chance.choice(SESSIONS), chance.choice(SLUGS)
    main = sometimes(chance, 0.5)
    rows = lines_of(chance, pool, session, own=not main)
    if main:
        path = tree.main(session, *rows, slug=slug)
    else:
        meta = chance.choice((None, None, {"agentType": "Explore"}, b"", b"{}"))
        folder = chance.choice(FOLDERS)
        path = tree.agent(
            session, chance.choice(AGENTS), *rows, meta=meta, slug=slug, folder=folder
        )
    if sometimes(chance, 0.2):
        data = path.read_bytes()
        path.write_bytes(data[: -chance.choice((1, 2, 40))])


STRANGE: tuple[Any, ...] = (
    *(None, True, False, 0, 7, -1, 2**53, 2**53 + 1, 2**63, 2**64, 10**40, 1.5, 7.0, -0.0, 1e300),
    *("", "x", "7", "007", "-7", "true", "1" * 17, "é\u2028", UUIDS[0], UUIDS[1].upper()),
    *(
        "x" * 36,
        "<synthetic>",
        "2026-04-05T10:00:00Z",
        [],
        [7],
        {},
        {"x": 7},
        [{"type": "message"}],
    ),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to every value inside *value*."""
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for name, child in inner:
        found.append((*path, name))
        if isinstance(child, dict | list):
            found += places(child, (*path, name))
    return found


def estranged(chance: random.Random) -> Row:
    """A line with one or two fields that are not what they should be, or are missing."""
    row: Row = json.loads(line({"sessionId": "s1", "isSidechain": False, **response(chance)}))
    for _ in range(chance.choice((1, 1, 2))):
        *path, last = chance.choice(places(row))
        holder: Any = row
        for name in path:
            holder = holder[name]
        if sometimes(chance, 0.2):
            del holder[last]
        else:
            holder[last] = copy.deepcopy(chance.choice(STRANGE))
    return row
