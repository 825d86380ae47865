"""`/metrics`: what a Prometheus server scrapes, counted when it asks.

The figures of use are those of `econome usage --by model`, over all time; a model without a price has no cost there, and
never one of 0. What counts events counts from the start of this process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from econome.server.answers import Application, Message, Receive, Scope, Send

__all__ = ["MEDIA_TYPE", "PATH", "Counters", "Tally", "exposition"]

PATH = "/metrics"
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_CLASSES = ("input", "output", "cache_read", "cache_write_5m", "cache_write_1h")
_REFUSED_FROM = 400


class Counters(Protocol):
    """What a ledger counts."""

    received: int
    duplicates: int
    conflicts: int

    @property
    def waiting(self) -> int:
        """How many events are not on disk yet."""

    @property
    def events(self) -> int:
        """How many events are on disk."""

    @property
    def size(self) -> int:
        """How many bytes they take."""


class Tally:
    """Counts what was refused of what was posted to one path, by status, whoever refused it."""

    def __init__(self, app: Application, path: str) -> None:
        self._app, self._path = app, path
        self.refused: Counter[int] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on and look at the answer's status."""
        if scope["type"] != "http" or scope["path"] != self._path:
            await self._app(scope, receive, send)
            return

        async def counted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] >= _REFUSED_FROM:
                self.refused[message["status"]] += 1
            await send(message)

        await self._app(scope, receive, counted)


def exposition(
    counters: Counters, refused: Mapping[int, int], models: Sequence[Mapping[str, Any]]
) -> bytes:
    """Return the text; *models* are the rows of a usage report by model."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_Families([*_of_use(models), *_of_ledger(counters, refused)]))
    return generate_latest(registry)


class _Families(Collector):
    """Families that are there already."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def _of_use(models: Sequence[Mapping[str, Any]]) -> list[Metric]:
    # Gauges: a transcript that is deleted takes its tokens along, and a counter may not fall.
    tokens = GaugeMetricFamily(
        "econome_usage_tokens",
        "Tokens in the transcripts of this machine.",
        labels=("model", "class"),
    )
    cost = GaugeMetricFamily(
        "econome_usage_cost_usd",
        "What they cost at list prices, in USD; absent where a model has no price.",
        labels=("model",),
    )
    for row in models:
        model = row["model"].encode("utf-8", "replace").decode("utf-8")
        for name in _CLASSES:
            tokens.add_metric((model, name), row[f"{name}_tokens"])
        if row["cost_usd"] is not None:
            cost.add_metric((model,), float(row["cost_usd"]))
    return [tokens, cost]


def _of_ledger(counters: Counters, refused: Mapping[int, int]) -> list[Metric]:
    batches = CounterMetricFamily(
        "econome_posts_refused",
        "Requests to /economies that were refused, by status.",
        labels=("status",),
    )
    for status, count in sorted(refused.items()):
        batches.add_metric((str(status),), count)
    return [
        CounterMetricFamily(
            "econome_events_received", "New events that were acknowledged.", counters.received
        ),
        CounterMetricFamily(
            "econome_events_duplicate", "Events that were there already.", counters.duplicates
        ),
        CounterMetricFamily(
            "econome_events_conflicting",
            "Duplicates that say something else than what is kept.",
            counters.conflicts,
        ),
        batches,
        GaugeMetricFamily(
            "econome_ledger_queue_events", "Events on their way to disk.", counters.waiting
        ),
        GaugeMetricFamily("econome_ledger_events", "Events in the ledger.", counters.events),
        GaugeMetricFamily("econome_ledger_size_bytes", "The ledger's length.", counters.size),
    ]
