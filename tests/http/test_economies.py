"""`POST /economies` as the contract tells it, over a real socket: what is taken, counted, kept and given back."""

from __future__ import annotations

import json
import os
import resource
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Connection, Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import EXAMPLE, body, correction, delegation, steering, text

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks the kernel by way of Linux")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server with an empty ledger."""
    with served(tmp_path) as running:
        yield running


def _spelt(server: Served, data: bytes) -> bytes:
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {server.token}",
        "Content-Type": "application/json",
    }
    return spelt("POST", "/economies", headers, data)


def _post(server: Served, data: bytes) -> Reply:
    return exchange(server.port, _spelt(server, data), "POST")


def _get(server: Served, path: str) -> Any:
    headers = {"Host": f"127.0.0.1:{server.port}", "Authorization": f"Bearer {server.token}"}
    return exchange(server.port, spelt("GET", path, headers)).json


def _counts(reply: Reply) -> tuple[int, dict[str, Any]]:
    return reply.status, reply.json


@requirement("C-M52", "C-R1", "C-R7", "C-T2", "C-N24")
def test_the_example_of_the_contract_is_taken_as_printed(server: Served) -> None:
    reply = _post(server, EXAMPLE)
    assert _counts(reply) == (200, {"ok": True, "recus": 2, "doublons": 0})
    total = _get(server, "/api/v1/balance")["total"]
    assert (total["avoided"], total["steering"], total["net"]) == (4900, 2000, 2900)


@requirement("C-I2", "C-T5", "C-N17", "C-N24", "S6")
def test_a_batch_that_is_sent_again_is_all_duplicates_and_writes_nothing(server: Served) -> None:
    first = _post(server, EXAMPLE)
    before = server.ledger.read_bytes()
    assert _counts(first) == (200, {"ok": True, "recus": 2, "doublons": 0})
    assert _counts(_post(server, EXAMPLE)) == (200, {"ok": True, "recus": 0, "doublons": 2})
    assert server.ledger.read_bytes() == before


@requirement("C-T5", "S6", "C-I2")
def test_what_comes_again_among_newer_events_counts_once(server: Served) -> None:
    _post(server, body(delegation(1), delegation(2)))
    mixed = body(delegation(2), delegation(3), delegation(3), steering(1))
    assert _counts(_post(server, mixed)) == (200, {"ok": True, "recus": 2, "doublons": 2})
    assert server.ledger.read_bytes().count(b"\n") == 4


@requirement("C-N14", "C-N15", "S4")
def test_a_line_is_the_event_as_it_was_spelt_and_when_it_came(server: Served) -> None:
    odd = text(delegation(1, nouveau={"a": [1.0, "\u00e9"]})).replace(b":4200,", b": 4200 ,")
    assert _post(server, b'{"evenements":[' + odd + b"]}").status == 200
    line = server.ledger.read_bytes()
    kept = odd.replace(b": 4200 ,", b":4200,")
    assert line == kept[:-1] + b',"recu_le":"2026-10-17T12:00:00.000Z"}\n'


