"""The Codex half of the demo tree: rollouts whose token counts are running totals.

Among them are a fork that copies its parent's lines, one that only names its parent, and a sub-agent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from econome.demo.ledger import Ledger, Spent
from econome.demo.plan import PROJECTS
from econome.demo.transcript import Line, instant
from econome.demo.words import Dice

__all__ = ["rollouts"]

_MODELS = ("gpt-5.1-codex", "gpt-5.1-codex-mini")
_AGES = (33, 27, 26, 17, 10, 6, 3, 1)


@dataclass(slots=True)
class _Rollout:
    dice: Dice
    ledger: Ledger
    cwd: str
    model: str
    now_ms: int
    parent: str = ""
    role: str = ""
    records: bool = False
    thread: str = ""
    begun_ms: int = 0
    lines: list[Line] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.thread, self.begun_ms = self.dice.uuid7(self.now_ms), self.now_ms

    @property
    def session(self) -> str:
        """The session the thread counts under: a sub-agent's is its parent's."""
        return self.parent if self.role else self.thread

    def put(self, kind: str, payload: Line) -> None:
        self.lines.append({"timestamp": instant(self.now_ms), "type": kind, "payload": payload})

    def meta(self, branch: str, **more: Any) -> None:
        payload: Line = {"id": self.thread, "timestamp": instant(self.now_ms), "cwd": self.cwd}
        payload |= {"originator": "codex_cli_rs", "cli_version": "0.142.0", "source": "cli"}
        payload |= {"git": {"branch": branch, "commit_hash": "0" * 40}, **more}
        self.put("session_meta", payload)

    def count(self, last: dict[str, int] | None) -> None:
        limits = {"primary": {"used_percent": 4.0, "window_minutes": 300}}
        info: Line | None = None
        if last is not None:
            info = {"total_token_usage": dict(self.totals), "last_token_usage": last}
            info["model_context_window"] = 272_000
        self.put("event_msg", {"type": "token_count", "info": info, "rate_limits": limits})

    def turn(self, requests: int) -> None:
        dice, turn_id = self.dice, self.dice.uuid7(self.now_ms)
        self.put("event_msg", {"type": "task_started", "turn_id": turn_id})
        context = {"turn_id": turn_id, "cwd": self.cwd, "model": self.model, "effort": "medium"}
        self.put("turn_context", context)
        self.put("event_msg", {"type": "user_message", "message": dice.text(120)})
        self.count(None)
        size = 9_000 + dice.randrange(4_000)
        for _ in range(requests):
            self.now_ms += dice.about(9_000)
            size += self.response(turn_id, size) + dice.about(900)

    def response(self, turn_id: str, size: int) -> int:
        dice, cached = self.dice, size * 3 // 4
        output = dice.about(380)
        last = {"input_tokens": size, "cached_input_tokens": cached}
        last |= {"output_tokens": output, "reasoning_output_tokens": output // 3}
        last["total_tokens"] = size + output
        for name, value in last.items():
            self.totals[name] = self.totals.get(name, 0) + value
        talk = [{"type": "output_text", "text": dice.text(200)}]
        self.put("response_item", {"type": "message", "role": "assistant", "content": talk})
        if self.records:
            ids = {"thread_id": self.thread, "turn_id": turn_id, "session_id": self.session}
            self.put(
                "token_usage_record", {**ids, "response_id": dice.token("resp"), "usage": last}
            )
        self.ledger.add(
            Spent(
                "codex", self.session, self.role or "main", self.model, self.now_ms,
                size - cached, output, cached, 0, 0,
            )
        )  # fmt: skip
        self.count(last)
        if dice.chance(0.3):  # the same totals again, as after a change of the rate limits
            self.now_ms += 40
            self.count(last)
        return output


def rollouts(dice: Dice, ledger: Ledger, today: int) -> list[tuple[str, list[Line]]]:
    """Return path below `sessions` and lines of each rollout."""
    told: list[_Rollout] = []
    for age in _AGES:
        project = dice.choice(PROJECTS[:5])
        start_ms = ((today - age) * 1440 + 420 + dice.randrange(240)) * 60_000
        model = dice.choice(_MODELS)
        rollout = _Rollout(dice, ledger, project.cwd, model, start_ms, records=age == 1)
        rollout.meta(project.branches[0])
        for _ in range(2 + dice.randrange(3)):
            rollout.turn(2 + dice.randrange(4))
            rollout.now_ms += dice.about(240_000)
        told.append(rollout)
    children = [_copy(told[-3]), _reference(told[-1]), _sub_agent(told[3])]
    return [(_path(rollout), rollout.lines) for rollout in [*told, *children]]


def _child(origin: _Rollout, **more: Any) -> _Rollout:
    begun_ms = origin.now_ms + 1_800_000
    return _Rollout(origin.dice, origin.ledger, origin.cwd, origin.model, begun_ms, **more)


def _copy(origin: _Rollout) -> _Rollout:
    """Fork *origin* as builds before paginated histories do: its lines again, with the time of the fork."""
    fork = _child(origin)
    fork.meta("main", forked_from_id=origin.thread)
    fork.lines += [line | {"timestamp": instant(fork.now_ms)} for line in origin.lines]
    fork.totals = dict(origin.totals)
    fork.turn(3)
    return fork


def _reference(origin: _Rollout) -> _Rollout:
    """Fork *origin* as later builds do: no line is copied, and the totals go on from its own."""
    fork = _child(origin, records=True)
    base = {"thread_id": origin.thread, "end_ordinal_exclusive": len(origin.lines)}
    fork.meta("main", forked_from_id=origin.thread, history_base=base)
    fork.totals = dict(origin.totals)
    fork.turn(4)
    return fork


def _sub_agent(origin: _Rollout) -> _Rollout:
    agent = _child(origin, parent=origin.thread, role="explorer")
    spawn = {"parent_thread_id": origin.thread, "depth": 1, "agent_role": "explorer"}
    agent.meta(
        "main", session_id=origin.thread, parent_thread_id=origin.thread,
        source={"subagent": {"thread_spawn": spawn}}, thread_source="subagent",
    )  # fmt: skip
    agent.turn(5)
    return agent


def _path(rollout: _Rollout) -> str:
    begun = datetime.fromtimestamp(rollout.begun_ms // 1000, UTC)
    return f"{begun:%Y/%m/%d}/rollout-{begun:%Y-%m-%dT%H-%M-%S}-{rollout.thread}.jsonl"
