"""What stands behind `--` is somebody else's command line, and what should stand there is put there."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner, Result

from econome.cli.behind import BehindCommand, BehindGroup


class _Alone(BehindCommand):
    stray = "meant: {words}"


@click.command(cls=_Alone)
@click.option("--name")
@click.option("--json", "form", is_flag=True)
@click.pass_obj
def alone(words: tuple[str, ...], name: str | None, form: bool) -> None:
    """Say what was understood."""
    click.echo(repr((words, name, form)))


_SUMMARIES = {"sub": "A subcommand."}


class _Several(BehindGroup):
    summaries = _SUMMARIES
    homes = {"sub": (__name__, "sub")}  # noqa: RUF012
    stray = "meant: {words}"


@click.group(cls=_Several, invoke_without_command=True)
@click.option("--name")
@click.pass_context
def several(context: click.Context, name: str | None) -> None:
    """Say what was understood."""
    click.echo(repr((context.obj, name, context.invoked_subcommand)))


@click.command
@click.argument("rest", nargs=-1)
def sub(rest: tuple[str, ...]) -> None:
    """Say what is left."""
    click.echo(repr(rest))


def _said(command: click.Command, *words: str) -> Result:
    return CliRunner().invoke(command, words)


@pytest.mark.parametrize("command, rest", [(alone, "None, False"), (several, "None, None")])
def test_options_behind_the_dashes_are_the_servers(command: click.Command, rest: str) -> None:
    done = _said(command, "--", "npx", "-y", "--name", "x", "--", "--json")
    assert done.output == f"(('npx', '-y', '--name', 'x', '--', '--json'), {rest})\n"


def test_options_before_the_dashes_are_ours() -> None:
    assert _said(alone, "--name", "x", "--json", "--", "npx").output == "(('npx',), 'x', True)\n"


def test_without_dashes_there_is_no_server() -> None:
    assert _said(alone, "--json").output == "((), None, True)\n"
    assert _said(several).output == "((), None, None)\n"


@pytest.mark.parametrize(
    "words, meant",
    [
        (("npx", "-y", "it"), "-- npx -y it"),
        (("--name", "x", "npx", "-y", "--json", "it"), "--name x --json -- npx -y it"),
        (("npx", "--name", "x"), "--name x -- npx"),
        (("npx", "--name=x y"), "'--name=x y' -- npx"),
        (("npx", "--", "a", "--json"), "-- npx a --json"),
    ],
)
def test_a_command_that_stands_before_the_dashes_is_put_behind_them(
    words: tuple[str, ...], meant: str
) -> None:
    done = _said(alone, *words)
    assert done.exit_code == 2
    assert f"meant: {meant}\n" in done.output


def test_a_group_says_what_was_meant_as_well() -> None:
    done = _said(several, "--name", "x", "npx", "-y")
    assert done.exit_code == 2
    assert "meant: --name x -- npx -y\n" in done.output


def test_a_subcommand_keeps_its_own_dashes() -> None:
    assert _said(several, "sub", "--", "-x").output == "((), None, 'sub')\n('-x',)\n"
