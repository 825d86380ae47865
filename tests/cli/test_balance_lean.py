"""The lean section of `econome balance`: measured, apart, by tokenizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.lean.ledger import lean_dir
from econome.lean.records import Record, line_of
from tests.cli.conftest import Fill
from tests.door import run
from tests.requirements import requirement
from tests.savings.builders import delegation

pytestmark = requirement("L19")

AT = "2026-10-16T23:30:00.000Z"


def put(home: Path, *records: Record, more: bytes = b"", name: str = "one") -> None:
    directory = Path(lean_dir(str(home / "data" / "econome")))
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / f"{name}.jsonl"
    file.write_bytes(b"".join(map(line_of, records)) + more)
    file.chmod(0o600)


def record(kind: Any = "answer", **more: Any) -> Record:
    given: dict[str, Any] = {"at": AT, "server": "github", "client": "cursor", "method": "o200k"}
    return Record(kind=kind, **{**given, **more})


@pytest.fixture
def measured(home: Path) -> None:
    """Leave what two servers came to, by two tokenizers, in two files."""
    put(
        home,
        record("menu", before=3000, after=1200, form="signatures"),
        record(before=30_000, after=9000, cut=15_000, added_us=400),
        record("lookup", tool="more", after=700),
        record(before=100, after=110, added_us=2400),
    )
    put(
        home,
        record(server="sqlite", method="features-v1", before=50, after=40, added_us=300),
        record("fault", server="sqlite"),
        name="two",
    )


def shown(*args: str) -> list[str]:
    """Return the lines of the section; none where it is not shown."""
    ran = run("balance", *args)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    at = next((at for at, line in enumerate(lines) if line.startswith("Lean: ")), len(lines))
    return lines[at:]


def figures(*args: str) -> Any:
    ran = run("balance", "--json", *args)
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)["lean"]


@pytest.mark.usefixtures("measured")
def test_the_section_stands_below_the_balance_with_a_table_for_each_tokenizer(fill: Fill) -> None:
    fill(delegation(1))
    assert run("balance").out.splitlines()[0].endswith("net saved by delegating")
    assert shown() == [
        "Lean: menus and answers of MCP servers, measured; in none of the sums above",
        "10 tokens net saved in 1 answer, by features-v1",
        "10 by encoding + 0 by cutting − 0 looked up again = 10",
        "server  answers  before  after  encoding  cutting  look-ups  net  menu",
        "sqlite        1      50     40        10        0         0   10   n/a",
        "20,290 tokens net saved in 2 answers, by o200k",
        "5,990 by encoding + 15,000 by cutting − 700 looked up again = 20,290",
        "server  answers  before  after  encoding  cutting  look-ups     net           menu",
        "github        2  30,100  9,110     5,990   15,000       700  20,290  3,000 → 1,200",
        "features-v1: estimates, no provider's counts.",
        "Each tokenizer has its own figures; they are not added.",
        "A menu is what the client shows its model in every turn, here as it was shown last; it is in no sum.",
        "Added to a call: 400 µs in the middle, 95% within 2.4 ms.",
        "1 failure of a server or of an economy.",
        "Read 6 lines of 2 files.",
    ]


@pytest.mark.usefixtures("measured")
def test_the_section_is_shown_without_a_delegation_too() -> None:
    lines = run("balance").out.splitlines()
    assert lines[0].startswith("No event was ever received")
    assert "Lean: menus and answers" in "\n".join(lines)


@pytest.mark.usefixtures("measured")
def test_the_sums_of_delegating_stay_what_they_are(fill: Fill, home: Path) -> None:
    fill(delegation(1))
    with_lean = json.loads(run("balance", "--json").out)
    for file in Path(lean_dir(str(home / "data" / "econome"))).iterdir():
        file.unlink()
    without = json.loads(run("balance", "--json").out)
    assert with_lean.pop("lean")["methods"] != without.pop("lean")["methods"] == []
    assert with_lean == without


def test_without_a_measure_nothing_is_shown(fill: Fill) -> None:
    fill(delegation(1))
    assert shown() == []
    assert figures() == {
        "methods": [],
        "added_us": {"calls": 0, "p50": None, "p95": None},
        "faults": 0,
        "ledger": {"files": 0, "lines": 0, "malformed": 0, "later": 0, "lost": 0, "unreadable": 0},
    }


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize(
    "args, methods",
    [
        (["--until", "2026-10-16"], 2),
        (["--since", "2026-10-17"], 0),
        (["--since", "2026-10-17", "--timezone", "Europe/Paris"], 2),
        (["--days", "1"], 0),
        (["--client", "cursor"], 2),
        (["--client", "claude-code"], 0),
    ],
)
def test_the_period_the_zone_and_the_client_hold_here_too(args: list[str], methods: int) -> None:
    assert len(figures(*args)["methods"]) == methods
    assert bool(shown(*args)) is (methods > 0)


@pytest.mark.usefixtures("measured")
def test_a_question_about_a_preset_is_about_delegating_alone() -> None:
    assert (figures("--preset", "x"), shown("--preset", "x")) == (None, [])


@pytest.mark.usefixtures("measured")
def test_verify_and_csv_are_about_delegating_alone(fill: Fill) -> None:
    fill(delegation(1))
    assert run("balance", "--verify").out.splitlines()[-1] == "Everything agrees."
    assert len(run("balance", "--csv").out.splitlines()) == 2


def test_what_was_not_usable_is_told(home: Path) -> None:
    put(
        home,
        record(before=10, after=20, added_us=1, lost=7),
        record(at="yesterday"),
        more=b'{"v":9}\nno record\n',
    )
    assert shown() == [
        "Lean: menus and answers of MCP servers, measured; in none of the sums above",
        "10 tokens net lost in 1 answer, by o200k",
        "-10 by encoding + 0 by cutting − 0 looked up again = -10",
        "server  answers  before  after  encoding  cutting  look-ups  net  menu",
        "github        1      10     20       -10        0         0  -10   n/a",
        "Added to a call: 1 µs in the middle, 95% within 1 µs.",
        "Read 4 lines of 1 file.",
        "Not counted: 2 damaged lines.",
        "1 line of a later econome left out.",
        "7 records were not written: the disk or the machine was too slow.",
    ]
