"""Looks at the servers that a command line names, at a recording and at transcripts, and prints what it comes to."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from econome import __version__, settings
from econome.cli.profile_texts import PROFILE
from econome.errors import FileRefused, UpstreamAway, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from econome.contract.captured import Captured
    from econome.contract.recorded import Recording
    from econome.contract.weighed import Weighed
    from econome.lean.rules import Budget, Rules
    from econome.settings import Settings
    from econome.tokenizers import Tokenizer

    Report = dict[str, Any]

__all__ = ["run"]

_WHOLE = 10_000
"""The width where standard output is no terminal: each row of a table is one line, however long."""
_BELOW_ROOT = "projects"
"""Where transcripts lie in what is a root."""


def run(words: tuple[str, ...], values: Mapping[str, Any]) -> bool:
    """Print the profiles that are asked for; return whether any server that was to be asked could be.

    Raises:
        UsageError: what was asked for does not go together, or was not confirmed.
        UpstreamAway: the only server cannot be started or reached.
        ConfigRefused: the configuration cannot be read.
        SettingsError: the rules cannot be used.
        FileRefused: the recording cannot be read, or the report cannot be written.
        RootMissing: a root of transcripts is not there.
    """
    from econome.cli.keeping import keep_profiles, reached_by
    from econome.cli.render.profile_file import check_place, put
    from econome.cli.sources_asked import sources_asked

    found = settings.load(data_dir=values["data_dir"])
    heard = bool(values["log"] or values["transcripts"])
    if not (words or values["url"] or values["config"] or heard):
        raise UsageError(PROFILE["which"])
    if values["log"] and values["config"]:
        raise UsageError(PROFILE["log_of_one"])
    if values["html"] is not None:
        check_place(values["html"])
    look = _look(found, values)
    sources = sources_asked(found, words, values, needed=not heard)
    report = _report(look, sources.sources, values)
    report["left_out"] = [{"server": name, "reason": reason} for name, reason in sources.left_out]
    if values["html"] is not None:
        from econome.cli.render.profile_page import page

        put(values["html"], page(report))
    keep_profiles(found, report["servers"], reached_by(words, values))
    _print(found, report, words, values)
    if look.weighed is not None and not look.weighed.files:
        _hint(values["root"] or ())
    asked = bool(words or values["url"] or values["config"])
    return bool(report["servers"]) or not asked


@dataclass(frozen=True, slots=True)
class _Look:
    """What servers are looked at with: a tokenizer, rules, budgets, and what was recorded."""

    counting: Tokenizer
    rules: Rules
    budgets: Mapping[str, Budget]
    recording: Recording | None
    weighed: Weighed | None

    def profile(self, captured: Captured) -> Report:
        """Return the profile of one server."""
        from econome.contract.profile import profile
        from econome.lean.rules import Budget, Rules

        name = captured.name
        rules = self.rules.server(name)
        tools = [str(tool.get("name", "")) for tool in captured.tools]
        budget = self.rules.budget(name).within(Rules(budgets=self.budgets).budget(name))
        return profile(
            captured,
            count=self.counting.count,
            tokenizer=self.counting.name,
            estimate=self.counting.estimate,
            recording=self.recording,
            weighed=None if self.weighed is None else self.weighed.of(name, tools),
            limits={tool: rules.tool(tool) for tool in tools},
            budget=None if budget == Budget() else budget,
        )


def _look(found: Settings, values: Mapping[str, Any]) -> _Look:
    from econome.cli.sources_asked import rules_asked
    from econome.lean.proxy.opening import budgets_here
    from econome.tokenizers import DEFAULT, tokenizer

    counting = tokenizer(values["tokenizer"] or DEFAULT)
    rules = rules_asked(values["rules"])
    recording = None if values["log"] is None else _recording(values["log"], counting)
    weighed = _weighed(found, values) if values["transcripts"] else None
    return _Look(counting, rules, budgets_here(found, values["rules"]), recording, weighed)


def _recording(path: str, counting: Tokenizer) -> Recording:
    from econome.contract.recorded import Recording
    from econome.contract.traffic import lines_of

    try:
        if path == "-":
            return Recording.read(lines_of(sys.stdin.buffer), method=counting)
        with open(path, "rb") as file:
            return Recording.read(lines_of(file), method=counting)
    except OSError as error:
        raise FileRefused(path, error.strerror or "cannot be read") from None


def _weighed(found: Settings, values: Mapping[str, Any]) -> Weighed:
    from econome import clock
    from econome.contract.weighed import weighed

    roots = list(values["root"] or ()) or found.roots()
    return weighed(roots, found.data_dir, zone=clock.zone(found.timezone))


def _report(look: _Look, sources: tuple[Any, ...], values: Mapping[str, Any]) -> Report:
    """Return the profiles of all servers, those that are away, and what transcripts hold besides."""
    from econome.contract.capture import capture_all

    servers, away = [], []
    for source, told in capture_all(sources, version=__version__) if sources else ():
        if isinstance(told, UpstreamAway):
            if len(sources) == 1 and not values["config"]:
                raise told
            if told.said:
                print(told.said, file=sys.stderr)
            away.append({"server": source.name, "reason": str(told)})
        else:
            servers.append(look.profile(told))
    if look.recording is not None and not sources:
        servers += map(look.profile, _recorded(look.recording, values))
    weighed = None if look.weighed is None else _transcripts(look.weighed, values["name"])
    return {
        "schema": "econome.profile/1",
        "servers": servers,
        "away": away,
        "left_out": [],
        "weighed": weighed,
    }


def _recorded(recording: Recording, values: Mapping[str, Any]) -> list[Captured]:
    """Return the servers of a recording, as far as that holds their lists of tools; the one that is named, if one is."""
    from econome.contract.captured import Captured
    from econome.lean.proxy.opening import named_after

    stem = os.path.splitext(os.path.basename(values["log"]))[0]
    named = [values["name"]] if values["name"] else list(filter(None, recording.servers))
    if len(recording.servers) < 2 or not named:
        named = [values["name"] or named_after((stem or "recording",))]
    menus = [recording.of(name)[0].menu for name in named]
    return [Captured(name, tools=menu, menu=menu) for name, menu in zip(named, menus, strict=True)]


def _transcripts(weighed: Weighed, name: str | None) -> Report:
    """Return the counts of what transcripts hold, of one server where one is named."""
    own = weighed.by_server()
    return {
        "files": weighed.files,
        "lines": weighed.lines,
        "malformed": weighed.malformed,
        "unreadable": weighed.unreadable,
        "sessions": weighed.sessions,
        "unnamed": weighed.unnamed,
        "odd": weighed.odd,
        "servers": {
            server: dict(tools) for server, tools in own.items() if name is None or server == name
        },
    }


def _hint(roots: Iterable[str]) -> None:
    """Say of roots below which nothing is looked for that the directory above is meant."""
    from econome.cli.render.figures import plain

    for root in roots:
        parts = os.path.abspath(root).split(os.sep)
        if _BELOW_ROOT in parts:
            above = os.sep.join(parts[: parts.index(_BELOW_ROOT)]) or os.sep
            hint = PROFILE["root_above"].format(root=plain(root), above=plain(above))
            print(f"econome: {hint}", file=sys.stderr)


def _print(
    found: Settings, report: Report, words: tuple[str, ...], values: Mapping[str, Any]
) -> None:
    if values["json"]:
        from econome.jsontext import dumps

        sys.stdout.write(dumps(report) + "\n")
        return
    from econome.cli.known_entries import install_words
    from econome.cli.render.profile import Shown, show
    from econome.cli.render.profile_rows import dearest_first
    from econome.cli.render.screen import Screen

    url, config = values["url"], values["config"]
    names = [one["server"] for one in dearest_first(report["servers"])[0]]
    where = ["--config", config] if config else ["--url", url] if url else ["--", *words]
    asked = bool(words or url or config)
    install = install_words(found, names, words, url, config) if asked and names else []
    screen = Screen()
    if not (sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit()):
        screen.width = _WHOLE
    shown = Shown(
        where=tuple(where) if asked else (),
        install=tuple(install),
        several=bool(config),
        limit=values["limit"],
        html=values["html"],
    )
    show(screen, report, shown)
