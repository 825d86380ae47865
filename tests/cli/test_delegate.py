"""`econome delegate`: an answer on standard output, alone or through the running server, and how it ends otherwise."""

from __future__ import annotations

import io
import json
import os
import pty
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from econome.cli.live import LiveLine
from econome.delegation.order import Standing
from econome.savings.lock import Holder, Lock
from tests.delegation.openai_server import Failure, Reply, Scripted, scripted
from tests.door import run
from tests.requirements import requirement

SECONDS = 60


@pytest.fixture
def model(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """Return a scripted model that the settings name; the working directory is one of its own."""
    place = home / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    with scripted(Reply("Hello", usage=(12, 2))) as server:
        _settle(home, server.url)
        yield server


def _settle(home: Path, url: str, more: str = "", *, model: str | None = None) -> None:
    config = home / "config" / "econome"
    config.mkdir(exist_ok=True)
    text = f'[delegation]\ndetect = false\n{more}\n[backends.scripted]\nurl = "{url}"\n'
    text += "" if model is None else f'model = "{model}"\n'
    (config / "config.toml").write_text(text, encoding="utf-8")


def _journal(home: Path) -> list[dict[str, Any]]:
    path = home / "data" / "econome" / "logs" / "mcp" / "delegations.jsonl"
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def _lock(home: Path) -> Path:
    return home / "data" / "econome" / "logs" / "mcp" / "lock"


@requirement("D1", "D2")
def test_the_answer_is_all_that_is_printed(home: Path, model: Scripted) -> None:
    ran = run("delegate", "greet me")
    assert (ran.code, ran.out, ran.err) == (0, "Hello\n", "")
    assert model.requests[0]["messages"][-1] == {"role": "user", "content": "greet me"}
    (line,) = _journal(home)
    assert (line["statut"], line["tokens_entree"], line["tokens_sortie"]) == ("terminee", 12, 2)
    assert _lock(home).read_bytes() == b""  # it was let go


@requirement("D2", "D5")
def test_what_is_not_whole_or_comes_from_the_embedded_model_is_told_beside_the_answer(
    home: Path, model: Scripted
) -> None:
    with scripted(Reply("Once upon", finish="length", model="SmolLM2-135M-Instruct")) as server:
        _settle(home, server.url, model="SmolLM2-135M-Instruct")
        ran = run("delegate", "tell me")
    assert (ran.code, ran.out) == (0, "Once upon\n")
    assert [line.split()[:3] for line in ran.err.splitlines()] == [
        ["The", "answer", "is"],
        ["Note:", "the", "embedded"],
    ]


@requirement("D2", "D7")
def test_files_of_the_working_directory_are_read_and_written(home: Path, model: Scripted) -> None:
    Path("in.txt").write_text("what stands there", encoding="utf-8")
    line = ("delegate", "read", "--file", "in.txt", "--output", "out.txt")
    ran = run(*line)
    place = home / "work" / "out.txt"
    assert (ran.code, ran.out, ran.err) == (0, "", f"The answer is in {place}.\n")
    assert place.read_text(encoding="utf-8") == "Hello\n"
    assert "what stands there" in str(model.requests[0]["messages"])
    place.write_text("mine", encoding="utf-8")
    assert run(*line).code == 1
    assert place.read_text(encoding="utf-8") == "mine"
    assert run(*line, "--overwrite").code == 0
    assert place.read_text(encoding="utf-8") == "Hello\n"
    assert [one["sortie"] for one in _journal(home)] == [str(place), "out.txt", str(place)]


@requirement("D7")
def test_nothing_outside_of_it_is_read_and_the_home_directory_is_no_place_to_work(
    home: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "private.txt").write_text("x", encoding="utf-8")
    for path in ("../private.txt", str(home / "private.txt"), "/etc/hostname"):
        ran = run("delegate", "read", "--file", path)
        assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    monkeypatch.chdir(home)
    ran = run("delegate", "read", "--file", "private.txt")
    assert (ran.code, ran.out) == (1, "")
    assert "roots" in ran.err
    assert model.requests == []


@requirement("D2")
def test_json_is_the_answer_of_the_tool_and_the_exit_code_tells_failures(
    home: Path, model: Scripted
) -> None:
    ran = run("delegate", "--json", "greet me")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    assert found == {
        "ok": True, "demande_id": _journal(home)[0]["demande_id"], "statut": "terminee",
        "reponse": "Hello", "tokens_entree": 12, "tokens_sortie": 2, "sortie": None,
        "preset": None, "format": "text", "modele": "scripted-model", "duree_s": found["duree_s"],
    }  # fmt: skip
    model.script = Failure(500)
    ran = run("delegate", "--json", "greet me")
    assert (ran.code, ran.err, json.loads(ran.out)["ok"]) == (1, "", False)
    ran = run("delegate", "greet me")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert ran.err.startswith("econome: ")


@requirement("D8")
def test_a_preview_is_the_first_lines_and_where_the_rest_is(home: Path, model: Scripted) -> None:
    model.script = Reply("\n".join(f"line {number}" for number in range(500)))
    ran = run("delegate", "--preview", "at length")
    request_id = _journal(home)[0]["demande_id"]
    assert ran.out.startswith("line 0\nline 1\n")
    assert len(ran.out) < 900
    assert str(home / "data" / "econome" / "answers" / f"{request_id}.txt") in ran.out


@requirement("D2")
def test_the_brief_may_come_from_standard_input(model: Scripted) -> None:
    words = [sys.executable, "-m", "econome", "delegate", "-"]
    more: dict[str, Any] = {"capture_output": True, "timeout": SECONDS}
    done = subprocess.run(words, check=False, input=b"a long brief", **more)
    assert (done.returncode, done.stdout) == (0, b"Hello\n")
    assert "a long brief" in str(model.requests)
    done = subprocess.run(words, check=False, input=b" \n", **more)
    assert (done.returncode, done.stdout) == (2, b"")


@requirement("D5")
def test_without_any_model_it_says_what_to_run(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = home / "config" / "econome"
    config.mkdir()
    (config / "config.toml").write_text("[delegation]\ndetect = false\n", encoding="utf-8")
    ran = run("delegate", "greet me")
    assert (ran.code, ran.out) == (1, "")
    assert "econome local setup" in ran.err


@requirement("D3")
def test_a_deadline_gives_up(home: Path, model: Scripted) -> None:
    model.script = Reply("One", threading.Event())
    ran = run("delegate", "--deadline", "0.3", "hold")
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert [line["statut"] for line in _journal(home)] == ["expiree"]
    assert model.wait_for_hang_ups()


@requirement("D9")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_cancels_the_request_and_stops_the_model(
    home: Path, model: Scripted, number: signal.Signals
) -> None:
    model.script = Reply("One", threading.Event())
    words = [sys.executable, "-m", "econome", "delegate", "hold"]
    with subprocess.Popen(words, stderr=subprocess.PIPE) as process:
        assert model.wait_for_requests()
        process.send_signal(number)
        _, said = process.communicate(timeout=SECONDS)
    assert model.wait_for_hang_ups()
    (line,) = _journal(home)
    assert line["statut"] == "annulee"
    assert (process.returncode, said.decode()) == (130, f"cancelled {line['demande_id']}\n")


@requirement("D9")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_a_script_started_in_the_background_can_be_cancelled_too(
    home: Path, model: Scripted, number: signal.Signals
) -> None:
    model.script = Reply("One", threading.Event())
    # What `command &` of a shell without job control does.
    quiet = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    words = [sys.executable, "-c", quiet, "-m", "econome", "delegate", "hold"]
    with subprocess.Popen(words) as process:
        assert model.wait_for_requests()
        process.send_signal(signal.SIGINT)  # which it was told to ignore
        process.send_signal(number)
        assert process.wait(SECONDS) == 130
    assert model.wait_for_hang_ups()
    assert [line["statut"] for line in _journal(home)] == ["annulee"]


@requirement("D9")
def test_under_nohup_the_end_of_the_terminal_is_none_of_the_request(
    home: Path, model: Scripted
) -> None:
    gate = threading.Event()
    model.script = Reply("One", gate, " two")
    quiet = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    words = [sys.executable, "-c", quiet, "-m", "econome", "delegate", "hold"]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert model.wait_for_requests()
        process.send_signal(signal.SIGHUP)
        gate.set()
        out, _ = process.communicate(timeout=SECONDS)
    assert (process.returncode, out) == (0, b"One two\n")


@requirement("D2")
@pytest.mark.parametrize(
    "words, named",
    [
        ([""], "BRIEF"),
        ([" \n"], "BRIEF"),
        (["x", "--format", "poem"], "--format"),
        (["x", "--output", ""], "--output"),
        (["x" * 524_289], "BRIEF"),
    ],
)
def test_what_nobody_can_ask_is_wrong_usage_and_no_request(
    home: Path, model: Scripted, words: list[str], named: str
) -> None:
    ran = run("delegate", *words)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert named in ran.err
    assert not (home / "data").exists() or not list((home / "data").rglob("*.jsonl"))


@requirement("D2", "D3")
def test_what_went_wrong_is_said_in_the_words_of_the_command_line(
    home: Path, model: Scripted
) -> None:
    place = home / "work" / "out.txt"
    place.write_text("mine", encoding="utf-8")
    assert "--overwrite" in run("delegate", "x", "--output", "out.txt").err
    model.script = Reply("One", threading.Event())
    assert "--deadline" in run("delegate", "--deadline", "0.2", "hold").err
    shown = run("requests")
    assert "deadline_s" not in shown.out
    assert "--deadline" in shown.out
    assert place.read_text(encoding="utf-8") == "mine"


@pytest.mark.slow
@requirement("D9")
def test_a_terminal_sees_how_far_it_is(home: Path, model: Scripted) -> None:
    gate = threading.Event()
    model.script = Reply("One", gate, " two")
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "econome", "delegate", "hold"]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=follower, stdin=subprocess.DEVNULL
    ) as process:
        os.close(follower)
        seen = b""
        while b": 1 token, " not in seen:
            seen += os.read(leader, 1024)
        gate.set()
        out, _ = process.communicate(timeout=SECONDS)
        rest = _rest(leader)
    assert (process.returncode, out) == (0, b"One two\n")
    assert b"scripted-model" in rest


