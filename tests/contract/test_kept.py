"""What was last measured of a server is kept whole, bounded, for its owner alone, and never in the way of who measures."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.contract import kept as keeping
from econome.contract.kept import Record, keep, kept, kept_stamp, servers_dir
from econome.contract.measured import (
    MOST_ROWS,
    SCHEMA,
    Answered,
    Checked,
    Known,
    Locked,
    LockState,
    Measured,
    answers_of,
    plain,
    profile_of,
)
from tests.contract.listed import entry
from tests.contract.looked import captured, look, recorded, says
from tests.requirements import requirement

pytestmark = requirement("L15", "L16")

AT = "2026-10-17T12:00:00Z"
MARK = "a text that nobody keeps"


def measured(server: str = "shop", **more: Any) -> Measured:
    facts: dict[str, Any] = {"tools": 3, "per_turn": 310, "deferred": 30} | more
    return Measured(SCHEMA, server, AT, "stdio", "features-v1", True, **facts)


def locked(server: str = "shop", lock: str = "/a/econome.lock", **more: Any) -> Locked:
    return Locked(SCHEMA, server, lock, AT, "features-v1", True, 3, 310, **more)


def checked(server: str = "shop", lock: str = "/a/econome.lock", **more: Any) -> Checked:
    return Checked(SCHEMA, server, lock, AT, **({"outcome": "holds"} | more))


def told(directory: Path) -> list[Known]:
    """Return what is kept, without its places."""
    return [
        Known(one.server, "", one.measured, one.answered, one.locks) for one in kept(str(directory))
    ]


names = st.text(max_size=600).map(plain)


@settings(settings.get_profile("brief"))
@given(st.lists(st.tuples(names, st.sampled_from("mal"), names, st.integers(0, 9)), max_size=8))
def test_the_last_of_each_kind_is_what_is_read_back(
    given_: list[tuple[str, str, str, int]],
) -> None:
    makers: dict[str, Any] = {
        "m": lambda server, _, number: measured(server, per_turn=number),
        "a": lambda server, _, number: Answered(SCHEMA, server, AT, "o200k", False, (), number),
        "l": lambda server, lock, number: locked(server, lock, unknown=number),
    }
    records: list[Record] = [
        makers[kind](server, lock, number) for server, kind, lock, number in given_
    ]
    last = {(type(one), one.server, getattr(one, "lock", "")): one for one in records}
    with tempfile.TemporaryDirectory() as directory:
        for record in records:
            keep(directory, [record])
        found = kept(directory)
    states = [state.locked for one in found for state in one.locks]
    every = [*(one.measured for one in found), *(one.answered for one in found), *states]
    assert {(type(one), one.server, getattr(one, "lock", "")): one for one in every if one} == last
    assert [one.server for one in found] == sorted({record.server for record in records})


def test_all_that_is_kept_of_a_server_stands_together(tmp_path: Path) -> None:
    keep(str(tmp_path), [measured(), locked(), checked(), checked(lock="/b/econome.lock", outcome="fails")])  # fmt: skip
    assert told(tmp_path) == [
        Known(
            "shop",
            "",
            measured(),
            None,
            (
                LockState("/a/econome.lock", locked(), checked()),
                LockState("/b/econome.lock", None, checked(lock="/b/econome.lock", outcome="fails")),
            ),
        )
    ]  # fmt: skip


def test_what_a_check_said_goes_when_a_server_is_locked_anew(tmp_path: Path) -> None:
    keep(str(tmp_path), [locked(), checked(outcome="fails")])
    (before,) = told(tmp_path)[0].locks
    keep(str(tmp_path), [locked(signed=True)])
    (after,) = told(tmp_path)[0].locks
    assert (before.outcome, after.outcome) == ("fails", "locked")
    assert after == LockState("/a/econome.lock", locked(signed=True))


def test_nobody_else_can_read_what_is_kept(tmp_path: Path) -> None:
    keep(str(tmp_path / "data"), [measured(), locked()])
    for path in (tmp_path / "data").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


def test_a_place_that_takes_nothing_is_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    for place in (file, file / "below", Path("/dev/null")):
        keep(str(place), [measured(), locked(), checked()])
        assert kept(str(place)) == ()
    assert file.read_bytes() == b""


def _ruin(path: Path, how: str) -> None:
    data = path.read_bytes()
    if how == "cut":
        path.write_bytes(data[:-20])
    elif how == "another's":
        path.write_bytes(data.replace(b'"shop"', b'"else"'))
    elif how == "newer":
        path.write_bytes(data.replace(b"econome.kept/1", b"econome.kept/2"))
    elif how == "open to others":
        path.chmod(0o622)
    elif how == "a link":
        path.rename(path.with_suffix(".moved"))
        path.symlink_to(path.with_suffix(".moved"))
    elif how == "a directory":
        path.unlink()
        path.mkdir()
    elif how == "a pipe":
        path.unlink()
        os.mkfifo(path)
    else:
        path.write_bytes(b"[" * 100_000)


@pytest.mark.parametrize(
    "how",
    ["cut", "another's", "newer", "open to others", "a link", "a directory", "a pipe", "deep"],
)
def test_a_file_that_is_not_as_it_was_written_counts_as_not_kept(tmp_path: Path, how: str) -> None:
    keep(str(tmp_path), [measured(), locked()])
    (path,) = (tmp_path / "servers").rglob("profile.json")
    _ruin(path, how)
    assert told(tmp_path) == [
        Known("shop", "", None, None, (LockState("/a/econome.lock", locked()),))
    ]


def test_the_server_measured_longest_ago_makes_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "MOST_SERVERS", 3)
    for at, server in enumerate(("a", "b", "c")):
        keep(str(tmp_path), [measured(server), locked(server)])
        (place,) = (one.place for one in kept(str(tmp_path)) if one.server == server)
        os.utime(place, (at, at))
    keep(str(tmp_path), [checked("a")])
    keep(str(tmp_path), [measured("d")])
    assert [one.server for one in kept(str(tmp_path))] == ["a", "c", "d"]
    assert len(os.listdir(servers_dir(str(tmp_path)))) == 3


def test_the_lock_used_longest_ago_makes_room(tmp_path: Path) -> None:
    for at in range(keeping.MOST_LOCKS):
        keep(str(tmp_path), [locked(lock=f"/{at}")])
        for path in (tmp_path / "servers").rglob("locked-*.json"):
            if f'"/{at}"' in path.read_text(encoding="utf-8"):
                os.utime(path, (at, at))
    keep(str(tmp_path), [locked(lock="/new")])
    locks = {state.lock for state in told(tmp_path)[0].locks}
    assert locks == {"/new", *(f"/{at}" for at in range(1, keeping.MOST_LOCKS))}


def test_whatever_is_kept_changes_the_stamp(tmp_path: Path) -> None:
    stamps = [kept_stamp(str(tmp_path))]
    for record in (measured(), measured(per_turn=311), locked(), checked(), measured("other")):
        keep(str(tmp_path), [record])
        stamps.append(kept_stamp(str(tmp_path)))
    assert len(set(stamps)) == len(stamps)
    assert kept_stamp(str(tmp_path)) == stamps[-1]


def test_a_profile_is_kept_with_its_figures_and_without_its_texts() -> None:
    schema = {"type": "object", "properties": {MARK: {"type": "string", "description": MARK}}}
    rows = {"type": "object", "properties": {"rows": {"type": "array", "items": schema}}}
    tools = [entry(f"t{at}", description=MARK, inputSchema=schema, outputSchema=rows) for at in range(130)]  # fmt: skip
    calls = recorded(("t1", says(MARK * 20)), ("t1", says(MARK)), ("t2", None))
    of = captured(tools, instructions=MARK, version="3.1", protocol="2025-11-25")
    report = look(of, recording=calls)
    found = profile_of(report, reached="http", at=AT)
    answers = answers_of(report, at=AT)
    assert found is not None
    assert answers is not None
    menu = report["menu"]
    assert (found.tools, found.per_turn, found.deferred) == (130, menu["per_turn"], menu["deferred"])  # fmt: skip
    assert (found.version, found.reached, found.risks) == ("3.1", "http", {"high": 130})
    assert len(found.largest) == MOST_ROWS
    assert [one.tokens for one in found.largest] == sorted((tool["tokens"] for tool in menu["tools"]), reverse=True)[:MOST_ROWS]  # fmt: skip
    rows_of = {(row["economy"], row["what"]): row for row in report["economies"]}
    for row in found.economies:
        own = rows_of[row.economy, row.what]
        assert (row.tokens_before, row.tokens_after, row.basis) == (own["tokens_before"], own["tokens_after"], own["basis"])  # fmt: skip
    assert found.more_economies == len(report["economies"]) - len(found.economies) > 0
    spread = report["answers"]["t1"]
    assert [(one.tool, one.calls, one.p50, one.p95, one.max, one.total) for one in answers.tools] == [
        ("t1", 2, spread["p50"], spread["p95"], spread["max"], spread["total"]),
        ("t2", 1, None, None, None, 0),
    ]  # fmt: skip
    text = json.dumps([str(found), str(answers)])
    assert MARK not in text


def test_a_server_of_whose_menu_nothing_is_known_has_answers_alone() -> None:
    report = look(captured([]), recording=recorded(("t1", says("four"))))
    assert profile_of(report, reached="recording", at=AT) is None
    assert answers_of(report, at=AT) is not None


def test_a_name_that_no_json_holds_or_that_does_not_end_is_kept_as_one_that_can_be() -> None:
    assert plain("a\ud800b") == "a\ufffdb"
    assert plain("x" * 600) == "x" * 511 + "…"
