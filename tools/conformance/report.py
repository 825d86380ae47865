"""What the conformance suite printed and wrote, read and worded for docs/conformance.md."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path

__all__ = ["GENERATED", "NOTES", "REASONS", "Between", "Run", "Scenario", "page", "read_run"]

GENERATED = "<!-- From here on written by `make conformance`. -->\n"

REASONS = {
    "extension": "an extension, optional by definition; econome offers no tasks",
    "pending": "asked by the suite for information: its own reference server does not pass it yet",
    "added-after-release": "newer than the revision",
}
"""Why the suite runs a scenario without counting it."""

NOTES = {
    "server-sse-polling": (
        "econome keeps no events to send again: its answers are short, and a call that was cut off is made again."
    ),
}
"""Why a scenario that does not count does not hold, beyond what the suite says."""

_SUMMARY = re.compile(r"^[✓✗] ([a-z0-9-]+): (\d+) passed, (\d+) failed$", re.MULTILINE)
_UNSCORED = re.compile(r"^  [✓✗] ([a-z0-9-]+) \(([a-z-]+)\)$", re.MULTILINE)
_FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(slots=True)
class Scenario:
    """One scenario: how many of its checks held, and what was said of those that did not."""

    name: str
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unscored: str | None = None

    @property
    def word(self) -> str:
        """What became of it."""
        if self.failures:
            return "fails"
        return "passes" if self.passed else "nothing to check"


@dataclass(slots=True)
class Run:
    """One server, asked at one revision."""

    title: str
    scenarios: list[Scenario]

    def required(self) -> list[Scenario]:
        """Return the scenarios that count."""
        return [one for one in self.scenarios if one.unscored is None]

    def failing(self) -> list[Scenario]:
        """Return the scenarios that count and fail."""
        return [one for one in self.required() if one.failures]

    def line(self) -> str:
        """Return how it went, in one line."""
        required = self.required()
        held = len(required) - len(self.failing())
        checks = sum(one.passed for one in required)
        names = ", ".join(one.name for one in self.failing())
        return f"{self.title}: {held} of {len(required)} scenarios, {checks} checks" + (
            f"; fails: {names}" if names else ""
        )


@dataclass(frozen=True, slots=True)
class Between:
    """A run through the proxy, beside the one without it; *way* is what it speaks to, *how* what it may change."""

    way: str
    how: str
    revision: str
    run: Run
    without: Run

    @property
    def differing(self) -> list[str]:
        """The scenarios that came out otherwise, counted or not."""
        found, before = _outcomes(self.run), _outcomes(self.without)
        return sorted(name for name in found | before if found.get(name) != before.get(name))

    @property
    def word(self) -> str:
        """Whether the proxy made a difference."""
        return f"differs: {', '.join(self.differing)}" if self.differing else "the same as without"


def _outcomes(run: Run) -> dict[str, tuple[str, int]]:
    return {one.name: (one.word, one.passed) for one in run.scenarios}


def read_run(title: str, printed: str, checks: Path) -> Run:
    """Return what the suite *printed* and wrote below *checks*.

    Raises:
        SystemExit: it ran nothing, or said something else than it wrote.
    """
    scenarios = {}
    folders = {
        found[1]: path for path in checks.iterdir() if (found := _FOLDER.fullmatch(path.name))
    }
    for name in sorted(folders, key=lambda name: printed.find(f"'{name}'")):
        scenarios[name] = _scenario(name, folders[name] / "checks.json")
    for name, reason in _UNSCORED.findall(printed):
        scenarios[name].unscored = reason
    if not scenarios:
        raise SystemExit(f"the suite ran nothing:\n{printed}")
    for name, passed, failed in _SUMMARY.findall(printed):
        one = scenarios[name]
        if (one.passed, len(one.failures)) != (int(passed), int(failed)):
            raise SystemExit(f"{name}: printed {passed} and {failed}, wrote {one}")
    return Run(title, list(scenarios.values()))


def _scenario(name: str, path: Path) -> Scenario:
    made = Scenario(name)
    for check in json.loads(path.read_text(encoding="utf-8")):
        told = f"{check['description']}: {check.get('errorMessage') or 'no reason given'}"
        if check["status"] == "SUCCESS":
            made.passed += 1
        elif check["status"] == "FAILURE":
            made.failures.append(told)
        elif check["status"] == "WARNING":
            made.warnings.append(told)
    return made


def page(
    full: Sequence[Run],
    own: Sequence[Run],
    between: Sequence[Between],
    versions: Mapping[str, str],
) -> str:
    """Return the generated part of the page."""
    parts = [
        f"\nSuite `@modelcontextprotocol/conformance` {versions['suite']}, Node {versions['node']}; SDK `mcp` "
        f"{version('mcp')}, uvicorn {version('uvicorn')}, httptools {version('httptools')}, Python "
        f"{platform.python_version()}.\n",
        "\n## With the suite's fixtures\n",
        *map(_section, full),
        "\n## econome's own server\n",
        *map(_section, own),
        "\n## With the proxy in between\n\n",
        "| the proxy speaks to | and changes | protocol | scenarios | checks | result |\n",
        "| --- | --- | --- | --- | --- | --- |\n",
        *map(_row, between),
    ]
    return "".join(parts)


def _row(one: Between) -> str:
    required = one.run.required()
    held = f"{len(required) - len(one.run.failing())} of {len(required)}"
    checks = sum(scenario.passed for scenario in required)
    changes = "nothing" if one.how == "pass" else "what loses nothing"
    return f"| {one.way} | {changes} | {one.revision} | {held} | {checks} | {one.word} |\n"


def _section(run: Run) -> str:
    lines = [f"\n### Protocol {run.title.rpartition(' ')[2]}\n"]
    required = run.required()
    held = len(required) - len(run.failing())
    lines.append(f"\n{held} of {len(required)} scenarios pass.\n")
    lines.append("\n| scenario | result | checks |\n| --- | --- | --- |\n")
    lines += [f"| {one.name} | {one.word} | {one.passed} |\n" for one in required]
    others = [one for one in run.scenarios if one.unscored is not None]
    if others:
        lines.append("\nRun by the suite and not counted:\n")
        lines.append(
            "\n| scenario | result | checks | why it does not count |\n| --- | --- | --- | --- |\n"
        )
        lines += [
            f"| {one.name} | {one.word} | {one.passed} | {REASONS[one.unscored or '']} |\n"
            for one in others
        ]
    told = [
        f"- {one.name}: {_one_line(text)}\n"
        for one in run.scenarios
        if one.unscored != "extension"
        for text in (*one.failures, *one.warnings, *_notes(one))
    ]
    if told:
        lines += ["\nWhat the suite says of those that do not hold:\n\n", *told]
    return "".join(lines)


def _notes(one: Scenario) -> list[str]:
    return [NOTES[one.name]] if one.name in NOTES and one.word != "passes" else []


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "/")
