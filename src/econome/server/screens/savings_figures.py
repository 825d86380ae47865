"""The figures of the page of savings by what was delegated with: presets, formats, local models, clients, and in dollars."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from econome.delegation import wire
from econome.savings.asking import name_to_ask
from econome.server.screens.figure import Column, Figure, Row
from econome.server.screens.savings_scene import Sums

if TYPE_CHECKING:
    from econome.savings.question import By
    from econome.server.screens.savings_scene import Scene

__all__ = ["clients", "formats", "local", "models", "money", "presets"]

_SERIES: Final = ("avoided", "steering", "corrections")


def presets(scene: Scene) -> Figure:
    """Return the presets, each with its rework rate and with how it did in its own checks."""
    told = scene.told
    rows = scene.rows("preset")
    column = Column("score", told.text("Own checks"), "text")
    note = told.text(
        "The rework rate is the best measure there is of a local model on a task. The checks of a preset are in no sum."
    )
    figure = _named(scene, "preset", "presets", told.text("By preset"), told.text("Preset"), rows)
    return Figure(
        figure.name,
        figure.title,
        (*figure.columns, column),
        tuple(_scored(scene, row, sums) for row, sums in zip(figure.rows, rows, strict=True)),
        note=note,
    )


def formats(scene: Scene) -> Figure:
    """Return the formats of the answers."""
    told = scene.told
    title, name = told.text("By format"), told.text("Format")
    return _named(scene, "format", "formats", title, name, scene.rows("format"))


def models(scene: Scene) -> Figure:
    """Return the local models."""
    told = scene.told
    title, name = told.text("By local model"), told.text("Local model")
    return _named(scene, "model", "models", title, name, scene.rows("model"))


def clients(scene: Scene) -> Figure:
    """Return the clients, with what of theirs is unattached and what came again with another content."""
    told = scene.told
    rows = []
    for client in scene.whole["clients"]:
        name = client["client"]
        links = scene.links("client", client=name) | {
            "unattached": scene.events(client=name, attached="no"),
            "conflicts": scene.events(client=name, kind="conflict"),
        }
        counts = (
            client[key]
            for key in ("delegations", *_SERIES, "net", "rework_rate", "unattached", "conflicts")
        )
        rows.append(Row((name, *counts), links=links))
    columns = (
        Column("client", told.text("Client"), "text"),
        *scene.columns(),
        Column("unattached", told.text("Unattached")),
        Column("conflicts", told.text("Conflicts")),
    )
    return Figure("clients", told.text("By client"), columns, tuple(rows))


def local(scene: Scene) -> Figure:
    """Return what the local model did, by how its requests ended."""
    told, found = scene.told, scene.whole["local"]
    words = {
        wire.DONE: told.text("done"),
        wire.FAILED: told.text("failed"),
        wire.CANCELLED: told.text("cancelled"),
        wire.EXPIRED: told.text("expired"),
        wire.REFUSED: told.text("refused"),
    }
    rows = tuple(
        Row((status, count), {"status": words.get(status, status)})
        for status, count in sorted(
            found["by_status"].items(), key=lambda pair: (-pair[1], pair[0])
        )
    )
    columns = (
        Column("status", told.text("Requests that are"), "text"),
        Column("requests", told.text("Requests")),
    )
    note = told.text(
        "By the journal: {tokens_in} tokens in, {tokens_out} out, {seconds} seconds. These are tokens of the local model and in no sum. "
        "“econome requests” lists them.",
        tokens_in=told.count(found["tokens_in"]), tokens_out=told.count(found["tokens_out"]),
        seconds=told.number(found["duration_s"]),
    )  # fmt: skip
    return Figure("local", told.text("What the local model did"), columns, rows, note=note)


def money(scene: Scene, report: dict[str, Any]) -> Figure:
    """Return the same balance in US dollars (S9); *report* is one with money."""
    told = scene.told
    text, names = told.text, (*_SERIES, "net")
    rows, partial = [], False
    for name, whole in (
        *((one["client"], one) for one in report["clients"]),
        (None, report["total"]),
    ):
        found = whole["usd"]
        partial |= found["partial"]
        values = [None if found[key] is None else Decimal(found[key]) for key in names]
        shown = {"client": text("All clients")} if name is None else {}
        if found["partial"]:
            shown |= {key: f"{told.usd(found[key])} *" for key in names if found[key] is not None}
        links = scene.links("client") if name is None else scene.links("client", client=name)
        rows.append(Row((name, *values), shown, links))
    prices = report["money"]["prices"]
    notes = [
        text(
            "At list prices (table {version}, checked {checked}) of the day: what was avoided and corrected at the model of the "
            "session's main thread, steering at its own. It rests on the same estimate.",
            version=prices["version"], checked=told.day(prices["checked"]),
        )
    ]  # fmt: skip
    if partial:
        notes.append(text("* Something of it has no price, and is in no sum:"))
        notes += [_unpriced(scene, one) for one in report["money"]["unpriced"]]
    columns = (
        Column("client", text("Client"), "text"),
        *(
            Column(column.key, column.title, "usd")
            for column in scene.columns()
            if column.key in names
        ),
    )
    return Figure("money", text("In dollars"), columns, tuple(rows), note=" ".join(notes))


def _unpriced(scene: Scene, entry: dict[str, Any]) -> str:
    told = scene.told
    model = entry["model"]
    if model is None:
        model = told.text("no transcript names the model")
    return told.plural(
        "{model} ({count} event).", "{model} ({count} events).", entry["events"], model=model
    )


def _named(
    scene: Scene, key: By, name: str, title: str, column: str, rows: Sequence[Sums]
) -> Figure:
    none = scene.told.text("(none)")
    return Figure(
        name,
        title,
        (Column(key, column, "text"), *scene.columns()),
        tuple(
            Row(
                (row.name, *row.values),
                {key: none} if row.name is None else {},
                scene.links(key, **{key: name_to_ask(row.name)}),
            )
            for row in rows
        ),
    )


def _scored(scene: Scene, row: Row, sums: Sums) -> Row:
    """Return the row of a preset with how it did in its own checks."""
    told, score = scene.told, sums.score
    if score is None:
        return Row((*row.values, None), row.shown, row.links)
    said = told.text(
        "{passed} of {total}", passed=told.count(score["passed"]), total=told.count(score["total"])
    )
    if not score["current"]:
        said = told.text("{score}, before it was changed", score=said)
    return Row(
        (*row.values, f"{score['passed']}/{score['total']}"),
        {**row.shown, "score": said},
        row.links,
    )
