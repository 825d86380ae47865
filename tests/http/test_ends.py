"""Whoever holds the ledger and ends: what is open then ends in the journal, and whoever waits is told."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.register import REGISTER, read_register
from tests.http.process import served
from tests.http.raw import Connection, spelt
from tests.http.test_stdio import INITIALIZE
from tests.http.work import ERAS, over_http, talk, told, working
from tests.requirements import requirement
from tests.savings.builders import text

SECONDS = 30


@pytest.mark.slow
@requirement("D3", "D4")
@pytest.mark.parametrize("way", ["mcp", "route"])
def test_a_stop_ends_what_runs_and_tells_who_waits(tmp_path: Path, way: str) -> None:
    with working(tmp_path, workers=1) as own:
        own.hold("stop me")
        own.hold("and me")
        answers: list[Any] = []

        def wait(brief: str) -> None:
            if way == "route":
                with Connection(own.server.port) as connection:
                    headers = {
                        "Host": f"127.0.0.1:{own.server.port}",
                        "Authorization": f"Bearer {own.server.token}",
                        "Content-Type": "application/json",
                    }
                    body = text({"arguments": {"consigne": brief}})
                    connection.send(spelt("POST", "/api/v1/tools/deleguer", headers, body))
                    lines = connection.reply("POST").body.splitlines()
                answers.append(json.loads(lines[-1])["result"])
                return

            async def say(client: Any) -> Any:
                return told(await client.call_tool("deleguer", {"consigne": brief}))

            answers.append(talk(over_http(own.server, ERAS[0]), say))

        waiting = [threading.Thread(target=wait, args=(brief,)) for brief in ("stop me", "and me")]
        waiting[0].start()
        assert own.asked("stop me")
        waiting[1].start()
        register = str(own.server.ledger.parent / REGISTER)
        for _ in range(3000):
            if len(read_register(register)) == 2:
                break
            threading.Event().wait(0.01)
        ran = own.server.stop()
        for thread in waiting:
            thread.join(SECONDS)
        lines = own.journal()
    assert (ran.code, ran.err) == (0, "")
    assert [line["statut"] for line in lines] == ["echec", "echec"]
    by_id = {line["demande_id"]: line["erreur"] for line in lines}
    assert sorted(answers, key=str) == sorted(
        (
            {"ok": False, "demande_id": request_id, "statut": "echec", "erreur": reason}
            for request_id, reason in by_id.items()
        ),
        key=str,
    )
    assert read_register(register) == []


@requirement("D3", "D4")
@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, pytest.param(None, marks=pytest.mark.slow)]
)
def test_standard_streams_that_end_end_what_they_do_themselves(
    tmp_path: Path, number: signal.Signals | None
) -> None:
    own = tmp_path / "own"
    words = [sys.executable, "-m", "econome", "mcp", "--data-dir", str(own)]
    with (
        working(tmp_path) as work,
        subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        work.hold("never")
        assert process.stdin is not None
        params = {"name": "deleguer", "arguments": {"consigne": "never", "attente_s": 600}}
        call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}
        process.stdin.write(text(INITIALIZE) + b"\n" + text(call) + b"\n")
        process.stdin.flush()
        assert work.asked("never")
        if number is None:
            process.stdin.close()
        else:
            process.send_signal(number)
        assert process.wait(SECONDS) == (0 if number is None else 130)
    journal = (own / "logs" / "mcp" / "delegations.jsonl").read_bytes()
    assert [json.loads(line)["statut"] for line in journal.splitlines()] == ["echec"]
    assert (own / "logs" / "mcp" / "lock").read_bytes() == b""


@pytest.mark.slow
@requirement("D3", "S1")
def test_a_wrong_setting_stops_delegating_and_nothing_else(tmp_path: Path, home: Path) -> None:
    place = home / "config" / "econome"
    place.mkdir()
    (place / "config.toml").write_text("[delegation]\nqueue = 0\n", encoding="utf-8")
    with served(tmp_path) as server:
        assert server.status("GET", "/api/v1/health") == 200

        async def say(client: Any) -> Any:
            balance = told(await client.call_tool("bilan", {}))
            return balance, told(await client.call_tool("deleguer", {"consigne": "x"}))

        balance, refused = talk(over_http(server, ERAS[0]), say)
        assert balance.keys() == {"delegations", "economies"}
        assert (refused.keys(), refused["ok"]) == ({"ok", "erreur"}, False)
        assert "delegation.queue" in refused["erreur"]
        ran = server.stop()
    assert ran.code == 0
    assert "delegation.queue" in ran.err


@requirement("D3", "D4")
@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
def test_two_hundred_calls_at_once_each_end_in_the_journal_once(tmp_path: Path, era: str) -> None:
    with working(tmp_path, workers=4, more="queue = 200") as own:
        gate = own.hold("all wait")

        async def say(client: Any) -> list[Any]:
            given = {"consigne": "all wait", "attente_s": 600}
            calls = [asyncio.ensure_future(client.call_tool("deleguer", given)) for _ in range(200)]
            register = str(own.server.ledger.parent / REGISTER)
            while len(await asyncio.to_thread(read_register, register)) < 200:
                assert not any(call.done() for call in calls)
            assert await asyncio.to_thread(own.model.wait_for_requests, 4)
            gate.set()
            return [told(await call) for call in calls]

        answers = talk(over_http(own.server, era), say)
        ids = [answer["demande_id"] for answer in answers]
        assert {answer["statut"] for answer in answers} == {"terminee"}
        assert len(set(ids)) == 200
        assert sorted(line["demande_id"] for line in own.journal()) == sorted(ids)
        assert own.model.busiest == 4
