"""Build the wheel and run it alone, in an environment that holds nothing else.

What a source tree can hide shows here: a data file that is not packaged, a dependency that only the developers have.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")


HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "smoke", "version": "1"},
    },
}


def surroundings(home: Path) -> dict[str, str]:
    """Return an environment with nothing of the user's but PATH."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name == "PATH" or name.startswith(("PIP_", "SSL_"))
    }
    return kept | {"HOME": str(home), "LC_ALL": "C.UTF-8"}


def run(*command: str | Path, home: Path, cwd: Path) -> str:
    """Run *command* and return what it printed."""
    done = subprocess.run(
        command, cwd=cwd, env=surroundings(home), capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        shown = " ".join(str(part) for part in command)
        sys.exit(f"{shown}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def serve(econome: Path, home: Path, cwd: Path) -> None:
    """Start the server, ask it for its health, for MCP and for a page in both languages, and stop it."""
    token = run(econome, "token", "show", home=home, cwd=cwd).strip()
    process = subprocess.Popen(
        (econome, "serve", "--port", "0"),
        cwd=cwd,
        env=surroundings(home),
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        assert process.stdout is not None
        told = process.stdout.readline()
        if not told:
            sys.exit(f"econome serve: exit {process.wait()}")
        connection = http.client.HTTPConnection(
            "127.0.0.1", int(told.rpartition(":")[2]), timeout=60
        )
        asked = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        asked["Accept"] = "application/json, text/event-stream"
        for method, path, body, wanted in (
            ("GET", "/api/v1/health", None, ""),
            ("POST", "/mcp", json.dumps(HELLO), ""),
            ("GET", "/manual/usage?lang=en", None, '<a href="/usage">Usage</a>'),
            ("GET", "/manual/usage?lang=fr", None, '<a href="/usage">Consommation</a>'),
        ):
            connection.request(method, path, body, asked)
            answer = connection.getresponse()
            if answer.status != http.client.OK:
                sys.exit(f"{method} {path}: {answer.status}")
            if wanted not in answer.read().decode():
                sys.exit(f"{method} {path}: lacks {wanted}")
        connection.close()
        process.send_signal(signal.SIGTERM)
        if process.wait(timeout=60):
            sys.exit(f"econome serve: exit {process.returncode} after SIGTERM")
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Build, install, run; exit 1 with the output of the first step that fails."""
    with tempfile.TemporaryDirectory(prefix="econome-smoke-") as name:
        work = Path(name)
        home, wheels = work / "home", work / "wheels"
        home.mkdir()
        build = (sys.executable, *PIP, "wheel", "--no-deps", "--wheel-dir", wheels, REPOSITORY)
        subprocess.run(build, cwd=work, check=True)
        (wheel,) = wheels.glob("*.whl")
        venv.create(work / "venv", with_pip=True)
        python = work / "venv" / "bin" / "python"
        subprocess.run((python, *PIP, "install", wheel), cwd=work, check=True)
        econome = work / "venv" / "bin" / "econome"
        shown = run(econome, "--help", home=home, cwd=work)
        if "Usage:" not in shown:
            sys.exit(f"econome --help shows no usage line:\n{shown}")
        report = json.loads(run(econome, "demo", "--json", home=home, cwd=work))
        run(python, "-m", "econome", "--help", home=home, cwd=work)
        serve(econome, home, work)
        print(f"{wheel.name}: --help, demo --json ({len(report)} keys) and serve run alone")


if __name__ == "__main__":
    main()
