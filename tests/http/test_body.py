"""How much may be sent, how it may be packed and named, and that a client sees why it was not taken."""

from __future__ import annotations

import gzip
import http.client
import json
import time
import zlib
from pathlib import Path

import pytest

from econome.server.body import DRAIN_SECONDS, LIMIT_BYTES
from econome.server.heads import HEAD_BYTES
from tests.http.process import Served
from tests.http.raw import Connection, Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, delegation

BATCH = body(delegation(1))


def _headers(server: Served, *more: tuple[str, str]) -> list[tuple[str, str]]:
    own = [
        ("Host", f"127.0.0.1:{server.port}"),
        ("Authorization", f"Bearer {server.token}"),
        ("Content-Type", "application/json"),
    ]
    named = {name for name, _ in more}
    return [pair for pair in own if pair[0] not in named] + list(more)


def _post(server: Served, data: bytes, *more: tuple[str, str]) -> Reply:
    return exchange(server.port, spelt("POST", "/economies", _headers(server, *more), data), "POST")


def _padded(size: int) -> bytes:
    """Return a valid batch of exactly so many bytes."""
    spare = size - len(body(delegation(1, x="")))
    return body(delegation(1, x="x" * spare))


def _chunks(data: bytes, size: int) -> bytes:
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in (*parts, b""))


@requirement("S2", "C-N25", "C-R5", "C-N24")
def test_a_body_may_be_as_long_as_the_limit_and_not_one_byte_longer(shared_server: Served) -> None:
    assert LIMIT_BYTES == 1_048_576
    assert _post(shared_server, _padded(LIMIT_BYTES)).status == 200
    assert _post(shared_server, _padded(LIMIT_BYTES + 1)).status == 413


@requirement("S2", "C-R5", "C-T4")
def test_500_events_of_plausible_size_fit_and_are_taken(shared_server: Served) -> None:
    wide = {"client": "c" * 128, "session_id": "s" * 128, "agent_id": "a" * 128}
    data = body(*(delegation(number, **wide) for number in range(500)))
    assert 300_000 < len(data) < LIMIT_BYTES
    assert _post(shared_server, data).status == 200


@requirement("S2")
def test_a_declared_length_above_the_limit_is_refused_before_the_body_comes(
    shared_server: Served,
) -> None:
    with Connection(shared_server.port) as connection:
        length = ("Content-Length", "10000000000")
        connection.send(spelt("POST", "/economies", _headers(shared_server, length)))
        reply = connection.reply()
        assert (reply.status, reply.header("connection")) == (413, "close")
        begun = time.monotonic()
        assert connection.rest() == b""
        assert time.monotonic() - begun < DRAIN_SECONDS + 5


@requirement("S2")
def test_a_client_that_expects_leave_to_send_is_not_given_it_for_too_much(
    shared_server: Served,
) -> None:
    wait = ("Expect", "100-continue")
    with Connection(shared_server.port) as connection:
        length = ("Content-Length", str(LIMIT_BYTES + 1))
        connection.send(spelt("POST", "/economies", _headers(shared_server, wait, length)))
        assert connection.reply().status == 413
    with Connection(shared_server.port) as connection:
        length = ("Content-Length", str(len(BATCH)))
        connection.send(spelt("POST", "/economies", _headers(shared_server, wait, length)))
        assert [connection.line(), connection.line()] == [b"HTTP/1.1 100 Continue", b""]
        connection.send(BATCH)
        assert connection.reply().status == 200


@requirement("S2")
@pytest.mark.parametrize("size", [1, 4096, 65_536])
def test_a_body_without_a_length_is_cut_where_it_passes_the_limit(
    shared_server: Served, size: int
) -> None:
    chunked = ("Transfer-Encoding", "chunked")
    fits = _padded(100_000 if size == 1 else LIMIT_BYTES)
    head = spelt("POST", "/economies", _headers(shared_server, chunked))
    assert exchange(shared_server.port, head + _chunks(fits, size)).status == 200
    if size > 1:
        much = _padded(LIMIT_BYTES + 1)
        assert exchange(shared_server.port, head + _chunks(much, size)).status == 413


@requirement("S2")
def test_a_chunked_body_that_never_ends_is_cut(shared_server: Served) -> None:
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    with Connection(shared_server.port) as connection:
        chunked = ("Transfer-Encoding", "chunked")
        connection.send(spelt("POST", "/economies", _headers(shared_server, chunked)))
        for _ in range(17):
            connection.send(chunk)
        reply = connection.reply()
        assert (reply.status, reply.header("connection")) == (413, "close")


@requirement("S2")
def test_a_plain_client_that_sends_all_before_it_reads_sees_the_413(shared_server: Served) -> None:
    for length in (LIMIT_BYTES + 1, 2_000_000):
        connection = http.client.HTTPConnection("127.0.0.1", shared_server.port, timeout=30)
        try:
            connection.request("POST", "/economies", b" " * length, dict(_headers(shared_server)))
            assert connection.getresponse().status == 413
        finally:
            connection.close()


