"""One transcript file of the demo tree while it is being made: lines, clock and prompt cache.

A transcript knows how a response becomes several lines, what its counters are for the state of
the cache, and which of its lines a copy repeats. What happens in a session is in `story`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from econome.demo.ledger import Ledger, Spent
from econome.demo.words import Dice

__all__ = ["Line", "Setting", "Transcript", "instant"]

Line = dict[str, Any]

_FIVE_MINUTES = 300_000
_HOUR = 3_600_000


def instant(at_ms: int) -> str:
    """Return *at_ms*, milliseconds since 1970 UTC, as transcripts write a time."""
    moment = datetime.fromtimestamp(at_ms // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{at_ms % 1000:03d}Z"


@dataclass(frozen=True, slots=True)
class Setting:
    """What all lines of a session share."""

    session: str
    cwd: str
    branch: str
    version: str

    @property
    def release(self) -> tuple[int, ...]:
        """The version as numbers that compare."""
        return tuple(int(part) for part in self.version.split("."))


@dataclass(slots=True)
class Transcript:
    """The lines of one file, the time it has reached, and the tokens its cache holds."""

    dice: Dice
    ledger: Ledger
    setting: Setting
    model: str
    now_ms: int
    hourly: bool = False
    agent_id: str = ""
    agent_type: str = "main"
    sidechain: bool = False
    attributed: bool = False
    lines: list[Line] = field(default_factory=list)
    cached: int = 0
    touched_ms: int = 0
    waiting: int = 22_000
    parent: str | None = None
    last_total: int = 0

    def wait(self, milliseconds: int) -> None:
        """Let time pass."""
        self.now_ms += milliseconds

    def _line(self, kind: str, **more: Any) -> Line:
        line: Line = {
            "parentUuid": self.parent,
            "isSidechain": self.sidechain,
            "userType": "external",
            "cwd": self.setting.cwd,
            "sessionId": self.setting.session,
            "version": self.setting.version,
            "gitBranch": self.setting.branch,
        }
        if self.agent_id:
            line["agentId"] = self.agent_id
        line |= {"type": kind, **more, "uuid": self.dice.uuid(), "timestamp": instant(self.now_ms)}
        self.parent = line["uuid"]
        self.lines.append(line)
        return line

    def note(self, kind: str, **more: Any) -> None:
        """Add a line of metadata that has neither an id nor a time."""
        self.lines.append({"type": kind, "sessionId": self.setting.session, **more})

    def system(self, subtype: str, **more: Any) -> None:
        """Add a line of type `system`."""
        self._line("system", subtype=subtype, level="info", isMeta=False, **more)

    def prompt(self, text: str, **more: Any) -> None:
        """Add a line on which the user, or the parent of a sub-agent, speaks."""
        self._line("user", message={"role": "user", "content": text}, **more)
        self.waiting += 900 + len(text) // 4  # a prompt comes with reminders no line shows

    def progress(self, data: Line) -> None:
        """Add a line of progress, which is never counted whatever it embeds."""
        self._line("progress", data=data, toolUseID=self.dice.token("toolu"))

    def failure(self) -> None:
        """Add the line that stands for an answer the API refused to give."""
        usage = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": 0}
        message: Line = {"id": self.dice.uuid(), "model": "<synthetic>", "role": "assistant"}
        message |= {"type": "message", "stop_reason": "stop_sequence", "usage": usage}
        message["content"] = [{"type": "text", "text": "API Error: 529"}]
        self._line("assistant", message=message, isApiErrorMessage=True, error="rate_limit")

    def result(self, call: str, text: str, detail: Line | str, *, failed: bool = False) -> None:
        """Add the line that answers the tool call *call*."""
        block: Line = {"tool_use_id": call, "type": "tool_result", "content": text}
        if failed:
            block["is_error"] = True
        self._line("user", message={"role": "user", "content": [block]}, toolUseResult=detail)
        self.waiting += len(text) // 4

    def answer(self, blocks: list[Line], output: int, **extra: Any) -> Line:
        """Add one response: a line for each of *blocks*, the counters repeated on each.

        Returns the usage object of its last line. *extra* goes into that object, but for
        `model`, which names another model; items of its `iterations` without counters of their
        own repeat those of the top level.
        """
        new = self.waiting + self.dice.randrange(40)
        life = _HOUR if self.hourly else _FIVE_MINUTES
        alive = self.cached and self.now_ms - self.touched_ms < life
        read, write = (self.cached, new) if alive else (0, self.cached + new)
        usage = self._usage(self.dice.randrange(2, 12), read, write, **extra)
        model = extra.get("model", self.model)
        identity = (self.dice.token("msg"), self.dice.token("req"))
        begun_ms = self.now_ms
        silent = self.setting.release[:2] == (2, 1) and self.setting.release[2] < 40
        grows = self.setting.release < (2, 1, 180)
        for position, block in enumerate(blocks):
            last = position == len(blocks) - 1
            count = min(8, 1 + position) if silent or (grows and not last) else output
            stop = None if silent or (grows and not last) else _stop(blocks)
            usage = usage | {"output_tokens": count}
            if "iterations" in usage:
                usage["iterations"] = [_filled(item, usage) for item in extra["iterations"]]
            message = {"model": model, "id": identity[0], "type": "message", "role": "assistant"}
            message |= {"content": [block], "stop_reason": stop, "stop_sequence": None}
            more = {"attributionAgent": self.agent_type} if self.attributed else {}
            self._line(
                "assistant", message=message | {"usage": usage}, requestId=identity[1], **more
            )
            self.wait(120 + self.dice.randrange(400))
        self._enter(model, begun_ms, usage, incomplete=silent)
        self.cached, self.waiting, self.touched_ms = read + write + output, 0, self.now_ms
        self.last_total = sum(value for value in usage.values() if isinstance(value, int))
        self.wait(output * 9)
        return usage

    def _usage(self, fresh: int, read: int, write: int, **extra: Any) -> Line:
        usage: Line = {
            "input_tokens": fresh,
            "cache_creation_input_tokens": write,
            "cache_read_input_tokens": read,
            "output_tokens": 0,
            "service_tier": "standard",
        }
        if self.setting.release >= (2, 0, 0):
            usage["cache_creation"] = {
                "ephemeral_5m_input_tokens": 0 if self.hourly else write,
                "ephemeral_1h_input_tokens": write if self.hourly else 0,
            }
        for name in ("speed", "inference_geo", "server_tool_use", "iterations"):
            if name in extra:
                usage[name] = extra[name]
        return usage

    def _enter(self, model: str, at_ms: int, usage: Line, *, incomplete: bool) -> None:
        write = usage["cache_creation_input_tokens"]
        hour = usage.get("cache_creation", {}).get("ephemeral_1h_input_tokens", 0)
        session, agent = self.setting.session, self.agent_type
        self.ledger.add(
            Spent(
                "claude", session, agent, model, at_ms,
                usage["input_tokens"], usage["output_tokens"],
                usage["cache_read_input_tokens"], write - hour, hour,
                usage.get("server_tool_use", {}).get("web_search_requests", 0), incomplete,
            )
        )  # fmt: skip
        for item in usage.get("iterations", []):
            if item["type"] == "advisor_message":
                self.ledger.add(
                    Spent(
                        "claude", session, "advisor", item["model"], at_ms,
                        item["input_tokens"], item["output_tokens"], 0, 0, 0, 0, incomplete,
                    )
                )  # fmt: skip


def _filled(item: Line, usage: Line) -> Line:
    if "input_tokens" in item:
        return item
    return {name: value for name, value in usage.items() if name.endswith("_tokens")} | item


def _stop(blocks: list[Line]) -> str:
    return "tool_use" if any(block["type"] == "tool_use" for block in blocks) else "end_turn"
