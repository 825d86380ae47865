"""Puts a screen into its page: the templates, in each language. It reads them from the package and decides nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from econome.server.charts.bars import patterns
from econome.server.charts.marks import seen
from econome.server.screens.figure import Column, Value
from econome.server.screens.visit import Screen, Visit
from econome.server.telling import LANGUAGES, Telling, telling

__all__ = ["PAGES", "bare_page", "page", "part"]

PAGES = ("usage", "savings", "servers", "diagnosis", "manual")
"""The pages that the head of each page leads to."""


@cache
def _environment(language: str) -> Environment:
    told = telling(language)
    made = Environment(
        loader=PackageLoader("econome.server", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        extensions=["jinja2.ext.i18n"],
        finalize=_finalised,
    )
    made.install_gettext_callables(  # type: ignore[attr-defined]
        told.catalog.gettext, told.catalog.ngettext, newstyle=True
    )
    filters: dict[str, Callable[..., str]] = {
        "brief": told.brief, "count": told.count, "day": told.day, "number": told.number,
        "share": told.share, "usd": told.usd,
    }  # fmt: skip
    made.filters.update(filters)
    made.filters["svg"] = Markup  # what the charts' room wrote, with every text made harmless
    made.globals.update(
        gettext=_texts(told),
        ngettext=_plurals(told),
        language=language,
        languages=LANGUAGES,
        names={
            "usage": told.text("Usage"),
            "savings": told.text("Savings"),
            "servers": told.text("Servers"),
            "diagnosis": told.text("Diagnosis"),
            "manual": told.text("Manual"),
        },
        cell=_cell(told),
    )
    macros: Any = made.get_template("figure.html").module
    made.globals.update(
        chosen=macros.chosen,
        facts=macros.facts,
        figure=macros.figure,
        period=macros.period,
        tile=macros.tile,
    )
    return made


def _texts(told: Telling) -> Callable[..., Markup]:
    """Return what a template calls for a text: Jinja2's own would put in values that nobody looked through."""

    def text(message: str, /, **values: object) -> Markup:
        return Markup(told.catalog.gettext(message)) % _looked_through(values)

    return text


def _plurals(told: Telling) -> Callable[..., Markup]:
    def plural(one: str, many: str, count: int, /, **values: object) -> Markup:
        chosen = told.catalog.ngettext(one, many, count)
        return Markup(chosen) % _looked_through({"num": count, **values})

    return plural


def _looked_through(values: Mapping[str, object]) -> dict[str, object]:
    return {name: _finalised(value) for name, value in values.items()}


def _finalised(value: object) -> object:
    """Replace what cannot be seen in anybody's text by a sign that can."""
    return seen(value) if type(value) is str else value


def _cell(told: Telling) -> Callable[[Visit, Column, Value], str]:
    def cell(visit: Visit, column: Column, value: Any) -> str:
        if column.kind == "text":
            return told.text("n/a") if value is None else str(value)
        if column.kind == "instant":
            return told.instant(value, visit.moment.zone, "short")
        write: Callable[[Any], str] = getattr(told, column.kind)
        return write(value)

    return cell


def page(screen: Screen, visit: Visit) -> bytes:
    """Return the whole page."""
    made = _environment(visit.telling.language).get_template(f"{screen.name}.html")
    return made.render(_values(screen, visit)).encode()


def part(screen: Screen, visit: Visit) -> bytes | None:
    """Return the part of the page that was asked for, None where it has no such part.

    A part is named by the id of its element; the block that makes it has `_` where that has `-`. A figure without a block
    of its own is a part too.
    """
    environment = _environment(visit.telling.language)
    made = environment.get_template(f"{screen.name}.html")
    block = made.blocks.get(visit.part.replace("-", "_"))
    if block is None:
        found = screen.figure(visit.part)
        if found is None:
            return None
        draw: Any = environment.globals["figure"]
        return str(draw(found, visit)).encode()
    return "".join(block(made.new_context(_values(screen, visit)))).encode()


def bare_page(name: str, language: str) -> bytes:
    """Return a page that nobody has to be let in for."""
    return _environment(language).get_template(name).render().encode()


def _values(screen: Screen, visit: Visit) -> dict[str, Any]:
    return {
        "screen": screen,
        "visit": visit,
        "state": visit.state,
        "pages": PAGES,
        "patterns": patterns(),
        "figures": {figure.name: figure for figure in screen.figures},
        **screen.context,
    }
