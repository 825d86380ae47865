"""`econome doctor`: what is wrong, and what to do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

import pytest

from econome.cli.render.doctor import worded
from econome.cli.texts import DOCTOR, REMEDIES
from econome.demo.tree import DemoTree
from econome.times import day_number
from econome.usage.doctor import Facts, State, examine
from tests.builders import Tree, assistant, counts
from tests.door import run
from tests.requirements import requirement

TODAY = day_number(2026, 10, 17)
ROW = {
    "responses": 200, "input_tokens": 1, "output_tokens": 2, "cache_read_tokens": 3,
    "cache_write_5m_tokens": 4, "cache_write_1h_tokens": 5,
}  # fmt: skip
COVERAGE = {
    "files": 3, "unreadable": [], "lines": 9, "usage_lines": 8, "responses": 200, "folded": 1,
    "replayed": 0, "rejected": 0, "malformed": 0, "pending": 0, "undated": 0,
    "first_day": "2026-09-01", "last_day": "2026-10-17", "roots": ["/r"],
}  # fmt: skip
REPORT: dict[str, Any] = {
    "coverage": COVERAGE, "unpriced": [], "total": {**ROW, "output_incomplete": 0},
}  # fmt: skip
WELL = Facts(
    today=TODAY,
    places=(("/r/projects", True), ("/s/sessions", False)),
    report=REPORT,
    roots_error=None,
    zone="UTC",
    zone_error=None,
    settings_file="/c/config.toml",
    settings_there=True,
    settings_error=None,
    history=False,
    index="ok",
    index_path="/c/usage.sqlite",
    index_bytes=4096,
    prices_version="2026.10.17",
    prices_checked="2026-10-17",
    overridden=(),
)


def _covered(**changes: Any) -> Facts:
    return replace(WELL, report={**REPORT, "coverage": {**COVERAGE, **changes}})


ILL: dict[str, tuple[Facts, State]] = {
    "roots_none": (replace(WELL, places=(("/r", False),)), "problem"),
    "roots_missing": (replace(WELL, roots_error="/x: no such directory", report=None), "problem"),
    "unreadable": (_covered(unreadable=[{"path": "/r/a", "reason": "denied"}]), "problem"),
    "malformed": (_covered(malformed=2), "note"),
    "rejected": (_covered(rejected=2), "note"),
    "pending": (_covered(pending=2), "note"),
    "undated": (_covered(undated=2), "note"),
    "incomplete": (
        replace(WELL, report={**REPORT, "total": {**ROW, "output_incomplete": 2}}),
        "note",
    ),
    "unpriced": (replace(WELL, report={**REPORT, "unpriced": [{"model": "m", **ROW}]}), "problem"),
    "retention": (_covered(first_day="2026-09-17"), "note"),
    "index_damaged": (replace(WELL, index="damaged"), "problem"),
    "prices_old": (replace(WELL, prices_checked="2026-06-01"), "problem"),
    "zone_unknown": (replace(WELL, zone_error="time zone 'X': unknown"), "problem"),
    "settings_wrong": (replace(WELL, settings_error="/c: broken"), "problem"),
}
FINE: dict[str, Facts] = {
    "history": replace(_covered(first_day="2026-09-17"), history=True),
    "index_absent": replace(WELL, index="absent"),
    "index_unused": replace(WELL, index="unused"),
    "overrides": replace(WELL, overridden=("m",)),
    "settings_none": replace(WELL, settings_there=False),
}


def _states(facts: Facts) -> dict[str, str]:
    return {check.name: check.state for check in examine(facts)}


def test_where_all_is_well_nothing_is_to_be_done() -> None:
    assert _states(WELL) == dict.fromkeys(
        ("roots", "read", "retention", "index_ok", "prices", "zone", "settings"), "ok"
    )
    assert [worded(check)["remedy"] for check in examine(WELL)] == [None] * 7


@pytest.mark.parametrize("name", ILL)
def test_what_is_wrong_is_said_in_words_with_its_remedy(name: str) -> None:
    facts, state = ILL[name]
    (check,) = (check for check in examine(facts) if check.name == name)
    assert check.state == state
    told = worded(check)
    assert "{" not in told["found"]
    assert told["remedy"] == REMEDIES[name]


@pytest.mark.parametrize("name", FINE)
def test_what_is_merely_so_asks_for_nothing(name: str) -> None:
    (check,) = (check for check in examine(FINE[name]) if check.name == name)
    assert (check.state, worded(check)["remedy"]) == ("ok", None)
    assert "{" not in worded(check)["found"]


DELEGATING = {"delegation", "delegation_wrong", "delegation_roots", "presets_wrong"}


def test_every_text_is_said_by_some_check() -> None:
    said = {check.name for check in examine(WELL)} | ILL.keys() | FINE.keys()
    others = {"well", "problems", "today", "ago", "history_broken"} | DELEGATING
    assert DOCTOR.keys() - others == said
    assert REMEDIES.keys() - {"index_absent", "history_broken"} - DELEGATING == ILL.keys()


def test_a_share_of_unfinished_output_below_one_in_a_hundred_is_no_finding() -> None:
    few = replace(WELL, report={**REPORT, "total": {**ROW, "output_incomplete": 1}})
    assert "incomplete" not in _states(few)


def _checks(*options: str) -> dict[str, Any]:
    ran = run("doctor", "--json", *options)
    assert (ran.code, ran.err) == (0, "")
    answer = json.loads(ran.out)
    assert answer["schema"] == "econome.doctor/1"
    return {check["check"]: check for check in answer["checks"]}


def test_it_counts_the_tree_it_finds(demo: DemoTree) -> None:
    checks = _checks()
    assert checks["read"]["facts"]["responses"] == len(demo.responses)
    assert checks["unpriced"]["facts"]["model"] == "claude-example-9"
    assert checks["index_ok"]["facts"]["bytes"] > 0
    assert {check["state"] for check in checks.values()} <= set(get_args(State))


def test_broken_settings_are_a_finding_and_the_rest_is_still_told(tree: Tree, home: Path) -> None:
    tree.main("s1", assistant("a"))
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("histroy = true\n", encoding="utf-8")
    checks = _checks()
    assert checks["settings_wrong"]["state"] == "problem"
    assert "histroy" in checks["settings_wrong"]["found"]
    assert checks["read"]["facts"]["responses"] == 1


def test_a_price_that_breaks_a_rule_is_a_finding_and_the_rest_is_still_told(
    tree: Tree, home: Path
) -> None:
    tree.main("s1", assistant("a"))
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text('[prices."my-model"]\ninput = "much"\n', encoding="utf-8")
    checks = _checks()
    assert checks["settings_wrong"]["state"] == "problem"
    assert checks["read"]["facts"]["responses"] == 1


def test_a_missing_root_of_the_environment_is_a_finding(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "gone"))
    checks = _checks()
    assert checks["roots_missing"]["state"] == "problem"
    assert "read" not in checks


def test_a_damaged_index_is_made_anew_and_sound_again(tree: Tree, home: Path) -> None:
    tree.main("s1", assistant("a"))
    run("usage", "--json")
    index = home / "cache" / "econome" / "usage.sqlite"
    index.write_bytes(b"nothing of a database" * 400)
    checks = _checks()
    assert checks["index_ok"]["state"] == "ok"
    assert checks["read"]["facts"]["responses"] == 1


def test_an_unknown_zone_in_the_settings_is_a_finding(tree: Tree, home: Path) -> None:
    tree.main("s1", assistant("a", usage=counts()))
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text('timezone = "Mars/Olympus"\n', encoding="utf-8")
    assert _checks()["zone_unknown"]["state"] == "problem"


def test_the_page_tells_how_many_problems_there_are(demo: DemoTree) -> None:
    lines = run("doctor").out.splitlines()
    assert lines[0] == "To look at: 1"
    marks = [line.split()[0] for line in lines[2:] if line[0] != " "]
    assert marks.count("problem") == 1


def test_a_broken_history_is_a_finding_and_the_rest_is_still_told(tree: Tree, home: Path) -> None:
    tree.main("s1", assistant("a"))
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("history = true\n", encoding="utf-8")
    history = home / "data" / "econome" / "history.sqlite"
    history.parent.mkdir(parents=True)
    history.write_bytes(b"nothing of a database" * 400)
    assert run("usage").code == 1
    checks = _checks()
    assert checks["history_broken"]["state"] == "problem"
    assert str(history) in checks["history_broken"]["found"]
    assert checks["history_broken"]["remedy"] == REMEDIES["history_broken"]
    assert checks["read"]["facts"]["responses"] == 1


def test_spans_and_counts_are_said_as_people_say_them() -> None:
    def said(facts: Facts, name: str) -> str:
        (check,) = (check for check in examine(facts) if check.name == name)
        return str(worded(check)["found"])

    assert said(_covered(first_day="2026-10-17"), "retention").endswith(
        "2026-10-17: 1 day up to today."
    )
    assert said(_covered(first_day="2026-10-16"), "retention").endswith(
        "2026-10-16: 2 days up to today."
    )
    assert said(WELL, "prices").endswith("checked 2026-10-17, today.")
    assert said(replace(WELL, prices_checked="2026-10-16"), "prices").endswith(", 1 day ago.")
    assert said(_covered(files=1, lines=1, responses=1), "read").startswith("1 file, 1 line, ")


@pytest.mark.parametrize(
    ("zone", "offset"),
    [("Asia/Kathmandu", "+05:45"), ("America/St_Johns", "-02:30"), ("UTC", "+00:00")],
)
def test_the_zone_is_told_with_its_offset(tree: Tree, zone: str, offset: str) -> None:
    tree.main("s1", assistant("a"))
    assert _checks("--timezone", zone)["zone"]["found"].endswith(f"{zone} (UTC{offset} now).")


@requirement("R6")
def test_a_dead_link_is_named_and_may_be_removed(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"))
    link = path.with_name("dead.jsonl")
    link.symlink_to(path.with_name("gone.jsonl"))
    found = _checks()["unreadable"]
    assert str(link) in found["found"]
    assert "dead link" in found["remedy"]


@pytest.mark.parametrize(
    "settings, presets, name, told",
    [
        ("", "", "delegation", "can be used"),
        ('[delegation]\nqueue = "many"\n', "", "delegation_wrong", "delegation.queue"),
        ('[backends.big]\nurl = "nowhere"\n', "", "delegation_wrong", "backends.big.url"),
        ('[delegation]\nroots = ["~/gone"]\n', "", "delegation_roots", "/gone"),
        ("", "[mine]\nsytem = 'x'\n", "presets_wrong", "mine.sytem"),
    ],
)
def test_what_the_settings_say_of_handing_work_over_is_looked_at(
    tree: Tree, home: Path, settings: str, presets: str, name: str, told: str
) -> None:
    tree.main("s1", assistant("a"))
    place = home / "config" / "econome"
    place.mkdir()
    (place / "config.toml").write_text(settings, encoding="utf-8")
    (place / "presets.toml").write_text(presets, encoding="utf-8")
    checks = _checks()
    assert told in checks[name]["found"]
    assert (checks[name]["state"] == "ok") == (name == "delegation")
    assert (checks[name]["remedy"] is None) == (name == "delegation")
    assert [one for one in checks if one.startswith(("delegation", "presets"))] == [name]
