"""What all connections of one proxy have in common: its rules, its menus, what it kept of cut answers, and its ledger."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from econome.lean.counting import Count
from econome.lean.kept import Kept
from econome.lean.menus import Menu, baseline
from econome.lean.payload import payload_of
from econome.lean.policies import Policy, policy_of
from econome.lean.proxy.wire import value_of
from econome.lean.records import Kind, Record
from econome.lean.rules import Budget, ServerRules
from econome.lean.spots import dotted
from econome.lean.treatment import AnswerRule

__all__ = ["Due", "Lean", "Noted"]

Due = Callable[[], Record]
"""What makes a record when it is written: tokens are counted then, and not while a client waits."""

_MENUS_KEPT = 16
_POLICIES_KEPT = 64


@dataclass(slots=True)
class Noted:
    """What a record is made of: *before* and *after* are texts that a model would have read and reads.

    *cut* are the whole and what was kept of it, both in compact JSON; *after* None is the same as before.
    """

    kind: Kind
    tool: str = ""
    client: str = ""
    before: str = ""
    after: str | None = None
    cut: tuple[str, str] | None = None
    rows_cut: int = 0
    form: str = ""
    added_ns: int = 0


def _nobody(line: str) -> None:
    """Tell nobody."""


def _nothing(due: Due, held_bytes: int) -> None:
    """Record nothing."""


@dataclass(slots=True)
class Lean:
    """One proxy's.

    `name` is the server's, by which rules and the ledger know it. `count` chooses among forms while a client waits, so
    it has to be quick; `measure`, which `tokenizer` names, counts for the ledger, later. `ticks` tells nanoseconds of
    any origin. `client` overrides what clients call themselves, `form` and `tables` what their policies say. `record`
    takes what makes a record, and the bytes it holds until then. Where `last` is given, nothing that it counts as more than
    what it replaces is sent. A proxy that is `passing` changes nothing. Where Claude
    Code `defers` tools, each is paid for only once it was looked for, and one tool for all would cost more. What is over
    the `budget` is told to `warn`, once for a menu and for each tool, when it is counted; so is a tool that the rules have
    `named` and the server does not have.
    """

    name: str
    count: Count
    measure: Count
    tokenizer: str
    ticks: Callable[[], int]
    record: Callable[[Due, int], None] = _nothing
    rules: ServerRules = field(default_factory=ServerRules)
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    kept: Kept | None = None
    client: str | None = None
    form: str | None = None
    passing: bool = False
    defers: bool = False
    budget: Budget = field(default_factory=Budget)
    named: Sequence[str] = ()
    warn: Callable[[str], None] = _nobody
    last: Count | None = None
    _warned: set[str] = field(default_factory=set, init=False)
    _policies: dict[str, Policy] = field(default_factory=dict, init=False)
    _answers: dict[str, AnswerRule] = field(default_factory=dict, init=False)
    _menus: dict[tuple[str, bool, bytes], Menu] = field(default_factory=dict, init=False)
    _latest: dict[tuple[str, bool], tuple[Menu, int]] = field(default_factory=dict, init=False)
    _tools: set[str] = field(default_factory=set, init=False)
    _outputs: dict[str, Mapping[str, Any] | None] = field(default_factory=dict, init=False)
    changes: int = field(default=0, init=False)
    """How often a server said that its list of tools has changed."""

    def policy(self, client: str) -> Policy:
        """Return how a client of that name is answered; what the user said of the server's menu wins over its usual form."""
        found = self._policies.get(client)
        if found is None:
            while len(self._policies) >= _POLICIES_KEPT:
                del self._policies[next(iter(self._policies))]
            found = policy_of(client, self.tables, menu=self.rules.menu, defers=self.defers)
            if self.form is not None:
                found = replace(found, menu=self.form)
            self._policies[client] = found
        return found

    def rule(self, tool: str) -> AnswerRule:
        """Return what may be done to the answers of a tool."""
        known = tool if tool in self.rules.tools else ""
        found = self._answers.get(known)
        if found is None:
            said = self.rules.tool(known)
            found = self._answers[known] = AnswerRule(
                limit=said.limit,
                rows=said.rows,
                max_bytes=said.max_bytes,
                encode=said.encode is not False,
                more=said.more is not False,
                repeats=said.repeats is True,
                json=said.json,
            )
        return found

    def _selects(self, tool: str) -> bool:
        """Return whether `_select` is to be offered for a tool, to a client whose answers can be narrowed."""
        return self.rules.tool(tool).select is True

    def output(self, tool: str) -> Mapping[str, Any] | None:
        """Return the output schema of a tool as a client was last told it, None where there is none or nobody asked."""
        return self._outputs.get(tool)

    def menu(self, policy: Policy, tools: Sequence[bytes], changes: int = 0) -> Menu:
        """Return the menu for the tools of the server, each as its bytes; one that was made before is not made again.

        *changes* are those before the list was asked for.

        Raises:
            ValueError: a tool cannot be read.
            MenuError: the menu cannot be built.
        """
        key = (policy.menu, policy.text, b"\n".join(tools))
        menu = self._menus.get(key)
        if menu is None:
            menu = Menu.of(
                [value_of(tool) for tool in tools],
                name=self.name,
                form=policy.menu,
                count=self.count,
                more=self.kept is not None and self.rules.cuts(),
                select=self._selects if policy.text else None,
                keep_output=not policy.text,
            )
            while len(self._menus) >= _MENUS_KEPT:
                del self._menus[next(iter(self._menus))]
            self._menus[key] = menu
        self._latest[policy.menu, policy.text] = menu, changes
        self._tools |= menu.by_name.keys()
        self._outputs.update((name, action.output) for name, action in menu.by_name.items())
        return menu

    def latest(self, policy: Policy) -> tuple[Menu, int] | None:
        """Return the menu that a client of this policy was last shown, by any connection, and the changes before it."""
        return self._latest.get((policy.menu, policy.text))

    def needs_menu(self, policy: Policy) -> bool:
        """Return whether a call may name what only a menu of ours can tell."""
        selects = policy.text and self.rules.selects()
        return policy.menu not in ("flat", "untouched") or self.rules.cuts() or selects

    def no_menu(self) -> Menu:
        """Return a menu that passes every call."""
        return Menu.of((), name=self.name, form="untouched", count=self.count)

    def note(self, noted: Noted) -> None:
        """Have a record made."""
        held = len(noted.before) + len(noted.after or "")
        held += sum(map(len, noted.cut)) if noted.cut else 0
        self.record(lambda: self._record(noted), held)

    def note_passed(self, result: bytes, tool: str, client: str, form: str, added_ns: int) -> None:
        """Have a record made of an answer as the bytes of its result: it passes, or does as the `text` that it wraps."""

        def due() -> Record:
            try:
                found = payload_of(value_of(result), 0, wire=True)
            except ValueError:  # it cannot be read, so nobody knows what a model reads of it
                found = None
            before = found.before if found is not None else ""
            after = found.text if found is not None and form == "text" else None
            return self._record(
                Noted("answer", tool, client, before, after, form=form, added_ns=added_ns)
            )

        self.record(due, len(result))

    def note_menu(
        self,
        tools: Sequence[bytes],
        shown: Sequence[Mapping[str, Any]] | None,
        form: str,
        client: str,
    ) -> None:
        """Have a record made of a menu: the server's tools, each as its bytes, and those that are shown in their place."""

        def due() -> Record:
            held = [value_of(tool) for tool in tools]
            self._tools |= {name for tool in held if isinstance(name := tool.get("name"), str)}
            before = sum(self.measure(baseline(tool)) for tool in held)
            after = before if shown is None else sum(map(self.measure, map(baseline, shown)))
            self._hold_to(self.budget.menu_tokens, after, "the menu")
            if shown is not None and self.named:
                self._point_out({str(tool.get("name")) for tool in held})
            return Record(
                kind="menu",
                server=self.name,
                client=client,
                method=self.tokenizer,
                before=before,
                after=after,
                form=form,
            )

        self.record(due, sum(map(len, tools)))

    def _record(self, noted: Noted) -> Record:
        measure, tool = self.measure, self._listed(noted)
        before = measure(noted.before)
        after = before if noted.after is None else measure(noted.after)
        if noted.kind == "answer":
            self._hold_to(self.budget.answer_tokens, after, f"an answer of {tool}")
        return Record(
            kind=noted.kind,
            server=self.name,
            tool=tool,
            client=noted.client,
            method=self.tokenizer,
            before=before,
            after=after,
            cut=max(0, measure(noted.cut[0]) - measure(noted.cut[1])) if noted.cut else 0,
            rows_cut=noted.rows_cut,
            form=noted.form,
            added_us=noted.added_ns // 1000,
        )

    def _point_out(self, known: Collection[str]) -> None:
        for name in self.named:
            where = dotted(("servers", self.name, "tools", name))
            if name not in known and where not in self._warned:
                self._warned.add(where)
                self.warn(f"[{where}] names no tool of this server")

    def _listed(self, noted: Noted) -> str:
        """Return the name of a tool that the server has; another one is a text of the client's, and is not kept."""
        known = noted.kind == "lookup" or not noted.tool or noted.tool in self._tools
        return noted.tool if known else "?"

    def _hold_to(self, ceiling: int | None, tokens: int, what: str) -> None:
        if ceiling is not None and tokens > ceiling and what not in self._warned:
            self._warned.add(what)
            self.warn(f"{self.name}: {what} is {tokens:,} tokens, over the budget of {ceiling:,}")
