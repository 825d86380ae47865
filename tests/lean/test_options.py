"""The decorator leaves a function what it is, and its options with it."""

from __future__ import annotations

import asyncio
import functools
import inspect
from typing import Any

import pytest

from econome.errors import MenuError
from econome.lean import Answer, Economy, economy
from econome.lean.options import HELD, Held, options_of
from econome.lean.outputs import Output
from tests.requirements import requirement

pytestmark = requirement("L6", "L11")


@economy(limit=3, tags=["a"])
def listing(number: int, *, wide: bool = False) -> list[dict[str, int]]:
    """List numbers."""
    return [{"id": at} for at in range(number)]


def test_a_decorated_function_is_called_as_before() -> None:
    assert listing(2, wide=True) == [{"id": 0}, {"id": 1}]
    assert listing.__name__ == "listing"
    assert listing.__doc__ == "List numbers."
    assert list(inspect.signature(listing, eval_str=True).parameters) == ["number", "wide"]


def test_options_are_found_on_whatever_a_function_is_registered_as() -> None:
    class Desk:
        @economy(limit=2)
        def rows(self) -> str:
            return "rows"

    assert options_of(listing) == (Economy(limit=3, tags=["a"]), Output((), rows=True))
    assert options_of(functools.partial(listing, 2))[0].limit == 3
    assert options_of(Desk().rows)[0].limit == 2
    assert options_of(lambda: None) == (Economy(), Output())
    assert options_of(None) == (Economy(), Output())


def test_the_decorator_may_stand_above_the_servers_own() -> None:
    def register(function: Any) -> Any:
        return function

    def plain() -> str:
        return "x"

    economy(limit=4)(register(plain))
    assert options_of(plain)[0].limit == 4


def test_an_answer_is_kept_for_the_call_and_its_data_is_what_the_server_sees() -> None:
    @economy()
    def inner() -> Answer:
        return Answer("inner", rules=["not of this call"])

    @economy()
    def outer() -> Answer:
        return Answer([inner().data], rules=["of this call"])

    assert outer() == Answer(["inner"], rules=["of this call"])
    held = Held()
    token = HELD.set(held)
    try:
        seen: object = outer()
        assert seen == ["inner"]
        assert HELD.get() is held
    finally:
        HELD.reset(token)
    assert held == Held(True, ["inner"], Answer(["inner"], rules=["of this call"]))
    assert "return" not in outer.__annotations__
    assert inspect.signature(outer).return_annotation is inspect.Signature.empty


def test_parallel_calls_keep_what_is_their_own() -> None:
    @economy()
    async def slow(number: int) -> int:
        await asyncio.sleep(0)
        return number

    async def one(number: int) -> object:
        held = Held()
        HELD.set(held)
        await slow(number)
        return held.value

    async def run() -> list[object]:
        return await asyncio.gather(*(asyncio.create_task(one(number)) for number in range(5)))

    assert asyncio.run(run()) == [0, 1, 2, 3, 4]


def test_a_function_that_raises_keeps_nothing() -> None:
    @economy()
    def broken() -> str:
        raise KeyError("x")

    held = Held()
    token = HELD.set(held)
    try:
        with pytest.raises(KeyError):
            broken()
        assert HELD.get() is held
    finally:
        HELD.reset(token)
    assert held == Held()


@pytest.mark.parametrize("options", [{"states": "a"}, {"tags": "a"}, {"select": "a"}])
def test_a_text_where_names_are_wanted_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(MenuError, match=r"give a list of names"):
        economy(**options)
