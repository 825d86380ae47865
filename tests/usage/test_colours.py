"""V3: the place of a model's colour is given once and kept, whatever is looked at and by whom."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from econome import clock
from econome import settings as own
from econome.usage.colours import places
from econome.usage.history import History
from econome.usage.open import read_tree
from tests.builders import Row, Tree, assistant, counts
from tests.door import figures, finish, forget, run, spawn, text
from tests.requirements import requirement

pytestmark = requirement("V3", "F17")

OPUS, HAIKU, UNKNOWN = "claude-opus-4-8", "claude-haiku-4-5", "claude-example-9"


def wrote(name: str, model: str, output: int = 50) -> Row:
    """A response of a model."""
    return assistant(name, model=model, usage=counts(output=output))


@pytest.fixture
def path(home: Path) -> str:
    """Where the history of this home lies."""
    return own.load().history_path()


def given(tree: Tree, path: str, models: list[str] | None = None) -> Mapping[str, int]:
    """The places of a tree's models."""
    with read_tree([str(tree.root)], own.load(), use_index=False) as read:
        return places(path, read, clock.zone("UTC"), models)


def test_the_dearest_model_of_all_history_comes_first_then_what_has_most_tokens(
    tree: Tree, path: str
) -> None:
    tree.main(
        "s1",
        wrote("a", HAIKU),
        wrote("b", OPUS),
        wrote("c", UNKNOWN),
        wrote("d", "claude-example-8", 99),
    )
    expected = {OPUS: 0, HAIKU: 1, "claude-example-8": 2, UNKNOWN: 3}
    assert given(tree, path) == expected


def test_a_place_is_kept_when_the_ranking_turns_and_a_later_model_gets_the_next(
    tree: Tree, path: str
) -> None:
    tree.main("s1", wrote("a", HAIKU), wrote("b", UNKNOWN))
    first = dict(given(tree, path))
    assert first == {HAIKU: 0, UNKNOWN: 1}
    tree.main("s2", wrote("c", OPUS, 100_000))
    assert given(tree, path) == {**first, OPUS: 2}
    tree.main("s1", wrote("z", UNKNOWN))
    assert given(tree, path) == {**first, OPUS: 2}


def test_only_what_is_asked_for_makes_it_walk_and_write(tree: Tree, path: str) -> None:
    tree.main("s1", wrote("a", HAIKU))
    assert given(tree, path) == {HAIKU: 0}
    tree.main("s2", wrote("c", OPUS))
    assert given(tree, path, [HAIKU]) == {HAIKU: 0}
    assert given(tree, path, [OPUS]) == {HAIKU: 0, OPUS: 1}


def test_colours_do_not_make_a_history_of_transcripts(tree: Tree, path: str) -> None:
    kept = tree.main("s1", wrote("a", HAIKU))
    assert figures_of(tree)["responses"] == 1
    given(tree, path)
    assert figures_of(tree)["responses"] == 1
    with sqlite3.connect(path) as database:
        assert database.execute("SELECT count(*) FROM transcript").fetchall() == [(0,)]
    database.close()
    kept.unlink()
    assert figures_of(tree)["responses"] == 0


def figures_of(tree: Tree) -> dict[str, int]:
    """The total of a report, asked once."""
    return figures(json.loads(text(tree.root))["total"])


def test_a_history_of_before_there_were_colours_keeps_what_it_has(
    tree: Tree, home: Path, path: str
) -> None:
    settings = home / "config" / "econome" / "config.toml"
    settings.parent.mkdir()
    settings.write_text("history = true\n", encoding="utf-8")
    kept = tree.main("s1", wrote("a", HAIKU))
    assert figures_of(tree)["responses"] == 1
    with sqlite3.connect(path) as database:
        database.execute("DROP TABLE colour")
        database.execute("PRAGMA user_version = 1")
    database.close()
    kept.unlink()
    forget()
    assert figures_of(tree)["responses"] == 1
    tree.main("s2", wrote("b", OPUS))
    assert given(tree, path).keys() >= {OPUS}
    assert figures_of(tree)["responses"] == 2


def test_where_nothing_can_be_kept_the_ranking_of_the_moment_holds(
    tree: Tree, tmp_path: Path
) -> None:
    tree.main("s1", wrote("a", HAIKU), wrote("b", OPUS))
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert given(tree, str(tmp_path / "file" / "history.sqlite")) == {OPUS: 0, HAIKU: 1}
    broken = tmp_path / "broken.sqlite"
    broken.write_bytes(b"no database" * 100)
    assert given(tree, str(broken)) == {OPUS: 0, HAIKU: 1}
    assert broken.read_bytes() == b"no database" * 100


def test_who_writes_into_the_history_for_long_keeps_no_page_waiting(tree: Tree, path: str) -> None:
    tree.main("s1", wrote("a", OPUS), wrote("b", HAIKU))
    History(path).close()
    writing = sqlite3.connect(path, isolation_level=None)
    writing.execute("BEGIN EXCLUSIVE")
    begun = time.monotonic()
    assert given(tree, path) == {OPUS: 0, HAIKU: 1}
    assert time.monotonic() - begun < 30  # a writer of transcripts waits for a minute
    writing.close()


def test_behind_places_that_are_known_the_moment_ranks_the_rest(tree: Tree, path: str) -> None:
    tree.main("s1", wrote("a", HAIKU))
    given(tree, path)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    tree.main("s2", wrote("b", OPUS), wrote("c", UNKNOWN))
    assert given(tree, path) == {HAIKU: 0, OPUS: 1, UNKNOWN: 2}


def test_a_name_that_is_no_text_and_one_that_means_harm_have_places_too(
    tree: Tree, path: str
) -> None:
    names = ["\ud800", "'); DROP TABLE colour; --", "x" * 500]
    history = History(path)
    try:
        assert history.give_places(names) == {name: at for at, name in enumerate(names)}
        assert history.give_places(names[::-1]) == {name: at for at, name in enumerate(names)}
    finally:
        history.close()


_GIVE = """
from econome.usage.history import History
history = History({path!r})
for name in {names!r}:
    found = history.give_places([name])
print(sorted(found.items()))
"""


def test_processes_at_once_agree(path: str) -> None:
    names = [f"model-{at}" for at in range(12)]
    orders = (names, names[::-1], names[6:] + names[:6])
    running = [spawn(code=_GIVE.format(path=path, names=order)) for order in orders]
    answers = [finish(process) for process in running]
    assert [ran.err for ran in answers] == ["", "", ""]
    assert len({ran.out for ran in answers}) == 1
    history = History(path)
    try:
        assert sorted(history.give_places([]).values()) == list(range(12))
    finally:
        history.close()


def test_a_page_after_a_restart_has_the_same_places(tree: Tree, path: str) -> None:
    tree.main("s1", wrote("a", HAIKU), wrote("b", OPUS))
    first = given(tree, path)
    code = (
        "from econome import clock, settings\n"
        "from econome.usage.open import read_tree\n"
        "from econome.usage.colours import places\n"
        f"with read_tree([{str(tree.root)!r}], settings.load(), use_index=False) as tree:\n"
        f"    print(sorted(places({path!r}, tree, clock.zone('UTC')).items()))\n"
    )
    assert finish(spawn(code=code)).out.strip() == str(sorted(first.items()))
    assert run("usage", "--root", str(tree.root), "--days", "all").code == 0
