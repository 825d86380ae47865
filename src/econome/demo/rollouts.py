"""The Codex half of the demo tree: rollouts whose token counts are running totals."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

from econome.demo.ledger import Ledger, Spent
from econome.demo.plan import PROJECTS
from econome.demo.transcript import Line, instant
from econome.demo.words import Dice

__all__ = ["rollouts"]

_MODELS = ("gpt-5.1-codex", "gpt-5.1-codex-mini")


@dataclass(slots=True)
class _Rollout:
    session: str
    cwd: str
    model: str
    now_ms: int
    lines: list[Line] = field(default_factory=list)
    totals: dict[str, int] = field(default_factory=dict)

    def put(self, kind: str, payload: Line) -> None:
        self.lines.append({"timestamp": instant(self.now_ms), "type": kind, "payload": payload})

    def meta(self, branch: str, **more: str) -> None:
        payload: Line = {"id": self.session, "timestamp": instant(self.now_ms), "cwd": self.cwd}
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

    def turn(self, dice: Dice, ledger: Ledger, requests: int) -> None:
        self.put("turn_context", {"cwd": self.cwd, "model": self.model, "effort": "medium"})
        self.put("event_msg", {"type": "user_message", "message": dice.text(120)})
        self.count(None)
        context = 9_000 + dice.randrange(4_000)
        for _ in range(requests):
            self.now_ms += dice.about(9_000)
            cached, output = context * 3 // 4, dice.about(380)
            last = {"input_tokens": context, "cached_input_tokens": cached}
            last |= {"output_tokens": output, "reasoning_output_tokens": output // 3}
            last["total_tokens"] = context + output
            for name, value in last.items():
                self.totals[name] = self.totals.get(name, 0) + value
            talk = [{"type": "output_text", "text": dice.text(200)}]
            self.put("response_item", {"type": "message", "role": "assistant", "content": talk})
            self.count(last)
            if dice.chance(0.3):  # the same totals again, as after a change of the rate limits
                self.now_ms += 40
                self.count(last)
            ledger.add(
                Spent(
                    "codex", self.session, "main", self.model, self.now_ms,
                    context - cached, output, cached, 0, 0,
                )
            )  # fmt: skip
            context += output + dice.about(900)


def rollouts(dice: Dice, ledger: Ledger, today: int) -> list[tuple[str, list[Line]]]:
    """Return path below `sessions` and lines of each rollout; the last one is a fork.

    A fork starts with a copy of the lines of the rollout it comes from, its times included, and
    goes on counting from the copied totals.
    """
    told: list[_Rollout] = []
    for age in (33, 27, 26, 17, 10, 6, 3, 1):
        project = dice.choice(PROJECTS[:5])
        start_ms = ((today - age) * 1440 + 420 + dice.randrange(300)) * 60_000
        rollout = _Rollout(dice.uuid(), project.cwd, dice.choice(_MODELS), start_ms)
        rollout.meta(project.branches[0])
        for _ in range(2 + dice.randrange(3)):
            rollout.turn(dice, ledger, 2 + dice.randrange(4))
            rollout.now_ms += dice.about(240_000)
        told.append(rollout)
    origin = told[-1]
    fork = _Rollout(dice.uuid(), origin.cwd, origin.model, origin.now_ms + 1_800_000)
    fork.meta(PROJECTS[0].branches[0], forked_from_id=origin.session)
    fork.lines += origin.lines
    fork.totals = dict(origin.totals)
    fork.turn(dice, ledger, 3)
    return [(_path(rollout), rollout.lines) for rollout in [*told, fork]]


def _path(rollout: _Rollout) -> str:
    begun = datetime.fromisoformat(rollout.lines[0]["timestamp"]).astimezone(UTC)
    return f"{begun:%Y/%m/%d}/rollout-{begun:%Y-%m-%dT%H-%M-%S}-{rollout.session}.jsonl"
