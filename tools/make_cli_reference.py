"""Write docs/cli-reference.md from the commands' own help; `--check` only says whether it is up to date."""

from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from econome.cli.app import cli
from econome.cli.failures import FAILURES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli-reference.md"
WIDTH = 96

HEAD = """\
# Command line reference

Written by `make docs` from the commands' own `--help`; not to be edited by hand. What the columns and keys of the answers
mean is in [json.md](json.md), which settings there are in [settings.md](settings.md).
"""

FAILURES_HEAD = """\
## When it fails

An expected failure is one line on standard error that says where, what and what to do, and nothing on standard output.
Exit 0 means answered, 1 failed, 2 asked wrongly, 130 interrupted, 141 the reader of the output went away.
`econome statusline` always exits 0.

| error | exit | when |
| --- | --- | --- |
"""


def commands(command: click.Command, name: str, parent: click.Context | None) -> Iterator[str]:
    """Yield the section of *command* and those of the commands below it."""
    context = click.Context(
        command, parent, name, terminal_width=WIDTH, max_content_width=WIDTH, color=False
    )
    context.help_option_names = ["-h", "--help"]
    shown = "\n".join(line.rstrip() for line in command.get_help(context).splitlines())
    yield f"## {context.command_path}\n\n```text\n{shown}\n```\n"
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is None:
                raise LookupError(f"{context.command_path} lists {below} and does not know it")
            if not found.hidden:
                yield from commands(found, below, context)


def failures() -> str:
    """Return the section on expected failures."""
    rows = [
        f"| `{error.__name__}` | {code} | {(inspect.getdoc(error) or '').partition(chr(10))[0]} |\n"
        for error, code in sorted(FAILURES.items(), key=lambda row: row[0].__name__)
    ]
    return FAILURES_HEAD + "".join(rows)


def page() -> str:
    """Return the whole page."""
    return "\n".join([HEAD, *commands(cli, "econome", None), failures()])


def is_current() -> bool:
    """Return whether the page says what the commands say; spacing, which varies with click, does not count."""
    written = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
    return written.split() == page().split()


def main() -> None:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when the page is out of date")
    if parser.parse_args().check:
        if not is_current():
            sys.exit("docs/cli-reference.md is out of date; `make docs` writes it")
    else:
        PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
