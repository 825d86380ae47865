"""Files of lines: what is read while they grow, and what is made for them."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome import durable
from econome.durable import LineFile, LineReader, end_of_lines, make_directory, whole_lines

# Short lines, empty ones and torn tails, against chunks of a few bytes.
contents = st.text("ab\n", max_size=40).map(str.encode)
chunks = st.integers(1, 12)


def _whole(data: bytes) -> bytes:
    return data[: data.rfind(b"\n") + 1]


@given(contents, chunks, st.integers(0, 50))
def test_blocks_are_the_whole_lines_before_the_end(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, chunk: int, end: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    path.write_bytes(data)
    fd = os.open(path, os.O_RDONLY)
    try:
        with patch.multiple(durable, CHUNK_BYTES=chunk, _STEP_BYTES=chunk):
            blocks = list(whole_lines(fd, 0, end))
            behind = end_of_lines(fd, len(data))
    finally:
        os.close(fd)
    assert b"".join(blocks) == _whole(data[:end])
    assert all(block.endswith(b"\n") for block in blocks)
    assert behind == len(_whole(data))


@given(contents, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40))), chunks)
def test_a_reader_that_looks_again_and_again_reads_each_line_once(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, looks: list[tuple[int, int]], chunk: int
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    reader, read, most = LineReader(str(path)), b"", 0
    with patch.object(durable, "CHUNK_BYTES", chunk):
        for grown, limit in [*sorted(looks), (len(data), len(data))]:
            path.write_bytes(data[:grown])
            assert reader.goes_on()
            read += b"".join(reader.blocks(limit))
            most = max(most, len(_whole(data[: min(grown, limit)])))
            assert (read, reader.offset) == (data[:most], most)
    assert read == _whole(data)


@given(contents, contents)
def test_a_file_written_anew_is_read_anew(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, other: bytes
) -> None:
    path = tmp_path_factory.mktemp("lines") / "x.jsonl"
    path.write_bytes(data)
    reader = LineReader(str(path))
    assert reader.goes_on()
    read = b"".join(reader.blocks())
    path.write_bytes(other)
    assert reader.goes_on() == other.startswith(read)
    assert (read if other.startswith(read) else b"") + b"".join(reader.blocks()) == _whole(other)


def test_a_file_put_in_the_place_of_another_is_read_anew(tmp_path: Path) -> None:
    path, other = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    path.write_bytes(b"1\n")
    reader = LineReader(str(path))
    assert (reader.goes_on(), list(reader.blocks())) == (True, [b"1\n"])
    other.write_bytes(b"1\n2\n")
    other.rename(path)
    assert (reader.goes_on(), list(reader.blocks())) == (False, [b"1\n2\n"])
    path.unlink()
    assert (reader.goes_on(), list(reader.blocks())) == (False, [])
    path.write_bytes(b"3\n")
    assert (reader.goes_on(), list(reader.blocks())) == (True, [b"3\n"])


def test_an_append_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    file = LineFile(str(path))
    file.append(b"1\n")
    with patch.object(os, "fsync", side_effect=OSError(errno.EIO, "broken")):
        for _ in range(2):
            with pytest.raises(OSError, match="broken"):
                file.append(b"2\n")
    file.append(b"3\n")
    assert (path.read_bytes(), file.size) == (b"1\n3\n", 4)
    file.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        file.append(b"4\n")


def test_directories_are_made_for_their_owner_alone_and_those_there_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = tmp_path / "there"
    there.mkdir(0o755)
    monkeypatch.chdir(there)
    make_directory("a/b")
    make_directory("a/b")
    make_directory(str(there))
    modes = [path.stat().st_mode & 0o777 for path in (there, there / "a", there / "a" / "b")]
    assert modes == [0o755, 0o700, 0o700]


def test_a_directory_is_not_made_where_something_else_has_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for path in ("file", "file/a", "link", "link/a"):
        with pytest.raises(OSError, match=path.partition("/")[0]):
            make_directory(str(tmp_path / path))


def test_a_directory_is_not_made_where_the_one_above_takes_none(tmp_path: Path) -> None:
    refusal = FileNotFoundError(
        errno.ENOENT, "No such file or directory", "below"
    )  # as /proc says it
    with patch.object(os, "mkdir", side_effect=refusal), pytest.raises(FileNotFoundError):
        make_directory(str(tmp_path / "below"))


def test_a_file_of_lines_has_one_writer_until_it_is_closed(tmp_path: Path) -> None:
    path = str(tmp_path / "x.jsonl")
    file = LineFile(path)
    with pytest.raises(BlockingIOError, match="another process writes it"):
        LineFile(path)
    file.close()
    LineFile(path).close()


def test_a_look_finds_what_was_acknowledged_or_says_that_it_is_gone(tmp_path: Path) -> None:
    path, aside = tmp_path / "x.jsonl", tmp_path / "y.jsonl"
    file = LineFile(str(path))
    file.append(b"1\n")
    file.write(b"2\n")  # a writer at work
    file.check()
    file.sync()
    file.accept()
    file.check()
    for change in (lambda: os.truncate(path, 3), lambda: path.rename(aside)):
        change()
        with pytest.raises(OSError, match="changed from outside"):
            file.check()
    path.write_bytes(b"1\n2\n")
    with pytest.raises(OSError, match="changed from outside"):
        file.check()
    file.close()
