"""`econome prices`: the price table with its sources and dates, and what a model id resolves to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from econome.prices.explain import Lists
    from econome.prices.tariff import PriceTable

__all__ = ["explain", "prices"]

_UNIT = "USD per million tokens; web searches in USD per thousand"
_PRICES = (
    ("input", "in"),
    ("output", "out"),
    ("cache_read", "cache read"),
    ("write_5m", "write 5m"),
    ("write_1h", "write 1h"),
)


def _day(_: click.Context, __: click.Parameter, text: str | None) -> int | None:
    """Return an ISO date as days since 1970-01-01."""
    from econome.times import read_day

    try:
        return None if text is None else read_day(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON, see docs/prices.md.")


@click.group(invoke_without_command=True)
@click.option("--model", metavar="TEXT", help="Only the ids, of any vendor, that contain this.")
@click.option("--all", "every", is_flag=True, help="Other vendors' models too.")
@_json
@click.pass_context
def prices(context: click.Context, model: str | None, every: bool, as_json: bool) -> None:
    """Show the price table: sources, dates, and what a model id resolves to.

    Without an option: Claude's models and those of your settings.
    """
    if context.invoked_subcommand is not None:
        given = {"--model": model, "--all": every, "--json": as_json}
        misplaced = [name for name, value in given.items() if value]
        if misplaced:
            command = context.invoked_subcommand
            raise click.UsageError(
                f"--json stands before the command; write it after {command!r}"
                if misplaced == ["--json"]
                else f"{misplaced[0]} is of no use before {command!r}"
            )
        return
    from econome.prices.explain import listing

    table, lists = _load()
    names = list(table.names())
    if every or model:
        names += [name for name in lists.vendor_ids() if name not in names]
    if model:
        names = [name for name in names if model.lower() in name]
    rows = listing(table, lists, names)
    if as_json:
        _print_json(_head(table, lists) | {"models": rows})
    else:
        _show_table(table, lists, rows, model)


@prices.command()
@click.argument("model")
@click.option("--date", "day", callback=_day, metavar="DATE", help="The UTC day; today by default.")
@_json
def explain(model: str, day: int | None, as_json: bool) -> None:
    """Say what a model id resolves to, what it costs on a day, and why."""
    from econome.clock import now
    from econome.prices.explain import explanation

    if not model.strip():
        raise click.BadParameter("it is empty", param_hint="MODEL")
    table, lists = _load()
    answer = explanation(table, lists, model, int(now() // 86400) if day is None else day)
    if as_json:
        head = {"schema": "econome.price/1", "version": table.version, "checked": table.checked}
        _print_json(head | {"unit": _UNIT} | answer)
    else:
        _show_explanation(table, answer)


def _load() -> tuple[PriceTable, Lists]:
    from econome.prices import bundle
    from econome.prices.explain import Lists
    from econome.prices.table import load
    from econome.settings import load as load_settings

    found = load_settings()
    table = load(found.price_overrides, None, found.config_file)
    return table, Lists(bundle.raw("claude.json"), bundle.vendors())


def _head(table: PriceTable, lists: Lists) -> dict[str, Any]:
    """Return what describes the whole table in JSON."""
    claude, vendors = lists.claude, lists.vendors
    return {
        "schema": "econome.prices/1",
        "version": table.version,
        "checked": table.checked,
        "unit": _UNIT,
        "overridden": list(table.overridden),
        "factors": {key: claude[key] for key in ("geo", "region", "tier")},
        "web_search": claude["web_search"],
        "sources": claude["sources"],
        "vendors": {key: vendors[key] for key in ("package", "version", "checked", "left_out")},
    }


def _print_json(value: dict[str, Any]) -> None:
    from econome.jsontext import dumps

    click.echo(dumps(value))


def _show_table(
    table: PriceTable, lists: Lists, rows: list[dict[str, Any]], model: str | None
) -> None:
    from econome.cli.render.screen import FAINT, TITLE, Screen
    from econome.cli.render.table import Column, lay_out, lines
    from econome.cli.texts import NOTES

    screen = Screen()
    screen.line(f"Price table {table.version}, checked {table.checked}", TITLE)
    screen.line(_UNIT, FAINT)
    screen.line()
    if not rows:
        screen.line(f"No model id contains {model!r}.")
        return
    columns = [
        Column("model", [row["model"] for row in rows], name=True, least=24),
        Column("tier", [row["tier"] for row in rows], yields=5),
        Column("days", [_days(row) for row in rows], yields=3),
        Column("prompt", [_prompt(row) for row in rows], yields=2),
        *(Column(title, [row[key] for row in rows]) for key, title in _PRICES),
        Column("fast", [f"{row['fast']}x" if row["fast"] else "" for row in rows], yields=4),
        Column("US", [f"{row['us_only']}x" if row["us_only"] else "" for row in rows], yields=6),
    ]
    layout = lay_out([one for one in columns if any(one.cells)], screen.width)
    screen.lines(lines(layout))
    if layout.left_out:
        screen.prose(NOTES["left_out"].format(columns=", ".join(layout.left_out)), FAINT)
    screen.line()
    for name, said in _notes(rows).items():
        screen.prose(f"{name}: {said}", FAINT)
    for sentence in _closing(lists):
        screen.prose(sentence, FAINT)
    for source in _sources(rows):  # an address that is broken over lines cannot be followed
        screen.line(f"Source: {source}", FAINT)


def _closing(lists: Lists) -> list[str]:
    """Return what is said below the table: factors, and what the figures are not."""
    claude, vendors = lists.claude, lists.vendors
    regions = [name for name, factor in claude["region"].items() if factor != "1"]
    return [
        f"Claude: batch {claude['tier']['batch']}x, Bedrock regions {', '.join(regions)} "
        f"{claude['region'][regions[0]]}x, web searches {claude['web_search']} USD per thousand.",
        f"Other vendors (--all): {vendors['package']} {vendors['version']}, "
        f"checked {vendors['checked']}.",
        "These are API list prices, not what a subscription pays.",
        "`econome prices explain MODEL` says what an id resolves to.",
    ]


def _days(row: Mapping[str, Any]) -> str:
    if row["from"] and row["until"]:
        return f"{row['from']} to {row['until']}"
    if row["until"]:
        return f"before {row['until']}"
    return f"from {row['from']}" if row["from"] else ""


def _prompt(row: Mapping[str, Any]) -> str:
    return "" if row["above"] is None else f"> {row['above']:,}"


def _notes(rows: list[dict[str, Any]]) -> dict[str, str]:
    """Return what is said of each Claude or overridden model, once."""
    return {
        row["model"]: "; ".join(row["notes"])
        for row in rows
        if row["notes"] and row["list"] != "vendors"
    }


def _sources(rows: list[dict[str, Any]]) -> list[str]:
    return sorted({source for row in rows for source in row["sources"]})


def _show_explanation(table: PriceTable, answer: Mapping[str, Any]) -> None:
    from econome.cli.render.screen import ACCENT, FAINT, LOUD, TITLE, Screen

    screen = Screen()
    screen.line(f"{answer['model']} is {answer['resolves_to']}", TITLE)
    for step in answer["steps"]:
        screen.line(f"  {step}", FAINT)
    screen.line()
    if answer["reason"]:
        screen.prose(f"No price: {answer['reason']}", LOUD)
        full = f"claude-{answer['resolves_to']}"
        if full in table.names():
            screen.prose(f"Tables leave out `claude-`; the id with it has a price: {full}.")
    for price in answer["prices"]:
        prompt = f", prompt > {price['above']:,}" if price["above"] else ""
        asked = ", ".join(f"{title} {price[key]}" for key, title in _PRICES)
        screen.line(f"{answer['day']}{prompt}: {asked}", ACCENT)
    if answer["prices"]:
        screen.line(_UNIT, FAINT)
    if len(answer["entries"]) > 1:
        screen.line()
        screen.line("Entries")
        for row in answer["entries"]:
            named = [row["tier"] or "standard", _days(row) or "all days", _prompt(row)]
            asked = ", ".join(f"{title} {row[key]}" for key, title in _PRICES)
            screen.line(f"  {' '.join(filter(None, named))}: {asked}")
    if answer["modifiers"]:
        screen.line()
        screen.line("What changes it")
    for modifier in answer["modifiers"]:
        mark = " (applied above)" if modifier["applied"] else ""
        screen.line(f"  {modifier['when']}: {modifier['effect']}{mark}")
    screen.line()
    for note in answer["notes"]:
        screen.prose(f"Note: {note}", FAINT)
    for source in answer["sources"]:
        screen.line(f"Source: {source}", FAINT)
    screen.line(f"Price table {table.version}, checked {table.checked}", FAINT)
