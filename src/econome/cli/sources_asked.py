"""From the options of a command line to the servers it is about, with what others may have written confirmed first."""

from __future__ import annotations

import os
import sys

from econome.cli.sources_texts import SOURCE_OPTIONS, SOURCES
from econome.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeVar

    from econome.contract.sources import Source, Sources
    from econome.lean.rules import Rules
    from econome.settings import Settings

    Command = TypeVar("Command", bound=Callable[..., Any])

__all__ = ["once", "rules_asked", "source_options", "sources_asked"]


def source_options(*without: str) -> Callable[[Command], Command]:
    """Return a decorator that gives a command the options by which servers are named, but for those *without*.

    They are `name`, `url`, `config`, `yes`, `rules` and `tokenizer`.
    """
    import click

    metavars = {
        "name": "NAME",
        "url": "URL",
        "config": "FILE",
        "yes": None,
        "rules": "FILE",
        "tokenizer": "NAME",
    }

    def decorate(command: Command) -> Command:
        for name, metavar in reversed(metavars.items()):
            if name in without:
                continue
            text = SOURCE_OPTIONS[name]
            if metavar is None:
                command = click.option(f"--{name}", is_flag=True, help=text)(command)
            else:
                command = once(name, metavar, text)(command)
        return command

    return decorate


def once(name: str, metavar: str, text: str) -> Callable[[Command], Command]:
    """Return a decorator that gives a command an option which is refused when it is given twice, where click would take the last."""
    import click

    def only(context: click.Context, _: click.Parameter, given: tuple[str, ...]) -> str | None:
        if len(given) > 1:
            raise click.UsageError(SOURCES["once"].format(name=name), context)
        return given[0] if given else None

    return click.option(f"--{name}", multiple=True, callback=only, metavar=metavar, help=text)


def sources_asked(
    settings: Settings, words: tuple[str, ...], values: Mapping[str, Any], *, needed: bool = True
) -> Sources:
    """Return the servers that are asked for; *words* stood behind `--`, *values* are those of `source_options`.

    Nothing is started or reached here. Where a configuration may be somebody else's, what it would start was shown and
    confirmed when this returns. Without any of the three there is no server, which is wrong where one is *needed*.

    Raises:
        UsageError: what is asked for does not go together, or was not confirmed.
        ConfigRefused: the configuration cannot be read.
        SettingsError: the rules cannot be used.
    """
    from econome.contract.sources import Source, Sources

    url, config = values["url"], values["config"]
    given = [one for one in (words, url, config) if one]
    if len(given) > 1:
        raise UsageError(SOURCES["one"])
    if config:
        if values["name"]:
            raise UsageError(SOURCES["unnamed"])
        return _configured(settings, config, yes=values["yes"])
    if not given:
        if needed:
            raise UsageError(SOURCES["which"])
        return Sources((), ())
    import shlex

    from econome.cli.upstream_headers import upstream_headers
    from econome.lean.proxy.http_target import Target
    from econome.lean.proxy.opening import named_after

    name = values["name"] or named_after(words, url)
    headers: dict[str, str] = {}
    if url:
        Target(url)  # refuses what is no address of a server
        rules = rules_asked(values["rules"])
        headers = upstream_headers(settings, rules.server(name).header_env)
    one = Source(
        name=name,
        command=words or None,
        url=url,
        headers=headers,
        env={},
        cwd=None,
        shown=url or shlex.join(words),
        foreign=False,
    )
    return Sources((one,), ())


def rules_asked(path: str | None) -> Rules:
    """Return the rules of a file that was named, none without one: never those of this user's settings.

    Raises:
        SettingsError: the file cannot be used.
    """
    from econome.lean.proxy.opening import rules_in
    from econome.lean.rules import Rules

    return Rules() if path is None else rules_in(path)


def _configured(settings: Settings, path: str, *, yes: bool) -> Sources:
    from econome.contract.sources import sources_of

    found = sources_of(
        path,
        home=settings.home(),
        here=os.getcwd(),
        platform=sys.platform,
        variable=settings.variable,
    )
    foreign = [source for source in found.sources if source.foreign]
    if foreign and not yes:
        _confirm(path, foreign)
    return found


def _confirm(path: str, foreign: list[Source]) -> None:
    """Show what others may have written, as `start_line` does, and return once it was confirmed."""
    from econome.cli.render.figures import plain

    print(SOURCES["foreign"].format(path=plain(path)), file=sys.stderr)
    for source in foreign:
        line = SOURCES["entry"].format(name=plain(source.name), told=plain(source.shown))
        print(line, file=sys.stderr)
    if not sys.stdin.isatty():
        raise UsageError(SOURCES["unconfirmed"])
    from econome.cli.questions import confirm

    if not confirm(SOURCES["question"]):
        raise UsageError(SOURCES["declined"])
