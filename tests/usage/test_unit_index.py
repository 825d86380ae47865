"""What only the index itself can show: which trees it keeps, and that it is grown, not made anew."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from econome import settings
from econome.usage.index import Index
from econome.usage.open import index_path, read_tree
from tests.builders import Tree, assistant
from tests.requirements import requirement


def look(root: Path) -> int:
    """Read a tree through the index and return its responses."""
    with read_tree([str(root)], settings.load()) as tree:
        return tree.totals["responses"]


def kept() -> list[str]:
    """Return the trees that the index knows."""
    index = Index(index_path(settings.load()))
    try:
        return sorted(index.trees())
    finally:
        index.close()


@requirement("F12")
def test_a_tree_whose_roots_are_gone_is_forgotten(tree: Tree, tmp_path: Path) -> None:
    tree.main("s1", assistant("a"))
    other = tmp_path / "other"
    shutil.copytree(tree.root, other)
    assert (look(other), look(tree.root)) == (1, 1)
    assert kept() == sorted([str(tree.root), str(other)])
    shutil.rmtree(other)
    tree.main("s2", assistant("b"))
    assert look(tree.root) == 2
    assert kept() == [str(tree.root)]


@requirement("F12")
def test_a_change_grows_the_index_and_does_not_replace_it(tree: Tree) -> None:
    path = tree.main("s1", assistant("a"))
    look(tree.root)
    before = os.stat(index_path(settings.load())).st_ino
    with path.open("ab") as file:
        file.write(path.read_bytes().replace(b"msg_", b"msg_new"))
    tree.main("s2", assistant("b"))
    assert look(tree.root) == 3
    path.unlink()
    assert look(tree.root) == 1
    assert os.stat(index_path(settings.load())).st_ino == before


@requirement("R6")
@pytest.mark.parametrize("indexed", [True, False])
def test_the_files_with_lines_that_were_not_counted_are_named(tree: Tree, indexed: bool) -> None:
    tree.main("s1", assistant("a"))
    torn = tree.main("s2", assistant("b"))
    torn.write_bytes(b"not json\n" + torn.read_bytes() + b'{"type":')
    wrong = tree.main("s3", assistant("c", usage={"input_tokens": -1}))
    with read_tree([str(tree.root)], settings.load(), use_index=indexed) as found:
        assert found.flaws() == sorted([(str(torn), 1, 0, 1), (str(wrong), 0, 1, 0)])
