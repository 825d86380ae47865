"""What the author of a tool asks for that tool: the decorator `economy` and the options it leaves on a function.

The options stay with the function, whatever names it is registered under. It decides nothing: `lean/middleware.py` reads the
options when the tool is listed and called.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final, ParamSpec, TypeVar, get_args

from econome.errors import MenuError
from econome.lean.blocks import Answer
from econome.lean.outputs import Output, return_type

__all__ = ["HELD", "Call", "Economy", "Guard", "Held", "Seen", "Texts", "economy", "options_of"]

_MARK: Final = "__econome__"

_Parameters = ParamSpec("_Parameters")
_Returned = TypeVar("_Returned")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of an action as a guard sees it; *workflow* is the handle that came with it."""

    action: str
    arguments: Mapping[str, Any]
    principal: str
    workflow: str | None


@dataclass(frozen=True, slots=True)
class Seen:
    """What rules, interfaces and suggestions are made from: the whole data, and how many rows there were before a cut.

    *data* is what the output's type let through: never narrowed by `_select`, and at most as many rows as are sent.
    *total* is None where the data is no collection.
    """

    data: Any
    total: int | None


Guard = Callable[[Call], "str | Awaitable[str | None] | None"]
"""Looks at a call before it runs, and returns why it is refused, or None."""

Texts = Sequence[str] | Callable[[Seen], Iterable[str]]
"""Lines of a block, or what makes them from the data."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """The economies of one tool; what is not set is as `lean` was asked, and without that nothing is lost.

    *limit* rows are sent at most, of the collection that is the answer or its field *rows*; *max_bytes* drops whole rows.
    *more* keeps what was cut, *repeats* answers an identical answer by reference. *select* offers `_select`, over the
    fields of the output's type or those that are named. *table* set: the answers are texts in their smallest form, for every
    client; False: they are left as they are; None: as the client is best served.

    *states* (None: all) and *event* bind the tool to the machine, *short* is its text while a workflow has not begun.
    *rules*, *ui* and *suggestions* follow the data; *row_rules* makes rules from the first row, or from the record; none of
    an empty collection. *invalidates* names what a success makes stale. *output* is the type of the data where
    the function does not say it.
    """

    limit: int | None = None
    rows: str | None = None
    max_bytes: int | None = None
    more: bool | None = None
    repeats: bool | None = None
    select: bool | Sequence[str] = False
    table: bool | None = None
    states: Sequence[str] | None = None
    event: str | None = None
    rules: Texts = ()
    row_rules: Callable[[Any], Iterable[str]] | None = None
    ui: Texts = ()
    suggestions: Texts = ()
    invalidates: Sequence[str] = ()
    tags: Sequence[str] = ()
    short: str = ""
    guards: Sequence[Guard] = ()
    namespace: str | None = None
    output: Any = None

    def __post_init__(self) -> None:
        """Refuse what could never be met."""
        for name, bound in (("limit", self.limit), ("max_bytes", self.max_bytes)):
            if bound is not None and bound < 1:
                raise MenuError(f"{name} {bound}: must be at least 1")
        for name, given in (("states", self.states), ("tags", self.tags), ("select", self.select)):
            if isinstance(given, str):
                raise MenuError(f"{name} {given!r}: give a list of names")

    def filled(self, server: Economy) -> Economy:
        """Return these economies; what they do not say is as it was asked for all tools of the *server*."""
        limit = server.limit if self.limit is None else self.limit
        max_bytes = server.max_bytes if self.max_bytes is None else self.max_bytes
        more = server.more if self.more is None else self.more
        return replace(
            self,
            limit=limit,
            max_bytes=max_bytes,
            more=more is not False and (limit is not None or max_bytes is not None),
            repeats=server.repeats if self.repeats is None else self.repeats,
        )

    @property
    def speaks(self) -> bool:
        """Whether more than data is sent."""
        return bool(self.rules or self.row_rules or self.ui or self.suggestions or self.invalidates)


@dataclass(slots=True)
class Held:
    """What a decorated function returned during one call, before its server made content of it."""

    filled: bool = False
    value: object = None
    answer: Answer | None = None


HELD: ContextVar[Held | None] = ContextVar("econome_lean_held", default=None)
"""Where a decorated function leaves what it returned; None outside a call through `lean`."""


def economy(
    **options: Any,
) -> Callable[[Callable[_Parameters, _Returned]], Callable[_Parameters, _Returned]]:
    """Give a tool the options of `Economy`; it stands directly above the function, below the server's own decorator.

    The function may return an `Answer`, whose data is then what the server sees.

    Raises:
        MenuError: an option's value can never be met.
    """
    asked = Economy(**options)

    def decorated(function: Callable[_Parameters, _Returned]) -> Callable[_Parameters, _Returned]:
        wrapped = _holding(function)
        output = _output(asked, function)
        if _is_answer(return_type(function)):
            _hide_return(wrapped)
        for one in (function, wrapped):
            setattr(one, _MARK, (asked, output))
        return wrapped

    return decorated


def options_of(function: object, named: Economy | None = None) -> tuple[Economy, Output]:
    """Return the options of a tool's function, or those *named* for it, and what is known of the data it returns."""
    while isinstance(function, functools.partial) and not hasattr(function, _MARK):
        function = function.func
    if named is not None:
        return named, _output(named, function)
    found: tuple[Economy, Output] | None = getattr(function, _MARK, None)
    return (Economy(), Output()) if found is None else found


def _output(asked: Economy, function: Any) -> Output:
    kind = asked.output
    if kind is None and callable(function):
        kind = return_type(function)
    return Output() if _is_answer(kind) else Output.of(kind)


def _is_answer(kind: Any) -> bool:
    return kind is Answer or Answer in get_args(kind)


def _hide_return(function: Any) -> None:
    """Let the server see no return type: what it is given is the data of an answer."""
    function.__annotations__ = {
        name: kind for name, kind in function.__annotations__.items() if name != "return"
    }
    signature = inspect.signature(function, eval_str=True)
    function.__signature__ = signature.replace(return_annotation=inspect.Signature.empty)


def _holding(function: Callable[_Parameters, _Returned]) -> Callable[_Parameters, _Returned]:
    """Return *function* leaving what it returned where the middleware of this very call looks for it."""
    called: Any = function
    wrapper: Any
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def waiting(*args: Any, **kwargs: Any) -> Any:
            held = HELD.get()
            token = HELD.set(None)
            try:
                value = await called(*args, **kwargs)
            finally:
                HELD.reset(token)
            return _left(held, value)

        wrapper = waiting
    else:

        @functools.wraps(function)
        def plain(*args: Any, **kwargs: Any) -> Any:
            held = HELD.get()
            token = HELD.set(None)
            try:
                value = called(*args, **kwargs)
            finally:
                HELD.reset(token)
            return _left(held, value)

        wrapper = plain
    kept: Callable[_Parameters, _Returned] = wrapper
    return kept


def _left(held: Held | None, value: object) -> object:
    if held is None:
        return value
    held.filled = True
    if isinstance(value, Answer):
        held.answer, held.value = value, value.data
        return value.data
    held.value = value
    return value
