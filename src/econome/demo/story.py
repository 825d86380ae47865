"""What happens in a session of the demo tree: turns, tools, sub-agents, helpers of the agent itself.

Each function adds lines to a transcript, or returns the files a session leaves beside its own.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from econome.demo.plan import Sitting, helper_model
from econome.demo.transcript import Line, Transcript

__all__ = ["File", "Story"]

_FILES = ("src/tides.py", "src/berths.py", "src/ledger.sql", "web/map.ts", "README.md", "notes.txt")
_TOOLS = (
    ("Read", 1200), ("Read", 1200), ("Bash", 500), ("Bash", 500), ("Edit", 160), ("Grep", 300),
    ("mcp__harbor__list_berths", 800), ("mcp__tide_tables__lookup", 250),
)  # fmt: skip
_AGENT_TYPES = ("Explore", "Explore", "general-purpose", "Plan", "quay:reviewer")


@dataclass(frozen=True, slots=True)
class File:
    """One file of the tree: its path below the root's `projects`, and its lines."""

    path: str
    lines: list[Line]


@dataclass(slots=True)
class Story:
    """One session being told: its main transcript and the files of its agents."""

    sitting: Sitting
    main: Transcript
    files: list[File] = field(default_factory=list)
    agents: int = 0

    def turn(self, teller: Transcript, requests: int) -> None:
        """Let *teller* be asked something, call tools, and answer."""
        dice = teller.dice
        teller.prompt(dice.text(dice.about(160)))
        teller.wait(dice.about(2500))
        for _ in range(requests - 1):
            self.tool(teller)
        teller.answer([{"type": "text", "text": dice.text(240)}], dice.about(420))

    def tool(self, teller: Transcript) -> None:
        """Let *teller* call one tool, or two at a time, and read the results."""
        dice = teller.dice
        calls = [self._call(teller) for _ in range(2 if dice.chance(0.15) else 1)]
        blocks: list[Line] = [{"type": "tool_use", **call[0]} for call in calls]
        if dice.chance(0.4):
            thought = {"type": "thinking", "thinking": "", "signature": dice.hex(48)}
            blocks.insert(0, thought)
        teller.answer(blocks, dice.about(260))
        for call, size in calls:
            teller.wait(dice.about(900))
            failed = call["name"] == "Bash" and dice.chance(0.12)
            text = dice.text(dice.about(size))
            detail: Line | str = f"Error: {dice.sentence()}" if failed else _detail(call, text)
            teller.result(call["id"], text, detail, failed=failed)
        teller.wait(dice.about(800))

    def _call(self, teller: Transcript) -> tuple[Line, int]:
        dice = teller.dice
        name, size = dice.choice(_TOOLS)
        path = f"{self.sitting.project.cwd}/{dice.choice(_FILES)}"
        given: Line
        if name == "Read":
            given = {"file_path": path, "limit": None}
        elif name == "Edit":
            # a counter inside a tool's input: only `message.usage` is usage
            given = {"file_path": path, "old_string": dice.sentence()}
            given["new_string"] = {"usage": {"output_tokens": 9999}} if dice.chance(0.1) else ""
        elif name == "Bash":
            given = {"command": f"make {dice.choice(('test', 'lint', 'tides'))}"}
        else:
            given = {"query": dice.sentence(), "pier": dice.randrange(40)}
        return {"id": dice.token("toolu"), "name": name, "input": given}, size

    def agent(self, parent: Transcript, *, nested: bool = False, shown: str = "both") -> None:
        """Let *parent* start a sub-agent and wait for it.

        *shown* says where its type can be found: in its lines and meta file (`both`), in the
        `meta` file, in the parent's `call` alone, or in `nothing`: no call is written either.
        """
        dice, sitting = parent.dice, self.sitting
        kind = dice.choice(_AGENT_TYPES)
        agent_id = ("a" + dice.hex(16)) if parent.setting.release > (2, 1) else dice.hex(8)
        call = dice.token("toolu")
        name = "Agent" if parent.setting.release >= (2, 1, 63) else "Task"
        asked = {"description": dice.sentence(), "prompt": dice.text(300), "subagent_type": kind}
        if shown != "nothing":
            use = {"type": "tool_use", "id": call, "name": name, "input": asked}
            parent.answer([use], dice.about(180))
        child = replace(
            parent,
            model=helper_model(dice, sitting.age) if sitting.feature != "unpriced" else parent.model,
            agent_id=agent_id, agent_type=kind if shown != "nothing" else "unknown",
            sidechain=True, attributed=shown == "both", hourly=False,
            lines=[], cached=0, waiting=11_000, parent=None,
        )  # fmt: skip
        begun_ms, calls = child.now_ms, 2 + dice.randrange(5)
        child.prompt(asked["prompt"])
        for _ in range(calls):
            self.tool(child)
        if nested:
            self.agent(child, shown="both" if self.agents % 2 else "call")
        used = child.answer([{"type": "text", "text": dice.text(500)}], dice.about(500))
        self.agents += 1
        self._keep(
            child, {"agentType": kind, "toolUseId": call} if shown in ("both", "meta") else None
        )
        parent.wait(child.now_ms - begun_ms + 300)
        if shown != "nothing":
            # the totals here are those of the agent's last request: never its cost
            detail = {"status": "completed", "agentId": agent_id, "totalTokens": child.last_total}
            detail |= {"usage": used, "totalToolUseCount": calls, "totalDurationMs": 1000}
            parent.result(call, dice.text(500), detail)
            parent.wait(700)

    def _keep(self, child: Transcript, meta: Line | None) -> None:
        slug, session = self.sitting.project.slug, child.setting.session
        folder = f"{slug}/{session}/subagents/"
        if self.sitting.feature == "flat-agent":
            folder = f"{slug}/"
        elif self.sitting.feature == "workflow":
            folder += "workflows/wf_7c2e/"
        self.files.append(File(f"{folder}agent-{child.agent_id}.jsonl", child.lines))
        if meta is not None:
            self.files.append(File(f"{folder}agent-{child.agent_id}.meta.json", [meta]))

    def inline_agent(self) -> None:
        """Write a sub-agent the oldest way: its rows stand in the main file, marked side chain."""
        child = replace(self.main, sidechain=True, agent_type="unknown", cached=0, waiting=9_000)
        child.prompt(child.dice.text(200))
        for _ in range(3):
            self.tool(child)
        self.main.now_ms = child.now_ms

    def repeat_and_ask(self, kind: str, label: str, repeated: int, output: int) -> None:
        """Write the file of a helper agent: it repeats the end of its parent, then asks once."""
        main, dice = self.main, self.main.dice
        agent_id = f"a{kind}-{dice.hex(16)}"
        copied = [line for line in main.lines if "uuid" in line][-repeated:]
        child = replace(
            main,
            agent_id=agent_id, agent_type=label, sidechain=True, waiting=400,
            lines=[line | {"isSidechain": True, "agentId": agent_id} for line in copied],
        )  # fmt: skip
        child.wait(1500)
        child.prompt(dice.text(120))
        child.answer([{"type": "text", "text": dice.text(700)}], output)
        path = f"{self.sitting.project.slug}/{child.setting.session}/subagents"
        self.files.append(File(f"{path}/agent-{agent_id}.jsonl", child.lines))

    def compact(self) -> None:
        """Compact the conversation: the helper's own request, the mark, and a smaller context."""
        main = self.main
        before = main.cached
        self.repeat_and_ask("compact", "compaction", 40, main.dice.about(1800))
        main.wait(24_000)
        mark = {"trigger": "auto", "preTokens": before, "postTokens": 21_000}
        main.parent = None
        main.system("compact_boundary", compactMetadata=mark)
        main.prompt(main.dice.text(900), isCompactSummary=True)
        main.cached, main.waiting = 0, 21_000


def _detail(call: Line, text: str) -> Line:
    if call["name"] == "Read":
        return {"type": "text", "file": {"filePath": call["input"]["file_path"], "numLines": 40}}
    if call["name"] == "Bash":
        return {"stdout": text[:80], "stderr": "", "interrupted": False, "isImage": False}
    return {"mode": "content", "numFiles": 2}
