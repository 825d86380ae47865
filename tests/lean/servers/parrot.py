"""A server that says what it is told: a line that holds `say` in Base64 has those bytes said, another one is said again."""

from __future__ import annotations

import base64
import re
import sys

SAY = re.compile(rb'"say": ?"([A-Za-z0-9+/=]*)"')


def main() -> None:
    for line in sys.stdin.buffer:
        told = SAY.search(line)
        sys.stdout.buffer.write(base64.b64decode(told[1]) + b"\n" if told else line)
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
