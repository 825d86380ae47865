"""Starts the proxy that a command line asks for."""

from __future__ import annotations

import sys

from econome import settings
from econome.cli.proxy_texts import PROXY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from econome.lean.proxy.exchange import Exchange
    from econome.lean.proxy.http_target import Target
    from econome.lean.proxy.opening import Opening
    from econome.lean.proxy.process import Started
    from econome.lean.proxy.stdio import Connect, Server
    from econome.settings import Settings

__all__ = ["run"]

_USUAL_CLIENT = "claude-code"


def run(command: tuple[str, ...], values: Mapping[str, Any]) -> None:
    """Run until either end is gone.

    Raises:
        UpstreamAway: the server cannot be started or reached.
        SettingsError: the rules cannot be used.
        UsageError: what was asked for does not go together.
    """
    found = settings.load(data_dir=values["data_dir"])
    started = None
    if command and not values["listen"]:
        from econome.lean.proxy.process import spawn

        started = spawn(command)  # it starts while all that is needed here is imported
    try:
        opening = _opening(found, command, values)
        target = _target(found, opening, values["url"])
        try:
            if values["dry_run"]:
                _try(opening, _connect(command, target, started, once=True), values)
            elif values["listen"] is not None:
                _listen(found, opening, command, target, values["listen"])
            else:
                from econome.lean.proxy.stdio import serve_stdio

                serve_stdio(opening.lean, _connect(command, target, started))
        finally:
            opening.ledger.close()
    finally:
        if started is not None:
            started.cut()


def _opening(found: Settings, command: tuple[str, ...], values: Mapping[str, Any]) -> Opening:
    from econome.lean.proxy.opening import Wishes, named_after, opened
    from econome.lean.rules import ToolRules

    wishes = Wishes(
        name=values["name"] or named_after(command, values["url"]),
        menu=values["menu"],
        client=values["client"],
        tokenizer=values["tokenizer"],
        rules=values["rules"],
        answers=ToolRules(
            limit=values["limit"], max_bytes=values["max_bytes"], select=values["select"] or None
        ),
        passing=values["passing"],
    )
    return opened(found, wishes)


def _target(found: Settings, opening: Opening, url: str | None) -> Target | None:
    """Return the server at an address, with the headers that the environment holds for it."""
    if url is None:
        return None
    from econome.cli.upstream_headers import upstream_headers
    from econome.lean.proxy.http_target import Target

    return Target(url, upstream_headers(found, opening.rules.header_env))


def _connect(
    command: tuple[str, ...], target: Target | None, started: Started | None, *, once: bool = False
) -> Connect:
    """Return what begins a connection with the server; *once* starts it no second time."""

    def connect(
        exchange: Exchange,
        to_client: Callable[[bytes], None],
        say: Callable[[str], None],
        busy: Callable[[bool], None],
    ) -> Server:
        if target is not None:
            from econome.lean.proxy.http_upstream import HttpUpstream

            return HttpUpstream(target, exchange, to_client, say=say, busy=busy)
        from econome.lean.proxy.upstream import Upstream

        more: dict[str, Any] = {"pauses_s": ()} if once else {}
        return Upstream(command, exchange, to_client, say=say, busy=busy, started=started, **more)

    return connect


def _listen(
    found: Settings,
    opening: Opening,
    command: tuple[str, ...],
    target: Target | None,
    listen: str,
) -> None:
    import gc

    from econome.server.logs import to_standard_error
    from econome.server.proxying import listen as listening
    from econome.server.proxying.processes import Processes
    from econome.server.proxying.relay import Relay

    host, port = listening.address(listen)
    if target is None:
        from econome.lean.proxy.process import look_for

        look_for(command[0])
    endpoint = (
        Processes(command, opening.lean, to_standard_error)
        if target is None
        else Relay(target, opening.lean, to_standard_error)
    )
    gc.enable()  # which commands that end soon go without
    listening.listen(
        endpoint,
        found.token_path(),
        host,
        port,
        ready=lambda url: print(PROXY["ready"].format(url=url, name=opening.lean.name), flush=True),
    )


def _try(opening: Opening, connect: Connect, values: Mapping[str, Any]) -> None:
    """Print what the menu of the server comes to, before and after."""
    from dataclasses import replace

    from econome import __version__
    from econome.lean.proxy.asking import tools_of
    from econome.lean.proxy.trial import trial

    lean = opening.lean
    quiet = replace(lean, record=lambda due, held_bytes: None)
    tools = tools_of(replace(quiet, passing=True), connect, __version__)
    client = lean.client or _USUAL_CLIENT
    report = trial(
        quiet, tools, client, opening.budget, estimate=opening.estimate, named=opening.named
    )
    if values["json"]:
        from econome.jsontext import dumps

        sys.stdout.write(dumps(report) + "\n")
        return
    from econome.cli.render.menu import show
    from econome.cli.render.screen import Screen

    show(Screen(), report, opening.file, text=values["text"])
