"""A command that must answer at once imports next to nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from econome.cli.texts import COMMANDS

# What a bare interpreter loads is not ours. The clock is an hour ahead: a file written within the last seconds is looked
# at again, and what that needs may be imported.
PROBE = """
import sys, time
bare = set(sys.modules)
real = time.time_ns
time.time_ns = lambda: real() + 3_600_000_000_000
time.time = lambda: time.time_ns() / 1e9
from econome.__main__ import main
try:
    code = main({arguments!r})
except SystemExit as stop:
    code = stop.code
print("\\nIMPORTED", *sorted(set(sys.modules) - bare), file=sys.stderr)
sys.exit(code or 0)
"""

ONLY_TO_SERVE = {
    "httptools",
    "mcp",
    "mcp_types",
    "prometheus_client",
    "pydantic",
    "starlette",
    "uvicorn",
    "uvloop",
}
NEVER_FOR_HELP = ONLY_TO_SERVE | {
    "asyncio",
    "decimal",
    "hashlib",
    "json",
    "msgspec",
    "multiprocessing",
    "platformdirs",
    "rich",
    "sqlite3",
    "stringzilla",
    "tomllib",
    "watchfiles",
    "zoneinfo",
}
# sqlite3 brings datetime, no more.
NEVER_WHEN_WARM = ONLY_TO_SERVE | {
    "argparse",
    "asyncio",
    "click",
    "dataclasses",
    "decimal",
    "enum",
    "inspect",
    "json",
    "logging",
    "msgspec",
    "multiprocessing",
    "pathlib",
    "platformdirs",
    "re",
    "rich",
    "stringzilla",
    "subprocess",
    "tomllib",
    "typing",
    "watchfiles",
    "zoneinfo",
}

STATUS = {
    "session_id": "s1",
    "cwd": "/home/ana/shop",
    "model": {"id": "claude-opus-4-6", "display_name": "Opus 4.6"},
    "context_window": {"used_percentage": 12},
}


def _imported(*arguments: str, given: str = "") -> set[str]:
    """Run econome with *arguments* in a process of its own; return the top-level modules it loaded."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(arguments=list(arguments))],
        input=given,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    listed = done.stderr.rpartition("IMPORTED ")[2].split()
    return {name.partition(".")[0] for name in listed}


def _response(number: int) -> str:
    """Return the transcript line of one response."""
    row = {
        "type": "assistant",
        "uuid": f"u{number}",
        "sessionId": "s1",
        "requestId": f"req_{number}",
        "timestamp": f"2026-10-17T09:{number:02}:00.000Z",
        "cwd": "/home/ana/shop",
        "message": {
            "id": f"msg_{number}",
            "model": "claude-opus-4-6",
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 20},
        },
    }
    return json.dumps(row, separators=(",", ":")) + "\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a root with one session of three responses."""
    transcript = tmp_path / "claude" / "projects" / "-home-ana-shop" / "s1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("".join(map(_response, range(3))), encoding="utf-8")
    return tmp_path / "claude"


def test_help_imports_no_heavy_module() -> None:
    assert _imported("--help") & NEVER_FOR_HELP == set()


def test_the_version_imports_no_heavy_module() -> None:
    assert _imported("--version") & NEVER_FOR_HELP == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_page_of_a_command_imports_nothing_of_the_server(command: str) -> None:
    assert _imported(command, "--help") & ONLY_TO_SERVE == set()


@pytest.mark.parametrize(
    "line",
    [
        ("token", "show"),
        ("token", "rotate"),
        ("events", "tail"),
        ("events", "import", "-"),
        ("usage",),
    ],
)
def test_a_command_that_does_not_serve_imports_nothing_of_the_server(line: tuple[str, ...]) -> None:
    assert _imported(*line) & ONLY_TO_SERVE == set()


def test_a_warm_report_imports_next_to_nothing(root: Path) -> None:
    arguments = ("usage", "--json", "--root", str(root))
    _imported(*arguments)
    assert _imported(*arguments) & NEVER_WHEN_WARM == set()


def test_a_warm_status_line_imports_next_to_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(root))
    status = json.dumps(STATUS)
    _imported("usage", "--json")
    _imported("statusline", given=status)
    assert (
        _imported("statusline", given=status) & (NEVER_WHEN_WARM - {"json", "re", "enum"}) == set()
    )
