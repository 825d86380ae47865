"""One call of a tool on its way through `lean`: its guards, its run, and its answer as the client is best served.

It knows the SDK's context of the request; what is decided before and after is `lean/middleware.py`'s.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from econome.lean.answering import answered, complete, whole
from econome.lean.calls import Sent
from econome.lean.context import answer
from econome.lean.counting import Count
from econome.lean.gate import WORKFLOW
from econome.lean.kept import Kept
from econome.lean.offering import Declared
from econome.lean.options import HELD, Call, Held
from econome.lean.policies import Policy
from econome.lean.workflows import Passage

__all__ = ["Running"]


@dataclass(slots=True, kw_only=True)
class Running:
    """A call whose tool is known, with all that its answer depends on.

    *conversation* is what has one memory of earlier answers, None where nobody knows. *sizes* takes the tokens of the
    answer by the kinds of its blocks.
    """

    ctx: Any
    call_next: Any
    envelope: Mapping[str, Any]
    own: Declared
    sent: Sent
    select: Sequence[str] | None
    policy: Policy
    principal: str
    conversation: str | None
    count: Count
    keep: Kept
    more_call: str
    sizes: Counter[str]
    arguments: dict[str, Any] = field(init=False)
    held: Held = field(default_factory=Held)

    def __post_init__(self) -> None:
        """Take a copy of the arguments, from which a workflow's handle may be taken out."""
        self.arguments = dict(self.sent.arguments)

    async def guarded(self, workflow: str | None) -> str | None:
        """Return why one of the tool's guards refuses the call, None where none does."""
        call = Call(self.own.name, self.arguments, self.principal, workflow)
        for guard in self.own.economy.guards:
            said = guard(call)
            refusal = await said if inspect.isawaitable(said) else said
            if refusal is not None:
                return refusal
        return None

    async def carried(self) -> Any:
        """Let the server run the tool, and catch what its function returned where it is decorated."""
        params = {**(self.ctx.params or {}), "name": self.own.name, "arguments": self.arguments}
        token = HELD.set(self.held)
        try:
            result = await self.call_next(replace(self.ctx, params=params))
        finally:
            HELD.reset(token)
        return whole(result, self.held)

    def refused(self, reason: str) -> dict[str, Any]:
        """Return the refusal of the call."""
        return answer(self.ctx, self.envelope, f"{self.own.name}: {reason}", failed=True)

    def answered(self, result: Any) -> Any:
        """Return a result as the client is best served; what is no success passes."""
        if not complete(result):
            return result
        made, blocks = answered(
            result,
            self.own.economy,
            self.held,
            fields=self.own.fields,
            select=self.select,
            policy=self.policy,
            count=self.count,
            keep=self.keep,
            principal=self.principal,
            conversation=self.conversation,
            more_call=self.more_call,
            narrows=self.sent.action.narrows,
            schema=self.sent.action.output,
        )
        for block in blocks:
            self.sizes[block.kind] += self.count(block.text)
        return made

    def told(self, result: Any, passage: Passage, *, minted: bool) -> Any:
        """Return an answer with what its reader has to know of the workflow: a new handle, or that it could not be stored."""
        if not complete(result):
            return result
        said = [] if passage.warning is None else [passage.warning]
        if minted and passage.given is not None and passage.given != passage.handle:
            said.append(f"{WORKFLOW}: {passage.given}")
            structure = result.get("structuredContent")
            if isinstance(structure, dict):
                result = {
                    **result,
                    "structuredContent": {**structure, WORKFLOW: passage.given},
                }
        if not said:
            return result
        blocks = [{"type": "text", "text": text} for text in said]
        return {**result, "content": [*result["content"], *blocks]}
