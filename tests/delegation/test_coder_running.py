"""The coder's process has what it is given and nothing of ours; what it asks is allowed for this once (D5, D7)."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.coder import opencode
from econome.delegation.coder.opencode import OpencodeCoder, Source
from econome.delegation.coder.running import running, surroundings
from econome.delegation.order import Question
from econome.delegation.ports import Job
from econome.errors import BackendAway
from tests.delegation.desks import run
from tests.delegation.repositories import bench_in
from tests.requirements import requirement

pytestmark = requirement("D5", "D7")

OWN = {
    "GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_NOSYSTEM", "GIT_TERMINAL_PROMPT", "HOME", "LANG",
    "OPENCODE_CONFIG_CONTENT", "OPENCODE_PURE", "OPENCODE_SERVER_PASSWORD", "PATH", "TERM", "TMPDIR",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME",
}  # fmt: skip
TELLS = """#!{python} -I
import json, os
with open({heard!r}, "w", encoding="utf-8") as file:
    json.dump(dict(os.environ), file)
"""


def test_its_environment_is_made_from_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MY_SECRET", "OPENCODE_PERMISSION", "GIT_DIR", "NODE_OPTIONS", "LD_PRELOADED"):
        monkeypatch.setenv(name, "never to be seen")
    given = surroundings(str(tmp_path), "/usr/bin:/bin", {"model": "m"}, "pass")
    numbered = {name for name in given if name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))}
    disabled = {name for name in given if name.startswith("OPENCODE_DISABLE_")}
    assert given.keys() - numbered - disabled == OWN
    assert len(numbered) == 2 * int(given["GIT_CONFIG_COUNT"])
    assert {given[name] for name in disabled} == {"1"}
    program, heard = tmp_path / "opencode", tmp_path / "heard.json"
    program.write_text(TELLS.format(python=sys.executable, heard=str(heard)), encoding="utf-8")
    program.chmod(0o700)

    async def start() -> None:
        async with running(str(program), str(tmp_path), given):
            pass

    with pytest.raises(BackendAway, match="does not start"):
        run(start())
    assert json.loads(heard.read_text(encoding="utf-8")) == given


class Asking:
    """An opencode that asks leave for two acts and is done; it notes what it is told."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str, Any]] = []

    async def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        self.told.append((method, path, body))
        return {"id": "ses"} if path == "/session" else None

    async def events(self) -> AsyncIterator[Mapping[str, Any]]:
        yield {"type": "server.connected"}
        for name in ("ls", "rm x"):
            about = {"id": f"per-{name[:2]}", "permission": "bash", "metadata": {"command": name}}
            yield {"type": "permission.asked", "properties": {"sessionID": "ses", **about}}
        yield {"type": "session.idle", "properties": {"sessionID": "ses"}}
        await asyncio.Event().wait()


def test_an_act_is_allowed_for_this_once_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake, asked = Asking(), list[Question]()

    @asynccontextmanager
    async def started(*_given: object) -> AsyncIterator[Asking]:
        yield fake

    async def ask(question: Question) -> bool:
        asked.append(question)
        return question.subject == "ls"

    async def source() -> Source:
        return Source("http://127.0.0.1:9/v1", "m")

    monkeypatch.setattr(opencode, "running", started)
    bench = bench_in(tmp_path)
    scratch = tmp_path / "work"
    scratch.mkdir()
    job = Job("Change it.", str(bench.repository), str(scratch))
    coder = OpencodeCoder(sys.executable, os.environ["PATH"], source)
    assert run(coder.work(job, lambda _: None, ask)).changes == ()
    assert asked == [Question("bash", "ls"), Question("bash", "rm x")]
    assert [one for one in fake.told if "permission" in one[1]] == [
        ("POST", "/permission/per-ls/reply", {"reply": "once"}),
        ("POST", "/permission/per-rm/reply", {"reply": "reject"}),
    ]
