"""Each module is either pure or says that it touches the world, and the contracts know which."""

from __future__ import annotations

import ast
import tomllib
from typing import Any

from tests.house.source import REPOSITORY, module_name, modules, parsed

# What opens files, reads the clock or the environment, starts processes or speaks to a terminal.
TOUCHES_THE_WORLD: frozenset[str] = frozenset(
    {
        "econome.clock",
        "econome.contract.capture",
        "econome.contract.stderr",
        "econome.contract.files",
        "econome.contract.kept",
        "econome.contract.signing",
        "econome.contract.sources",
        "econome.contract.weighed",
        "econome.delegation.check_process",
        "econome.delegation.checking",
        "econome.renames",
        "econome.delegation.files",
        "econome.delegation.folders",
        "econome.delegation.fresh",
        "econome.delegation.backends.choice",
        "econome.delegation.backends.embedded",
        "econome.delegation.backends.embedded_process",
        "econome.delegation.backends.faults",
        "econome.delegation.backends.found",
        "econome.delegation.backends.openai",
        "econome.delegation.backends.wheel",
        "econome.delegation.coder.apply",
        "econome.delegation.coder.changes",
        "econome.delegation.coder.clone",
        "econome.delegation.coder.diffs",
        "econome.delegation.coder.git",
        "econome.delegation.coder.opencode",
        "econome.delegation.coder.plan",
        "econome.delegation.coder.running",
        "econome.delegation.coder.tree",
        "econome.delegation.journal",
        "econome.delegation.request",
        "econome.delegation.workbench",
        "econome.delegation.register",
        "econome.delegation.repository",
        "econome.delegation.pen",
        "econome.delegation.past",
        "econome.delegation.office",
        "econome.delegation.keeping",
        "econome.delegation.floor",
        "econome.delegation.carrying",
        "econome.delegation.answers",
        "econome.delegation.local_model",
        "econome.delegation.outputs",
        "econome.delegation.seen",
        "econome.delegation.shipped",
        "econome.delegation.trial",
        "econome.delegation.scores",
        "econome.delegation.listing",
        "econome.delegation.choosing",
        "econome.diagnosis.collecting",
        "econome.drafts",
        "econome.durable",
        "econome.keeper",
        "econome.lean",
        "econome.lean.running",
        "econome.lean.middleware",
        "econome.lean.door",
        "econome.lean.context",
        "econome.lean.workflows",
        "econome.lean.install.changing",
        "econome.lean.install.folders",
        "econome.lean.install.login",
        "econome.lean.install.originals",
        "econome.lean.install.swap",
        "econome.lean.ledger",
        "econome.lean.proxy.http_target",
        "econome.lean.proxy.asking",
        "econome.lean.proxy.batching",
        "econome.lean.proxy.lines",
        "econome.lean.proxy.opening",
        "econome.lean.proxy.process",
        "econome.lean.proxy.stdio",
        "econome.lean.proxy.upstream",
        "econome.lean.proxy.http_upstream",
        "econome.manual.pages",
        "econome.owned",
        "econome.savings.lock",
        "econome.prices.bundle",
        "econome.prices.table",
        "econome.savings.foreign",
        "econome.savings.events",
        "econome.savings.lean",
        "econome.savings.reading",
        "econome.savings.store",
        "econome.savings.report",
        "econome.savings.tail",
        "econome.server.api",
        "econome.server.app",
        "econome.server.body",
        "econome.server.client",
        "econome.server.conversation",
        "econome.server.delegating.ending",
        "econome.server.delegating.foreground",
        "econome.server.delegating.local",
        "econome.server.delegating.opening",
        "econome.server.delegating.remote",
        "econome.server.delegating.route",
        "econome.server.delegating.standby",
        "econome.server.delegating.tools",
        "econome.server.delegating.requests",
        "econome.server.desk",
        "econome.server.economies",
        "econome.server.frame",
        "econome.server.heads",
        "econome.server.judging",
        "econome.server.later",
        "econome.server.listening",
        "econome.server.live",
        "econome.server.logins",
        "econome.server.logs",
        "econome.server.mcp",
        "econome.server.mcp_calls",
        "econome.server.pages",
        "econome.server.proxying.app",
        "econome.server.proxying.listen",
        "econome.server.proxying.post",
        "econome.server.proxying.relay",
        "econome.server.proxying.channel",
        "econome.server.proxying.processes",
        "econome.server.proxying.session",
        "econome.server.proxying.shared_process",
        "econome.server.run",
        "econome.server.screens.session",
        "econome.server.screens.session_work",
        "econome.server.serving",
        "econome.server.standing",
        "econome.server.screens.diagnosis",
        "econome.server.screens.manual",
        "econome.server.screens.servers",
        "econome.server.screens.usage",
        "econome.server.showing",
        "econome.server.stdio",
        "econome.server.telling",
        "econome.server.token",
        "econome.server.watching",
        "econome.settings",
        "econome.usage.changes",
        "econome.usage.colours",
        "econome.usage.crew",
        "econome.usage.fresh",
        "econome.usage.history",
        "econome.usage.index",
        "econome.usage.open",
        "econome.usage.pieces",
        "econome.usage.readers.claude_detail",
        "econome.usage.recall",
        "econome.usage.scan",
        "econome.usage.session_asking",
        "econome.usage.session_detail",
        "econome.usage.session_files",
        "econome.usage.tree",
        "econome.usage.update",
        "econome.usage.walk",
        "econome.usage.watched",
    }
)

WORLDLY_CALLS = {"breakpoint", "input", "open", "print", ".now", ".today", ".utcnow"}
"""What needs no import, or only a harmless one, and touches the world all the same."""

FACES = ("econome.__main__", "econome.cli", "econome.demo")
"""Rooms that are wholly about the outside; no module of theirs has to choose."""


def _contracts() -> list[dict[str, Any]]:
    """Return the import contracts of pyproject.toml."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    contracts: list[dict[str, Any]] = project["tool"]["importlinter"]["contracts"]
    return contracts


def _pure() -> set[str]:
    (contract,) = (entry for entry in _contracts() if entry["id"] == "pure")
    return set(contract["source_modules"])


def _choosing() -> set[str]:
    """Return the modules that hold code and belong to no face; the package itself has but a version."""
    holding = {module_name(path) for path in modules() if path.stat().st_size}
    return {name for name in holding - {"econome"} if not name.startswith(FACES)}


def test_every_module_is_pure_or_says_that_it_touches_the_world() -> None:
    assert _choosing() - TOUCHES_THE_WORLD == _pure()


def test_no_module_is_both_pure_and_worldly() -> None:
    assert _pure() & TOUCHES_THE_WORLD == set()


def test_every_worldly_module_exists() -> None:
    assert TOUCHES_THE_WORLD <= _choosing()


def test_no_pure_module_opens_prints_or_asks_for_the_time() -> None:
    found = [
        f"{module_name(path)}:{node.lineno}: {name}"
        for path in modules()
        if module_name(path) in _pure()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call) and (name := _called(node)) in WORLDLY_CALLS
    ]
    assert found == []


def _called(node: ast.Call) -> str:
    """Return the last name of what is called: `now` for `datetime.now()`."""
    if isinstance(node.func, ast.Attribute):
        return f".{node.func.attr}"
    return node.func.id if isinstance(node.func, ast.Name) else ""


def test_the_arrows_between_the_rooms_are_a_contract() -> None:
    assert {entry["type"] for entry in _contracts()} >= {"layers", "forbidden"}
