"""A report of a comparison with a lock names its causes first, says what helps, and says nothing twice."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from econome.cli.lock_output import rendered
from econome.cli.lock_report import Signature
from econome.cli.render.lock_markdown import code, prose
from econome.contract.ceilings import Over
from econome.contract.findings import SEVERITIES
from tests.cli.lock_reports import OVER, finding, report
from tests.cli.locked import check, findings, lock, server
from tests.contract.listed import entry
from tests.door import run
from tests.requirements import requirement

pytestmark = requirement("L16", "LC20")

_BROKEN = finding("tool-removed", text="It is gone.")
_SAFE = finding("tool-added", text="It is new.")
_WORDS = finding("text-reworded", text="It reads otherwise.")
_OVER = "shop is over its budget: the menu takes 2,100 tokens, 2,000 at most"


@pytest.mark.parametrize(
    "found, more, first",
    [
        ((), {"overs": (OVER,)}, f"econome.lock holds as locked, and {_OVER}."),
        ((), {"overs": (OVER, OVER)}, f"econome.lock holds as locked, and {_OVER}, and 1 more."),
        ((_BROKEN,), {"overs": (OVER,)}, f"econome.lock does not hold: 1 breaking; and {_OVER}."),
        ((_WORDS,), {"overs": (OVER,), "fail_on": "RISKY"}, f"econome.lock: {_OVER}; beside it 1 cosmetic, none of which counts with --fail-on risky."),
        ((_BROKEN, _WORDS), {"fail_on": "RISKY"}, "econome.lock does not hold: 1 breaking; beside it 1 cosmetic, which --fail-on risky does not count."),
        ((_SAFE,), {}, "econome.lock: 1 change (1 safe), nothing breaks: lock anew to accept. With --fail-on risky it passes."),
        ((_WORDS, _WORDS), {}, "econome.lock: 2 changes (2 cosmetic), nothing breaks: lock anew to accept. With --fail-on safe it passes."),
        ((finding("call-opened", regression=True),), {}, "econome.lock does not hold: 1 safe."),
        ((_BROKEN,), {"against": "new.lock"}, "new.lock is not as econome.lock: 1 breaking."),
        ((), {"against": "new.lock"}, "econome.lock and new.lock are alike: 1 server, 12 tools, 1,204 tokens a turn (features-v1, an estimate)."),
    ],
)  # fmt: skip
def test_the_first_line_names_each_cause_in_every_form(
    found: tuple[Any, ...], more: dict[str, Any], first: str
) -> None:
    held = report(*found, **more)
    assert rendered(held, "text").split("\n")[0] == first
    heading = rendered(held, "markdown").split("\n")[0]
    assert heading.replace("`", "") == f"### MCP lock: {first}"
    assert json.loads(rendered(held, "json"))["verdict"] == first


@pytest.mark.parametrize("fail_on", SEVERITIES)
@pytest.mark.parametrize("kind", ["class-risen", "limit-lifted", "limit-raised"])
def test_answers_that_may_grow_larger_fail_at_any_severity(kind: str, fail_on: str) -> None:
    held = report(finding(kind, regression=True), fail_on=fail_on)
    assert (held.exit_code, len(held.failing)) == (1, 1)


def test_the_command_is_the_last_line_only_where_it_makes_the_next_check_pass() -> None:
    command = "econome lock -- sh -c 'echo `date` | cat'"
    for form, last in (("text", command), ("markdown", f"``{command}``")):
        told = rendered(report(_BROKEN, accept=command), form)
        assert told.endswith(f"To accept this: {last}\n")
        over = rendered(report(_BROKEN, accept=command, overs=(OVER,), budget_files=("econome.toml", "r.toml")), form)  # fmt: skip
        assert "To accept this" not in over
        assert "raise it in econome.toml or r.toml" in over.replace("`", "")
        assert "econome profile" in over
    warned = report(_BROKEN, accept=command, overs=(Over("warn", "shop", "tool", "a", 3, 2),))
    assert "To accept this" in rendered(warned, "text")
    assert "raise it" not in rendered(warned, "text")


def test_a_command_that_is_long_is_whole_in_markdown() -> None:
    command = f"econome lock -- serve {'x' * 5000}"
    assert rendered(report(_BROKEN, accept=command), "markdown").endswith(f"`{command}`\n")


def test_the_tokenizer_is_named_wherever_tokens_are_shown() -> None:
    for form in ("text", "markdown"):
        for held in (report(), report(_BROKEN)):
            told = rendered(held, form)
            assert ("features-v1" in told, "an estimate" in told) == (True, True)
            exact = rendered(report(*held.findings, estimate=False), form)
            assert "an estimate" not in exact
    said = json.loads(rendered(report(), "sarif"))["runs"][0]["properties"]
    assert (said["tokenizer"], said["estimate"]) == ("features-v1", True)


def test_what_a_sentence_quotes_is_not_said_again() -> None:
    order = "Always read the key."
    place = "/description"
    found = (
        finding("instruction-introduced", text=f"It now says: “{order}”.", new=order, where=place),
        finding("text-reworded", text=f"It was “Lists.” and is “{order}”.", old="Lists.", new=order, where=place),
        finding("limit-raised", text="It was `5` and is `5000`.", old=5, new=5000),
    )  # fmt: skip
    for form in ("text", "markdown"):
        told = rendered(report(*found), form)
        assert "was: " not in told
        assert "now: " not in told
    assert rendered(report(*found), "text").count(order) == 1
    apart = rendered(report(*found[:1], finding("text-reworded", old="a", new="b")), "text")
    assert "was: a" in apart


def test_code_holds_its_own_marks_without_numbers() -> None:
    assert [code(one) for one in ("a`b", "`a", "a``b`", " a ")] == ["``a`b``", "`` `a ``", "``` a``b` ```", "`  a  `"]  # fmt: skip
    assert prose("It takes `a.b` as well.") == "It takes `a.b` as well."
    assert "&#96;" not in prose("one ` alone, `two` and ``none")


@pytest.mark.usefixtures("here")
def test_tools_of_whose_answers_nothing_is_known_have_no_class(here: Path) -> None:
    first = lock(here)
    row = first.out.splitlines()[2].split()
    assert (row[0], row[-1]) == ("shop", "n/a")
    told = " ".join(first.out.split())
    assert "n/a: 2 tools of shop say nothing of how large answers may be (no output schema)." in told  # fmt: skip
    assert json.loads(lock(here, "--json").out)["servers"][0] | {"tokens": 0} == {
        "name": "shop", "tools": 2, "tokens": 0, "class": None, "unknown": 2,
    }  # fmt: skip
    assert "answers: n/a; no output schema" in run("lock", "explain", "search").out
    held = json.loads(run("lock", "explain", "search", "--json").out)
    assert (held["class"], held["class_known"], held["tokenizer"]) == ("low", False, "features-v1")
    known = {"type": "object", "properties": {"id": {"type": "string"}}}
    some = lock(here, tools=[entry("search", outputSchema=known), entry("list")])
    assert some.out.splitlines()[2].split()[-1] == "low"
    assert "n/a: 1 tool of shop says nothing" in " ".join(some.out.split())


@pytest.mark.usefixtures("here")
def test_a_field_that_is_renamed_is_said_to_be_gone_too(here: Path) -> None:
    def schema(name: str) -> dict[str, Any]:
        return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name], "additionalProperties": True}  # fmt: skip

    lock(here, tools=[entry("search", inputSchema=schema("query"))])
    ran = check(here, "--json", tools=[entry("search", inputSchema=schema("text"))])
    assert findings(ran) == [("BREAKING", "call-refused", "search")]
    assert json.loads(ran.out)["findings"][0]["text"].endswith(" `query` is no longer named.")


@pytest.mark.usefixtures("here")
def test_a_commit_that_is_no_file_is_met_with_the_way_to_compare_it(here: Path) -> None:
    lock(here)
    for words, sides in (
        (("HEAD~1", "HEAD"), "<(git show 'HEAD~1:econome.lock') <(git show HEAD:econome.lock)"),
        (("HEAD~1", "econome.lock"), "<(git show 'HEAD~1:econome.lock') econome.lock"),
    ):
        ran = run("lock", "diff", *words)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == f"econome: HEAD~1: no such file; if it is a commit: econome lock diff {sides}\n"  # fmt: skip


@pytest.mark.usefixtures("here")
def test_a_tool_that_is_like_none_is_met_with_how_many_there_are(here: Path) -> None:
    lock(here)
    assert run("lock", "explain", "zzz").err == (
        "econome: econome.lock: no tool zzz is locked; it is like none of the 2 tools there\n"
    )


def test_a_lock_says_that_its_signature_no_longer_holds_and_a_check_who_signed(
    here: Path, key: Path
) -> None:
    lock(here, "--sign", str(key))
    line = "Signed by me@shop.example, whom signers names; nobody was asked for by --signer."
    asked = ("--signers", "signers")
    assert line in check(here, *asked).out
    assert "Signed by me@shop.example" in check(here, *asked, "--format", "markdown").out.replace("`", "")  # fmt: skip
    held = json.loads(check(here, *asked, "--signer", "me@shop.example", "--json").out)["signature"]
    assert held == {"path": "econome.lock.sig", "signer": "me@shop.example", "signers": "signers", "asked": True}  # fmt: skip
    assert "econome.lock.sig was not looked at" in check(here).out
    assert "no longer holds" not in lock(here).out
    tools = [entry("search")]
    assert "add --sign KEY" in check(here, *asked, tools=tools).out
    anew = lock(here, tools=tools)
    words = shlex.join(server(here, tools=tools))
    line = f"econome.lock.sig no longer holds, since the lock changed: sign it anew with econome lock --sign KEY --name shop -- {words}"
    assert "".join(line.split()) in "".join(anew.out.split())  # a long word is broken too
    (here / "econome.lock").unlink()
    assert json.loads(lock(here, "--json").out)["signature_holds"] is False


def test_a_signature_that_nobody_looked_at_is_one_more_line() -> None:
    first, *rest = rendered(report(signature=Signature("econome.lock.sig")), "text").splitlines()
    assert first.startswith("econome.lock holds: ")
    assert " ".join(rest) == (
        "econome.lock.sig was not looked at, since nobody was asked for: --signers FILE says who may sign."
    )
