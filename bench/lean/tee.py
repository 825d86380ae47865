"""Stand between a client and a server and note what each said: `python tee.py LOG COMMAND …`.

Run as a file, by any Python. It passes on every byte, and notes a line before it does, so that whoever has seen an
answer can read in the log what that answer was made of.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import IO

__all__ = ["main"]


def _pass(source: IO[bytes], target: IO[bytes], log: IO[bytes], way: str) -> None:
    for line in iter(source.readline, b""):
        note = {"way": way, "line": line.decode("utf-8", "surrogateescape")}
        log.write(json.dumps(note).encode("ascii") + b"\n")
        try:
            target.write(line)
            target.flush()
        except (BrokenPipeError, ValueError):
            break
    try:
        target.close()
    except BrokenPipeError:
        pass


def main() -> int:
    """Start the command and pass on until either side ends."""
    with open(sys.argv[1], "ab", buffering=0) as log:
        child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert child.stdin is not None
        assert child.stdout is not None
        up = (sys.stdin.buffer, child.stdin, log, "up")
        threading.Thread(target=_pass, args=up, daemon=True).start()
        _pass(child.stdout, sys.stdout.buffer, log, "down")
        return child.wait()


if __name__ == "__main__":
    sys.exit(main())
