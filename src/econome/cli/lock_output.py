"""Where the report of a comparison with a lock goes, and in which form: the terminal, files, or both."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from econome.cli.lock_texts import LOCK
from econome.errors import FileRefused, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from econome.cli.lock_report import LockReport

__all__ = ["Places", "put", "ready", "rendered"]

_ENDINGS = {
    ".sarif": "sarif",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".txt": "text",
}


@dataclass(frozen=True, slots=True)
class Places:
    """Where a report goes: the form in which it is *shown*, and that of each of the *files*."""

    shown: str
    files: Mapping[str, str]


def ready(form: str | None, json: bool, paths: Sequence[str], read: Sequence[str | None]) -> Places:
    """Return where a report goes; *read* are files that it must not be written over.

    Raises:
        UsageError: two options say different things, the form of a file cannot be told, or it is one that is read.
    """
    if json and form not in (None, "json"):
        raise UsageError(LOCK["two_forms"].format(form=form))
    form = "json" if json else form
    forms: dict[str, str] = {}
    for path in paths:
        found = form or _ENDINGS.get(os.path.splitext(path)[1].lower())
        if found is None:
            raise UsageError(LOCK["ending"].format(path=path))
        for other in read:
            if other is not None and _same(path, other):
                raise UsageError(LOCK["over_input"].format(path=path, other=other))
        if any(_same(path, other) for other in forms):
            raise UsageError(LOCK["twice"].format(path=path))
        forms[path] = found
    return Places("text" if forms else form or "text", forms)


def _same(path: str, other: str) -> bool:
    """Tell whether two paths are one file, or would be once it is written."""
    try:
        return os.path.samefile(path, other)
    except (OSError, ValueError):
        return os.path.realpath(path) == os.path.realpath(other)


def put(report: LockReport, places: Places) -> None:
    """Write the report: to the files that are named, with a text for the terminal, or else to standard output.

    Raises:
        FileRefused: a file cannot be written.
    """
    for path, each in places.files.items():
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(rendered(report, each))
        except OSError as error:
            reason = LOCK["unwritable"].format(reason=error.strerror or error)
            raise FileRefused(path, reason) from None
    if places.shown == "text" and report.only_holds and not places.files:
        from econome.cli.render.lock_verdict import verdict

        line = verdict(report)
        if line.isascii():  # a terminal may draw other signs otherwise, or not at all
            _write(f"{line}\n")
            return
    if places.shown == "text":
        from econome.cli.render.lock import show_report
        from econome.cli.render.screen import Screen
        from econome.unseen import visible

        screen = Screen()
        show_report(screen, report)
        for path in places.files:
            screen.line(LOCK["to_file"].format(path=visible(path)))
        return
    _write(rendered(report, places.shown))


def rendered(report: LockReport, form: str) -> str:
    """Return the report as text in one of its forms."""
    if form == "markdown":
        from econome.cli.render.lock_markdown import report_markdown

        return report_markdown(report)
    if form == "text":
        from econome.cli.render.lock import show_report
        from econome.cli.render.screen import Screen

        screen = Screen(keep=True)
        show_report(screen, report)
        return "".join(f"{line.plain}\n" for line in screen.kept)
    from econome.jsontext import dumps

    if form == "sarif":
        from econome.cli.render.lock_sarif import report_sarif

        return dumps(report_sarif(report)) + "\n"
    from econome.cli.render.lock_json import report_json

    return dumps(report_json(report)) + "\n"


def _write(text: str) -> None:
    """Write to standard output in UTF-8, whatever it is set to."""
    sys.stdout.flush()
    raw = getattr(sys.stdout, "buffer", None)
    if raw is None:
        sys.stdout.write(text)
        return
    raw.write(text.encode())
    raw.flush()