@requirement("C-N16", "C-I2", "S6")
def test_the_ids_are_known_again_after_a_new_start(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        assert _post(running, EXAMPLE).json["recus"] == 2
        assert running.stop().code == 0
    with served(tmp_path) as running:
        assert _post(running, EXAMPLE).json == {"ok": True, "recus": 0, "doublons": 2}


@requirement("C-I6", "C-M33", "C-I3", "C-I4", "C-I5")
def test_events_are_taken_in_any_order_and_the_balance_is_the_same(server: Served) -> None:
    late = [correction(1), correction(1, tool_use_id="again"), steering(1), delegation(1)]
    for event in late:
        assert _post(server, body(event)).json == {"ok": True, "recus": 1, "doublons": 0}
    total = _get(server, "/api/v1/balance")["total"]
    assert (total["avoided"], total["steering"], total["corrections"]) == (4000, 2000, 600)
    assert (total["net"], total["unattached"]) == (1400, 0)


@linux
@requirement("C-T1", "C-N4")
def test_it_listens_on_this_machine_only_and_on_the_port_of_mcp(server: Served) -> None:
    assert server.url == f"http://127.0.0.1:{server.port}"
    addresses = Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    listening = [line.split()[1] for line in addresses if line.split()[3] == "0A"]
    assert [place for place in listening if place.endswith(f":{server.port:04X}")] == [
        f"0100007F:{server.port:04X}"
    ]
    assert server.status("GET", "/mcp") != 404
    ran = run("serve", "--help")
    assert "8090" in ran.out


@requirement("C-N4", "S1")
def test_an_address_that_others_reach_needs_a_certificate_or_a_proxy(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "192.0.2.1"):
        ran = run("serve", "--host", host, "--port", "0", "--data-dir", str(tmp_path))
        assert (ran.code, ran.out) == (2, "")
        assert "--tls-cert" in ran.err
        assert "--behind-proxy" in ran.err
    assert not (tmp_path / "logs").exists()


@requirement("C-R4", "C-R3")
def test_the_route_is_there_and_another_one_is_not(server: Served) -> None:
    assert server.status("POST", "/economies", body(delegation(1))) == 200
    assert server.status("POST", "/economies/", body(delegation(1))) == 404
    assert server.status("POST", "/Economies", body(delegation(1))) == 404
    bearer = {"Authorization": "Bearer no"}
    assert server.status("POST", "/economies/", body(delegation(1)), **bearer) == 401


@requirement("C-R8", "C-N13", "S4")
def test_a_batch_is_taken_whole_or_not_at_all(server: Served) -> None:
    good = [delegation(number) for number in range(499)]
    for at in (0, 250, 499):
        batch = [*good[:at], steering(1, cout=-1), *good[at:]]
        reply = _post(server, body(*batch))
        assert (reply.status, reply.json["index"], reply.json["champ"]) == (422, at, "cout")
    assert server.ledger.read_bytes() == b""
    assert _post(server, body(*good)).json == {"ok": True, "recus": 499, "doublons": 0}


@linux
@requirement("C-R6", "S5")
def test_a_disk_that_takes_nothing_is_503_and_the_same_batch_succeeds_later(
    tmp_path: Path,
) -> None:
    with served(tmp_path) as running:
        assert _post(running, body(delegation(0))).status == 200
        size = running.ledger.stat().st_size
        limits = resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, (size + 100, limits[1]))
        batch = body(*map(delegation, range(5)))
        for _ in range(2):
            reply = _post(running, batch)
            assert (reply.status, reply.json.keys()) == (503, {"ok", "erreur"})
            assert running.ledger.stat().st_size == size
        assert running.status("GET", "/api/v1/health") == 200
        assert _post(running, body(delegation(0))).json["doublons"] == 1
        resource.prlimit(running.process.pid, resource.RLIMIT_FSIZE, limits)
        assert _post(running, batch).json == {"ok": True, "recus": 4, "doublons": 1}
        assert running.ledger.read_bytes().count(b"\n") == 5
        told = running.stop().err.splitlines()  # once, however often it was sent
    assert [line.partition(f"econome: {running.ledger}: ")[0] for line in told] == ["", ""]
    assert told[1].endswith("it takes events again")


@pytest.mark.slow
@requirement("C-T6", "S10")
def test_a_full_batch_is_answered_while_a_balance_is_being_made(server: Served) -> None:
    """The answer waits for the disk and for nothing else, whatever other questions take."""
    for start in range(0, 20_000, 500):
        _post(server, body(*map(delegation, range(start, start + 500))))
    asking = threading.Thread(
        target=lambda: [_get(server, f"/api/v1/balance?by=delegation&limit={n}") for n in (1, 2, 3)]
    )
    asking.start()
    took = []
    with Connection(server.port) as connection:
        for start in range(20_000, 25_000, 500):
            request = _spelt(server, body(*map(delegation, range(start, start + 500))))
            begun = time.perf_counter()
            connection.send(request)
            assert connection.reply().json["recus"] == 500
            took.append(time.perf_counter() - begun)
    asking.join()
    assert sorted(took)[len(took) // 2] < 1.0


@requirement("S10", "S5")
def test_many_posters_at_once_lose_nothing(server: Served) -> None:
    replies: list[dict[str, Any]] = []

    def post(poster: int) -> None:
        with Connection(server.port) as connection:
            for number in range(20):
                own = delegation(1000 * poster + number)
                connection.send(_spelt(server, body(own, delegation(999_999))))
                replies.append(connection.reply().json)

    threads = [threading.Thread(target=post, args=(poster,)) for poster in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(reply["recus"] for reply in replies) == 16 * 20 + 1
    assert sum(reply["doublons"] for reply in replies) == 16 * 20 - 1
    ids = [json.loads(line)["id"] for line in server.ledger.read_bytes().splitlines()]
    assert len(ids) == len(set(ids)) == 16 * 20 + 1


@pytest.mark.slow
@linux
@requirement("S1")
def test_neither_log_nor_output_nor_command_line_holds_a_token_or_a_body(tmp_path: Path) -> None:
    with served(tmp_path) as running:
        secret = "secret-of-a-client"
        _post(running, body(delegation(1, client=secret, cout=secret)))
        _post(running, body(delegation(1, schema=secret)))
        exchange(
            running.port, _spelt(running, b"{}").replace(b"/economies", b"/x?" + secret.encode())
        )
        exchange(running.port, _spelt(running, secret.encode()).replace(b"/economies", b"/mcp"))
        line = Path(f"/proc/{running.process.pid}/cmdline").read_bytes()
        environment = Path(f"/proc/{running.process.pid}/environ").read_bytes()
        token = running.token
        ran = running.stop()
    assert token.encode() not in line + environment
    assert [word for word in (token, secret) if word in ran.out + ran.err] == []
    assert os.listdir(tmp_path / "logs" / "mcp") != []
