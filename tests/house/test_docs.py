"""Every command, option, setting, error and dependency is named in a page, and every link in a page leads somewhere."""

from __future__ import annotations

import ast
import datetime
import json
import re
import shutil
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import click
import pytest

from econome import settings
from econome.cli.app import cli
from econome.delegation.options import BackendOptions, Options
from econome.prices.amounts import usd
from econome.prices.table import load as load_prices
from tests.house.source import REPOSITORY, modules, parsed, tracked
from tests.requirements import REQUIREMENTS
from tools import make_cli_reference, make_diagrams, make_screenshot

DOCS = REPOSITORY / "docs"


@cache
def _page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def _commands(command: click.Command, path: str) -> Iterator[tuple[str, click.Command]]:
    """Yield each visible command below *command* with its full name."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            if not below.hidden:
                yield from _commands(below, f"{path} {name}")


def test_the_command_line_reference_is_up_to_date() -> None:
    assert make_cli_reference.is_current()


def test_the_diagram_of_states_is_drawn_from_the_table() -> None:
    assert make_diagrams.is_current()


def test_every_setting_of_delegation_is_named_in_its_page() -> None:
    page = _page("delegation.md")
    named = {field.name for kind in (Options, BackendOptions) for field in fields(kind)}
    told = named - {"name", "backends"}
    assert [name for name in sorted(told) if f"| `{name}` |" not in page] == []


def test_the_picture_shows_what_the_demo_prints() -> None:
    assert make_screenshot.is_current()


def test_every_command_has_a_section_and_names_each_option() -> None:
    page = _page("cli-reference.md")
    sections = {part.partition("\n")[0]: part for part in page.split("\n## ")}
    for path, command in _commands(cli, "econome"):
        assert path in sections
        options = [
            name
            for parameter in command.params
            if isinstance(parameter, click.Option) and not parameter.hidden
            for name in parameter.opts
        ]
        assert [name for name in options if name not in sections[path]] == []


def test_every_command_says_what_it_does() -> None:
    silent = [path for path, command in _commands(cli, "econome") if not command.help]
    assert silent == []


def _variables() -> set[str]:
    """Return the environment variables that the package reads by name."""
    pattern = re.compile(r"ECONOME_[A-Z_]+|XDG_[A-Z]+_HOME|CLAUDE_CONFIG_DIR|CODEX_HOME")
    return {
        found
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if pattern.fullmatch(found := node.value)
    }


def test_every_environment_variable_is_named_in_the_page_on_settings() -> None:
    assert "CLAUDE_CONFIG_DIR" in _variables()
    assert [name for name in sorted(_variables()) if f"`{name}`" not in _page("settings.md")] == []


def test_every_setting_is_named_in_the_page_on_settings() -> None:
    assert [name for name in settings._KNOWN if f"| `{name}` |" not in _page("settings.md")] == []


def test_the_example_of_settings_is_taken_as_it_stands(home: Path) -> None:
    place = home / "config" / "econome"
    place.mkdir()
    shutil.copy(DOCS / "examples" / "config.toml", place)
    read = settings.load()
    assert (read.timezone, read.history) == ("Europe/Paris", True)
    table = load_prices(read.price_overrides, None)
    day = (datetime.date(2026, 6, 1) - datetime.date(1970, 1, 1)).days
    rates = table.rates("claude-sonnet-4-5-20250929", day, 0, "", "", "")
    assert rates is not None
    assert [usd(rate * 1_000_000) for rate in rates[:5]] == ["2.4", "12", "0.24", "3", "4.8"]


@pytest.mark.parametrize("page, of_the_contract", [("rules.md", False), ("contract.md", True)])
def test_every_rule_is_told_once_in_its_page(page: str, of_the_contract: bool) -> None:
    told = re.findall(r"^\| ((?:C-)?[A-Z]+\d+b?) \|", _page(page), re.MULTILINE)
    assert told == [name for name in REQUIREMENTS if name.startswith("C-") == of_the_contract]


def test_the_example_of_the_contract_gives_the_figures_that_its_page_tells() -> None:
    events = json.loads((DOCS / "examples" / "economies.json").read_bytes())["evenements"]
    avoided, steering = events[0]["estimation"]["evites"], events[1]["cout"]
    assert (
        f"{avoided:,} tokens avoided, {steering:,} of steering and {avoided - steering:,} net"
        in (_page("contract.md"))
    )


def test_every_dependency_has_a_row_with_its_weight() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [name for extra in project["optional-dependencies"].values() for name in extra]
    names = {re.split(r"[\[<>=~! ]", name)[0] for name in project["dependencies"] + extras}
    rows = set(re.findall(r"^\| ([a-z0-9-]+) \|", _page("dependencies.md"), re.MULTILINE))
    assert names - {"econome"} <= rows


def test_every_room_has_a_place_in_the_page_on_architecture() -> None:
    page = _page("architecture.md")
    rooms = {path.parent.name for path in modules() if path.parent.name != "econome"}
    assert [room for room in sorted(rooms) if f"{room}/" not in page] == []


@pytest.mark.parametrize(
    "page", [path for path in tracked() if path.suffix == ".md"], ids=lambda path: path.name
)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_target_of_the_makefile_is_explained() -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    phony = re.search(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)
    assert phony is not None
    explained = set(re.findall(r"^([a-z-]+):.*## \S", makefile, re.MULTILINE))
    assert explained == set(phony.group(1).split())
