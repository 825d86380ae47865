"""The token's file and its directory: made once, for its owner alone, and refused where others could replace it."""

from __future__ import annotations

import hmac
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome.errors import TokenUnsafe
from econome.server import token
from econome.server.token import TokenFile
from tests.door import run
from tests.http.process import Served, served
from tests.requirements import requirement
from tests.savings.builders import delegation, text


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server."""
    with served(tmp_path) as running:
        yield running


@requirement("S1")
def test_two_that_make_a_token_at_once_have_the_same(tmp_path: Path) -> None:
    path = str(tmp_path / "token")
    first, second = TokenFile(path), TokenFile(path)
    made = first.ensure()
    second._write(replace=False)  # it saw no file, and was second
    assert (first.read(), second.read(), second.ensure()) == (made, made, made)
    assert [entry.name for entry in tmp_path.iterdir()] == ["token"]


@requirement("S1")
def test_a_token_is_43_letters_of_32_random_bytes_and_rotates(tmp_path: Path) -> None:
    file = TokenFile(str(tmp_path / "token"))
    tokens = [file.ensure(), *(file.rotate() for _ in range(20))]
    assert len(set(tokens)) == 21
    assert {len(token) for token in tokens} == {43}
    assert (tmp_path / "token").read_bytes() == f"{tokens[-1]}\n".encode()


@requirement("S1")
def test_a_directory_in_which_others_may_write_holds_no_token(tmp_path: Path) -> None:
    place = tmp_path / "open"
    place.mkdir()
    place.chmod(0o777)
    with pytest.raises(TokenUnsafe, match="others"):
        TokenFile(str(place / "token")).ensure()
    assert list(place.iterdir()) == []


@requirement("S1")
def test_a_directory_that_is_wholly_ours_is_closed_to_others_and_another_is_left(
    tmp_path: Path,
) -> None:
    modes = []
    for names in ((), ("history.sqlite", "logs"), ("photos",)):
        place = tmp_path / "-".join(("data", *names))
        place.mkdir()
        for name in names:
            (place / name).touch()
        place.chmod(0o755)
        TokenFile(str(place / "token")).ensure()
        modes.append(oct(place.stat().st_mode & 0o777))
    assert modes == ["0o700", "0o700", "0o755"]


@requirement("S1")
@pytest.mark.parametrize(
    "line",
    [("token", "show"), ("open", "--print"), ("balance", "--verify"), ("events", "import")],
)
def test_a_directory_that_was_opened_to_others_later_is_refused_too(
    server: Served, line: tuple[str, ...]
) -> None:
    given = server.directory.parent / f"{server.directory.name}.jsonl"
    given.write_bytes(text(delegation(1)) + b"\n")
    server.directory.chmod(0o770)
    words = (*line, str(given)) if line == ("events", "import") else line
    ran = run(*words, "--data-dir", str(server.directory))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"econome: {server.directory}: others may write here; make it yours with `chmod 700`\n"
    )
    assert server.ledger.read_bytes() == b""


@requirement("S1")
def test_a_server_does_not_begin_in_a_directory_that_is_open_to_others(tmp_path: Path) -> None:
    TokenFile(str(tmp_path / "token")).ensure()
    tmp_path.chmod(0o703)
    ran = run("serve", "--port", "0", "--data-dir", str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert "chmod 700" in ran.err
    assert not (tmp_path / "logs").exists()


@requirement("S1")
def test_a_directory_of_another_user_holds_no_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = TokenFile(str(tmp_path / "token"))
    token = file.ensure()
    monkeypatch.setattr("os.geteuid", lambda: 4_242_424)
    for ask in (file.read, file.ensure, file.rotate):
        with pytest.raises(TokenUnsafe, match="another user"):
            ask()
    assert (tmp_path / "token").read_text(encoding="ascii") == f"{token}\n"


@requirement("S1")
@pytest.mark.parametrize("kind", ["pipe", "link", "socket", "directory"])
def test_what_is_no_regular_file_is_no_token(tmp_path: Path, kind: str) -> None:
    place = tmp_path / "data"
    good = TokenFile(str(place / "other")).ensure()
    path = place / "token"
    with socket.socket(socket.AF_UNIX) as bound:
        if kind == "pipe":
            os.mkfifo(path, 0o600)
        elif kind == "link":
            path.symlink_to("other")
        elif kind == "socket":
            bound.bind(os.path.relpath(path))
            path.chmod(0o600)
        else:
            path.mkdir(0o700)
        file = TokenFile(str(path))
        assert not file.accepts(good.encode())
        with pytest.raises(TokenUnsafe, match="no regular file"):
            file.ensure()


@requirement("S1")
def test_a_token_is_compared_in_a_time_that_tells_nothing_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = TokenFile(str(tmp_path / "token"))
    good = file.ensure().encode()
    compared = []

    def compare(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return hmac.compare_digest(one, other)

    assert vars(token)["compare_digest"] is hmac.compare_digest
    monkeypatch.setattr(token, "compare_digest", compare)
    near = good[:-1] + (b"A" if good[-1:] != b"A" else b"B")
    presented = [good, near, b"", good + b"A"]
    assert [file.accepts(each) for each in presented] == [True, False, False, False]
    assert compared == [(each, good) for each in presented]