def _rest(leader: int) -> bytes:
    """Return what still comes from a terminal whose other end is closed."""
    found = b""
    with os.fdopen(leader, "rb", buffering=0) as file, suppress(OSError):  # Linux has no end there
        while block := file.read(4096):
            found += block
    return found


@requirement("D1")
def test_who_has_the_ledger_and_answers_nobody_is_named(
    home: Path, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    from econome.server.delegating import wire

    place = _lock(home).parent
    place.mkdir(parents=True)
    lock = Lock(str(place), Holder(4711, "another command"))
    monkeypatch.setattr(wire, "WAIT_S_MOST", 0)
    try:
        ran = run("delegate", "greet me")
    finally:
        lock.release()
    assert ran.err.count("\n") == 1
    assert (ran.code, ran.out) == (1, "")
    assert "another command (pid 4711)" in ran.err
    assert "econome serve" in ran.err
    assert model.requests == []


@requirement("D1")
def test_whoever_waits_for_the_ledger_says_so_and_then_goes_on(home: Path, model: Scripted) -> None:
    place = _lock(home).parent
    place.mkdir(parents=True)
    lock = Lock(str(place), Holder(4711, "another command"))
    words = [sys.executable, "-m", "econome", "delegate", "greet me"]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(words, **pipes) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        lock.release()
        out, rest = process.communicate(timeout=SECONDS)
    assert said.startswith(b"Waiting for another command (pid 4711), ")
    assert (process.returncode, out, rest) == (0, b"Hello\n", b"")


@requirement("D9")
def test_the_line_tells_reading_from_writing_and_counts_no_time_of_the_queue(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = io.StringIO()
    monkeypatch.setattr(shown, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", shown)
    line = LiveLine()
    for standing in (
        Standing("dem-1", "en_file", position=2, waiting_s=0.0),
        Standing("dem-1", "en_file", position=1, waiting_s=30.0),
        Standing("dem-1", "en_cours", waiting_s=31.0),
        Standing("dem-1", "en_cours", model="m", waiting_s=33.0, written=12),
    ):
        line.draw(standing)
    line.rest(10)
    line.draw(Standing("dem-1", "en_cours", model="m", waiting_s=45.0, written=1))
    assert shown.getvalue().split("\r\x1b[K")[1:] == [
        "waiting, number 2",
        "waiting, number 1",
        "the model: reading, 1 s",
        "m: 12 tokens, 3 s",
        "m: 1 token, 5 s",
    ]
