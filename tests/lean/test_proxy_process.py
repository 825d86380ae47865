"""A proxy over pipes: its server starts, crashes, is started again and ends with it, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.lean.connections import PATIENCE_S, PLAIN, Session, proxied, rpc
from tests.requirements import requirement

pytestmark = [
    requirement("L11", "L20"),
    pytest.mark.skipif(sys.platform == "win32", reason="pipes and signals of POSIX"),
]


def running(pid: int) -> bool:
    """Tell whether a process runs; one that only waits to be buried does not."""
    try:
        told = Path(f"/proc/{pid}/stat").read_bytes()
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return told.rpartition(b")")[2].split()[0] not in (b"Z", b"X")


def wait_for_end(pid: int) -> None:
    """Wait until a process has ended; fail once patience is at its end."""
    until = time.monotonic() + PATIENCE_S
    while running(pid):
        assert time.monotonic() < until, f"{pid} still runs"
        time.sleep(0.01)


def through(*options: str, server: tuple[str, ...] = ()) -> Session:
    return Session(proxied("--name", "shop", "--menu", "flat", *options, "--", *PLAIN, *server))


@pytest.mark.parametrize("options", [(), ("--pass",)])
def test_a_call_goes_through_and_back(options: tuple[str, ...]) -> None:
    with through(*options) as session:
        session.greet()
        assert session.text("echo", text="à bientôt") == "à bientôt"
        assert session.process.stdin is not None
        session.process.stdin.close()
        assert session.process.wait(PATIENCE_S) == 0


def test_the_server_hears_what_the_client_wrote(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    with through(server=("--trace", str(trace))) as session:
        session.greet()
        call = b'{ "id":"\\u00e9",  "jsonrpc":"2.0","method":"tools/call","params":{"arguments":{"text":"1.0"},"name":"echo"}}'
        session.say(call)
        session.answer("é")
    assert trace.read_bytes().splitlines()[2] == call


def test_pages_become_one_list() -> None:
    with through(server=("--pages",)) as session:
        session.greet()
        told = session.ask(2, "tools/list")["result"]
        assert [one["name"] for one in told["tools"]][:3] == ["echo", "rows", "big"]
        assert "nextCursor" not in told


@pytest.mark.slow
def test_a_crash_is_one_clear_error_and_the_next_call_finds_a_server_that_was_greeted(
    tmp_path: Path,
) -> None:
    trace = tmp_path / "trace"
    with through(server=("--trace", str(trace))) as session:
        session.greet()
        first = session.text("pid")
        session.say(rpc("w", "tools/call", {"name": "wait", "arguments": {}}))
        session.say(rpc("r", "resources/list"))
        session.answer("r")
        session.say(rpc("d", "tools/call", {"name": "die", "arguments": {}}))
        for identity in ("w", "d"):
            result = session.answer(identity)["result"]
            assert result["isError"] is True
            assert "exit status 3" in result["content"][0]["text"]
        assert session.text("pid") not in ("", first)
    methods = [json.loads(line)["method"] for line in trace.read_bytes().splitlines()]
    greeting = ["initialize", "notifications/initialized"]
    assert methods[:2] == greeting
    assert methods[methods.index("initialize", 1) :] == [*greeting, "tools/call"]


@pytest.mark.slow
def test_what_a_server_asked_before_it_crashed_is_taken_back() -> None:
    with through() as session:
        session.greet()
        session.say(rpc("a", "tools/call", {"name": "ask", "arguments": {}}))
        assert json.loads(session.line())["method"] == "roots/list"
        session.say(rpc("d", "tools/call", {"name": "die", "arguments": {}}))
        session.answer("a")
        session.answer("d")
        session.text("pid")
        (taken_back,) = session.others
        assert taken_back["method"] == "notifications/cancelled"
        assert taken_back["params"]["requestId"] == 0


def test_a_server_that_never_starts_is_one_line_and_no_loop() -> None:
    done = subprocess.run(
        proxied("--", *PLAIN, "--mute"),
        input=rpc(1, "initialize", {}) + b"\n",
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["code"] == -32603
    (line,) = done.stderr.splitlines()
    assert line.startswith(b"econome: ")
    assert b"exit status 4" in line


def test_a_command_that_is_not_there_is_one_line() -> None:
    done = subprocess.run(
        proxied("--", "no-such-server-at-all"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    (line,) = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (1, b"")
    assert line.startswith(b"econome: no-such-server-at-all: no such program")


@pytest.mark.slow
@pytest.mark.skipif(
    sys.platform != "linux", reason="what went into a session of its own is found on Linux"
)
@pytest.mark.parametrize("way", ["end of input", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"])
@pytest.mark.parametrize("deaf", [(), ("--deaf",)])
def test_nothing_is_left_running(way: str, deaf: tuple[str, ...]) -> None:
    with through(server=deaf) as session:
        session.greet()
        server, child = int(session.text("pid")), int(session.text("child"))
        assert running(server)
        assert running(child)
        if way == "end of input":
            assert session.process.stdin is not None
            session.process.stdin.close()
        else:
            session.process.send_signal(getattr(signal, way))
        session.process.wait(PATIENCE_S)
        wait_for_end(server)
        wait_for_end(child)


def test_a_server_that_ends_leaves_no_child_of_its_own() -> None:
    with through() as session:
        session.greet()
        child = int(session.text("child"))
        session.say(rpc("d", "tools/call", {"name": "die", "arguments": {}}))
        session.answer("d")
        wait_for_end(child)


@pytest.mark.slow
def test_a_client_that_reads_slowly_does_not_fill_the_memory() -> None:
    with through("--pass") as session:
        session.greet()
        for number in range(50):
            session.say(
                rpc(number, "tools/call", {"name": "big", "arguments": {"count": 4_000_000}})
            )
        resident = []
        for number in range(50):
            if sys.platform == "linux":
                told = Path(f"/proc/{session.process.pid}/statm").read_text(encoding="ascii")
                resident.append(int(told.split()[1]) * os.sysconf("SC_PAGE_SIZE"))
            answer = session.answer(number)
            assert len(answer["result"]["content"][0]["text"]) == 4_000_000
        assert max(resident, default=0) < 160_000_000


def test_standard_error_of_the_server_passes() -> None:
    script = "import sys; print('a line of its own', file=sys.stderr); sys.stdin.read()"
    done = subprocess.run(
        proxied("--", sys.executable, "-c", script),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert b"a line of its own" in done.stderr


def test_the_server_s_environment_and_signals_are_those_of_the_proxy() -> None:
    script = (
        "import os, signal; print(os.environ['SHOP_KEY'], signal.getsignal(signal.SIGHUP).name,"
        " os.popen('kill -l 13; grep SigIgn /proc/self/status 2>/dev/null').read().split()[-1], flush=True)"
    )
    with Session(
        proxied("--", sys.executable, "-c", script), env={**os.environ, "SHOP_KEY": "a b"}
    ) as session:
        assert session.line().startswith(b"a b SIG_DFL ")


def test_input_from_a_file_is_answered_to_its_end(tmp_path: Path) -> None:
    lines = [rpc(1, "initialize", {}), rpc(None, "notifications/initialized"), rpc(2, "ping")]
    (tmp_path / "said").write_bytes(b"\n".join(lines))
    with (tmp_path / "said").open("rb") as said, (tmp_path / "heard").open("wb") as heard:
        done = subprocess.run(
            proxied("--", *PLAIN), stdin=said, stdout=heard, timeout=PATIENCE_S, check=False
        )
    assert done.returncode == 0
    answers = [json.loads(line)["id"] for line in (tmp_path / "heard").read_bytes().splitlines()]
    assert answers == [1, 2]
