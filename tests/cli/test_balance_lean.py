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


MENUS = [
    "A menu as it was shown last, in no sum: how often a client shows it to its model, in every turn or",
    "once it was searched for, is not seen here. Look-ups (describe, find, calls refused) and their",
    "tokens are what it made the model read besides, paid back after so many showings.",
]


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
        record("lookup", tool="describe", after=1300),
        record("lookup", tool="refused", after=600),
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
    end = next((at for at, line in enumerate(lines) if line.startswith("Nothing was deleg")), None)
    return lines[at:] if end is None else lines[at : end - 1]


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
        "10 tokens net saved in 1 answer, 20% less: 50 → 40, by features-v1",
        "10 by encoding + 0 by cutting − 0 read on = 10",
        "server  answers  before  encoding  cutting  read on  net  less",
        "sqlite        1      50        10        0        0   10   20%",
        "20,290 tokens net saved in 2 answers, 67% less: 30,100 → 9,810, by o200k",
        "5,990 by encoding + 15,000 by cutting − 700 read on = 20,290",
        "server  answers  before  encoding  cutting  read on     net  less",
        "github        2  30,100     5,990   15,000      700  20,290   67%",
        "Menus, each time one is shown, by o200k",
        "server  form        before  after   less  look-ups  tokens  paid back",
        "github  signatures   3,000  1,200  1,800         2   1,900    after 2",
        *MENUS,
        "features-v1: estimates, no provider's counts.",
        "Each tokenizer has its own figures; they are not added.",
        "Added to a call: 400 µs in the middle, 95% within 2.4 ms.",
        "1 failure of a server or of an economy.",
        "Read 8 lines of 2 files.",
    ]


@pytest.mark.usefixtures("measured")
def test_whoever_delegates_nothing_is_shown_the_section_first() -> None:
    lines = run("balance").out.splitlines()
    assert lines[0] == "Lean: menus and answers of MCP servers, measured"
    assert lines[-2:] == [
        "",
        "Nothing was delegated to a local model yet: `econome serve` says how a client begins.",
    ]


def test_a_menu_is_held_against_what_it_made_the_model_look_up(home: Path) -> None:
    def lazy(server: str, before: int, after: int, *found: int) -> list[Record]:
        menu = record("menu", server=server, before=before, after=after, form="lazy")
        return [menu, *(record("lookup", server=server, tool="find", after=one) for one in found)]

    found = [*lazy("a", 1390, 118, 1000, 273), *lazy("b", 100, 80), *lazy("c", 100, 100)]
    put(home, *found, *lazy("d", 100, 100, 1), record("lookup", server="e", tool="find", after=9))
    assert shown()[1:8] == [
        "Menus, each time one is shown, by o200k",
        "server  form  before  after   less  look-ups  tokens  paid back",
        "a       lazy   1,390    118  1,272         2   1,273    after 2",
        "b       lazy     100     80     20         0       0    at once",
        "c       lazy     100    100      0         0       0          –",
        "d       lazy     100    100      0         1       1      never",
        "e       n/a      n/a    n/a    n/a         1       9        n/a",
    ]


def test_a_usual_terminal_has_all_that_the_sums_need(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    name, million = "a-server-with-a-long-name", 1_234_567
    more = record("lookup", server=name, tool="more", after=million)
    find = record("lookup", server=name, tool="find", after=234_567)
    menu = record("menu", server=name, before=34_567, after=12_345, form="signatures")
    put(home, record(server=name, before=9 * million, after=million, cut=million), more, find, menu)
    lines = shown()
    assert all(len(line) <= 80 for line in lines)
    assert [" ".join(line.split()) for line in lines if line.startswith("server ")] == [
        "server before encoding cutting read on net less",
        "server form before after less look-ups tokens paid back",
    ]


def test_with_rows_of_days_it_has_days_too(home: Path) -> None:
    late = record(before=90, after=60, at="2026-10-17T01:00:00Z")
    put(home, record(before=10, after=5), late, record("lookup", tool="more", after=7))
    assert shown("--by", "day")[3:6] == [
        "day         answers  before  encoding  cutting  read on  net  less",
        "2026-10-16        1      10         5        0        7   -2  -20%",
        "2026-10-17        1      90        30        0        0   30   33%",
    ]
    (method,) = figures("--by", "day")["methods"]
    assert [(day["day"], day["net"]) for day in method["days"]] == [
        ("2026-10-16", -2),
        ("2026-10-17", 30),
    ]


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
    ran = run("balance", "--csv")
    assert len(ran.out.splitlines()) == 2
    assert ran.err == (
        "econome: what menus and answers of MCP servers saved is not in the CSV; --json has it under lean\n"
    )
    assert run("balance", "--csv", "--preset", "x").err == ""


def test_what_was_not_usable_is_told(home: Path) -> None:
    put(
        home,
        record(before=10, after=20, added_us=1, lost=7),
        record(at="yesterday"),
        more=b'{"v":9}\nno record\n',
    )
    assert shown() == [
        "Lean: menus and answers of MCP servers, measured",
        "10 tokens net lost in 1 answer, 100% more: 10 → 20, by o200k",
        "-10 by encoding + 0 by cutting − 0 read on = -10",
        "server  answers  before  encoding  cutting  read on  net   less",
        "github        1      10       -10        0        0  -10  -100%",
        "Encoding below 0: by o200k the form costs more than what it replaced; it is chosen by a quick",
        "estimate.",
        "Added to a call: 1 µs in the middle, 95% within 1 µs.",
        "Read 4 lines of 1 file.",
        "Not counted: 2 damaged lines.",
        "1 line of a later econome left out.",
        "7 records were not written: the disk or the machine was too slow.",
    ]
