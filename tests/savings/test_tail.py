"""The end of the ledger: its last lines, and those that are added."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.savings import tail
from econome.savings.tail import Tail
from tests.requirements import requirement

pytestmark = requirement("S5")


@given(
    st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b".")), max_size=9),
    st.binary(max_size=3).map(lambda line: line.replace(b"\n", b".")),
    st.integers(0, 10),
    st.sampled_from([1, 3, 65_536]),
)
def test_the_last_lines_are_those_before_the_last_line_end(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], torn: bytes, count: int, step: int
) -> None:
    path = tmp_path_factory.mktemp("tail") / "ledger"
    path.write_bytes(b"".join(line + b"\n" for line in lines) + torn)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tail, "_STEP_BYTES", step)
        assert Tail(str(path)).last(count) == lines[max(0, len(lines) - count) :]


def test_only_whole_lines_are_told_each_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(b"a\nb")
    end = Tail(str(path))
    assert end.last(5) == [b"a"]
    with path.open("ab") as file:
        file.write(b"b\nc\nd")
    assert (list(end.added()), list(end.added())) == ([b"bb", b"c"], [])
    with path.open("ab") as file:
        file.write(b"\n")
    assert list(end.added()) == [b"d"]


def test_a_file_that_is_not_there_yet_has_no_line_and_is_read_once_it_is(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "ledger"
    end = Tail(str(path))
    assert (end.last(5), list(end.added())) == ([], [])
    path.parent.mkdir()
    path.write_bytes(b"a\nb\n")
    assert list(end.added()) == [b"a", b"b"]


def test_a_line_that_was_taken_back_is_followed_by_the_one_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(b"a\nfailed\n")
    end = Tail(str(path))
    end.last(1)
    path.write_bytes(b"a\n")
    assert list(end.added()) == []
    path.write_bytes(b"a\nkept\n")
    assert list(end.added()) == [b"kept"]


def test_a_file_that_was_replaced_is_read_from_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    path.write_bytes(b"a\n")
    end = Tail(str(path))
    end.last(1)
    other = tmp_path / "other"
    other.write_bytes(b"x\ny\n")
    other.replace(path)
    assert list(end.added()) == [b"x", b"y"]
