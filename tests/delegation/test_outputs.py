"""Writing an answer: whole or not at all, inside the roots, and over nothing that the caller has not seen."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from econome.delegation import outputs
from econome.delegation.coder.paths import runs_code
from econome.delegation.files import Limits, read_files
from econome.delegation.folders import Roots
from econome.delegation.outputs import check_output, write_output
from econome.delegation.seen import Eyes, Seen
from tests.delegation.ground import INSIDE, Ground, ground_in, no_space, refusal
from tests.requirements import requirement

pytestmark = requirement("D7")

UNSEEN = "it exists and is not what you last saw; read it first, or let it be overwritten"


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return ground_in(tmp_path)


@pytest.fixture
def eyes() -> Eyes:
    return Seen().by(("me", None))


def _seeing(ground: Ground, eyes: Eyes, path: str = "a.txt") -> None:
    read_files([path], None, ground.roots, Limits(), eyes)


def test_a_new_file_is_written_with_the_directories_above_it(ground: Ground) -> None:
    before = ground.inside_now()
    path = write_output("new/deeper/c.txt", "words", None, ground.roots)
    assert path == str(ground.root / "new" / "deeper" / "c.txt")
    directory = before["deep"]
    made = {"new": directory, "new/deeper": directory, "new/deeper/c.txt": "words\n"}
    assert ground.inside_now() == {**before, **made}


def test_a_new_file_has_the_rights_that_the_user_gives_new_files(ground: Ground) -> None:
    before = os.umask(0o027)
    try:
        write_output("c.txt", "words\n", None, ground.roots)
    finally:
        os.umask(before)
    assert (ground.root / "c.txt").stat().st_mode & 0o777 == 0o640


def test_a_replaced_file_keeps_its_rights(ground: Ground) -> None:
    (ground.root / "a.txt").chmod(0o751)
    write_output("a.txt", "words", None, ground.roots, overwrite=True)
    assert (ground.root / "a.txt").stat().st_mode & 0o777 == 0o751


def test_another_name_of_the_same_file_keeps_what_it_holds(ground: Ground) -> None:
    os.link(ground.root / "a.txt", ground.outside / "other.txt")
    write_output("a.txt", "words", None, ground.roots, overwrite=True)
    assert (ground.outside / "other.txt").read_text(encoding="utf-8") == INSIDE


def test_what_nobody_has_seen_is_not_replaced(ground: Ground, eyes: Eyes) -> None:
    before = ground.inside_now()
    for looking in (None, eyes):
        assert refusal(check_output, "a.txt", None, ground.roots, eyes=looking) == UNSEEN
        assert refusal(write_output, "a.txt", "x", None, ground.roots, eyes=looking) == UNSEEN
    assert ground.inside_now() == before


def test_what_was_read_for_the_caller_is_replaced_and_then_seen_again(
    ground: Ground, eyes: Eyes
) -> None:
    _seeing(ground, eyes)
    for text in ("first\n", "second\n"):
        check_output("a.txt", None, ground.roots, eyes=eyes)
        write_output("a.txt", text, None, ground.roots, eyes=eyes)
    assert ground.inside_now()["a.txt"] == "second\n"


def test_what_was_changed_since_it_was_read_is_not_replaced(ground: Ground, eyes: Eyes) -> None:
    _seeing(ground, eyes)
    same_size = INSIDE.replace("words", "sword")
    (ground.root / "a.txt").write_text(same_size, encoding="utf-8")
    assert refusal(write_output, "a.txt", "x", None, ground.roots, eyes=eyes) == UNSEEN
    assert ground.inside_now()["a.txt"] == same_size


def test_what_another_caller_saw_counts_for_nobody_else(ground: Ground) -> None:
    seen = Seen()
    _seeing(ground, seen.by(("one", None)))
    other = seen.by(("two", None))
    assert refusal(write_output, "a.txt", "x", None, ground.roots, eyes=other) == UNSEEN


def test_a_huge_existing_file_is_judged_by_its_size_alone(
    ground: Ground, eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    _seeing(ground, eyes)
    with open(ground.root / "a.txt", "r+b") as file:
        file.truncate(5 << 30)
    monkeypatch.setattr(os, "read", None)
    assert refusal(write_output, "a.txt", "x", None, ground.roots, eyes=eyes) == UNSEEN


def _link(ground: Ground) -> None:
    (ground.root / "target").symlink_to(ground.outside / "a.txt")


def _dangling(ground: Ground) -> None:
    (ground.root / "target").symlink_to(ground.outside / "new.txt")


def _directory(ground: Ground) -> None:
    (ground.root / "target").mkdir()


def _fifo(ground: Ground) -> None:
    os.mkfifo(ground.root / "target")


@pytest.mark.parametrize("make", [_link, _dangling, _directory, _fifo])
@pytest.mark.parametrize("overwrite", [False, True])
def test_what_is_no_regular_file_is_never_replaced(
    ground: Ground, make: Callable[[Ground], None], overwrite: bool
) -> None:
    make(ground)
    inside, outside = ground.inside_now(), ground.outside_now()
    assert refusal(check_output, "target", None, ground.roots, overwrite=overwrite)
    assert refusal(write_output, "target", "x", None, ground.roots, overwrite=overwrite)
    assert (ground.inside_now(), ground.outside_now()) == (inside, outside)


@pytest.mark.parametrize(
    "path",
    [
        "../outside/a.txt", "out/a.txt", "out/new/b.txt", ".git/hooks/post-checkout", ".GIT/config", ".claude/settings.json",
        ".MCP.json", ".vscode/tasks.json", "deep/.envrc", ".bashrc", ".env", "id_rsa", "a.txt/x", "deep/", "",
    ],
)  # fmt: skip
def test_places_that_are_closed_are_closed_with_overwrite_too(ground: Ground, path: str) -> None:
    (ground.root / "out").symlink_to(ground.outside)
    inside, outside = ground.inside_now(), ground.outside_now()
    assert refusal(check_output, path, None, ground.roots, overwrite=True)
    assert refusal(write_output, path, "x", None, ground.roots, overwrite=True)
    assert (ground.inside_now(), ground.outside_now()) == (inside, outside)


@pytest.mark.parametrize(
    "path",
    [
        ".config/git/config", ".config/git/hooks/post-merge", ".config/fish/config.fish", ".config/autostart/a.desktop",
        ".config/systemd/user/a.service", ".local/bin/ls", ".bash_aliases", ".cshrc", ".zlogout", ".xprofile", ".vimrc", ".exrc",
        ".gdbinit", ".pdbrc", ".cargo/config.toml", ".gradle/init.gradle", ".devcontainer/devcontainer.json", ".zed/tasks.json",
        ".fleet/run.json", "a.code-workspace", "A.Code-Workspace ", ".roo/mcp.json", ".gemini/settings.json", ".kiro/hooks/a",
        ".continue/config.json", ".hgrc", ".jj/repo/config", "deep/.Config /GIT/x", ".ssh/rc", ".cl\u200daude/x", ".vimrc::$DATA",
    ],
)  # fmt: skip
def test_nothing_is_written_where_programs_take_orders_from(ground: Ground, path: str) -> None:
    before = ground.inside_now()
    for overwrite in (False, True):
        options: dict[str, Any] = {"overwrite": overwrite, "sensitive": True}
        why = refusal(write_output, path, "x", None, ground.roots, **options)
        assert "makes programs run" in why or "out of reach" in why
    assert ground.inside_now() == before
    assert runs_code(path) or ".jj" in path


@pytest.mark.parametrize(
    "path",
    [
        "Makefile", "package.json", "conftest.py", ".github/workflows/ci.yml", "CLAUDE.md", "AGENTS.md", ".gitlab-ci.yml",
        "Dockerfile", ".yarnrc.yml",
    ],
)  # fmt: skip
def test_files_of_a_project_that_something_runs_are_written_as_any_other(
    ground: Ground, path: str
) -> None:
    write_output(path, "first", None, ground.roots)
    assert "not what you last saw" in refusal(write_output, path, "second", None, ground.roots)
    write_output(path, "third", None, ground.roots, overwrite=True)
    assert (ground.root / path).read_text(encoding="utf-8") == "third\n"
    assert runs_code(path)


@pytest.mark.parametrize(
    "path", [".gitignore", ".config/nextest.toml", ".cargo/audit.toml", ".editorconfig", "bashrc", "local/bin/a.txt"]
)  # fmt: skip
def test_other_hidden_files_are_files(ground: Ground, path: str) -> None:
    write_output(path, "x", None, ground.roots)
    assert not runs_code(path)


def test_a_check_says_where_it_would_be_and_makes_nothing(ground: Ground) -> None:
    before = ground.inside_now()
    path = check_output("new/c.txt", None, ground.roots)
    assert (path, ground.inside_now()) == (str(ground.root / "new" / "c.txt"), before)


def test_a_root_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    roots = Roots((str(tmp_path / "absent"),))
    why = refusal(write_output, "a.txt", "x", None, roots)
    assert why.startswith(f"{tmp_path / 'absent'}, below which it may be, does not exist")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("call", ["fsync", "fchmod"])
def test_a_disk_that_takes_nothing_leaves_all_as_it_was(
    ground: Ground, eyes: Eyes, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    _seeing(ground, eyes)
    before = ground.inside_now()
    monkeypatch.setattr(os, call, no_space)
    why = refusal(write_output, "a.txt", "x", None, ground.roots, eyes=eyes)
    assert why == "it cannot be written: No space left on device"
    assert ground.inside_now() == before


def test_without_second_names_a_new_file_is_still_written(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_args: Any, **_named: Any) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", unable)
    write_output("c.txt", "words", None, ground.roots)
    assert ground.inside_now()["c.txt"] == "words\n"


def test_without_an_exchange_of_names_the_file_is_compared_right_before(
    ground: Ground, eyes: Eyes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*_args: object) -> bool:
        (ground.root / "a.txt").write_text("theirs\n", encoding="utf-8")
        return False

    _seeing(ground, eyes)
    monkeypatch.setattr(outputs, "exchange", unable)
    assert refusal(write_output, "a.txt", "ours", None, ground.roots, eyes=eyes) == UNSEEN
    assert ground.inside_now()["a.txt"] == "theirs\n"
    _seeing(ground, eyes)
    monkeypatch.setattr(outputs, "exchange", lambda *_args: False)
    write_output("a.txt", "ours", None, ground.roots, eyes=eyes)
    assert ground.inside_now()["a.txt"] == "ours\n"


def test_a_text_that_is_no_unicode_is_written_all_the_same(ground: Ground) -> None:
    write_output("c.txt", "a\ud800b", None, ground.roots)
    assert ground.inside_now()["c.txt"] == "a?b\n"
