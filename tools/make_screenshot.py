"""Write docs/overview.svg: what `econome demo` prints on a terminal, as a picture; `--check` only compares the words."""

from __future__ import annotations

import argparse
import html
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "overview.svg"
WIDTH = 100
NOW = "2026-10-17T18:00:00Z"

THEME = TerminalTheme(
    (24, 26, 31),
    (216, 219, 226),
    [
        (40, 44, 52), (224, 108, 117), (152, 195, 121), (229, 192, 123),
        (97, 175, 239), (198, 120, 221), (86, 182, 194), (200, 204, 212),
    ],
)  # fmt: skip


def printed() -> str:
    """Return the output of `econome demo`, with its colours, on a fixed day and in an own home."""
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.environ.get("PATH", os.defpath),
            "HOME": home,
            "COLUMNS": str(WIDTH),
            "FORCE_COLOR": "1",
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
            "TZ": "UTC",
            "ECONOME_NOW": NOW,
        }
        command = (sys.executable, "-m", "econome", "demo")
        done = subprocess.run(
            command, env=environment, capture_output=True, encoding="utf-8", check=True
        )
    return done.stdout.rstrip("\n")


def drawn(output: str) -> str:
    """Return the picture of a terminal that shows *output*."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=WIDTH, file=nowhere, force_terminal=True, legacy_windows=False
        )
        console.print(Text("$ econome demo", style="bold"))
        console.print(Text.from_ansi(output), soft_wrap=True)
        svg = console.export_svg(title="econome", theme=THEME, unique_id="overview")
    # The picture must not fetch a font when it is looked at, and must keep its leading blanks in every viewer.
    svg = svg.replace("<svg ", '<svg xml:space="preserve" ', 1)
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


def words(svg: str) -> str:
    """Return the text that a picture shows, without any spacing."""
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", svg)
    return re.sub(r"\s+", "", html.unescape("".join(texts)))


def is_current() -> bool:
    """Return whether the picture says what the command says; how it is drawn varies with rich."""
    written = PICTURE.read_text(encoding="utf-8") if PICTURE.is_file() else ""
    return words(written) == words(drawn(printed()))


def main() -> None:
    """Draw the picture, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when it is out of date")
    if parser.parse_args().check:
        if not is_current():
            sys.exit("docs/overview.svg is out of date; `make docs` draws it")
    else:
        PICTURE.write_text(drawn(printed()), encoding="utf-8")


if __name__ == "__main__":
    main()
