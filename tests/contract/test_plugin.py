"""`pytest --econome-lock` has a test for each locked server, and without the option pytest is as it was."""

from __future__ import annotations

import shlex
import subprocess
import sys
from typing import Any

import pytest

from tests.contract.listed import command, entry
from tests.door import run
from tests.requirements import requirement

pytest_plugins = ["pytester"]
pytestmark = [requirement("L16"), pytest.mark.slow]


def _server(pytester: pytest.Pytester, name: str = "shop", **said: Any) -> tuple[str, ...]:
    folder = pytester.path / "servers"
    folder.mkdir(exist_ok=True)
    return command(folder, name, **({"tools": [entry("search"), entry("list")]} | said))


def _lock(pytester: pytest.Pytester, words: tuple[str, ...], name: str = "shop") -> None:
    assert run("lock", "--name", name, "--", *words).code == 0


def _project(pytester: pytest.Pytester, **servers: tuple[str, ...]) -> None:
    lines = "".join(f"\n    {name} = {shlex.join(words)}" for name, words in servers.items())
    pytester.makeini(f"[pytest]\neconome_servers ={lines}\n")


def _tests(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *options, timeout=60)


def test_a_server_that_keeps_its_lock_passes(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    _lock(pytester, words)
    _project(pytester, shop=words)
    ran = _tests(pytester, "--econome-lock", "-v")
    ran.assert_outcomes(passed=1)
    ran.stdout.fnmatch_lines(["econome.lock::shop PASSED*"])


def test_a_server_that_changed_fails_with_the_report(pytester: pytest.Pytester) -> None:
    _lock(pytester, _server(pytester))
    _project(pytester, shop=_server(pytester, tools=[entry("search")]))
    pytester.makepyfile("def test_other(): pass")
    ran = _tests(pytester, "--econome-lock")
    ran.assert_outcomes(passed=1, failed=1)
    ran.stdout.fnmatch_lines(
        ["econome.lock does not hold: 1 breaking.", "BREAKING  shop, tool list  tool-removed*"]
    )
    ran.stdout.no_fnmatch_line("*Traceback*")
    ran.stdout.no_fnmatch_line("*lock_item.py*")


@pytest.mark.parametrize(
    "how, told",
    [
        ("edited", "*econome.lock: its digest does not match*"),
        ("gone", "*econome.lock: no such file*"),
        ("away", "*ended with exit status 3*"),
        ("unnamed", "*econome.lock locks shop, and econome_servers has no line for it*"),
        ("twice", "*econome_servers has two lines for shop; leave one of them*"),
        ("unclosed", "*econome_servers: shop: No closing quotation*"),
    ],
)
def test_what_cannot_be_compared_is_an_error(
    pytester: pytest.Pytester, how: str, told: str
) -> None:
    words = _server(pytester)
    _lock(pytester, words)
    path = pytester.path / "econome.lock"
    if how == "edited":
        path.write_bytes(path.read_bytes().replace(b"What", b"This"))
    elif how == "gone":
        path.unlink()
    elif how == "away":
        words = (sys.executable, "-c", "raise SystemExit(3)")
    if how == "unclosed":
        pytester.makeini("[pytest]\neconome_servers =\n    shop = python 'x\n")
    elif how == "twice":
        pytester.makeini("[pytest]\neconome_servers =\n    shop = python x\n    shop = python y\n")
    elif how != "unnamed":
        _project(pytester, shop=words)
    ran = _tests(pytester, "--econome-lock")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines([told])
    ran.stdout.no_fnmatch_line("*During handling of the above exception*")


def test_without_any_server_there_is_an_error_and_no_silence(pytester: pytest.Pytester) -> None:
    ran = _tests(pytester, "--econome-lock")
    ran.assert_outcomes(errors=1)
    ran.stdout.fnmatch_lines(["*econome.lock: no such file*"])


def test_the_lock_may_lie_elsewhere_below_the_rootdir(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    assert run("lock", "--lock", "servers/mine.lock", "--name", "shop", "--", *words).code == 0
    _project(pytester, shop=words)
    ran = _tests(pytester, "--econome-lock", "-o", "econome_lock=servers/mine.lock", "servers")
    ran.assert_outcomes(passed=1)


def test_each_server_has_a_test_that_can_be_chosen(pytester: pytest.Pytester) -> None:
    shop, mail = _server(pytester), _server(pytester, "mail", tools=[entry("send")])
    _lock(pytester, shop)
    _lock(pytester, mail, "mail")
    _project(pytester, shop=shop, mail=(sys.executable, "-c", "raise SystemExit(3)"))
    _tests(pytester, "--econome-lock").assert_outcomes(passed=1, errors=1)
    _tests(pytester, "--econome-lock", "-k", "shop").assert_outcomes(passed=1, deselected=1)


def test_servers_are_shared_out_among_the_workers_of_xdist(pytester: pytest.Pytester) -> None:
    shop, mail = _server(pytester), _server(pytester, "mail", tools=[entry("send")])
    _lock(pytester, shop)
    _lock(pytester, mail, "mail")
    _project(pytester, shop=shop, mail=_server(pytester, "mail", tools=[]))
    pytester.makepyfile("def test_other(): pass")
    ran = _tests(pytester, "--econome-lock", "-n", "2")
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(["*econome.lock does not hold: 1 breaking.*"])


def test_budgets_of_the_rootdir_are_held(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    _lock(pytester, words)
    _project(pytester, shop=words)
    (pytester.path / "econome.toml").write_text("[budgets.shop]\nmenu_tokens = 5\n", "utf-8")
    ran = _tests(pytester, "--econome-lock")
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(
        ["econome.lock holds as locked, and shop is over its budget: the menu takes *, 5 at most."]
    )


def test_a_budget_for_no_server_is_a_warning(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    _lock(pytester, words)
    _project(pytester, shop=words)
    (pytester.path / "econome.toml").write_text("[budgets.shp]\nmenu_tokens = 5\n", "utf-8")
    ran = _tests(pytester, "--econome-lock")
    ran.assert_outcomes(passed=1, warnings=1)
    ran.stdout.fnmatch_lines(["*PytestWarning: [[]budgets.shp] holds nothing*; there is shop.*"])


def test_a_relative_command_starts_in_the_rootdir(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    _lock(pytester, words)
    (pytester.path / "start.py").write_text(
        f"import os, sys\nos.execv(sys.executable, {[sys.executable, *words[1:]]!r})\n", "utf-8"
    )
    _project(pytester, shop=(sys.executable, "start.py"))
    (pytester.path / "below").mkdir()
    config = f"--rootdir={pytester.path}"
    ran = pytester.run(
        sys.executable, "-m", "pytest", "-p", "no:cacheprovider", config, "-c", "tox.ini", "--econome-lock"
    )  # fmt: skip
    ran.assert_outcomes(passed=1)


def test_without_the_option_nothing_is_collected_nor_imported(pytester: pytest.Pytester) -> None:
    words = _server(pytester)
    _lock(pytester, words)
    _project(pytester, shop=words)
    pytester.makepyfile(
        "import sys\n"
        "def test_it():\n"
        "    ours = [name for name in sys.modules if name.split('.')[0] == 'econome']\n"
        "    assert sorted(ours) == ['econome', 'econome.cli', 'econome.cli.pytest_plugin']\n"
    )
    _tests(pytester).assert_outcomes(passed=1)


_PROBE = """
import pytest, sys
before = set(sys.modules)
import econome.cli.pytest_plugin
print(*sorted(set(sys.modules) - before))
"""


def test_the_plugin_brings_nothing_with_it() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _PROBE], capture_output=True, check=True, encoding="utf-8"
    )
    assert told.stdout.split() == ["econome", "econome.cli", "econome.cli.pytest_plugin"]


def test_the_option_is_told_in_the_help_of_pytest(pytester: pytest.Pytester) -> None:
    ran = _tests(pytester, "--help")
    ran.stdout.fnmatch_lines(["*--econome-lock*", "*econome_servers*"])
