"""`econome.toml`: what is done for each server, each of its tools and each client, and what budgets there are.

It turns decoded TOML into values, strictly: what it does not know is an error that says where. It reads no file, and
does not ask whether one may be believed; its reader says which part of a file counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from econome.lean import FORMS
from econome.lean.spots import Place, dotted

__all__ = [
    "FILE",
    "Budget",
    "Ceilings",
    "Named",
    "Rules",
    "ServerRules",
    "ToolRules",
    "budgets_only",
    "rules_of",
]

FILE: Final = "econome.toml"


@dataclass(frozen=True, slots=True)
class ToolRules:
    """What is done to the answers of one tool; None is what the server's rules say, and then what is usual."""

    limit: int | None = None
    rows: str | None = None
    max_bytes: int | None = None
    select: bool | None = None
    more: bool | None = None
    repeats: bool | None = None
    encode: bool | None = None
    json: bool | None = None

    def over(self, usual: ToolRules) -> ToolRules:
        """Return these rules, and *usual* for what they do not say."""
        said = {
            name: own if (own := getattr(self, name)) is not None else getattr(usual, name)
            for name in self.__slots__
        }
        return ToolRules(**said)


@dataclass(frozen=True, slots=True)
class ServerRules:
    """What is done for one server.

    `header_env` maps a header of its HTTP requests to the environment variable that holds its value.
    """

    menu: str | None = None
    tokenizer: str | None = None
    header_env: Mapping[str, str] = field(default_factory=dict)
    usual: ToolRules = ToolRules()
    tools: Mapping[str, ToolRules] = field(default_factory=dict)

    def tool(self, name: str) -> ToolRules:
        """Return the rules of a tool by the server's own name of it."""
        own = self.tools.get(name)
        return self.usual if own is None else own.over(self.usual)

    def over(self, usual: ServerRules) -> ServerRules:
        """Return these rules, and *usual* for what they do not say."""
        tools = {
            name: self.tools.get(name, ToolRules()).over(usual.tools.get(name, ToolRules()))
            for name in {**usual.tools, **self.tools}
        }
        return ServerRules(
            menu=self.menu if self.menu is not None else usual.menu,
            tokenizer=self.tokenizer if self.tokenizer is not None else usual.tokenizer,
            header_env={**usual.header_env, **self.header_env},
            usual=self.usual.over(usual.usual),
            tools=tools,
        )

    def under(self, said: ToolRules) -> ServerRules:
        """Return these rules with what was *said* of every answer above them, those of single tools included."""
        tools = {name: said.over(own) for name, own in self.tools.items()}
        return replace(self, usual=said.over(self.usual), tools=tools)

    def cuts(self) -> bool:
        """Return whether any answer may be cut or referred to, with a handle by which it is read."""
        every = [self.usual, *(self.tool(name) for name in self.tools)]
        return any(
            rule.more is not False
            and (rule.limit is not None or rule.max_bytes is not None or rule.repeats)
            for rule in every
        )

    def selects(self) -> bool:
        """Return whether `_select` is offered for any tool."""
        return any(rule.select for rule in [self.usual, *(self.tool(name) for name in self.tools)])


@dataclass(frozen=True, slots=True)
class Ceilings:
    """Ceilings in tokens: of a server's whole menu, of one answer, of any one tool in the menu, and of any one namespace.

    What *tools* and *namespaces* say of one by its name stands in place of what is said of any.
    """

    menu_tokens: int | None = None
    answer_tokens: int | None = None
    tool_tokens: int | None = None
    namespace_tokens: int | None = None
    tools: Mapping[str, int] = field(default_factory=dict)
    namespaces: Mapping[str, int] = field(default_factory=dict)

    def tool(self, name: str) -> int | None:
        """Return the ceiling for one tool, None where there is none."""
        return self.tools.get(name, self.tool_tokens)

    def namespace(self, name: str) -> int | None:
        """Return the ceiling for one namespace, None where there is none."""
        return self.namespaces.get(name, self.namespace_tokens)

    def lower(self, other: Ceilings) -> Ceilings:
        """Return for everything the smaller of both ceilings, so that neither can raise what the other says."""
        return Ceilings(
            _smaller(self.menu_tokens, other.menu_tokens),
            _smaller(self.answer_tokens, other.answer_tokens),
            _smaller(self.tool_tokens, other.tool_tokens),
            _smaller(self.namespace_tokens, other.namespace_tokens),
            _smallest({**self.tools, **other.tools}, self.tool, other.tool),
            _smallest({**self.namespaces, **other.namespaces}, self.namespace, other.namespace),
        )


@dataclass(frozen=True, slots=True)
class Budget(Ceilings):
    """The ceilings that nothing may be over, and in *warn* those of which being over is only told."""

    warn: Ceilings = Ceilings()

    def within(self, other: Budget) -> Budget:
        """Return for everything the smaller of both ceilings, those that warn apart from those that do not."""
        least = self.lower(other)
        own = {each.name: getattr(least, each.name) for each in fields(least)}
        return Budget(**own, warn=self.warn.lower(other.warn))


def _smaller(first: int | None, second: int | None) -> int | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first, second)


