"""Ctrl-C while a server says nothing ends `econome profile` at once, and without a word."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from tests.contract.listed import command, entry


def test_who_interrupts_is_told_nothing(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    os.mkfifo(heard)
    words = command(
        tmp_path, tools=[entry("find")], prompts=[], hang=["tools/list"], log=str(heard)
    )
    with subprocess.Popen(
        [sys.executable, "-m", "econome", "profile", "--", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as program:
        said = ""
        while "tools/list" not in said:
            said += heard.read_text(encoding="utf-8")
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=30)
    assert (program.returncode, out, err) == (130, b"", b"")
