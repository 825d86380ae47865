"""`econome balance --verify` beside a running server: its answers are held to the same bytes of the files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from econome.cli import verifying
from tests.door import run
from tests.http.posting import Posters
from tests.http.process import served
from tests.requirements import requirement
from tests.savings.builders import EXAMPLE, body, correction, delegation


@requirement("S11", "C-M52")
def test_a_running_servers_own_answers_agree(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        assert server.status("POST", "/economies", EXAMPLE) == 200
        ran = run("balance", "--verify", "--data-dir", str(tmp_path), "--preset", "(none)")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out.splitlines() == [
            "Derived twice: 12 reports of 2 events, 0 conflicts and 0 lines of the journal.",
            f"12 reports of the server at {server.url} on the same bytes compared with them.",
            "Everything agrees.",
        ]


@requirement("S11")
def test_of_a_large_ledger_it_is_not_asked_for_a_row_of_each_delegation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "_MANY", 1)
    with served(tmp_path) as server:
        assert server.status("POST", "/economies", EXAMPLE) == 200
        ran = run("balance", "--verify", "--data-dir", str(tmp_path))
    assert f"5 reports of the server at {server.url}" in ran.out


@requirement("S11")
def test_they_agree_in_a_zone_that_the_server_does_not_count_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with served(tmp_path) as server:
        late = delegation(1, date="2026-10-30T23:30:00Z")
        assert server.status("POST", "/economies", body(late)) == 200
        monkeypatch.setenv("TZ", "Asia/Tokyo")
        ran = run("balance", "--verify", "--data-dir", str(tmp_path), "--timezone", "Asia/Tokyo")
        assert (ran.code, ran.err) == (0, "")


@pytest.mark.slow
@requirement("S11", "S4")
def test_an_event_that_contradicts_itself_is_told_whoever_answers(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        assert server.status("POST", "/economies", body(correction(1, cout=7))) == 200
        ran = run("balance", "--verify", "--data-dir", str(tmp_path))
        assert ran.code == 1
        assert "cout is 7, by its other fields 300" in ran.out


@pytest.mark.slow
@requirement("S11", "S5")
def test_they_agree_while_events_come_in(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        posters = Posters(server)
        posters.start()
        for _ in range(3):
            for _ in range(10):
                posters.begun.acquire()
            ran = run("balance", "--verify", "--data-dir", str(tmp_path))
            assert (ran.code, ran.err) == (0, ""), ran.out
        server.stop()
        posters.wait()
        text = run("balance", "--json", "--data-dir", str(tmp_path)).out
        assert json.loads(text)["ledger"]["events"] >= len(posters.acknowledged)
