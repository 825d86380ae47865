"""The page on the lock, its examples, the hook of pre-commit and the GitHub Action say what is so, and work."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from econome.cli.commands.lock import command as lock
from econome.contract.findings import KINDS
from econome.lean.proxy.opening import budgets_in
from tests.contract.listed import command, entry
from tests.door import run
from tests.house.source import REPOSITORY

_PAGE = (REPOSITORY / "docs" / "lock.md").read_text(encoding="utf-8")
_EXAMPLES = REPOSITORY / "docs" / "examples"
_ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text(encoding="utf-8"))


def test_the_page_has_every_kind_of_difference_as_it_is() -> None:
    told = re.findall(r"^\| `([a-z-]+)` \| ([A-Z]+) \| (.+) \|$", _PAGE, re.MULTILINE)
    assert told == [(name, kind.severity, kind.text) for name, kind in KINDS.items()]


@pytest.mark.parametrize("path", sorted(_EXAMPLES.glob("lock-*")), ids=lambda path: path.name)
def test_the_page_shows_each_of_its_examples_as_it_is(path: Path) -> None:
    assert f"\n{path.read_text(encoding='utf-8')}```\n" in _PAGE


def test_the_example_of_budgets_holds_what_its_page_says() -> None:
    budget = budgets_in(str(_EXAMPLES / "lock-budgets.toml"))["shop"]
    assert (budget.menu_tokens, budget.warn.menu_tokens, budget.answer_tokens) == (2000, 1500, 2000)
    assert (budget.namespace("any"), budget.tool("any"), budget.tool("search")) == (800, 250, 400)


@pytest.mark.slow
def test_the_example_for_pytest_is_taken_as_it_stands(tmp_path: Path) -> None:
    shutil.copy(_EXAMPLES / "lock-pytest.toml", tmp_path / "pyproject.toml")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--strict-config", "--econome-lock", "--collect-only", "-q"],
        cwd=tmp_path, capture_output=True, check=False, encoding="utf-8",
    )  # fmt: skip
    assert ran.stdout.split("\n")[:2] == ["econome.lock::docs", "econome.lock::shop"]


def test_the_example_for_pre_commit_names_a_hook_that_there_is() -> None:
    hooks = yaml.safe_load((REPOSITORY / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    example = yaml.safe_load((_EXAMPLES / "lock-pre-commit.yml").read_text(encoding="utf-8"))
    languages = [(hook["id"], hook["language"]) for hook in hooks]
    assert languages == [("econome-lock", "python"), ("econome-lock-system", "system")]
    for hook, used in zip(hooks, example["repos"][0]["hooks"], strict=True):
        assert used["id"] == hook["id"]
        assert (hook["pass_filenames"], hook["always_run"]) == (False, True)
        words = [*hook["entry"].split(), *used["args"]]
        assert words[:2] == ["econome", "lock"]
        assert run(*words[1:]).code == 2  # there is no lock here, and that alone is wrong with it
        assert "no such file; make one" in run(*words[1:]).err


def test_the_example_for_pre_commit_starts_only_what_its_environment_has() -> None:
    example = yaml.safe_load((_EXAMPLES / "lock-pre-commit.yml").read_text(encoding="utf-8"))
    apart, shared = example["repos"][0]["hooks"]
    starts = [used["args"][used["args"].index("--") + 1] for used in (apart, shared)]
    assert starts == ["npx", "python"]


def test_the_example_of_a_workflow_gives_the_action_what_it_takes() -> None:
    workflow = yaml.safe_load((_EXAMPLES / "lock-workflow.yml").read_text(encoding="utf-8"))
    (step,) = [one for one in workflow["jobs"]["lock"]["steps"] if "econome" in one.get("uses", "")]
    assert step["with"].keys() <= _ACTION["inputs"].keys()
    steps = workflow["jobs"]["lock"]["steps"]
    (installs,) = [at for at, one in enumerate(steps) if "pip install ." in one.get("run", "")]
    assert installs < steps.index(step)
    (upload,) = [one for one in steps if "upload-sarif" in one.get("uses", "")]
    assert f"hashFiles('{step['with']['sarif']}') != ''" in upload["if"]


def test_no_input_of_the_action_is_put_into_a_script() -> None:
    scripts = [step["run"] for step in _ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 2
    assert [script for script in scripts if "${{" in script] == []
    told = {name for step in _ACTION["runs"]["steps"] for name in step.get("env", {}).values()}
    assert {f"${{{{ inputs.{name} }}}}" for name in _ACTION["inputs"]} <= told


def test_the_action_gives_only_options_that_there_are() -> None:
    script = _script()
    known = {name for one in lock.params for name in one.opts}
    given = set(re.findall(r"--[a-z-]+", script.partition("stop-commands")[0]))
    assert given <= known


def _script() -> str:
    (step,) = [one for one in _ACTION["runs"]["steps"] if one.get("id") == "check"]
    script: str = step["run"]
    return script


_HOSTILE = (
    "secrets",
    "shlex",
    "types",
    "venv",
    "os",
    "random",
    "json",
    "click",
    "msgspec",
    "econome",
)
_OWNED = "import pathlib\npathlib.Path(__file__).with_name('owned').touch()\nraise SystemExit(0)\n"


def test_nothing_of_the_repository_is_taken_for_a_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = _locked(tmp_path, monkeypatch)
    for name in _HOSTILE:
        (tmp_path / f"{name}.py").write_text(_OWNED, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", ".")
    code, told, _, outputs = _run_action(tmp_path, **given)
    assert (code, outputs) == (0, {"exit-code": "0"})
    assert "econome.lock holds: 1 server" in told
    assert not (tmp_path / "owned").exists()


def test_every_python_of_the_action_is_isolated() -> None:
    scripts = "\n".join(step["run"] for step in _ACTION["runs"]["steps"] if "run" in step)
    starts = re.findall(r'(?:python|LOCK_PYTHON)" (\S+ \S+)', scripts)
    assert starts == ["-I -m", "-I -m", "-I -c", "-I -c", "-I -m"]
    assert '/econome"' not in scripts


def _run_action(folder: Path, **inputs: str) -> tuple[int, str, str, dict[str, str]]:
    """Run the step of the action that checks; return its exit code, what it printed, the summary and the outputs."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    binaries, temporary = folder / "bin", folder / "temporary"
    temporary.mkdir(exist_ok=True)
    if not binaries.exists():
        binaries.mkdir()
        path = binaries / "python"
        path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', encoding="utf-8")
        path.chmod(0o755)
    (step,) = [one for one in _ACTION["runs"]["steps"] if one.get("id") == "check"]
    given = {name: held.get("default", "") for name, held in _ACTION["inputs"].items()} | {
        name.replace("_", "-"): value for name, value in inputs.items()
    }
    environment = dict(os.environ)
    for name, told in step["env"].items():
        found = re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", told)
        environment[name] = given[found[1]] if found else str(binaries)
    environment |= {
        "RUNNER_TEMP": str(temporary),
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
    }
    for name in ("summary", "output"):
        (folder / name).write_text("", encoding="utf-8")
    script = folder / "script.sh"
    script.write_text(_script(), encoding="utf-8")
    ran = subprocess.run(
        [bash, "--noprofile", "--norc", "-eo", "pipefail", str(script)],
        capture_output=True, check=False, encoding="utf-8", env=environment, cwd=folder,
    )  # fmt: skip
    lines = (folder / "output").read_text(encoding="utf-8").splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    return ran.returncode, ran.stdout, (folder / "summary").read_text(encoding="utf-8"), outputs


