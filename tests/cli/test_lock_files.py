"""Reports go to files, two lockfiles are compared, and a tool of one is explained, with no server."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.locked import check, findings, lock, server
from tests.contract.listed import entry
from tests.door import run
from tests.house.source import REPOSITORY
from tests.requirements import requirement

pytestmark = [requirement("L16", "LC20"), pytest.mark.usefixtures("here")]


def test_reports_are_written_beside_the_text(here: Path) -> None:
    lock(here)
    names = ["r.sarif", "r.md", "r.json", "r.txt"]
    options = [word for name in names for word in ("--output", name)]
    ran = check(here, *options, tools=[entry("search")])
    assert ran.code == 1
    assert "The report is in r.sarif." in ran.out
    for name in names:
        form = {"sarif": "sarif", "md": "markdown", "json": "json", "txt": "text"}[name[2:]]
        printed = check(here, "--format", form, tools=[entry("search")]).out
        assert (here / name).read_text(encoding="utf-8") == printed
    assert json.loads((here / "r.sarif").read_bytes())["version"] == "2.1.0"


@pytest.mark.parametrize(
    "output",
    ["econome.lock", "./econome.lock", "linked.json", "econome.lock.sig", "econome.toml", "rules.toml"],
)  # fmt: skip
def test_no_report_is_written_over_what_the_check_reads(here: Path, output: str) -> None:
    lock(here)
    (here / "linked.json").symlink_to(here / "econome.lock")
    for name in ("rules.toml", "econome.toml"):
        (here / name).write_text("[budgets.shop]\nmenu_tokens = 9000\n", "utf-8")
    before = {path.name: path.read_bytes() for path in here.iterdir()}
    ran = check(here, "--rules", "rules.toml", "--format", "json", "--output", output)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "a report would be written over" in ran.err
    assert {path.name: path.read_bytes() for path in here.iterdir()} == before
    ran = run("lock", "diff", "--format", "json", "--output", "linked.json", "econome.lock", "econome.lock")  # fmt: skip
    assert (ran.code, ran.out) == (2, "")


def test_a_report_that_cannot_be_written_is_2(here: Path) -> None:
    lock(here)
    ran = check(here, "--output", "none/r.json")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("econome: none/r.json: cannot be written: ")


def test_sarif_points_at_the_line_of_the_tool(here: Path) -> None:
    lock(here)
    ran = check(here, "--format", "sarif", tools=[entry("search")])
    (result,) = json.loads(ran.out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "econome.lock"}
    lines = (here / "econome.lock").read_text(encoding="utf-8").split("\n")
    assert lines[place["region"]["startLine"] - 1].startswith('"list":')


def test_a_lock_elsewhere_is_named_by_its_address(here: Path) -> None:
    path = here.parent / "my lock"
    lock(here, "--lock", str(path))
    ran = check(here, "--lock", str(path), "--format", "sarif", tools=[entry("search")])
    (result,) = json.loads(ran.out)["runs"][0]["results"]
    told = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert told == path.resolve().as_uri()


def test_two_lockfiles_are_compared_without_a_server(here: Path) -> None:
    lock(here, "--lock", "old.lock")
    lock(here, "--lock", "new.lock", tools=[entry("search")])
    same = run("lock", "diff", "old.lock", "old.lock")
    assert (same.code, same.out.count("\n")) == (0, 1)
    ran = run("lock", "diff", "old.lock", "new.lock", "--json")
    assert (ran.code, findings(ran)) == (1, [("BREAKING", "tool-removed", "list")])
    assert (json.loads(ran.out)["lock"], json.loads(ran.out)["against"]) == ("old.lock", "new.lock")
    back = run("lock", "diff", "new.lock", "old.lock", "--json")
    assert findings(back) == [("SAFE", "tool-added", "list")]
    assert run("lock", "diff", "new.lock", "old.lock", "--fail-on", "risky").code == 0
    assert run("lock", "diff", "old.lock", "none.lock").code == 2


def test_a_difference_of_two_lockfiles_stands_at_its_line_of_the_second(here: Path) -> None:
    lock(here, "--lock", "old.lock", tools=[entry("search")])
    lock(here, "--lock", "new.lock")
    ran = run("lock", "diff", "old.lock", "new.lock", "--format", "sarif")
    (result,) = json.loads(ran.out)["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    lines = (here / "new.lock").read_text(encoding="utf-8").split("\n")
    assert place["artifactLocation"] == {"uri": "new.lock"}
    assert lines[place["region"]["startLine"] - 1].startswith('"list":')


def test_lockfiles_that_count_otherwise_are_not_compared(here: Path) -> None:
    lock(here, "--lock", "old.lock")
    lock(here, "--lock", "new.lock", "--tokenizer", "chars/4")
    ran = run("lock", "diff", "old.lock", "new.lock")
    assert (ran.code, ran.out) == (2, "")
    assert "it counts tokens by chars/4 and the first by features-v1" in ran.err


@pytest.mark.parametrize("first", ["-", "<(cat old.lock)"])
def test_a_lock_may_come_through_a_pipe(here: Path, first: str) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash here")
    lock(here, "--lock", "old.lock")
    lock(here, "--lock", "new.lock", tools=[entry("search")])
    line = f"{sys.executable} -m econome lock diff {first} new.lock --json < old.lock"
    ran = subprocess.run([bash, "-c", line], capture_output=True, check=False, encoding="utf-8")
    assert (ran.returncode, ran.stderr) == (1, "")
    report = json.loads(ran.stdout)
    assert report["lock"] == ("standard input" if first == "-" else report["lock"])
    assert [one["kind"] for one in report["findings"]] == ["tool-removed"]


def test_both_cannot_be_standard_input() -> None:
    ran = run("lock", "diff", "-", "-")
    assert (ran.code, ran.out) == (2, "")


def test_a_tool_is_explained(here: Path) -> None:
    (here / "econome.toml").write_text(
        "[budgets.shop]\ntool_tokens = 500\n[budgets.shop.tools.search]\ntokens = 400\n",
        encoding="utf-8",
    )
    hints = {"readOnlyHint": True}
    output = {"type": "object", "properties": {"rows": {"type": "array", "items": {"type": "string"}}}}  # fmt: skip
    lock(here, tools=[entry("search", annotations=hints, outputSchema=output), entry("list")])
    ran = run("lock", "explain", "search")
    held = json.loads(run("lock", "explain", "search", "--json").out)
    assert ran.out == (
        f"search, a tool of shop\n"
        f"{held['tokens']} tokens a turn in the menu, {_share(held)} of the {held['menu_tokens']} of shop\n"
        f"answers: high; {held['reason']}\n"
        "namespace: shop\n"
        "budget: 400 tokens\n"
        "Tokens are counted with features-v1, an estimate and no provider's count.\n"
        "\ncall\n  search(city)\n"
        "\ntext\n  What search does.\n"
        "\nanswers with\n  (rows?:string[])\n"
        '\nhints\n  {"readOnlyHint": true}\n'
    )
    assert held["declared"]["annotations"] == hints


def _share(held: dict[str, Any]) -> str:
    return f"{round(100 * held['tokens'] / held['menu_tokens'])}%"


def test_a_tool_that_is_not_locked_is_met_with_those_like_it(here: Path) -> None:
    lock(here)
    ran = run("lock", "explain", "serch")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "econome: econome.lock: no tool serch is locked; there is search\n"
    assert run("lock", "explain", "search", "--server", "mail").code == 2


def test_a_name_of_two_servers_asks_which(here: Path) -> None:
    lock(here)
    run("lock", "--name", "mail", "--", *server(here))
    ran = run("lock", "explain", "search")
    assert "search is a tool of mail, shop; say which with --server" in ran.err
    assert run("lock", "explain", "search", "--server", "mail").code == 0


@pytest.mark.slow
def test_a_tool_that_its_menu_shows_otherwise_is_told_as_it_is_declared(here: Path) -> None:
    program = REPOSITORY / "docs" / "examples" / "lean_workflow.py"
    run("lock", "--name", "shop", "--", sys.executable, str(program))
    held = json.loads(run("lock", "explain", "pay", "--json").out)
    assert held["menu_form"] == "lean"
    assert held["economy"] == {"event": "PAY", "namespace": "shop", "states": ["full"]}
    told = run("lock", "explain", "pay").out
    assert f"\n{held['tokens']} tokens as it is declared; the menu of shop, which shows it otherwise, has {held['menu_tokens']}\n" in told  # fmt: skip
    assert '\nlimits and economies\n  {"event": "PAY", "namespace": "shop", "states": ["full"]}\n' in told  # fmt: skip
