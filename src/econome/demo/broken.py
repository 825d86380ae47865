"""The one damaged file of the demo tree: every awkward thing a disk has been seen to hold."""

from __future__ import annotations

import json
from dataclasses import replace

from econome.demo.ledger import Ledger
from econome.demo.plan import PROJECTS
from econome.demo.transcript import Line, Setting, Transcript
from econome.demo.words import Dice

__all__ = ["broken"]


def _bytes(line: Line) -> bytes:
    return json.dumps(line, separators=(",", ":")).encode()


def broken(dice: Dice, ledger: Ledger, today: int) -> tuple[str, bytes]:
    """Return the path below `projects` and the bytes of the damaged file.

    Eight of its ten responses count, one of them without a date. One has a negative counter; the
    last is cut in the middle, as if it was still being written.
    """
    project = PROJECTS[2]
    setting = Setting(dice.uuid(), project.cwd, "main", "2.1.288")
    start_ms = ((today - 9) * 1440 + 800) * 60_000
    maker = Transcript(dice, ledger, setting, "claude-sonnet-5-5", start_ms)
    for _ in range(8):
        maker.answer([{"type": "text", "text": dice.text(90)}], dice.about(200))
    del maker.lines[-1]["timestamp"]
    ledger.entries[-1] = replace(ledger.entries[-1], at_ms=None)
    good = [_bytes(line) for line in maker.lines]
    aside = replace(maker, ledger=Ledger())  # these two are on disk but not in the books
    aside.lines = []
    for _ in range(2):
        aside.answer([{"type": "text", "text": dice.text(90)}], 50)
    rejected, pending = aside.lines
    rejected["message"]["usage"]["input_tokens"] = -7
    parts = (
        b"\xef\xbb\xbf" + good[0] + b"\r\n",
        b"\0\0\0\0\n",
        good[1] + good[2] + b"\n",
        b"the crane log fell into the water\n",
        good[3][: len(good[3]) // 2] + good[3] + b"\n",
        good[4].replace(b"the ", b"th\xff ", 1) + b"\n",
        b'{"type":"assistant","message":{"usage":{"input_tokens":NaN}}}\n',
        b"\n",
        _bytes(rejected) + b"\n",
        good[5].replace(b'"content":', b'"unknown_key":[null],"content": ', 1) + b"\n",
        good[6] + b"\n[1,2,3]\n" + good[7] + b"\n",
        _bytes(pending)[:400],
    )
    return f"{project.slug}/{setting.session}.jsonl", b"".join(parts)
