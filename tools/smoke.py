"""Build the wheel and run it alone, in an environment that holds nothing else.

What a source tree can hide shows here: a data file that is not packaged, a dependency that only the developers have.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input")


def run(*command: str | Path, home: Path, cwd: Path) -> str:
    """Run *command* with nothing of the user's environment but PATH, and return what it printed."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if name == "PATH" or name.startswith(("PIP_", "SSL_"))
    }
    environment |= {"HOME": str(home), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode:
        shown = " ".join(str(part) for part in command)
        sys.exit(f"{shown}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


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
        print(f"{wheel.name}: --help and demo --json run alone ({len(report)} keys)")


if __name__ == "__main__":
    main()
