"""Write the diagram of a request's states into docs/delegation.md; `--check` only says whether it is up to date."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from econome.delegation.states import diagram

PAGE = Path(__file__).resolve().parent.parent / "docs" / "delegation.md"
BEGIN, END = "<!-- states: written by `make docs` -->", "<!-- /states -->"


def page(written: str) -> str:
    """Return the page with the diagram between its marks.

    Raises:
        ValueError: the page has no such marks.
    """
    before, begin, rest = written.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{PAGE.name} lacks the marks {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n```mermaid\n{diagram()}```\n\n{END}{after}"


def is_current() -> bool:
    """Return whether the page has the diagram as the table of states draws it."""
    written = PAGE.read_text(encoding="utf-8")
    return written == page(written)


def main() -> None:
    """Write the diagram, or check it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 when the page is out of date")
    if parser.parse_args().check:
        if not is_current():
            sys.exit("docs/delegation.md is out of date; `make docs` writes it")
    else:
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
