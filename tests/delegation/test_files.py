"""Reading a request's files: what is inside is given whole, and nothing else is ever given."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from econome.delegation.files import Limits, read_files
from econome.delegation.folders import Roots
from econome.delegation.seen import Seen
from econome.errors import FileRefused
from tests.delegation.ground import INSIDE, SECRET, Ground, ground_in, refusal
from tests.requirements import requirement

pytestmark = requirement("D7")

SMALL = Limits(file_bytes=1000, total_bytes=1500)
OUTSIDE = "it is outside the directories that may be used; `roots` under [delegation] in config.toml sets them"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return ground_in(tmp_path)


def _why(ground: Ground, path: str, limits: Limits = SMALL) -> str:
    return refusal(read_files, [path], None, ground.roots, limits)


def test_files_are_given_under_the_names_they_were_asked_for(ground: Ground) -> None:
    whole = str(ground.root / "deep" / "b.txt")
    asked = ["a.txt", whole, "./a.txt", "deep//b.txt"]
    assert read_files(asked, None, ground.roots, SMALL) == [("a.txt", INSIDE), (whole, INSIDE)]


def test_a_relative_path_begins_at_the_base(ground: Ground) -> None:
    base = str(ground.root / "deep")
    assert read_files(["b.txt"], base, ground.roots, SMALL) == [("b.txt", INSIDE)]


def test_a_base_outside_the_roots_gives_nothing(ground: Ground) -> None:
    why = refusal(read_files, ["a.txt"], str(ground.outside), ground.roots, SMALL)
    assert why == OUTSIDE


def test_a_relative_path_among_several_roots_has_to_be_said_in_full(ground: Ground) -> None:
    roots = Roots((str(ground.root), str(ground.outside)))
    why = refusal(read_files, ["a.txt"], None, roots, SMALL)
    assert why == "it is relative and there are several roots; say it in full"


def test_without_a_root_the_setting_is_named(ground: Ground) -> None:
    why = refusal(read_files, ["a.txt"], str(ground.root), Roots(()), SMALL)
    assert "`roots` under [delegation] in config.toml" in why


def test_a_root_that_is_a_link_is_reached_by_both_its_names(ground: Ground, tmp_path: Path) -> None:
    alias = tmp_path / "alias"
    alias.symlink_to(ground.root)
    paths = [str(alias / "a.txt"), str(ground.root / "a.txt")]
    assert read_files(paths, None, Roots((str(alias),)), SMALL) == [(paths[0], INSIDE)]
    assert read_files(paths[1:], None, ground.roots, SMALL) == [(paths[1], INSIDE)]


@pytest.mark.parametrize(
    "own, readable",
    [
        ("root/deep", {"root/deep/b.txt"}),
        ("root", {"root/a.txt", "root/deep/b.txt"}),
        ("", {"root/a.txt", "root/deep/b.txt"}),
        ("outside", set()),
        ("root/absent", set()),
    ],
)
def test_a_clients_roots_only_narrow(
    ground: Ground, tmp_path: Path, own: str, readable: set[str]
) -> None:
    roots = Roots((str(ground.root),), narrowed=(str(tmp_path / own),))
    found = set()
    for name in ("root/a.txt", "root/deep/b.txt", "outside/a.txt", "outside/deep/b.txt"):
        try:
            read_files([str(tmp_path / name)], None, roots, SMALL)
        except FileRefused:
            continue
        found.add(name)
    assert found == readable


def test_a_client_that_names_a_link_out_of_the_root_widens_nothing(
    ground: Ground, tmp_path: Path
) -> None:
    (ground.root / "out").symlink_to(ground.outside)
    roots = Roots((str(ground.root),), narrowed=(str(ground.root / "out"),))
    for path in (ground.root / "out" / "a.txt", ground.outside / "a.txt", ground.root / "a.txt"):
        refusal(read_files, [str(path)], None, roots, SMALL)


@pytest.mark.parametrize(
    "path, reason",
    [
        ("../outside/a.txt", "`..` is not taken; write the path without it"),
        ("deep/../a.txt", "`..` is not taken; write the path without it"),
        ("deep/..", "`..` is not taken; write the path without it"),
        ("/etc/passwd", OUTSIDE),
        ("//etc/passwd", OUTSIDE),
        ("~/a.txt", "`~` is not expanded; say it in full"),
        ("deep\\b.txt", "write it with `/`"),
        ("a.txt\0", "it holds a control character"),
        ("a\n.txt", "it holds a control character"),
        ("a\u202etxt.a", "it holds a control character"),
        ("a\ud800.txt", "it is not text"),
        ("", "it names nothing"),
        ("deep/", "it names a directory; name a file"),
        ("deep", "it is a directory; name the files in it"),
        ("absent.txt", "there is no such file"),
        ("absent/b.txt", "there is no directory absent"),
        ("a.txt/b.txt", "a.txt is not a directory"),
        ("x" * 300, "a name in it is too long"),
        ("x/" * 3000 + "y", "it is too long"),
        (".git/config", "what is in .git is out of reach"),
        (".GIT/config", "what is in .GIT is out of reach"),
        ("deep/.Git/hooks/x", "what is in .Git is out of reach"),
        (".git /config", "what is in .git  is out of reach"),
        (".git./config", "what is in .git. is out of reach"),
        (".git::$INDEX_ALLOCATION/config", "what is in .git::$INDEX_ALLOCATION is out of reach"),
        ("GIT~1/config", "what is in GIT~1 is out of reach"),
        (".g\u200cit/config", "what is in .g\\u200cit is out of reach"),
        (".ｇｉｔ/config", "what is in .ｇｉｔ is out of reach"),
        (".Econome/token", "what is in .Econome is out of reach"),
    ],
)
def test_what_a_path_may_not_say_is_refused_with_the_reason(
    ground: Ground, path: str, reason: str
) -> None:
    (ground.root / ".git").mkdir()
    (ground.root / ".git" / "config").write_text(SECRET, encoding="utf-8")
    assert _why(ground, path) == reason


@pytest.mark.parametrize(
    "name", [".env", ".ENV", ".env.local", "id_rsa", "server.PEM", ".netrc", "a.key", ".ssh/config", "secrets.toml"]
)  # fmt: skip
def test_a_file_whose_name_speaks_of_secrets_needs_the_setting(ground: Ground, name: str) -> None:
    path = ground.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("K=1\n", encoding="utf-8")
    assert "`sensitive = true`" in _why(ground, name)
    allowed = Limits(sensitive=True)
    assert read_files([name], None, ground.roots, allowed) == [(name, "K=1\n")]


@pytest.mark.parametrize("name", [".env.example", "id_rsa.pub", "keys.py", "environment"])
def test_a_file_that_is_only_named_like_one_is_read(ground: Ground, name: str) -> None:
    (ground.root / name).write_text("K=\n", encoding="utf-8")
    assert read_files([name], None, ground.roots, SMALL) == [(name, "K=\n")]


def test_no_link_is_followed_wherever_it_leads(ground: Ground) -> None:
    (ground.root / "out.txt").symlink_to(ground.outside / "a.txt")
    (ground.root / "in.txt").symlink_to("a.txt")
    (ground.root / "none.txt").symlink_to("absent")
    (ground.root / "out").symlink_to(ground.outside)
    reasons = {name: _why(ground, name) for name in ("out.txt", "in.txt", "none.txt", "out/a.txt")}
    link = "it is a link; name what it leads to"
    assert reasons == {
        "out.txt": link,
        "in.txt": link,
        "none.txt": link,
        "out/a.txt": "out is a link; name what it leads to",
    }


def test_economes_own_data_is_out_of_reach_in_any_root(ground: Ground) -> None:
    data = ground.root / "data"
    data.mkdir()
    (data / "token").write_text(SECRET, encoding="utf-8")
    for allowed in (ground.root, data):
        roots = Roots((str(allowed),), closed=(str(data),))
        why = refusal(read_files, [str(data / "token")], None, roots, SMALL)
        assert why == "it lies in econome's own data"


def test_a_fifo_a_socket_and_devices_are_refused_at_once(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(ground.root / "fifo")
    monkeypatch.chdir(ground.root)
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("socket")
        assert _why(ground, "fifo") == "it is not a regular file"
        assert _why(ground, "socket") == "it is not a regular file"
    for name in ("null", "zero", "tty"):
        why = refusal(read_files, [name], None, Roots(("/dev",)), SMALL)
        assert why == "it is not a regular file"


def test_a_device_is_not_even_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    real = os.open

    def noting(path: str, *args: int, **named: int | None) -> int:
        opened.append(path)
        return real(path, *args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", noting)
    refusal(read_files, ["zero"], None, Roots(("/dev",)), SMALL)
    assert opened == ["/", "dev"]


def test_a_sparse_file_of_5_gb_is_refused_without_reading_a_byte(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open(ground.root / "huge", "wb") as file:
        file.truncate(5 << 30)
    monkeypatch.setattr(os, "read", None)
    assert _why(ground, "huge") == "it is larger than 1000 bytes; give a part of it"


def test_a_file_that_grows_while_it_is_read_costs_no_more_than_the_limit(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, got = os.read, 0

    def growing(fd: int, size: int) -> bytes:
        nonlocal got
        with open(ground.root / "a.txt", "ab") as file:
            file.write(b"more " * 10_000)
        piece = real(fd, size)
        got += len(piece)
        return piece

    monkeypatch.setattr(os, "read", growing)
    assert _why(ground, "a.txt") == "it is larger than 1000 bytes; give a part of it"
    assert got == SMALL.file_bytes + 1


def test_the_limits_are_reached_and_not_passed(ground: Ground) -> None:
    for name, size in (("one", 1000), ("two", 500), ("more", 501), ("large", 1001)):
        (ground.root / name).write_text("x" * size, encoding="utf-8")
    fits = read_files(["one", "two"], None, ground.roots, SMALL)
    assert [(name, len(text)) for name, text in fits] == [("one", 1000), ("two", 500)]
    together = refusal(read_files, ["one", "more"], None, ground.roots, SMALL)
    assert together == "the files together are larger than 1500 bytes; name fewer"
    assert _why(ground, "large") == "it is larger than 1000 bytes; give a part of it"
    many = refusal(read_files, ["one"] * 3, None, ground.roots, Limits(files=2))
    assert many == "more than 2 files; name fewer"


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"\x7fELF\0\0", "it is not text"),
        (b"caf\xe9", "it is not text in UTF-8"),
        (b"\xff\xfea\0", "it is not text"),
        (b"\xed\xa0\x80", "it is not text in UTF-8"),
    ],
)
def test_what_is_no_text_is_refused(ground: Ground, data: bytes, reason: str) -> None:
    (ground.root / "data").write_bytes(data)
    assert _why(ground, "data") == reason


def test_line_ends_and_odd_letters_come_as_they_are(ground: Ground) -> None:
    text = "\ufeffa\r\nb\x0c\x1b[0m é 😀"
    (ground.root / "odd").write_bytes(text.encode())
    assert read_files(["odd"], None, ground.roots, SMALL) == [("odd", text)]


def test_a_root_is_no_file(ground: Ground) -> None:
    assert _why(ground, str(ground.root)) == "it is a directory; name the files in it"


def test_a_root_that_is_not_there_is_named(ground: Ground) -> None:
    gone = str(ground.root / "gone")
    why = refusal(read_files, ["a.txt"], None, Roots((gone,)), SMALL)
    assert why.startswith(f"{gone}, below which it may be, does not exist; `roots` under")
    roots = Roots((str(ground.root), gone))
    whole = str(ground.outside / "a.txt")
    why = refusal(read_files, [whole], None, roots, SMALL)
    assert why == f"{OUTSIDE}; {gone}, one of them, does not exist"


def test_one_refused_file_means_that_none_is_given(ground: Ground) -> None:
    assert refusal(read_files, ["a.txt", "absent"], None, ground.roots, SMALL)


def test_no_descriptor_stays_open_after_a_refusal(ground: Ground) -> None:
    (ground.root / "out").symlink_to(ground.outside)
    os.mkfifo(ground.root / "fifo")
    lowest = os.dup(0)
    os.close(lowest)
    for path in ("out/a.txt", "fifo", "absent/x", "absent", "a.txt/x", "deep"):
        refusal(read_files, [path], None, ground.roots, SMALL)
    read_files(["a.txt"], None, ground.roots, SMALL)
    again = os.dup(0)
    os.close(again)
    assert again == lowest


def test_what_was_read_is_what_the_caller_has_seen(ground: Ground) -> None:
    seen = Seen()
    read_files(["a.txt"], None, ground.roots, SMALL, seen.by(("me", None)))
    path = str(ground.root / "a.txt")
    known = seen.by(("me", None)).known(path)
    assert known is not None
    assert known[0] == len(INSIDE)
    assert seen.by(("other", None)).known(path) is None


def test_of_a_refused_request_nothing_was_seen(ground: Ground) -> None:
    eyes = Seen().by(("me", None))
    refusal(read_files, ["a.txt", "absent"], None, ground.roots, SMALL, eyes)
    assert eyes.known(str(ground.root / "a.txt")) is None


@pytest.mark.parametrize("odd", ["", ".", "root", "/\0", "/\ud800", "\0", "~"])
def test_a_base_or_a_root_that_is_no_directory_gives_nothing(
    ground: Ground, odd: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ground.root)
    assert refusal(read_files, ["a.txt"], odd, ground.roots, SMALL)
    narrowed = Roots((str(ground.root),), narrowed=(odd,))
    for path in ("a.txt", str(ground.root / "a.txt")):
        why = refusal(read_files, [path], None, narrowed, SMALL)
        assert why == "the client's own roots lie outside the directories that may be used"


def test_of_more_files_than_are_remembered_the_longest_unseen_is_forgotten() -> None:
    seen = Seen(limit=2)
    eyes = seen.by((None, None))
    for path in ("a", "b", "a", "c"):
        eyes.saw(path, b"")
    assert [eyes.known(path) is not None for path in "abc"] == [True, False, True]
