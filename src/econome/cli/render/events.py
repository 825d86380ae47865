"""An event of the ledger as one line of text."""

from __future__ import annotations

from econome.cli.render.figures import full, plain
from econome.cli.server_texts import EVENTS
from econome.errors import BatchError
from econome.savings.batch import decode_event
from econome.savings.wire import Delegation, Steering

__all__ = ["line"]

_KIND_WIDTH = len("delegation")


def line(stored: bytes) -> str:
    """Return when, what, whose, about which request and how many tokens; no event holds a word of a prompt."""
    try:
        event = decode_event(stored)
    except BatchError:
        return EVENTS["damaged"]
    if isinstance(event, Delegation):
        figure, requests = EVENTS["avoided"].format(tokens=full(event.estimate.avoided)), 1
        request = event.request_id
    else:
        figure = EVENTS["cost"].format(tokens=full(event.cost))
        several = event.request_ids if isinstance(event, Steering) else [event.request_id]
        request, requests = several[0], len(several)
    if requests > 1:
        request = EVENTS["more"].format(request=request, count=requests - 1)
    kind = type(event).__name__.lower()
    shown = (event.date, kind.ljust(_KIND_WIDTH), event.client, request, figure)
    return "  ".join(map(plain, shown))
