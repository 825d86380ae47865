"""An answer whose check takes too long is given up, stops nothing else meanwhile, and leaves no process behind."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable
from typing import Any, TypeVar

import pytest

from econome.delegation.checking import checked, shortfalls
from econome.delegation.checks import Check
from econome.delegation.formats import Format
from econome.errors import FormatBroken
from tests.requirements import requirement

pytestmark = requirement("D6")

_T = TypeVar("_T")

PYTHON = Format("code", "python")
ENDLESS = Format("json", schema={"type": "string", "pattern": r"^(\w+\s?)*$"})
BACKTRACKS = '"' + "a" * 60 + '!"'


async def _with_ticks(work: Awaitable[_T]) -> tuple[_T, int]:
    """Return what comes of some work, and how often the loop came round meanwhile."""
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0.01)

    ticking = asyncio.create_task(tick())
    try:
        return await work, ticks
    finally:
        ticking.cancel()


def _why(form: Format, text: str, longest_s: float = 10.0) -> str:
    with pytest.raises(FormatBroken) as caught:
        asyncio.run(checked(form, text, longest_s))
    return str(caught.value)


@pytest.mark.parametrize(
    "form, text, answer",
    [
        (PYTHON, "```python\nx = 'é'\n```", "x = 'é'\n"),
        (Format("code", "toml"), "x = 1", "x = 1\n"),
        (Format("json", schema={"type": "integer"}), "```json\n4\n```", "4"),
        (Format("json"), "[1]", "[1]"),
        (Format("text"), " four \ud800", "four \ud800"),
        (PYTHON, "x = '\ud83d'", None),
    ],
)
def test_an_answer_is_the_same_wherever_it_is_checked(
    form: Format, text: str, answer: str | None
) -> None:
    if answer is None:
        assert "not Python" in _why(form, text)
    else:
        assert asyncio.run(checked(form, text)) == answer


def test_a_reason_comes_back_from_the_process() -> None:
    assert _why(PYTHON, "a = 1\nb = ") == "not Python: line 2: invalid syntax"
    assert _why(Format("json", schema={"type": "string"}), "4") == (
        "not of the schema: $: expected string"
    )


def test_a_check_that_does_not_end_is_given_up_and_the_loop_goes_on() -> None:
    async def run() -> int:
        with pytest.raises(FormatBroken, match="it takes too long to check"):
            await checked(ENDLESS, BACKTRACKS, 0.3)
        return 0

    _, ticks = asyncio.run(_with_ticks(run()))
    assert ticks > 3


def test_a_cancelled_check_is_gone_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[int] = []
    start = asyncio.create_subprocess_exec

    async def noted(*command: str, **more: Any) -> asyncio.subprocess.Process:
        process = await start(*command, **more)
        begun.append(process.pid)
        return process

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)

    async def run() -> None:
        work = asyncio.create_task(checked(ENDLESS, BACKTRACKS, 60.0))
        while not begun:
            await asyncio.sleep(0)
        work.cancel()
        async with asyncio.timeout(30):
            with pytest.raises(asyncio.CancelledError):
                await work

    asyncio.run(run())
    with pytest.raises(ProcessLookupError):
        os.kill(begun[0], 0)


def test_code_of_a_size_that_nobody_parses_is_refused() -> None:
    assert _why(PYTHON, "a = 1\n" * 90_000) == (
        "more than 500,000 characters of code are not checked"
    )


def test_an_answer_that_takes_too_much_memory_is_refused_and_not_a_crash() -> None:
    assert _why(PYTHON, "x=" + "1+" * 200_000 + "1") == "not Python that can be parsed"


def test_the_environment_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONINSPECT", "1")
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    assert asyncio.run(checked(PYTHON, "x = 1")) == "x = 1\n"


def test_a_preset_s_own_check_is_carried_out_there_with_all_that_it_asks() -> None:
    one = Check("b", contains=("a",), lacks=("z",), regex="^b", max_words=1, json_has=(("k", 1),))
    form = Format("json")
    assert asyncio.run(shortfalls(form, one, '{"z": 1, "a": 2}')) == [
        "holds 'z'", "does not match '^b'", "4 words; at most 1", "has no 'k'",
    ]  # fmt: skip
    assert asyncio.run(shortfalls(form, Check("b", regex=".", json_equal=None), "null")) == []
    assert asyncio.run(shortfalls(Format("text"), Check("b", contains=("x",)), "x")) == []


def test_an_expression_that_does_not_end_on_an_answer_is_given_up() -> None:
    one = Check("b", regex=r"^(\w+\s?)*$")
    with pytest.raises(FormatBroken, match="too long"):
        asyncio.run(shortfalls(Format("text"), one, "a" * 60 + "!", 0.3))