@requirement("S2")
def test_a_client_that_is_still_sending_when_it_is_refused_can_finish_and_read_the_413(
    shared_server: Served,
) -> None:
    length = ("Content-Length", "2000000")
    with Connection(shared_server.port) as connection:
        connection.send(spelt("POST", "/economies", _headers(shared_server, length)))
        connection.wait()  # the answer is there: a connection closed now would break the rest
        for _ in range(10):
            connection.send(b" " * 200_000)
        assert connection.reply().status == 413


def _gzip(*members: bytes) -> bytes:
    return b"".join(map(gzip.compress, members))


@requirement("S2")
@pytest.mark.parametrize("name", ["gzip", "GZIP", "x-gzip"])
def test_a_packed_body_is_taken(shared_server: Served, name: str) -> None:
    coding = ("Content-Encoding", name)
    assert _post(shared_server, _gzip(BATCH), coding).status == 200
    assert _post(shared_server, _gzip(BATCH[:50], BATCH[50:], b""), coding).status == 200


@requirement("S2")
def test_a_packed_body_has_the_limit_of_a_plain_one(shared_server: Served) -> None:
    coding = ("Content-Encoding", "gzip")
    assert _post(shared_server, _gzip(_padded(LIMIT_BYTES)), coding).status == 200
    assert _post(shared_server, _gzip(_padded(LIMIT_BYTES + 1)), coding).status == 413
    halves = (b" " * LIMIT_BYTES, BATCH)
    assert _post(shared_server, _gzip(*halves), coding).status == 413


@pytest.mark.slow
@requirement("S2")
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc tells the peak")
def test_a_small_body_that_unpacks_to_a_gigabyte_is_refused_without_unpacking_it(
    shared_server: Served,
) -> None:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(1000)) + packer.flush()
    assert len(bomb) < LIMIT_BYTES
    before = _peak_kb(shared_server)
    assert _post(shared_server, bomb, ("Content-Encoding", "gzip")).status == 413
    assert _peak_kb(shared_server) - before < 50_000


def _peak_kb(server: Served) -> int:
    with open(f"/proc/{server.process.pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


@requirement("S2")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        BATCH,
        _gzip(BATCH)[:-1],
        _gzip(BATCH)[:-9],
        _gzip(BATCH)[:5],
        _gzip(BATCH) + b"x",
        _gzip(BATCH) + _gzip(BATCH)[:-1],
        _gzip(BATCH)[:-8] + bytes(8),
        zlib.compress(BATCH),
        _gzip(BATCH, *[b" "] * 1500),
    ],
    ids=[
        "nothing",
        "plain",
        "cut",
        "cut body",
        "cut head",
        "tail",
        "cut member",
        "sum",
        "zlib",
        "many",
    ],
)
def test_what_is_no_whole_gzip_file_is_malformed(shared_server: Served, data: bytes) -> None:
    assert _post(shared_server, data, ("Content-Encoding", "gzip")).status == 400


@requirement("S2")
@pytest.mark.parametrize(
    "name", ["br", "deflate", "zstd", "gzip, gzip", "identity, gzip", "gzip;q=1"]
)
def test_no_other_packing_is_taken(shared_server: Served, name: str) -> None:
    assert _post(shared_server, _gzip(BATCH), ("Content-Encoding", name)).status == 400


@requirement("S2", "S3")
@pytest.mark.parametrize(
    "name, values",
    [
        ("Content-Encoding", ("gzip", "gzip")),
        ("Content-Encoding", ("gzip", "identity")),
        ("Content-Type", ("application/json", "application/json")),
        ("Content-Type", ("application/json", "text/plain")),
    ],
)
def test_a_body_is_of_one_kind(shared_server: Served, name: str, values: tuple[str, str]) -> None:
    data = _gzip(BATCH) if name == "Content-Encoding" else BATCH
    assert _post(shared_server, data, *((name, value) for value in values)).status == 400


@requirement("S2")
def test_a_body_that_says_that_it_is_not_packed_is_plain(shared_server: Served) -> None:
    for name in ("identity", ""):
        assert _post(shared_server, BATCH, ("Content-Encoding", name)).status == 200


@requirement("S3", "C-T2")
@pytest.mark.parametrize(
    "media_type",
    [
        "application/json", "Application/JSON", "application/json; charset=utf-8", "application/json;x",
        "application/cloudevents+json", "text/x+json;v=2", " application/json ", "",
    ],
)  # fmt: skip
def test_json_by_any_of_its_names_is_taken(shared_server: Served, media_type: str) -> None:
    assert _post(shared_server, BATCH, ("Content-Type", media_type)).status == 200


@requirement("S3")
def test_a_body_without_a_media_type_is_taken(shared_server: Served) -> None:
    headers = [pair for pair in _headers(shared_server) if pair[0] != "Content-Type"]
    reply = exchange(shared_server.port, spelt("POST", "/economies", headers, BATCH))
    assert reply.status == 200


