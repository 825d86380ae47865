"""The embedded model itself, where it is there: `LOCAL_MODEL_DIR` names a data directory in which it was set up."""

from __future__ import annotations

import asyncio
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from econome.delegation.backends.embedded import EmbeddedBackend
from econome.delegation.backends.wheel import SMOLLM2
from econome.delegation.local_model import LocalModel, runner_is_there
from econome.delegation.ports import Prompt
from econome.errors import BackendFailed
from tests.requirements import requirement

_DIRECTORY = os.environ.get("LOCAL_MODEL_DIR", "")

pytestmark = [
    requirement("D5"),
    pytest.mark.slow,
    pytest.mark.skipif(
        not runner_is_there(), reason="xllamacpp is not installed (pip install 'econome[local]')"
    ),
    pytest.mark.skipif(
        not _DIRECTORY,
        reason="LOCAL_MODEL_DIR names no data directory with the model (econome local setup)",
    ),
]

STORY = Prompt(None, "Write a very long story about the sea.", max_tokens=4000)


def test_the_real_model_answers_is_stopped_crashes_and_comes_back() -> None:
    async def use(backend: EmbeddedBackend) -> None:
        schema = {"type": "object", "properties": {"a": {"enum": ["x"]}}, "required": ["a"]}
        shaped = await backend.generate(
            Prompt("Answer in JSON.", "What?", temperature=0.0, schema=schema), lambda pieces: None
        )
        assert (shaped.model, shaped.estimated) == (SMOLLM2.title, False)
        assert '"x"' in shaped.text
        assert shaped.tokens_in > 0
        assert shaped.tokens_out > 0
        pid = backend.pid
        assert pid is not None
        await stopped(backend)
        await crashed(backend, pid)

    async def whole() -> None:
        backend = EmbeddedBackend("embedded", LocalModel(_DIRECTORY))
        try:
            async with asyncio.timeout(300):
                await use(backend)
        finally:
            await backend.close()

    asyncio.run(whole())


async def stopped(backend: EmbeddedBackend) -> None:
    """Cancel a long story; a short prompt, which has to wait for the one slot, is then answered in no time."""
    begun = asyncio.Event()
    task = asyncio.create_task(backend.generate(STORY, lambda pieces: begun.set()))
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    short = await backend.generate(Prompt(None, "Hi", max_tokens=3), lambda pieces: None)
    assert short.tokens_out <= 3


async def crashed(backend: EmbeddedBackend, pid: int) -> None:
    """Kill the process in mid-generation: that request fails, the next is answered by another process."""
    begun = asyncio.Event()
    task = asyncio.create_task(backend.generate(STORY, lambda pieces: begun.set()))
    await begun.wait()
    assert backend.pid == pid
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(BackendFailed, match="ended by SIGKILL while it wrote"):
        await task
    again = await backend.generate(Prompt(None, "Hi", max_tokens=3), lambda pieces: None)
    assert again.text
    assert backend.pid not in (None, pid)


def test_a_model_that_is_none_is_refused_by_the_library_and_said_so(tmp_path: Path) -> None:
    local = LocalModel(str(tmp_path), replace(SMOLLM2, bytes=1 << 20))
    Path(local.directory).mkdir()
    with open(LocalModel(_DIRECTORY).path, "rb") as good, open(local.path, "wb") as bad:
        bad.write(good.read(local.pin.bytes))
    # As if it were the one that was set up: what is tested is the load, not the digest.
    local.state = lambda: "ready"  # type: ignore[method-assign]

    async def whole() -> None:
        backend = EmbeddedBackend("embedded", local)
        try:
            with pytest.raises(BackendFailed, match=r"llama\.cpp does not load it"):
                await backend.generate(STORY, lambda pieces: None)
        finally:
            await backend.close()

    asyncio.run(whole())
