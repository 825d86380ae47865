"""`pytest --econome-lock` means the rootdir, wherever it is started, and every server that is named."""

from __future__ import annotations

import shlex
import sys

import pytest

from tests.contract.listed import command, entry
from tests.door import run
from tests.requirements import requirement

pytest_plugins = ["pytester"]
pytestmark = [requirement("L16"), pytest.mark.slow]


def _server(pytester: pytest.Pytester, name: str = "shop") -> tuple[str, ...]:
    folder = pytester.path / "servers"
    folder.mkdir(exist_ok=True)
    return command(folder, name, tools=[entry("search"), entry("list")])


def _started_below(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, *words: str
) -> pytest.RunResult:
    """Run the tests of a project with one server from a directory in it."""
    assert run("lock", "--name", "shop", "--", *_server(pytester)).code == 0
    pytester.makeini(f"[pytest]\neconome_servers =\n    shop = {shlex.join(words)}\n")
    below = pytester.path / "below"
    below.mkdir()
    (below / "econome.toml").write_text("[budgets.shop]\nmenu_tokens = 1\n", encoding="utf-8")
    monkeypatch.chdir(below)
    return pytester.runpytest_subprocess(
        "-p", "no:cacheprovider", "--rootdir=..", "-c", "../tox.ini", "--econome-lock", timeout=60
    )


def test_a_relative_command_starts_in_the_rootdir_and_not_where_pytest_does(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = [sys.executable, *_server(pytester)[1:]]
    (pytester.path / "start.py").write_text(
        f"import os, sys\nos.execv(sys.executable, {start!r})\n", encoding="utf-8"
    )
    _started_below(pytester, monkeypatch, sys.executable, "start.py").assert_outcomes(passed=1)


def test_budgets_are_those_of_the_rootdir_and_not_of_where_pytest_starts(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget = pytester.path / "econome.toml"
    budget.write_text("[budgets.shop]\nmenu_tokens = 7\n", encoding="utf-8")
    ran = _started_below(pytester, monkeypatch, *_server(pytester))
    ran.assert_outcomes(failed=1)
    said = " ".join(ran.stdout.str().split())
    assert "7" in said.partition("budget")[2]


def test_a_server_that_is_named_and_not_locked_is_an_error(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    assert run("lock", "--name", "shop", "--", *words).code == 0
    lines = "".join(f"    {name} = {shlex.join(words)}\n" for name in ("shop", "mail"))
    pytester.makeini(f"[pytest]\neconome_servers =\n{lines}")
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider", "--econome-lock", timeout=60)
    ran.assert_outcomes(passed=1, errors=1)
    ran.stdout.fnmatch_lines(["*no server mail is locked here*"])
