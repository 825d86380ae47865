"""`econome proxy install`, `uninstall` and `list`: the servers that clients start, sent through the proxy and back."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from econome import clock, settings
from econome.cli.install_texts import CLIENTS, INSTALL, INSTALL_HELP, INSTALL_OPTIONS
from econome.cli.params import params

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from econome.lean.install.changing import Changes, Found, Survey
    from econome.lean.install.choosing import Where
    from econome.lean.install.originals import Original
    from econome.lean.install.places import Place
    from econome.settings import Settings

__all__ = ["install", "listing", "uninstall"]


def _which(all_help: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the options that choose entries."""

    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in (
            click.option("--config", metavar="FILE", help=INSTALL_OPTIONS["config"]),
            click.option("--project", is_flag=True, help=INSTALL_OPTIONS["project"]),
            click.option("--client", type=click.Choice(CLIENTS), help=INSTALL_OPTIONS["client"]),
            click.option("--all", "every", is_flag=True, help=INSTALL_OPTIONS[all_help]),
            click.argument("names", metavar="[NAME]...", nargs=-1),
        ):
            command = option(command)
        return command

    return add


@click.command("install", help=INSTALL_HELP["install"])
@_which("all")
@click.option("--yes", is_flag=True, help=INSTALL_OPTIONS["yes"])
@params("data-dir", texts=INSTALL_OPTIONS)
def install(
    names: tuple[str, ...],
    every: bool,
    client: str | None,
    project: bool,
    config: str | None,
    yes: bool,
    data_dir: str | None,
) -> None:
    """Find the entries, have what others may have written confirmed, and change one after another."""
    _one_way(names, every)
    found = settings.load(data_dir=data_dir)
    changes = _changes(found, data_dir)
    survey = changes.look(_places(found, project, config))
    _tell_faults(survey, names)
    if every:
        chosen = [each for each in survey.found if client in (None, each.place.client)]
        if not any(each.state == "direct" for each in chosen):
            done = any(each.state == "proxied" for each in chosen)
            print(INSTALL["nothing_new" if done else "nothing"])
    else:
        chosen = [_one_found(survey.found, name, client) for name in dict.fromkeys(names)]
    _confirm(chosen, yes)
    rivals = _rivals(changes, survey)
    failed = _each(chosen, lambda each: _install(changes, each, rivals, data_dir, strict=not every))
    _end(failed + (len(survey.faults) if every else 0))


@click.command("uninstall", help=INSTALL_HELP["uninstall"])
@_which("all-back")
@params("data-dir", texts=INSTALL_OPTIONS)
def uninstall(
    names: tuple[str, ...],
    every: bool,
    client: str | None,
    project: bool,
    config: str | None,
    data_dir: str | None,
) -> None:
    """Find what was kept, and put one after another back."""
    _one_way(names, every)
    found = settings.load(data_dir=data_dir)
    changes = _changes(found, data_dir)
    kept = [each for each in changes.originals.all() if client in (None, each.client)]
    if project or config is not None:
        paths = {os.path.realpath(place.path) for place in _places(found, project, config)}
        kept = [each for each in kept if os.path.realpath(each.path) in paths]
    if every:
        chosen = kept
        if not kept:
            print(INSTALL["nothing_back"])
    else:
        chosen = [_one_original(kept, name) for name in dict.fromkeys(names)]
    _end(_each(chosen, lambda each: _uninstall(changes, each)))


@click.command("list", help=INSTALL_HELP["list"])
@click.option("--project", is_flag=True, help=INSTALL_OPTIONS["project-too"])
@click.option("--config", metavar="FILE", help=INSTALL_OPTIONS["config"])
@params("json", "data-dir", texts=INSTALL_OPTIONS)
def listing(project: bool, config: str | None, json: bool, data_dir: str | None) -> None:
    """Look at every place, and at what was kept."""
    found = settings.load(data_dir=data_dir)
    changes = _changes(found, data_dir)
    places = _places(found, False, config)
    if project:
        places += _places(found, True, None)
    survey = changes.overview(places)
    if json:
        from econome.jsontext import dumps

        sys.stdout.write(dumps(survey.report()) + "\n")
        return
    from econome.cli.render.clients import show
    from econome.cli.render.screen import Screen

    show(Screen(), survey, places)


def _one_way(names: Sequence[str], every: bool) -> None:
    if every and names:
        raise click.UsageError(INSTALL["one_way"])
    if not every and not names:
        raise click.UsageError(INSTALL["which"])


def _changes(found: Settings, data_dir: str | None) -> Changes:
    from econome.cli.addresses import command_words
    from econome.lean.install.changing import Changes
    from econome.lean.install.originals import Originals, proxied_dir

    options = [] if data_dir is None else ["--data-dir", found.data_dir]
    return Changes(Originals(proxied_dir(found.data_dir)), command_words(), options)


def _places(found: Settings, project: bool, config: str | None) -> list[Place]:
    """Return where to look: in this user's own configurations, unless others are asked for."""
    from econome.lean.install.folders import folders_of, places_in
    from econome.lean.install.places import file_places, project_places, user_places

    folders = folders_of(os.getcwd())
    own = user_places(found.home(), sys.platform, found.variable, folders)
    if config is not None:
        if not os.path.isfile(config):
            raise click.UsageError(INSTALL["no_file"].format(path=config))
        return places_in(config, own) or file_places(os.path.abspath(config))
    return project_places(folders, sys.platform) if project else own


