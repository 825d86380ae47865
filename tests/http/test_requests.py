"""`econome requests` beside a running server: the live state of what is open, and an end to it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.door import run
from tests.http.work import Work, call, over_http, told, working
from tests.requirements import requirement

pytestmark = requirement("D3")


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Work]:
    """Return the two running servers."""
    with pytest.MonkeyPatch.context() as patch:
        home = tmp_path_factory.mktemp("requests")
        for name in ("CONFIG", "DATA", "CACHE"):
            place = home / name.lower()
            place.mkdir()
            patch.setenv(f"XDG_{name}_HOME", str(place))
        patch.setenv("HOME", str(home))
        with working(home, workers=1) as running:
            yield running


@pytest.mark.slow
def test_an_open_request_is_listed_shown_and_cancelled(work: Work, tmp_path: Path) -> None:
    gate = work.hold("a long one")
    arguments = {"consigne": "a long one", "attente_s": 0}
    asked = told(call(over_http(work.server, "2026-07-28"), "deleguer", arguments))
    request_id = asked["demande_id"]
    assert work.asked("a long one")
    where = "--data-dir", str(work.server.directory)
    try:
        report = json.loads(run("requests", "--json", *where).out)
        assert [one["request_id"] for one in report["open"]] == [request_id]
        assert f"econome serve (pid {work.server.process.pid}, " in report["held_by"]
        shown = json.loads(run("requests", "show", request_id, "--json", *where).out)
        assert (shown["open"], shown["request"]["status"]) == (True, "en_cours")
        assert shown["request"]["backend"] == "scripted"
        ran = run("requests", "cancel", request_id, *where)
        assert (ran.code, ran.out, ran.err) == (0, f"{request_id}: cancelled\n", "")
        assert work.line(request_id)["statut"] == "annulee"
        report = json.loads(run("requests", "--json", *where).out)
        assert (report["open"], report["ended"][0]["status"]) == ([], "annulee")
    finally:
        gate.set()