def _locked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Lock a server in *folder*; return what makes it another one."""
    monkeypatch.chdir(folder)
    words = command(folder, tools=[entry("search"), entry("list")])
    assert run("lock", "--name", "shop", "--", *words).code == 0
    return {"args": "--name shop", "command": " ".join(words)}


def test_the_action_passes_while_nothing_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, told, summary, outputs = _run_action(tmp_path, **_locked(tmp_path, monkeypatch))
    assert (code, outputs) == (0, {"exit-code": "0"})
    assert "econome.lock holds: 1 server" in told
    assert summary.startswith("### MCP lock: `econome.lock` holds: 1 server as locked, 2 tools, ")


def test_the_action_fails_with_a_summary_and_sarif_once_something_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = _locked(tmp_path, monkeypatch)
    command(tmp_path, tools=[entry("search"), entry("::add-mask::x")])
    code, told, summary, outputs = _run_action(tmp_path, sarif="lock.sarif", **given)
    assert (code, outputs) == (1, {"exit-code": "1"})
    assert summary.startswith("### MCP lock: `econome.lock` does not hold: 1 breaking, 1 safe.\n")
    assert json.loads((tmp_path / "lock.sarif").read_bytes())["version"] == "2.1.0"
    lines = told.splitlines()
    pause = lines[0].removeprefix("::stop-commands::")
    assert (len(pause), lines[-1]) == (32, f"::{pause}::")
    assert _run_action(tmp_path, fail_on="breaking", **given)[0] == 1


@pytest.mark.parametrize(
    "inputs",
    [
        {"command": "$(touch owned) `touch owned`; touch owned"},
        {"command": "'unclosed"},
        {"command": "true", "lock": "none; touch owned"},
        {"command": "true", "args": "--no-such-option && touch owned"},
        {"command": "true", "fail_on": "safe; touch owned"},
        {"url": "http://127.0.0.1:9/$(touch owned)"},
        {},
    ],
)
def test_what_cannot_be_checked_keeps_its_code_and_nothing_of_it_is_run_by_the_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inputs: dict[str, str]
) -> None:
    _locked(tmp_path, monkeypatch)
    code, _, summary, outputs = _run_action(tmp_path, **inputs)
    assert (code, summary, outputs) == (2, "", {"exit-code": "2"})
    assert not (tmp_path / "owned").exists()
