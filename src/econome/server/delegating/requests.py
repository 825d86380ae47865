"""The requests of a data directory as files tell them: those that are open, and those that ended.

It reads the register and the journal, needs no server and changes nothing. Reports name statuses in the wire's words, as
the balance does.
"""

from __future__ import annotations

import os
import re
from typing import Any

from econome.delegation.answers import Answers
from econome.delegation.journal import JOURNAL, read_entry
from econome.delegation.past import find
from econome.delegation.register import REGISTER, Accepted, read_register
from econome.delegation.wire import Ended
from econome.durable import LineReader
from econome.errors import LedgerBroken, RequestUnknown, UsageError
from econome.savings.lock import holder
from econome.savings.tail import Tail
from econome.settings import Settings

__all__ = ["list_requests", "show_request", "whole_id"]

_BEGINNING = re.compile(r"dem-[0-9a-f]{1,9}")
_NAMED = 5


def list_requests(settings: Settings, limit: int) -> dict[str, Any]:
    """Return the open requests in the order in which they came, and the last *limit* that ended, the latest first.

    Raises:
        LedgerBroken: a file is there and cannot be read.
    """
    directory = settings.ledger_dir()
    # The register first: what ends meanwhile is then told as open, and not lost between the two.
    opened = read_register(os.path.join(directory, REGISTER))
    lines = Tail(os.path.join(directory, JOURNAL)).last(limit)
    ended = [entry for entry in map(read_entry, reversed(lines)) if entry is not None]
    over = {entry.request_id for entry in ended}
    found = holder(directory)
    return {
        "schema": "econome.requests/1",
        "open": [_open_row(*one) for one in opened if one[0].id not in over],
        "ended": [_row(entry) for entry in ended],
        "held_by": None if found is None else str(found),
    }


def show_request(settings: Settings, request_id: str) -> dict[str, Any]:
    """Return one request, and its answer where that is kept.

    Raises:
        RequestUnknown: neither the journal nor the register has it.
        LedgerBroken: a file is there and cannot be read.
    """
    directory = settings.ledger_dir()
    opened = read_register(os.path.join(directory, REGISTER))
    ended = find(os.path.join(directory, JOURNAL), [request_id]).get(request_id)
    answer: tuple[str | None, str | None] = (None, None)
    if ended is not None:
        row = _row(ended)
        kept = os.path.join(settings.data_dir, "answers")
        answer = Answers(kept, 0).read(request_id) or answer
    else:
        rows = [_open_row(*one) for one in opened if one[0].id == request_id]
        if not rows:
            raise RequestUnknown(request_id)
        row = rows[0]
    return {
        "schema": "econome.request/1",
        "open": ended is None,
        "request": row,
        "answer": answer[0],
        "answer_path": answer[1],
        "question": None,
        "changes": None,
        "diff": None,
    }


def whole_id(settings: Settings, beginning: str) -> str:
    """Return the one request id that begins so; what is no beginning of one stays as it is.

    Raises:
        UsageError: several begin so.
        LedgerBroken: a file is there and cannot be read.
    """
    if not _BEGINNING.fullmatch(beginning):
        return beginning
    directory = settings.ledger_dir()
    opened = read_register(os.path.join(directory, REGISTER))
    found = {one.id for one, _ in opened if one.id.startswith(beginning)}
    sought = re.compile(rb'"demande_id"\s*:\s*"(%b[0-9a-f]*)"' % beginning.encode("ascii"))
    reader = LineReader(os.path.join(directory, JOURNAL))
    try:
        reader.goes_on()
        for block in reader.blocks():
            found.update(match.decode("ascii") for match in sought.findall(block))
    except OSError as error:
        raise LedgerBroken(reader.path, error.strerror or str(error)) from None
    if len(found) > 1:
        named = ", ".join(sorted(found)[:_NAMED])
        more = ", …" if len(found) > _NAMED else ""
        raise UsageError(f"{beginning}: {len(found)} requests begin so: {named}{more}")
    return found.pop() if found else beginning


def _row(ended: Ended) -> dict[str, Any]:
    return {
        "request_id": ended.request_id,
        "status": ended.status,
        "date": ended.date,
        "client": None,
        "session": ended.session,
        "tool_use_id": ended.tool_use_id,
        "backend": None,
        "preset": ended.preset,
        "format": ended.format,
        "model": ended.model,
        "tokens_in": ended.tokens_in,
        "tokens_out": ended.tokens_out,
        "tokens_estimated": ended.tokens_estimated is True,
        "cut": ended.cut is True,
        "duration_s": ended.duration_s,
        "reply": ended.reply,
        "output": ended.output,
        "error": ended.error,
    }


def _open_row(one: Accepted, state: str) -> dict[str, Any]:
    return {
        "request_id": one.id,
        "status": state,
        "date": one.date,
        "client": one.client,
        "session": one.session,
        "tool_use_id": one.tool_use,
        "backend": one.place,
        "preset": one.preset,
        "format": one.format,
        "model": None,
        "tokens_in": None,
        "tokens_out": None,
        "tokens_estimated": False,
        "cut": False,
        "duration_s": None,
        "reply": one.reply,
        "output": one.output,
        "error": None,
    }
