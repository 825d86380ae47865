"""Work handed over MCP, in both eras of the protocol: what each tool answers, and what the journal keeps of it."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp_types import ErrorData, ListRootsResult, Root
from pydantic import FileUrl

from econome.errors import LedgerHeld
from econome.savings.lock import Holder, Lock
from tests.delegation.openai_server import Failure, Reply
from tests.http.work import ERAS, MODEL, Work, call, over_http, over_stdio, talk, told, working
from tests.requirements import requirement

NAMES = {
    "deleguer", "suivre", "annuler", "relire", "autoriser", "appliquer", "rejeter", "bilan"
}  # fmt: skip
SECONDS = 30
USE = {"claudecode/toolUseId": "toolu_01"}


@pytest.fixture(scope="module")
def work(shared_home: Path) -> Iterator[Work]:
    """Return a running server whose model is scripted; the tests of this module share it."""
    with working(shared_home) as running:
        yield running


@pytest.fixture(autouse=True)
def _settings(work: Work, shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `econome mcp` find the settings of the shared server, not those of the test's own home."""
    monkeypatch.setenv("HOME", str(shared_home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(shared_home / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(shared_home / "data"))


def _done(found: dict[str, Any], **other: Any) -> dict[str, Any]:
    """Return the whole answer of a request that ended well, but for *other*; what is measured is as *found*."""
    assert re.fullmatch(r"dem-[0-9a-f]{10}", found["demande_id"])
    assert type(found["duree_s"]) is float
    plain = {
        "ok": True, "demande_id": found["demande_id"], "statut": "terminee", "reponse": "Hello",
        "tokens_entree": 7, "tokens_sortie": 3, "sortie": None, "preset": None, "format": "text",
        "modele": MODEL, "duree_s": found["duree_s"],
    }  # fmt: skip
    return {**plain, **other}


@requirement("D1")
@pytest.mark.parametrize("era", ERAS)
def test_the_tools_have_their_names_over_http_and_standard_streams(work: Work, era: str) -> None:
    async def names(client: Any) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert talk(over_http(work.server, era), names) == NAMES
    assert talk(over_stdio(work.server.directory, era), names) == NAMES


@requirement("D2", "D8", "C-N27")
@pytest.mark.parametrize("era", ERAS)
def test_a_task_that_is_soon_done_is_answered_whole(work: Work, era: str) -> None:
    for opened in (over_http(work.server, era), over_stdio(work.server.directory, era)):
        found = told(call(opened, "deleguer", {"consigne": "greet me"}, meta=USE))
        assert list(found.items()) == list(_done(found).items())
        assert "greet me" in str(work.model.requests[-1]["messages"])
        assert work.line(found["demande_id"])["tool_use_id"] in USE.values()


@requirement("D2", "D7", "C-M46")
@pytest.mark.parametrize("era", ERAS)
def test_files_are_read_here_and_the_answer_is_written_here(work: Work, era: str) -> None:
    (work.root / "in.txt").write_text("what stands in the file", encoding="utf-8")
    given = {
        "consigne": "read it", "fichiers": ["in.txt"], "sortie": f"out-{era}.txt", "retour": "apercu",
        "format": "text",
    }  # fmt: skip
    found = told(call(over_http(work.server, era), "deleguer", given))
    expected = _done(found, apercu="Hello", sortie=str(work.root / f"out-{era}.txt"))
    del expected["reponse"]
    assert found == expected
    assert (work.root / f"out-{era}.txt").read_text(encoding="utf-8") == "Hello\n"
    assert "what stands in the file" in str(work.model.requests[-1]["messages"])


@requirement("D7")
def test_what_one_process_read_another_of_the_same_name_has_not_seen(work: Work) -> None:
    seen = work.root / "seen.txt"
    seen.write_text("as it was", encoding="utf-8")
    rewrite = {"consigne": "read it", "sortie": str(seen)}

    async def both() -> tuple[Any, ...]:
        opened = (
            over_stdio(work.server.directory, ERAS[0]),
            over_stdio(work.server.directory, ERAS[0]),
        )
        async with opened[0] as one, opened[1] as other:
            await one.call_tool("deleguer", {"consigne": "read it", "fichiers": [str(seen)]})
            unseen = told(await other.call_tool("deleguer", rewrite))
            return unseen, told(await one.call_tool("deleguer", rewrite))

    unseen, rewritten = asyncio.run(both())
    assert (unseen["statut"], rewritten["statut"]) == ("refusee", "terminee")
    assert seen.read_text(encoding="utf-8") == "Hello\n"


@requirement("D8")
def test_a_preview_is_the_first_lines_and_says_where_the_rest_is(work: Work) -> None:
    work.replies["at length"] = Reply("\n".join(f"line {number}" for number in range(1000)))
    given = {"consigne": "at length", "retour": "apercu"}
    found = told(call(over_http(work.server, ERAS[0]), "deleguer", given))
    assert found["apercu"].startswith("line 0\nline 1\n")
    assert len(found["apercu"]) < 900
    place = work.server.directory / "answers" / f"{found['demande_id']}.txt"
    assert str(place) in found["apercu"]
    assert place.read_text(encoding="utf-8").endswith("line 999")


@requirement("D2", "D3", "C-N27")
@pytest.mark.parametrize("era", ERAS)
def test_a_task_that_takes_longer_is_followed(work: Work, era: str) -> None:
    brief = f"slowly, {era}"
    gate = work.hold(brief)

    async def say(client: Any) -> tuple[Any, ...]:
        first = told(await client.call_tool("deleguer", {"consigne": brief, "attente_s": 0}))
        request = {"demande_id": first["demande_id"]}
        assert await asyncio.to_thread(work.asked, brief)
        still = told(await client.call_tool("suivre", {**request, "attente_s": 1}))
        gate.set()
        last = told(await client.call_tool("suivre", request))
        return first, still, last, told(await client.call_tool("suivre", request))

    first, still, last, again = talk(over_http(work.server, era), say)
    request_id = first["demande_id"]
    assert first in (
        {"ok": True, "demande_id": request_id, "statut": "en_cours", "position": 0},
        {"ok": True, "demande_id": request_id, "statut": "en_file", "position": 1},
    )
    assert still == {"ok": True, "demande_id": request_id, "statut": "en_cours", "position": 0}
    assert last == _done(last, reponse="One two", tokens_entree=20, tokens_sortie=2)
    assert again == last


@requirement("D2")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize(
    "tool, arguments, words",
    [
        ("deleguer", {}, ["consigne"]),
        ("deleguer", {"consigne": " "}, ["consigne"]),
        ("deleguer", {"consigne": 7}, ["consigne"]),
        ("deleguer", {"consigne": "x", "consignes": "y"}, ["consignes", "attente_s"]),
        ("deleguer", {"consigne": "x", "retour": "tout"}, ["retour", "complet", "apercu"]),
        ("deleguer", {"consigne": "x", "attente_s": 601}, ["attente_s", "0", "600"]),
        ("deleguer", {"consigne": "x", "attente_s": "60"}, ["attente_s"]),
        ("deleguer", {"consigne": "x", "attente_s": True}, ["attente_s"]),
        ("deleguer", {"consigne": "x", "fichiers": "a"}, ["fichiers"]),
        ("deleguer", {"consigne": "x", "fichiers": [""]}, ["fichiers"]),
        ("deleguer", {"consigne": "x", "ecraser": "oui"}, ["ecraser", "true", "false"]),
        ("deleguer", {"consigne": "\uffff"}, ["consigne"]),
        ("suivre", {}, ["demande_id"]),
        ("suivre", {"demande_id": "dem-0000000000"}, ["dem-0000000000"]),
        ("suivre", {"demande_id": "dem-0000000000", "attente_s": -1}, ["attente_s"]),
        ("annuler", {"demande_id": "dem-0000000000"}, ["dem-0000000000"]),
        ("relire", {"demande_id": "dem-0000000000"}, ["dem-0000000000"]),
        ("autoriser", {"demande_id": "dem-0000000000"}, ["accord"]),
        ("autoriser", {"demande_id": "dem-0000000000", "accord": True}, ["dem-0000000000"]),
        ("appliquer", {"demande_id": "dem-0000000000"}, ["dem-0000000000"]),
        ("rejeter", {"demande_id": "dem-0000000000"}, ["dem-0000000000"]),
    ],
)
def test_what_cannot_be_asked_is_an_error_that_says_why(
    work: Work, era: str, tool: str, arguments: dict[str, Any], words: list[str]
) -> None:
    before = work.journal()
    found = told(call(over_http(work.server, era), tool, arguments))
    assert (found.keys(), found["ok"]) == ({"ok", "erreur"}, False)
    assert [word for word in words if word not in found["erreur"]] == []
    assert work.journal() == before


@requirement("D2", "D4", "C-N27")
@pytest.mark.parametrize(
    "arguments",
    [
        {"consigne": "x", "fichiers": ["../in.txt"]},
        {"consigne": "x", "sortie": "/etc/answer"},
        {"consigne": "x", "preset": "none-such"},
        {"consigne": "x", "format": "none-such"},
    ],
)
def test_what_is_refused_has_no_id_and_a_line_in_the_journal(
    work: Work, arguments: dict[str, Any]
) -> None:
    before = len(work.journal())
    found = told(call(over_http(work.server, ERAS[0]), "deleguer", arguments, meta=USE))
    expected = {"ok": False, "demande_id": None, "statut": "refusee", "erreur": found["erreur"]}
    assert list(found.items()) == list(expected.items())
    (line,) = work.journal()[before:]
    assert line == {
        "date": line["date"], "demande_id": None, "tool_use_id": "toolu_01", "statut": "refusee",
        "session": None, "preset": arguments.get("preset"), "format": arguments.get("format"),
        "modele": None, "tokens_entree": None, "tokens_sortie": None, "duree_s": None,
        "retour": "complet", "sortie": arguments.get("sortie"), "erreur": found["erreur"],
    }  # fmt: skip


@requirement("C-N27", "C-N1", "D4")
@pytest.mark.parametrize("era", ERAS)
def test_however_a_request_ends_its_line_has_the_id_that_the_client_was_told(
    work: Work, era: str
) -> None:
    work.replies[f"break, {era}"] = Failure(500)
    work.hold(f"wait, {era}")

    async def say(client: Any) -> list[dict[str, Any]]:
        async def ask(brief: str, wait_s: int) -> Any:
            given = {"consigne": brief, "attente_s": wait_s}
            return told(await client.call_tool("deleguer", given, meta=USE))

        waiting = await ask(f"wait, {era}", 0)
        request = {"demande_id": waiting["demande_id"]}
        cancelled = told(await client.call_tool("annuler", request))
        assert cancelled == {"ok": True, **request, "statut": "annulee"}
        ended = told(await client.call_tool("suivre", request))
        return [await ask(f"greet, {era}", 60), await ask(f"break, {era}", 60), ended]

    done, failed, cancelled = talk(over_http(work.server, era), say)
    assert done == _done(done)
    for found, status in ((failed, "echec"), (cancelled, "annulee")):
        about = {"demande_id": found["demande_id"], "statut": status, "erreur": found["erreur"]}
        assert list(found.items()) == [("ok", False), *about.items()]
    for found in (done, failed, cancelled):
        line = work.line(found["demande_id"])
        assert (line["statut"], line["tool_use_id"]) == (found["statut"], "toolu_01")
        assert (line["session"] is None) is (era == ERAS[0])
        for name in found.keys() & {
            "tokens_entree",
            "tokens_sortie",
            "duree_s",
            "modele",
            "erreur",
        }:
            assert line[name] == found[name]


@requirement("D1", "D7")
def test_without_a_server_the_standard_streams_do_the_work_themselves(
    tmp_path: Path, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def say(client: Any) -> list[Any]:
        first = told(await client.call_tool("deleguer", {"consigne": "greet me"}))
        request = {"demande_id": first["demande_id"]}
        return [first, told(await client.call_tool("suivre", request))]

    first, again = talk(over_stdio(tmp_path / "own", ERAS[0]), say)
    assert first == _done(first)
    assert again == first
    assert (tmp_path / "own" / "logs" / "mcp" / "lock").read_bytes() == b""  # it was let go
    assert os.listdir(tmp_path / "own" / "answers") == [f"{first['demande_id']}.txt"]


@requirement("D1")
def test_once_nothing_is_open_another_process_may_have_the_ledger(
    tmp_path: Path, work: Work
) -> None:
    place = str(tmp_path / "own" / "logs" / "mcp")

    async def take_it() -> Lock:
        while True:
            try:
                return Lock(place, Holder(4711, "another command"))
            except LedgerHeld:
                await asyncio.sleep(0.01)

    async def say(client: Any) -> list[Any]:
        found = [told(await client.call_tool("deleguer", {"consigne": "greet me"}))]
        async with asyncio.timeout(SECONDS):
            lock = await take_it()
        lock.release()
        return [*found, told(await client.call_tool("deleguer", {"consigne": "greet me"}))]

    found = talk(over_stdio(tmp_path / "own", ERAS[0]), say)
    assert found == [_done(one) for one in found]


@pytest.mark.slow
@requirement("D7")
@pytest.mark.parametrize("way", ["http", "stdio"])
def test_a_client_that_names_roots_gets_no_more_than_those(work: Work, way: str) -> None:
    (work.root / "inner").mkdir(exist_ok=True)
    (work.root / "inner" / "in.txt").write_text("x", encoding="utf-8")
    (work.root / "in.txt").write_text("x", encoding="utf-8")

    def answers(*roots: str, broken: bool = False) -> list[bool]:
        async def name_roots(context: Any) -> Any:
            if broken:
                return ErrorData(code=-32603, message="none today")
            return ListRootsResult(roots=[Root(uri=FileUrl(f"file://{root}")) for root in roots])

        async def say(client: Any) -> list[bool]:
            found = []
            for name in ("in.txt", "inner/in.txt"):
                given = {"consigne": "greet me", "fichiers": [str(work.root / name)]}
                found.append(told(await client.call_tool("deleguer", given))["ok"])
            plain = told(await client.call_tool("deleguer", {"consigne": "greet me"}))
            assert plain["ok"] is True
            return found

        more: dict[str, Any] = {"list_roots_callback": name_roots}
        opened = (
            over_http(work.server, "legacy", **more)
            if way == "http"
            else over_stdio(work.server.directory, "legacy", **more)
        )
        found: list[bool] = talk(opened, say)
        return found

    assert answers(str(work.root)) == [True, True]
    assert answers(str(work.root / "inner")) == [False, True]
    assert answers("/") == [True, True]
    assert answers("/nowhere", str(work.root / "inner")) == [False, True]
    assert answers() == [False, False]
    assert answers(broken=True) == [False, False]
