"""What is said around a lock: what could not be read, what is near, where a budget stands, and what is not worth a word."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from econome.cli.render.lock_markdown import code
from tests.cli.locked import check, config, lock, server
from tests.contract.listed import entry
from tests.door import Ran, run
from tests.requirements import requirement

pytestmark = [requirement("L16", "LC20"), pytest.mark.usefixtures("here")]

_FULL = Path("/dev/full")


def _seen(ran: Ran) -> list[tuple[str, str, str]]:
    return [(one["name"], one["kind"], one["what"]) for one in json.loads(ran.out)["seen"]]


def test_a_tool_may_name_another_of_its_server_and_is_seen_where_it_names_one_of_another(
    here: Path,
) -> None:
    pair = [entry("find", description="Works well together with buy_goods."), entry("buy_goods")]
    assert _seen(lock(here, "--json", tools=pair)) == []
    other = server(here, tools=[entry("find", description="Works well together with buy_goods.")])
    told = _seen(run("lock", "--json", "--name", "till", "--", *other))
    assert told == [("find", "tool-named", "buy_goods")]


@pytest.mark.parametrize("option", ["--signers", "--signer", "--fail-on", "--output"])
def test_an_option_of_a_check_is_refused_without_one(here: Path, option: str) -> None:
    value = {"--fail-on": "risky", "--output": "r.json"}.get(option, "signers")
    (here / "signers").write_text("", encoding="utf-8")
    ran = lock(here, option, value)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert option in ran.err
    assert not (here / "econome.lock").exists()


@pytest.mark.slow
@pytest.mark.skipif(not _FULL.exists(), reason="there is no full disk here")
@pytest.mark.parametrize(
    "words",
    [
        lambda start: ["--check", "--name", "shop", "--", *start],
        lambda start: ["--check", "--json", "--name", "shop", "--", *start],
        lambda start: ["diff", "econome.lock", "econome.lock"],
    ],
)
def test_a_report_for_which_the_disk_has_no_room_is_one_line_and_2(
    here: Path, words: Callable[[tuple[str, ...]], list[str]]
) -> None:
    lock(here)
    line = [sys.executable, "-m", "econome", "lock", *words(server(here))]
    with _FULL.open("wb") as full:
        ran = subprocess.run(
            line, stdout=full, stderr=subprocess.PIPE, check=False, encoding="utf-8"
        )
    assert (ran.returncode, ran.stderr.count("\n")) == (2, 1)
    assert ran.stderr.startswith("econome: ")
    assert "No space left on device" in ran.stderr


@pytest.mark.parametrize(
    "asked, like",
    [
        ("serch", "; there is search"),
        ("IST", "; there is list, list_all"),
        ("list_al", "; there is list_all, list"),
    ],
)
def test_names_that_are_near_or_hold_the_name_are_told(here: Path, asked: str, like: str) -> None:
    lock(here, tools=[entry("search"), entry("list"), entry("list_all")])
    ran = run("lock", "explain", asked)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"econome: econome.lock: no tool {asked} is locked{like}\n"


def test_what_a_budget_warns_of_is_explained_beside_what_it_allows(here: Path) -> None:
    lock(here)
    for warned, allowed in ((300, 400), (300, None), (None, 400), (None, None)):
        text = "".join(
            f"[budgets.shop{part}.tools.search]\ntokens = {ceiling}\n"
            for part, ceiling in (("", allowed), (".warn", warned))
            if ceiling
        )
        (here / "econome.toml").write_text(text, encoding="utf-8")
        held = json.loads(run("lock", "explain", "search", "--json").out)
        assert (held["warned"], held["ceiling"]) == (warned, allowed)
        shown = run("lock", "explain", "search").out
        assert ("300" in shown, "400" in shown) == (warned is not None, allowed is not None)


def test_what_of_a_configuration_is_left_out_is_told_when_it_is_locked_and_checked(
    here: Path,
) -> None:
    path = Path(config(here, shop=server(here)))
    whole = json.loads(path.read_bytes())
    whole["mcpServers"]["till"] = {"url": "https://x.example/", "headers": {"A": "${NO_SUCH_ONE}"}}
    path.write_text(json.dumps(whole), encoding="utf-8")
    words = ("--config", str(path), "--yes")
    left = [{"name": "till", "reason": "the variable NO_SUCH_ONE is not set"}]
    assert json.loads(run("lock", "--json", *words).out)["left_out"] == left
    assert json.loads(run("lock", "--check", "--json", *words).out)["left_out"] == left
    for ran in (run("lock", *words), run("lock", "--check", *words)):
        assert "till, the variable NO_SUCH_ONE is not set" in " ".join(ran.out.split())


def test_sarif_points_for_a_budget_at_the_line_of_what_it_is_of(here: Path) -> None:
    text = "[budgets.shop]\nmenu_tokens = 5\n[budgets.shop.tools.list]\ntokens = 4\n"
    lock(here)
    (here / "econome.toml").write_text(text, encoding="utf-8")
    ran = check(here, "--format", "sarif")
    lines = (here / "econome.lock").read_text(encoding="utf-8").split("\n")
    begun = {}
    for result in json.loads(ran.out)["runs"][0]["results"]:
        (place,) = result["locations"]
        at = place["physicalLocation"]["region"]["startLine"]
        begun[result["properties"]["scope"]] = lines[at - 1].partition(":")[0]
    assert begun == {"tool": '"list"', "server": '"shop"'}


@pytest.mark.parametrize(
    "name, shown",
    [
        ("search", "`search`"),
        ("a|b", "<code>a&#124;\u200bb</code>"),
    ],
)
def test_a_name_that_could_end_its_cell_is_code_of_another_kind(name: str, shown: str) -> None:
    assert code(name) == shown


@pytest.mark.parametrize("raw", ["\x1b[2K\x1b[1A", "\u202e", "a\u200bb", "\r"])
def test_a_command_of_another_cannot_hide_itself_when_it_is_shown(here: Path, raw: str) -> None:
    words = (sys.executable, "-c", f"import os {raw}# harmless")
    ran = run("lock", "--config", config(here, **{f"shop{raw}": words}))
    assert (ran.code, ran.out) == (2, "")
    assert "import os" in ran.err
    assert raw not in ran.err
    assert not any(ch in ran.err for ch in "\x1b\u202e\u200b\r")
    assert "# harmless" in ran.err
