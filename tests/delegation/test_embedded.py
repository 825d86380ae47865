"""The embedded model's process: started when it is needed, ended when it is not, and harmless whatever it does."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.backends import embedded
from econome.delegation.backends.embedded import EmbeddedBackend
from econome.delegation.local_model import LocalModel
from econome.delegation.ports import Prompt
from econome.errors import BackendAway, BackendFailed
from tests.delegation.model_process import command
from tests.delegation.models import pin_of, put
from tests.requirements import requirement

pytestmark = requirement("D5")

WHO = Prompt(None, "who answers?", model="another", temperature=0.0)
SLOWLY = Prompt(None, "answer slowly")


async def answer(backend: EmbeddedBackend, prompt: Prompt = WHO) -> str:
    return (await backend.generate(prompt, lambda pieces: None)).text


async def begun(backend: EmbeddedBackend) -> asyncio.Task[str]:
    """Return the task of a prompt whose answer has begun, and never ends by itself."""
    first = asyncio.Event()

    async def go() -> str:
        return (await backend.generate(SLOWLY, lambda pieces: first.set())).text

    task = asyncio.create_task(go())
    await first.wait()
    return task


def with_backend(
    tmp_path: Path,
    use: Callable[[EmbeddedBackend], Coroutine[Any, Any, None]],
    way: str = "answers",
    **more: Any,
) -> None:
    """Use a backend whose process is a stand-in, within a minute, and close it."""

    async def all_of_it() -> None:
        backend = EmbeddedBackend("embedded", put(tmp_path), command=command(way), **more)
        try:
            async with asyncio.timeout(60):
                await use(backend)
        finally:
            await backend.close()

    asyncio.run(all_of_it())


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_one_process_answers_all_prompts_with_its_key_and_ends_with_the_backend(
    tmp_path: Path,
) -> None:
    pids: list[int | None] = []

    async def use(backend: EmbeddedBackend) -> None:
        pids.append(backend.pid)
        told = await asyncio.gather(answer(backend), answer(backend))
        pids.append(backend.pid)
        # The key was shown; the model is the embedded one whatever a preset names; the length has an end.
        assert set(told) == {f"{backend.pid} True Tiny 512"}
        longer = Prompt(None, "who?", max_tokens=9)
        assert await answer(backend, longer) == f"{backend.pid} True Tiny 9"

    with_backend(tmp_path, use)
    before, while_used = pids
    assert before is None
    assert while_used is not None
    assert gone(while_used)


def test_a_process_that_is_killed_while_it_writes_fails_one_request_and_is_started_again(
    tmp_path: Path,
) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        task = await begun(backend)
        killed = backend.pid
        assert killed is not None
        os.kill(killed, signal.SIGKILL)
        with pytest.raises(BackendFailed) as caught:
            await task
        assert str(caught.value) == (
            "embedded: its process ended by SIGKILL while it wrote; the next prompt starts it again"
        )
        told = await answer(backend)
        assert (told, killed == backend.pid) == (f"{backend.pid} True Tiny 512", False)

    with_backend(tmp_path, use)


def test_a_process_that_is_killed_between_prompts_is_started_again(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        first = await answer(backend)
        assert backend.pid is not None
        os.kill(backend.pid, signal.SIGKILL)
        assert await answer(backend) != first

    with_backend(tmp_path, use)


def test_a_cancelled_prompt_stops_the_generation_and_leaves_the_process(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        task = await begun(backend)
        pid = backend.pid
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await answer(backend, Prompt(None, "who left?")) == "1 left"
        assert backend.pid == pid

    with_backend(tmp_path, use)


def test_a_prompt_that_is_too_long_says_how_much_it_may_be_and_what_to_do(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        with pytest.raises(BackendFailed) as caught:
            await answer(backend, Prompt(None, "far too long"))
        assert str(caught.value) == (
            "embedded: the prompt is longer than the 8,192 tokens that this model reads, its answer included; "
            "give less, or use a larger model"
        )

    with_backend(tmp_path, use)


def test_a_load_that_hangs_is_given_up_and_leaves_no_process(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        with pytest.raises(BackendFailed) as caught:
            await answer(backend)
        assert str(caught.value).startswith("embedded: the model was not loaded within 0.3 s;")
        assert backend.pid is None

    with_backend(tmp_path, use, "hangs", load_s=0.3)


def test_a_prompt_that_is_cancelled_while_the_model_loads_leaves_no_process(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        task = asyncio.create_task(answer(backend))
        while (pid := backend.pid) is None:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert gone(pid)

    with_backend(tmp_path, use, "hangs")


@pytest.mark.parametrize(
    "way, reason",
    [
        ("crashes", "its process ended with exit code 3 while it loaded the model"),
        ("refuses", "it is no model"),
        ("babbles", "its process ended with exit code 0 while it loaded the model"),
    ],
)
def test_a_load_that_fails_says_how(tmp_path: Path, way: str, reason: str) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        for _ in range(2):  # and the next prompt tries again
            with pytest.raises(BackendFailed) as caught:
                await answer(backend)
            told = f"embedded: {reason}; `econome local status` checks the model"
            assert str(caught.value) == told

    with_backend(tmp_path, use, way)


def test_the_process_is_told_to_use_one_thread(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    local = put(tmp_path)
    command = ("sh", "-c", 'head -n 1 > "$0"', str(heard))
    with pytest.raises(BackendFailed):
        asyncio.run(answer(EmbeddedBackend("embedded", local, command=command)))
    told = json.loads(heard.read_text(encoding="utf-8"))
    assert (told["model"], told["threads"]) == (local.path, 1)


def test_a_process_that_nobody_asks_ends_by_itself_and_comes_back(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        first = await answer(backend)
        while backend.pid is not None:
            await asyncio.sleep(0.002)
        assert await answer(backend) != first

    with_backend(tmp_path, use, idle_s=0.01)


def test_a_prompt_that_takes_longer_than_the_idle_time_is_not_interrupted(tmp_path: Path) -> None:
    async def use(backend: EmbeddedBackend) -> None:
        task = await begun(backend)
        pid = backend.pid
        assert await answer(backend) == f"{pid} True Tiny 512"
        # Its end would have started the clock, were the other not still at work.
        await asyncio.sleep(0.05)
        assert (backend.pid, task.done()) == (pid, False)
        task.cancel()
        await asyncio.wait([task])

    with_backend(tmp_path, use, idle_s=0.01)


def test_a_process_that_does_not_end_when_told_to_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_END_S", 0.05)
    pids: list[int | None] = []

    async def use(backend: EmbeddedBackend) -> None:
        await answer(backend)
        pids.append(backend.pid)

    with_backend(tmp_path, use, "is deaf")
    assert pids[0] is not None
    assert gone(pids[0])


def refusal(local: LocalModel) -> str:
    backend = EmbeddedBackend("embedded", local)
    with pytest.raises(BackendAway) as caught:
        asyncio.run(answer(backend))
    return str(caught.value)


def test_a_model_that_is_not_set_up_says_what_to_run(tmp_path: Path) -> None:
    assert refusal(LocalModel(str(tmp_path), pin_of())) == (
        "embedded: the model is not set up; run `econome local setup`"
    )


def test_a_damaged_model_is_never_given_to_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "runner_is_there", lambda: True)
    local = put(tmp_path)
    Path(local.path).write_bytes(bytes(local.pin.bytes))
    assert refusal(local) == (
        f"embedded: {local.path} is not the file that was set up; run `econome local setup` again"
    )


def test_where_nothing_runs_a_model_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "runner_is_there", lambda: False)
    assert refusal(put(tmp_path)).endswith(
        "xllamacpp, which runs the model, is not installed; run `pip install 'econome[local]'`"
    )
