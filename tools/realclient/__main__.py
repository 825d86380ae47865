"""Let the real Claude Code hand work over to econome, and hold its transcripts against the journal.

`python -m tools.realclient` (`make realclient`) runs a server with a scripted model, and the CLI that `REALCLIENT_CLAUDE`
names against a scripted stand-in for the Messages API, which lies in the folder shared with this repository's
neighbours. Where one of them is missing it says so and checks nothing. Exits 1 where a check fails.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from econome.delegation.register import REGISTER, read_register
from econome.server.delegating.wire import MENU
from econome.server.wire import BALANCE_ARGUMENTS, BALANCE_TOOL
from tests.delegation.openai_server import Reply
from tests.http.work import Work, working
from tools.realclient.checks import Checks, client, session
from tools.realclient.proxied import proxied
from tools.realclient.transcripts import Call, calls, menu

__all__ = ["main"]

NAME = "econome"
PREFIX = f"mcp__{NAME}__"
SERVED = {"TASK-ONE": (20, 2), "TASK-TWO": (31, 5), "TASK-THREE": (41, 6)}
"""The tokens that the scripted model reports for each task."""

_LONGEST_S = 120
_GONE_S = 10
_LOOK_S = 0.2
_AT_WORK_S = 2.0


def main() -> int:
    """Run the scenarios; return the exit code."""
    claude = client()
    if claude is None:
        return 0
    check = Checks()
    with tempfile.TemporaryDirectory(prefix="econome-realclient-") as place:
        for name, scenario, alone in (
            ("over HTTP", _delegate, False),
            ("over standard streams, without a server", _delegate, True),
            ("ended in mid-call, over HTTP", _gone, False),
            ("ended in mid-call, over standard streams", _gone, True),
        ):
            print(f"\n{name}")
            with _served(Path(tempfile.mkdtemp(dir=place)), alone=alone) as stage:
                scenario(stage, claude, check)
    proxied(claude, check)
    return check.ended()


@dataclass(frozen=True, slots=True)
class Stage:
    """The servers, and the data directory of whoever does the work: the server, or `econome mcp` *alone*."""

    work: Work
    directory: Path
    alone: bool

    @property
    def logs(self) -> Path:
        """Where the journal and the register lie."""
        return self.directory / "logs" / "mcp"

    def journal(self) -> list[dict[str, Any]]:
        """Return the lines of the journal, none where it is not there yet."""
        path = self.logs / "delegations.jsonl"
        return (
            [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []
        )

    def options(self) -> list[str]:
        """Return how the client is told of econome."""
        if not self.alone:
            server = self.work.server
            return ["--mcp-url", f"{server.url}/mcp", "--token", server.token]
        words = ["-m", "econome", "mcp", "--data-dir", str(self.directory)]
        names = ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")
        environment = {name: os.environ[name] for name in names}
        program = {"command": sys.executable, "args": words, "env": environment}
        config = self.work.root.parent / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {NAME: program}}), encoding="utf-8")
        return ["--mcp-config", str(config)]


@contextmanager
def _served(folder: Path, *, alone: bool) -> Iterator[Stage]:
    own = {"HOME": folder, "XDG_CONFIG_HOME": folder / "config", "XDG_DATA_HOME": folder / "data"}
    for name, path in own.items():
        path.mkdir(exist_ok=True)
        os.environ[name] = str(path)
    with working(folder, workers=1) as work:
        for task, usage in SERVED.items():
            work.replies[task] = Reply(f"The answer to {task}.", usage=usage)
        yield Stage(work, folder / "own" if alone else work.server.directory, alone)


def _session(
    stage: Stage, claude: str, scenario: str, seconds: float = _LONGEST_S
) -> tuple[dict[str, Any], Path]:
    """Run the CLI through a scenario; return its summary and the folder of what it left."""
    root = stage.work.root
    out = root.parent / "out"
    options = ["--mcp-name", NAME, *stage.options()]
    return session(claude, scenario, out, root, options, seconds), out


def _delegate(stage: Stage, claude: str, check: Checks) -> None:
    work = stage.work
    gate = threading.Event()
    work.replies["TASK-ONE"] = Reply("The answer", gate, " to TASK-ONE.", usage=(20, 2))
    threading.Thread(target=_release, args=(stage, gate), daemon=True).start()
    summary, out = _session(stage, claude, "delegate")
    check("the session ended well", (summary["exit_status"], summary["is_error"]), (0, False))
    _check_menu(out, check)
    made = calls(out / "transcripts", PREFIX)
    _check_calls(made, stage.journal(), check)
    answer = (work.root / "answer.txt").read_text(encoding="utf-8")
    check("the answer's file is written", answer, "The answer to TASK-TWO.\n")
    check("the file was read by the service", "notes" in str(work.model.requests[1]), True)
    served = summary["transcript_check"]
    troubles = {name: served[name] for name in ("missing", "usage_differs")}
    check("the transcripts hold what the API served", troubles, {name: [] for name in troubles})


def _release(stage: Stage, gate: threading.Event) -> None:
    """Let the first task go on once the second one waits behind it and is being followed."""
    register = str(stage.logs / REGISTER)
    while len(read_register(register)) < 2:
        time.sleep(_LOOK_S)
    time.sleep(_AT_WORK_S)
    gate.set()


def _check_menu(out: Path, check: Checks) -> None:
    sent = {
        tool["name"].removeprefix(PREFIX): tool for tool in menu(out / "stub" / "requests", PREFIX)
    }
    offered = {name: taken for name, (_, taken) in MENU.items()} | {BALANCE_TOOL: BALANCE_ARGUMENTS}
    check("the model is sent each tool", sorted(sent), sorted(offered))
    keys = {key for tool in sent.values() for key in tool}
    check("with name, description and schema alone", keys, {"name", "description", "input_schema"})
    schemas = {name: tool["input_schema"] for name, tool in sent.items()}
    check("and the schemas as they are offered", schemas, json.loads(json.dumps(offered)))


def _check_calls(made: list[Call], journal: list[dict[str, Any]], check: Checks) -> None:
    handed = {call.given["consigne"].split()[0]: call for call in made if call.tool == "deleguer"}
    (followed,) = [call for call in made if call.tool == "suivre"]
    check("three tasks were handed over", sorted(handed), sorted(SERVED))
    one, two, three = (handed[task].answer for task in ("TASK-ONE", "TASK-TWO", "TASK-THREE"))
    check("the first runs", (one["statut"], one.get("position")), ("en_cours", 0))
    check("the second waits", (two["statut"], two.get("position")), ("en_file", 1))
    check("and is followed to its end", followed.answer["demande_id"], two["demande_id"])
    check("the agent gets a preview", three.get("apercu"), "The answer to TASK-THREE.")
    check("in its own transcript", handed["TASK-THREE"].file.startswith("agent-"), True)
    lines = {line["tool_use_id"]: line for line in journal}
    check("each call has one line in the journal, by its tool use id",
          (sorted(lines), len(journal)),
          (sorted(call.id for call in handed.values()), len(SERVED)))  # fmt: skip
    for task, call in handed.items():
        line = lines[call.id]
        check(f"{task}: the id is the same", line["demande_id"], call.answer["demande_id"])
        counted = line["tokens_entree"], line["tokens_sortie"]
        check(f"{task}: the journal counts what the model reported", counted, SERVED[task])
    for call, answer in ((followed, followed.answer), (handed["TASK-THREE"], three)):
        (line,) = [one for one in lines.values() if one["demande_id"] == answer["demande_id"]]
        names = (
            "statut",
            "tokens_entree",
            "tokens_sortie",
            "sortie",
            "format",
            "modele",
            "duree_s",
        )
        check(
            f"{call.tool}: transcript and journal agree",
            {name: answer[name] for name in names},
            {name: line[name] for name in names},
        )


def _gone(stage: Stage, claude: str, check: Checks) -> None:
    work = stage.work
    work.replies["TASK-NEVER"] = Reply("One", threading.Event())
    summary, _ = _session(stage, claude, "gone", _GONE_S)
    check("the client was ended while it waited", summary["timed_out"], True)
    check("the model was left", work.model.wait_for_hang_ups(), True)
    while not (lines := stage.journal()):
        time.sleep(_LOOK_S)
    # With its client econome mcp is ended too, and may see that first.
    ended = [line["statut"] for line in lines]
    check("the request has ended", ended, ["echec" if stage.alone else "annulee"])


if __name__ == "__main__":
    sys.exit(main())
