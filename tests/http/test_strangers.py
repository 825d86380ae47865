"""What a command does where something else than its server answers, or the server does not."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from econome import settings
from econome.errors import ServerRefused
from econome.savings.lock import Holder
from econome.savings.store import Ledger
from econome.server.client import Client
from econome.server.token import TokenFile
from econome.settings import Settings
from tests.door import run
from tests.http.process import Served, served
from tests.requirements import requirement
from tests.savings.builders import body, delegation, text


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server."""
    with served(tmp_path) as running:
        yield running


class _Program:
    """Another program at the address of a server: it answers each request with the same, and keeps what it was sent."""

    def __init__(self, *answers: bytes) -> None:
        self.met: list[bytes] = []
        self._answers = answers
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._thread = threading.Thread(target=self._answer)

    def __enter__(self) -> _Program:
        self._thread.start()
        return self

    def __exit__(self, *failure: object) -> None:
        self._thread.join(timeout=60)
        self._listener.close()

    def _answer(self) -> None:
        for answer in self._answers:
            connection, _ = self._listener.accept()
            with connection:
                self.met.append(connection.recv(65_536))
                connection.sendall(
                    b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%b"
                    % (len(answer), answer)
                )


@contextmanager
def _held(directory: Path, port: int) -> Iterator[Settings]:
    """Hold the ledger as a server whose port belongs to another program."""
    found = settings.load(data_dir=str(directory))
    TokenFile(found.token_path()).ensure()
    url = f"http://127.0.0.1:{port}"
    with closing(Ledger.open(found.ledger_dir(), "econome serve", url)):
        yield found


ANSWERS = [b"", b"[]", b"{}", b"hello", b"\xff", b'{"code":1}', b"[" * 100_000]


@requirement("S1")
@pytest.mark.parametrize("answer", ANSWERS)
def test_another_program_at_the_address_is_one_sentence_and_sees_no_token(
    tmp_path: Path, answer: bytes
) -> None:
    given = tmp_path / "events.jsonl"
    given.write_bytes(text(delegation(1)) + b"\n")
    lines = (("open", "--print"), ("events", "import", str(given)), ("balance", "--verify"))
    for line in lines:
        with _Program(answer) as program, _held(tmp_path / "data", program.port) as found:
            ran = run(*line, "--data-dir", found.data_dir)
            token = TokenFile(found.token_path()).read()
        assert (ran.code, ran.err.count("\n")) == (1, 1), line
        assert "no answer of econome" in ran.err
        assert token.encode() not in b"".join(program.met)


@requirement("S1", "S5")
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_of_econome_is_a_refusal(tmp_path: Path, answer: bytes) -> None:
    asks: list[Callable[[Client], object]] = [
        Client.login_code,
        lambda client: client.post_batch(body(delegation(1))),
        lambda client: client.report("/api/v1/balance", "econome.balance/1"),
    ]
    for ask in asks:
        with _Program(b'{"ok":true}', answer) as program:
            held = Holder(1, "econome serve", f"http://127.0.0.1:{program.port}")
            with Client(held, "token") as client, pytest.raises(ServerRefused, match="econome"):
                ask(client)


@requirement("S5")
def test_a_server_that_is_stopped_is_named_instead_of_waited_for(
    server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("econome.server.client.FIRST_SECONDS", 0.2)
    given = tmp_path / "events.jsonl"
    given.write_bytes(text(delegation(1)) + b"\n")
    lines = (("open", "--print"), ("events", "import", str(given)))
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        told = [run(*line, "--data-dir", str(server.directory)) for line in lines]
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    for ran in told:
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert "does not answer" in ran.err
        assert f"process {server.process.pid}" in ran.err
        assert "start it" not in ran.err
