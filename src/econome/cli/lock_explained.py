"""What a lock holds of one tool: what it is called with, what it costs, and what was promised of its answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from econome.cli.lock_texts import LOCK
from econome.cli.render.lock_words import many
from econome.contract.static import NOTHING_KNOWN
from econome.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from econome.cli.lock_judging import Held
    from econome.settings import Settings

__all__ = ["Explained", "explained"]

_LIKE = 3


@dataclass(frozen=True, slots=True)
class Explained:
    """One tool of a lock, with its entry there as *held*.

    *menu* is the tokens of its server's menu, and *form* `untouched` where that shows the tool as it is declared. *call* is its
    signature, *answer* the fields of its answers, empty where it does not say them. *ceiling* and *warned* are what a budget
    of this directory allows it, None without one.
    """

    server: str
    name: str
    menu: int
    form: str
    call: str
    answer: str
    held: Mapping[str, Any]
    tokenizer: str
    estimate: bool
    ceiling: int | None = None
    warned: int | None = None

    @property
    def tokens(self) -> int:
        """What its entry takes in a menu."""
        return int(self.held["tokens"])

    @property
    def short_tokens(self) -> int | None:
        """What it takes with its short text, None where it has none."""
        found: int | None = self.held["short_tokens"]
        return found

    @property
    def risk(self) -> str | None:
        """Its static class, None where nothing is known of its answers."""
        return None if self.reason in NOTHING_KNOWN else str(self.held["class"])

    @property
    def reason(self) -> str:
        """Why it is of that class."""
        return str(self.held["reason"])

    @property
    def namespace(self) -> str:
        """The namespace it stands in."""
        return str(self.held["namespace"])

    def parts(self) -> list[tuple[str, str]]:
        """Return what there is to read of it, by the names of `LOCK`: texts of the server, not yet made visible."""
        declared, economy = self.held["declared"], self.held["economy"]
        said = [
            ("call", self.call),
            ("text", declared.get("description")),
            ("output", self.answer),
            ("hints", _line(declared.get("annotations"))),
            ("economy", _line(economy)),
        ]
        return [(name, text) for name, text in said if isinstance(text, str) and text]

    def report(self) -> dict[str, Any]:
        """Return all of it as plain values for JSON."""
        return {
            "schema": "econome.locked-tool/1",
            "server": self.server,
            "name": self.name,
            "tokenizer": self.tokenizer,
            "estimate": self.estimate,
            "menu_tokens": self.menu,
            "menu_form": self.form,
            "signature": self.call,
            "answer": self.answer,
            "ceiling": self.ceiling,
            "warned": self.warned,
            **self.held,
            "class_known": self.risk is not None,
        }


def explained(settings: Settings, path: str, tool: str, server: str | None) -> Explained:
    """Return what the lock at *path* holds of *tool*.

    Raises:
        LockBroken: there is no sound lock.
        UsageError: it holds no such tool, or several and no *server* was named.
        SettingsError: the budgets of this directory cannot be used.
    """
    from econome.cli.lock_judging import budgets, counted_by, held, own_rules
    from econome.lean.actions import action_of
    from econome.lean.rules import Rules
    from econome.lean.signatures import signature, skeleton

    found = held(path)
    counting = counted_by(found.lock.tokenizer)
    name = _server_of(found, tool, server)
    body = found.lock.servers[name]
    entry = body["tools"][tool]
    declared = entry["declared"]
    output = declared.get("outputSchema")
    budget = budgets(Rules(), None, own_rules(settings))(name)
    return Explained(
        server=name,
        name=tool,
        menu=body["menu"]["tokens"],
        form=body["menu"]["form"],
        call=signature(action_of(declared), text=False),
        answer=skeleton(action_of({"name": tool, "inputSchema": output})) if output else "",
        held=entry,
        tokenizer=counting.name,
        estimate=counting.estimate,
        ceiling=budget.tool(tool),
        warned=budget.warn.tool(tool),
    )


def _server_of(found: Held, tool: str, server: str | None) -> str:
    """Return the server whose tool is meant."""
    servers = found.lock.servers
    if server is not None and server not in servers:
        raise UsageError(
            LOCK["not_held"].format(name=server, held=", ".join(sorted(servers)) or "none")
        )
    looked = [server] if server is not None else sorted(servers)
    having = [name for name in looked if tool in servers[name]["tools"]]
    if len(having) > 1:
        raise UsageError(LOCK["which_server"].format(name=tool, servers=", ".join(having)))
    if not having:
        raise UsageError(_missing(found, tool, looked, server))
    return having[0]


def _missing(found: Held, tool: str, looked: list[str], server: str | None) -> str:
    import difflib

    known = sorted({name for each in looked for name in found.lock.servers[each]["tools"]})
    within = [name for name in known if tool.lower() in name.lower()]
    near = list(dict.fromkeys([*difflib.get_close_matches(tool, known, _LIKE), *within]))[:_LIKE]
    return LOCK["no_tool"].format(
        path=found.path,
        name=tool,
        of="" if server is None else LOCK["of_server"].format(server=server),
        like=_like(near, known),
    )


def _like(near: list[str], known: list[str]) -> str:
    """Return the names that may have been meant; where none is like it, how many there are."""
    if near:
        return LOCK["like"].format(tools=", ".join(near))
    return LOCK["none_like"].format(count=many("tool", len(known)))


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True) if value else ""
