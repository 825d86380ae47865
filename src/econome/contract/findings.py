"""What a difference between two contracts is called, how bad it is, and how one is told: the words of `econome lock --check`.

It knows names and their meaning; what differs is found in `drift.py`, and shown by the faces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["KINDS", "SEVERITIES", "WORDS", "Finding", "Kind"]

SEVERITIES = ("BREAKING", "RISKY", "SAFE", "COSMETIC")
"""From the worst to the mildest: an old call fails; it succeeds and may mean or cost something else; it succeeds and more
is possible; only words differ."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of difference: its severity, and in one sentence what it is."""

    severity: str
    text: str


KINDS: dict[str, Kind] = {
    "server-removed": Kind("BREAKING", "A server is gone."),
    "tool-removed": Kind("BREAKING", "A tool is gone, so every call of it fails."),
    "call-refused": Kind("BREAKING", "A call that was accepted is refused; the witness is one."),
    "call-gated": Kind("BREAKING", "A tool that was open in a state is closed in it."),
    "prompt-removed": Kind("BREAKING", "A prompt is gone."),
    "prompt-argument-required": Kind("BREAKING", "A prompt needs an argument that it did not need."),
    "resource-removed": Kind("BREAKING", "A resource is gone."),
    "template-removed": Kind("BREAKING", "A resource template is gone."),
    "instruction-introduced": Kind("RISKY", "A text now tells the model what to do: read it before you trust it."),
    "url-introduced": Kind("RISKY", "A text now names an address that it did not name."),
    "tool-named": Kind("RISKY", "A text now names another tool."),
    "hidden-text": Kind("RISKY", "A text now holds characters that nobody sees."),
    "limit-lifted": Kind("RISKY", "A limit on answers is gone."),
    "limit-raised": Kind("RISKY", "A limit on answers lets more through."),
    "class-risen": Kind("RISKY", "The answers of a tool may now grow larger: its static class rose."),
    "call-unproven": Kind("RISKY", "A schema changed in a way that no generated call could settle, or a call is refused unless the server fills a default in."),
    "field-dropped": Kind("RISKY", "A call may still give a field that the schema no longer names, and it may mean nothing."),
    "default-changed": Kind("RISKY", "A call that leaves a field out now means something else."),
    "hint-changed": Kind("RISKY", "A tool says otherwise whether it reads, destroys, repeats or reaches out."),
    "prompt-argument-removed": Kind("RISKY", "A prompt no longer takes an argument; who gives it may be refused."),
    "output-changed": Kind("RISKY", "An answer may lack, or hold otherwise, what an answer had."),
    "economy-changed": Kind("RISKY", "What the library does to a tool's answers or calls changed."),
    "machine-changed": Kind("RISKY", "The table of states that tools are bound to changed."),
    "capability-removed": Kind("RISKY", "The server no longer offers a part of the protocol."),
    "server-added": Kind("SAFE", "A server is new."),
    "tool-added": Kind("SAFE", "A tool is new."),
    "call-widened": Kind("SAFE", "More is accepted than was; every call that names only what was known still is."),
    "call-opened": Kind("SAFE", "A tool is open in a state that it was closed in."),
    "limit-lowered": Kind("SAFE", "A limit on answers is new or lets less through."),
    "class-fallen": Kind("SAFE", "The static class of a tool fell."),
    "output-added": Kind("SAFE", "An answer says more; what it said stays."),
    "prompt-added": Kind("SAFE", "A prompt is new."),
    "prompt-argument-optional": Kind("SAFE", "A prompt no longer needs an argument, or takes one more."),
    "resource-added": Kind("SAFE", "A resource is new."),
    "template-added": Kind("SAFE", "A resource template is new."),
    "capability-added": Kind("SAFE", "The server offers another part of the protocol."),
    "text-reworded": Kind("COSMETIC", "A text reads otherwise."),
    "schema-rewritten": Kind("COSMETIC", "A schema is written otherwise and accepts the same calls."),
    "detail-changed": Kind("COSMETIC", "A title, an icon or another detail changed."),
}  # fmt: skip
"""The kinds of differences by name, from the worst to the mildest."""

WORDS = frozenset({"instruction-introduced", "url-introduced", "tool-named", "hidden-text"})
"""The kinds that are about what a text says to a model."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One difference between a lock and what is there now.

    *subject* is `server`, `tool`, `prompt`, `resource` or `template`, *name* which one (the server's own for `server`), *where*
    a JSON pointer into it, empty for the whole. *text* is one sentence with the reason. *old* and *new* are the values that
    differ, where they say something. *witness* is what shows it: for `call-refused` and `tool-removed` the arguments of a call, for `call-gated`
    the state, for what else is gone how it was asked for; a server that is gone has none. Tokens are those of the tool's entry in a menu, None where it has none. A *regression* costs more or guards less.
    """

    kind: str
    server: str
    subject: str
    name: str
    text: str
    where: str = ""
    old: Any = None
    new: Any = None
    witness: Any = None
    old_tokens: int | None = None
    new_tokens: int | None = None
    regression: bool = False

    @property
    def severity(self) -> str:
        """How bad it is."""
        return KINDS[self.kind].severity

    @property
    def rank(self) -> tuple[int, int, str, str, str, str]:
        """Where it stands among others: the worst first, then by kind and name."""
        kinds = list(KINDS)
        return (
            SEVERITIES.index(self.severity),
            kinds.index(self.kind),
            self.server,
            self.subject,
            self.name,
            self.where,
        )
