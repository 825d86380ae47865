"""Whose directory one works in, and which places are one file's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from econome.lean.install.folders import folders_of, places_in
from econome.lean.install.places import Place
from tests.requirements import requirement

pytestmark = requirement("L18")


def test_a_directory_is_kept_for_itself_and_for_its_repository(tmp_path: Path) -> None:
    below = tmp_path / "one" / "two"
    below.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    assert folders_of(str(below)) == [str(below), str(tmp_path)]
    assert folders_of(str(tmp_path)) == [str(tmp_path)]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_places_are_in_a_file_whatever_links_lead_to_it(tmp_path: Path) -> None:
    file, link = tmp_path / "file.json", tmp_path / "link.json"
    link.symlink_to(file)
    one, other, missing = (
        Place("claude-code", str(tmp_path / name), ("mcpServers",))
        for name in ("file.json", "link.json", "missing.json")
    )
    for path in (file, link, tmp_path / "." / "file.json"):
        assert places_in(str(path), [one, missing, other]) == [one, other]
    assert places_in(str(tmp_path / "missing.json"), [one, missing, other]) == [missing]
    assert places_in(str(tmp_path / "nothing"), [one, missing, other]) == []