def _tell_faults(survey: Survey, names: Sequence[str]) -> None:
    """Name the files that could not be read; where nothing else has the name that is meant, that is the failure."""
    known = {each.name for each in survey.found}
    for fault in survey.faults:
        if names and not known.intersection(names):
            raise fault
        _say(str(fault))


def _confirm(chosen: Iterable[Found], yes: bool) -> None:
    """Show what others may have written, and go on once it was confirmed."""
    from econome.cli.render.figures import plain

    shown: dict[str, list[Found]] = {}
    for each in chosen:
        if each.place.foreign and each.state == "direct":
            shown.setdefault(each.place.path, []).append(each)
    for path, entries in shown.items():
        print(INSTALL["foreign"].format(path=plain(path)), file=sys.stderr)
        target = os.path.realpath(path)
        if os.path.islink(path):
            print(
                INSTALL["foreign_link"].format(path=plain(path), target=plain(target)),
                file=sys.stderr,
            )
        for each in entries:
            line = INSTALL["entry"].format(name=plain(each.name), told=plain(_all_of(each)))
            print(line, file=sys.stderr)
    if shown and not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(INSTALL["unconfirmed"])
        from econome.cli.questions import confirm

        if not confirm(INSTALL["question"]):
            raise click.Abort


def _all_of(found: Found) -> str:
    return found.told if found.entry is None else found.entry.told(whole=True)


def _rivals(changes: Changes, survey: Survey) -> list[tuple[str, Where]]:
    """Return the name and the place of every entry that a way back may have to be told from."""
    from econome.errors import ConfigRefused
    from econome.lean.install.choosing import Where

    found = [(each.name, Where.of(each.place)) for each in survey.found]
    try:
        return found + [(each.name, Where.of(each)) for each in changes.originals.all()]
    except ConfigRefused:  # it is another one's failure, told when that is asked for
        return found


def _way_back(found: Found, rivals: Iterable[tuple[str, Where]], data_dir: str | None) -> str:
    """Return the command that gives an entry back, and no other one of its name."""
    import shlex

    from econome.lean.install.choosing import Where, options_for

    named = [where for name, where in rivals if name == found.name]
    options = options_for(Where.of(found.place), named)
    options += [] if data_dir is None else ["--data-dir", data_dir]
    name = ["--", found.name] if found.name.startswith("-") else [found.name]
    return shlex.join(["econome", "proxy", "uninstall", *options, *name])


def _install(
    changes: Changes,
    found: Found,
    rivals: Iterable[tuple[str, Where]],
    data_dir: str | None,
    *,
    strict: bool,
) -> None:
    from econome.errors import ConfigRefused
    from econome.lean.install.entries import LeftAlone
    from econome.times import instant_text

    if found.state == "proxied" and not strict:
        _print("already", found.name, found.place.client)
        return
    try:
        changes.install(found, instant_text(int(clock.now())))
    except LeftAlone as error:
        reason = str(error)
        if strict:
            raise ConfigRefused(found.place.path, f"{found.name}: left alone: {reason}") from None
        _print("alone", found.name, found.place.client, reason)
        return
    back = _way_back(found, rivals, data_dir)
    _print("installed", found.name, found.place.client, back=back)


def _uninstall(changes: Changes, original: Original) -> None:
    done = changes.uninstall(original)
    _print("back" if done else "back_already", original.name, original.client)


def _one_found(found: Sequence[Found], name: str, client: str | None) -> Found:
    """Return the one entry that is meant by *name*.

    Raises:
        UsageError: there is none, or several.
    """
    from econome.errors import UsageError
    from econome.lean.install.choosing import Where, choose
    from econome.lean.install.folders import folders_of

    named = [each for each in found if each.name == name and client in (None, each.place.client)]
    if not named:
        of = "" if client is None else INSTALL["of_client"].format(client=client)
        known = ", ".join(sorted({each.name for each in found})) or INSTALL["no_names"]
        raise UsageError(INSTALL["no_entry"].format(name=name, of=of, known=known))
    return choose(name, [(Where.of(each.place), each) for each in named], folders_of(os.getcwd()))[
        1
    ]


def _one_original(kept: Iterable[Original], name: str) -> Original:
    """Return the one original that is meant by *name*.

    Raises:
        UsageError: there is none, or several.
    """
    from econome.errors import UsageError
    from econome.lean.install.choosing import Where, choose
    from econome.lean.install.folders import folders_of

    named = [(Where.of(each), each) for each in kept if each.name == name]
    if not named:
        raise UsageError(INSTALL["no_original"].format(name=name))
    return choose(name, named, folders_of(os.getcwd()))[1]


def _each(chosen: Sequence[Any], change: Callable[[Any], None]) -> int:
    """Change one after another; return how many failed, each told in a line. A single failure is the command's own."""
    from econome.errors import ConfigRefused

    failed = 0
    for each in chosen:
        try:
            change(each)
        except ConfigRefused as error:
            if len(chosen) == 1:
                raise
            failed += 1
            _say(str(error))
    return failed


def _end(failed: int) -> None:
    if failed:
        click.get_current_context().exit(1)


def _print(text: str, name: str, client: str, reason: str = "", back: str = "") -> None:
    from econome.cli.render.figures import plain

    facts = {"name": plain(name), "client": client, "reason": plain(reason), "back": plain(back)}
    print(INSTALL[text].format(**facts))


def _say(line: str) -> None:
    from econome.cli.render.figures import plain

    print(f"econome: {plain(' '.join(line.split()))}", file=sys.stderr)