def _smallest(
    names: Iterable[str],
    first: Callable[[str], int | None],
    second: Callable[[str], int | None],
) -> dict[str, int]:
    found = {name: _smaller(first(name), second(name)) for name in names}
    return {name: least for name, least in found.items() if least is not None}


@dataclass(frozen=True, slots=True)
class Named:
    """What a file of rules names: tools of one server, and tables of others where none is that server's own."""

    tools: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """All of a file; `clients` holds their tables, in which `text` and `menu` were checked."""

    servers: Mapping[str, ServerRules] = field(default_factory=dict)
    clients: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    budgets: Mapping[str, Budget] = field(default_factory=dict)

    def server(self, name: str) -> ServerRules:
        """Return the rules of a server, those of `[servers."*"]` below its own."""
        own, every = self.servers.get(name), self.servers.get("*")
        if own is None:
            return every or ServerRules()
        return own if every is None else own.over(every)

    def named(self, name: str) -> Named:
        """Return what is named beside a server of that name."""
        own = self.servers.get(name)
        others = [
            dotted((kind, other))
            for kind, tables in (("servers", self.servers), ("budgets", self.budgets))
            for other in tables
            if name not in tables and other != "*"
        ]
        return Named(() if own is None else tuple(own.tools), tuple(others))

    def budget(self, name: str) -> Budget:
        """Return the budget of a server, else that of `[budgets."*"]`."""
        return self.budgets.get(name) or self.budgets.get("*") or Budget()


def rules_of(values: Mapping[str, Any], path: str, text: str = "") -> Rules:
    """Return the rules of a decoded file; *path* is what errors call it, and *text* is where they find the line.

    Raises:
        SettingsError: a name is unknown, or a value cannot be used.
    """
    place = Place(path, text)
    place.known(values, ("servers", "clients", "budgets"))
    return Rules(
        {name: _server(at, table) for name, at, table in place.tables(values, "servers")},
        {name: _client(at, table) for name, at, table in place.tables(values, "clients")},
        _budgets(place, values),
    )


def budgets_only(values: Mapping[str, Any], path: str, text: str = "") -> Mapping[str, Budget]:
    """Return the budgets of a file that may set nothing else: one that lies in a working directory.

    Raises:
        SettingsError: it holds anything else, or a budget cannot be used.
    """
    place = Place(path, text)
    for other in values:
        if other != "budgets":
            raise place.below(other).wrong(
                f"an {FILE} here may hold [budgets] only; name it with --rules if you trust it"
            )
    return _budgets(place, values)


_TOOL: Final = tuple(ToolRules.__slots__)


def _tool(place: Place, table: Mapping[str, Any]) -> ToolRules:
    return ToolRules(
        limit=place.amount(table, "limit"),
        rows=place.text_of(table, "rows"),
        max_bytes=place.amount(table, "max_bytes"),
        select=place.switch(table, "select"),
        more=place.switch(table, "more"),
        repeats=place.switch(table, "repeats"),
        encode=place.switch(table, "encode"),
        json=place.switch(table, "json"),
    )


def _server(place: Place, table: Mapping[str, Any]) -> ServerRules:
    place.known(table, ("menu", "tokenizer", "header_env", "tools", *_TOOL))
    tools = {}
    for name, at, below in place.tables(table, "tools"):
        at.known(below, _TOOL)
        tools[name] = _tool(at, below)
    headers = place.below("header_env").table(table.get("header_env", {}))
    for header in headers:
        place.below("header_env").variable(headers, header)
    return ServerRules(
        menu=place.choice(table, "menu", FORMS),
        tokenizer=place.text_of(table, "tokenizer"),
        header_env=headers,
        usual=_tool(place, table),
        tools=tools,
    )


def _client(place: Place, table: Mapping[str, Any]) -> Mapping[str, object]:
    place.known(table, ("text", "menu"))
    place.switch(table, "text")
    place.choice(table, "menu", FORMS)
    return dict(table)


_CEILINGS: Final = ("menu_tokens", "answer_tokens", "tool_tokens", "namespace_tokens")
_NAMED: Final = ("tools", "namespaces")


def _budgets(place: Place, values: Mapping[str, Any]) -> Mapping[str, Budget]:
    found = {}
    for name, at, table in place.tables(values, "budgets"):
        at.known(table, (*_CEILINGS, *_NAMED, "warn"))
        below = at.below("warn")
        warn = below.table(table.get("warn", {}))
        below.known(warn, (*_CEILINGS, *_NAMED))
        found[name] = Budget(**_ceilings(at, table), warn=Ceilings(**_ceilings(below, warn)))
    return found


def _ceilings(place: Place, table: Mapping[str, Any]) -> dict[str, Any]:
    said = {name: place.amount(table, name) for name in _CEILINGS}
    return {**said, **{name: _tokens(place, table, name) for name in _NAMED}}


def _tokens(place: Place, table: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return the ceilings of what is named one by one; a table that says none is a mistake."""
    found = {}
    for each, at, below in place.tables(table, name):
        at.known(below, ("tokens",))
        tokens = at.amount(below, "tokens")
        if tokens is None:
            raise at.wrong("expected tokens = N, a whole number of at least 1")
        found[each] = tokens
    return found
