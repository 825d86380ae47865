"""The program of the embedded model's process, with a stand-in for the library that runs a model."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from econome.delegation.backends.embedded import COMMAND
from tests.requirements import requirement

pytestmark = requirement("D5")

ASKED = {"model": "/m.gguf", "name": "Tiny", "key": "k", "threads": 1, "context": 64, "longest": 9}

LIBRARY = """
import json, os, sys

class CommonParams:
    def __init__(self):
        self.model, self.cpuparams, self.cpuparams_batch = Group(), Group(), Group()
        self.sampling = Group()

class Group:
    pass

class Server:
    def __init__(self, params):
        print("noise on standard output")
        print("noise on standard error", file=sys.stderr)
        flat = {name: value for name, value in vars(params).items() if not isinstance(value, Group)}
        flat["model_alias"] = sorted(params.model_alias)
        groups = {"model": params.model, "cpu": params.cpuparams, "batch": params.cpuparams_batch}
        groups["sampling"] = params.sampling
        with open(os.environ["SEEN"], "w", encoding="utf-8") as file:
            json.dump({**flat, **{name: vars(group) for name, group in groups.items()}}, file)
        LOADING
        self.listening_address = "http://127.0.0.1:1"
"""


@contextmanager
def process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loading: str = "pass"
) -> Iterator[subprocess.Popen[bytes]]:
    """Run the program with a library that does *loading* when it is to load a model."""
    (tmp_path / "xllamacpp.py").write_text(LIBRARY.replace("LOADING", loading), encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("SEEN", str(tmp_path / "seen"))
    pipe = subprocess.PIPE
    with subprocess.Popen(COMMAND, stdin=pipe, stdout=pipe, stderr=pipe) as running:
        assert running.stdin is not None
        running.stdin.write(json.dumps(ASKED).encode() + b"\n")
        running.stdin.flush()
        try:
            yield running
        finally:
            running.kill()


def said(running: subprocess.Popen[bytes]) -> object:
    assert running.stdout is not None
    return json.loads(running.stdout.readline())


def test_it_tells_its_address_and_nothing_that_the_library_prints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with process(tmp_path, monkeypatch) as running:
        assert said(running) == {"url": "http://127.0.0.1:1"}
        out, err = running.communicate(timeout=30)  # its standard input ends here
    assert (running.returncode, out, err) == (0, b"", b"")


def test_the_server_is_on_loopback_with_a_key_one_thread_and_nothing_else_on_offer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with process(tmp_path, monkeypatch) as running:
        said(running)
    assert json.loads((tmp_path / "seen").read_text(encoding="utf-8")) == {
        "model": {"path": "/m.gguf"},
        "model_alias": ["Tiny"],
        "hostnames": ["127.0.0.1"],
        "port": 0,
        "api_keys": ["k"],
        "n_ctx": 64,
        "n_parallel": 1,
        "n_predict": 9,
        "n_gpu_layers": 0,
        "n_batch": 64,
        "n_ubatch": 64,
        "cpu": {"n_threads": 1},
        "batch": {"n_threads": 1},
        "sampling": {"dry_multiplier": 0.8, "dry_penalty_last_n": 512},
        "cache_ram_mib": 0,
        "ui": False,
        "endpoint_slots": False,
        "endpoint_props": False,
        "offline": True,
    }


def test_it_ends_with_its_parent_even_while_the_library_holds_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "loading"
    os.mkfifo(pipe)
    # Then one call into C, which gives the interpreter to no other thread, as a load that hangs.
    loading = f"open({str(pipe)!r}, 'wb').close(); sum(range(10**18))"
    with process(tmp_path, monkeypatch, loading) as running:
        assert running.stdin is not None
        pipe.read_bytes()  # until it loads
        running.stdin.close()
        assert running.wait(30) == -signal.SIGIO


@pytest.mark.parametrize(
    "loading, reason",
    [
        ('raise RuntimeError("no such file")', "llama.cpp does not load it (no such file)"),
        ('raise ImportError("no libgomp")', "xllamacpp cannot be imported (no libgomp)"),
    ],
)
def test_a_load_that_fails_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loading: str, reason: str
) -> None:
    with process(tmp_path, monkeypatch, loading) as running:
        assert said(running) == {"error": reason}
        assert running.wait(30) == 1


def test_a_crash_of_the_library_ends_this_process_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with process(tmp_path, monkeypatch, "os.kill(os.getpid(), 11)") as running:
        assert running.stdout is not None
        assert running.stdout.readline() == b""
        assert running.wait(30) == -signal.SIGSEGV