@requirement("S3")
@pytest.mark.parametrize(
    "media_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "json",
        "+json",
        "a/b+jsonx",
    ],
)
def test_any_other_media_type_is_refused(shared_server: Served, media_type: str) -> None:
    reply = _post(shared_server, BATCH, ("Content-Type", media_type))
    assert (reply.status, reply.json.keys()) == (400, {"ok", "erreur"})


@requirement("S3")
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"[]x",
        BATCH + b"x",
        BATCH[:-1] + b",}",
        b"\xff",
        b"\xef\xbb\xbf" + BATCH,
        b"NaN",
    ],
)
def test_what_is_no_json_is_400(shared_server: Served, data: bytes) -> None:
    assert _post(shared_server, data).status == 400


@requirement("S3", "C-N13", "C-R2", "C-R8")
def test_one_bad_event_refuses_the_batch_and_is_named(shared_server: Served) -> None:
    before = shared_server.ledger.read_bytes()
    bad = delegation(9003, estimation__evites=True)
    reply = _post(shared_server, body(*map(delegation, range(9000, 9003)), bad))
    assert reply.status == 422
    assert {**reply.json, "erreur": ""} == {
        "ok": False, "erreur": "", "index": 3, "champ": "estimation.evites",
    }  # fmt: skip
    assert shared_server.ledger.read_bytes() == before


@requirement("S3", "C-N6", "C-T4")
@pytest.mark.parametrize(
    "value",
    [[], {}, None, 1, "x", {"evenements": []}, {"evenements": {}}, {"autres": []}, 501],
    ids=json.dumps,
)
def test_what_is_no_batch_is_422_without_an_index(shared_server: Served, value: object) -> None:
    made = body(*map(delegation, range(501))) if value == 501 else json.dumps(value).encode()
    reply = _post(shared_server, made)
    assert (reply.status, reply.json["index"], reply.json["champ"]) == (422, None, "evenements")


@requirement("S2")
@pytest.mark.parametrize("length", ["x", "-1", "+1", "1_0", "", "9" * 30])
def test_a_length_that_is_no_number_is_a_bad_request(shared_server: Served, length: str) -> None:
    with Connection(shared_server.port) as connection:
        headers = _headers(shared_server, ("Content-Length", length))
        connection.send(spelt("POST", "/economies", headers) + BATCH)
        assert connection.reply().status == 400


@requirement("S2")
def test_a_body_with_two_lengths_is_a_bad_request(shared_server: Served) -> None:
    for other in (("Content-Length", "5"), ("Transfer-Encoding", "chunked")):
        headers = _headers(shared_server, ("Content-Length", str(len(BATCH))), other)
        with Connection(shared_server.port) as connection:
            connection.send(spelt("POST", "/economies", headers) + BATCH)
            assert connection.reply().status == 400


@requirement("S2")
def test_a_head_that_never_ends_is_cut_off_whoever_sends_it(shared_server: Served) -> None:
    for begun in (b"GET / HTTP/1.1\r\nX: ", b"GET /", b"POST / HTTP/1.1\r\n" + b"a: b\r\n" * 100):
        with Connection(shared_server.port) as connection:
            connection.send(begun)
            assert _sent_until_closed(connection, b"x" * HEAD_BYTES) < 1000


def _sent_until_closed(connection: Connection, part: bytes) -> int:
    """Send a part again and again; return how often it went."""
    for times in range(1000):
        try:
            connection.send(part)
        except (ConnectionResetError, BrokenPipeError):
            return times
    return 1000


@requirement("S2", "S5")
def test_a_client_that_goes_away_in_mid_body_leaves_nothing_behind(shared_server: Served) -> None:
    before = shared_server.ledger.read_bytes()
    data = body(delegation(7777))
    with Connection(shared_server.port) as connection:
        connection.send(spelt("POST", "/economies", _headers(shared_server), data)[:-1])
    length = ("Content-Length", str(len(data) + 1))  # all that came would be a batch
    with Connection(shared_server.port) as connection:
        connection.send(spelt("POST", "/economies", _headers(shared_server, length)) + data)
    assert _post(shared_server, body(delegation(7778))).json["recus"] == 1
    added = shared_server.ledger.read_bytes().removeprefix(before)
    assert (added.count(b"\n"), b"dem-0000001e61" in added) == (1, False)


@requirement("S2")
def test_a_connection_may_carry_one_batch_after_another(shared_server: Served) -> None:
    request = spelt("POST", "/economies", _headers(shared_server), BATCH)
    with Connection(shared_server.port) as connection:
        for _ in range(3):
            connection.send(request)
            assert connection.reply().status == 200
        connection.send(request * 3)
        assert [connection.reply().status for _ in range(3)] == [200, 200, 200]


@requirement("S2")
def test_a_body_that_comes_byte_by_byte_is_one_body(shared_server: Served) -> None:
    request = spelt("POST", "/economies", _headers(shared_server), BATCH)
    with Connection(shared_server.port) as connection:
        for at in range(len(request)):
            connection.send(request[at : at + 1])
        assert connection.reply().status == 200
