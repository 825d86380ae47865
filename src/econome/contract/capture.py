"""Asks servers what they tell of themselves: it starts or reaches each, asks for its lists, and is gone.

It calls no tool and speaks to no one but the servers that are named. The end of what a server writes to standard
error goes with the error where it failed, and is else nobody's concern.
What it hears is kept as it came; whether that makes sense is for whoever reads it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from econome.contract.captured import Captured
from econome.contract.stderr import Errors
from econome.errors import UpstreamAway, UsageError
from econome.lean.promised import CONTRACT
from econome.lean.proxy.process import Started, spawn

if TYPE_CHECKING:
    from econome.contract.sources import Source
    from econome.lean.proxy.asking import Told
    from econome.lean.proxy.exchange import Exchange
    from econome.lean.proxy.stdio import Connect, Server

__all__ = ["PATIENCE_S", "capture", "capture_all"]

PATIENCE_S: Final = 60.0
"""A server has so long to answer all that it is asked, from its start on."""

_SIGN_IN: Final = (
    "which only its client can do; give its header in ECONOME_UPSTREAM_HEADERS, or in its entry"
)
_LONGEST_NUMBER: Final = 4000
_SERVER_INFO: Final = "io.modelcontextprotocol/serverInfo"


def capture(source: Source, *, version: str, patience_s: float = PATIENCE_S) -> Captured:
    """Return what one server tells of itself; *version* is ours, which it is told.

    Raises:
        UpstreamAway: it cannot be started or reached, does not answer in time, or refuses what it announced.
    """
    ((_, found),) = capture_all((source,), version=version, patience_s=patience_s)
    if isinstance(found, UpstreamAway):
        raise found
    return found


def capture_all(
    sources: Sequence[Source],
    *,
    version: str,
    patience_s: float = PATIENCE_S,
    meanwhile: Callable[[], object] = lambda: None,
) -> list[tuple[Source, Captured | UpstreamAway]]:
    """Return of each server, in the order of *sources*, what it tells of itself, or why it tells nothing; all are asked at once.

    What is to be done *meanwhile* is done while they start; what it raises is raised, and they are ended.
    """
    errors = [Errors() for _ in sources]
    processes = list(map(_process, sources, errors))
    try:  # they start while what asks them is imported
        meanwhile()
        told = _asked_all(sources, processes, version, patience_s)
    finally:
        for process in processes:
            if isinstance(process, Started):
                process.cut()
        for each in errors:
            each.close()
    for found, each in zip(told, errors, strict=True):
        if isinstance(found, UpstreamAway):
            found.said = each.said()
    return [
        (source, found if isinstance(found, UpstreamAway) else _captured(source.name, found))
        for source, found in zip(sources, told, strict=True)
    ]


def _process(source: Source, errors: Errors) -> Started | UpstreamAway | None:
    if source.command is None:
        return None
    try:
        return spawn(source.command, source.env, source.cwd, errors.begin())
    except UpstreamAway as error:
        return error


def _asked_all(
    sources: Sequence[Source],
    processes: Sequence[Started | UpstreamAway | None],
    version: str,
    patience_s: float,
) -> list[Told | UpstreamAway]:
    import asyncio

    from econome.lean.proxy.asking import asked

    async def one(source: Source, process: Started | UpstreamAway | None) -> Told | UpstreamAway:
        if isinstance(process, UpstreamAway):
            return process
        try:
            return await asked(
                source.name,
                _connect(source, process),
                version,
                patience_s=patience_s,
                about_tools={CONTRACT: True},
            )
        except UpstreamAway as error:
            return error

    async def all_of_them() -> list[Told | UpstreamAway]:
        return await asyncio.gather(*map(one, sources, processes))

    return asyncio.run(all_of_them())  # a quicker loop takes longer to import than it would spare


def _connect(source: Source, process: Started | None) -> Connect:
    """Return what begins the connection with a server; one that ends is not started again."""

    def connect(
        exchange: Exchange,
        to_client: Callable[[bytes], None],
        say: Callable[[str], None],
        busy: Callable[[bool], None],
    ) -> Server:
        if source.command is not None:
            from econome.lean.proxy.upstream import Upstream

            return Upstream(
                source.command,
                exchange,
                to_client,
                say=say,
                busy=busy,
                pauses_s=(),
                started=process,
            )
        from econome.lean.proxy.http_target import Target
        from econome.lean.proxy.http_upstream import HttpUpstream

        try:
            target = Target(source.url or "", source.headers, _SIGN_IN)
        except UsageError as error:
            raise UpstreamAway(str(error)) from None
        return HttpUpstream(target, exchange, to_client, say=say, busy=busy)

    return connect


def _captured(name: str, told: Told) -> Captured:
    """Return what a server told, decoded."""
    unreadable: list[str] = []
    greeting = _object(_decoded(told.greeting))
    server = _object(_object(greeting.get("_meta")).get(_SERVER_INFO)) or _object(
        greeting.get("serverInfo")
    )
    lists = {member: _entries(member, raw, unreadable) for member, raw in told.lists.items()}
    menu = lists.get("tools", ())
    contract = _object(_object(_decoded(told.meta)).get(CONTRACT)) if told.meta else {}
    declares = isinstance(contract.get("tools"), list)
    tools = _declared(contract["tools"], unreadable) if declares else menu
    economies = _object(contract.get("economies")) if declares else {}
    machine = contract.get("machine") if declares else None
    names = [tool.get("name") for tool in tools]
    return Captured(
        name=name,
        tools=tools,
        menu=menu,
        prompts=lists.get("prompts", ()),
        resources=lists.get("resources", ()),
        templates=lists.get("resourceTemplates", ()),
        instructions=_text(greeting.get("instructions")),
        capabilities=_object(greeting.get("capabilities")),
        economies={tool: _object(each) for tool, each in economies.items() if tool in names},
        machine=machine if isinstance(machine, Mapping) else None,
        title=_text(server.get("title")) or _text(server.get("name")),
        version=_text(server.get("version")),
        protocol=told.protocol,
        unreadable=tuple(unreadable),
    )


def _entries(
    member: str, raw: Sequence[bytes], unreadable: list[str]
) -> tuple[Mapping[str, Any], ...]:
    """Return the entries of a list that can be read, and note the others."""
    found: list[Mapping[str, Any]] = []
    for number, each in enumerate(raw, 1):
        entry = _decoded(each)
        if isinstance(entry, dict):
            found.append(entry)
        else:
            unreadable.append(f"entry {number} of its {member} is no object that can be read")
    return tuple(found)


def _decoded(raw: bytes) -> Any:
    """Return what JSON stands for, whatever its numbers are and whichever of its keys come twice; None where it is none."""
    try:
        return json.loads(raw.decode("utf-8", "surrogatepass"), parse_int=_number)
    except (ValueError, RecursionError):
        return None


def _number(text: str) -> int | float:
    return int(text) if len(text) < _LONGEST_NUMBER else float(text)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _declared(values: Sequence[Any], unreadable: list[str]) -> tuple[Mapping[str, Any], ...]:
    """Return the tools that a contract declares, and note what of them is none."""
    for number, value in enumerate(values, 1):
        if not isinstance(value, Mapping):
            unreadable.append(f"entry {number} of the tools in its contract is no object")
    return tuple(value for value in values if isinstance(value, Mapping))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
