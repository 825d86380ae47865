"""`econome balance` in its forms, from ledgers as a server leaves them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from econome.errors import UsageError
from econome.savings.asking import BALANCE, NO_PRESET_WORD, ask_balance
from econome.savings.question import BY, NO_PRESET, Question
from econome.times import read_day
from tests.builders import Tree, assistant, counts
from tests.cli.conftest import Fill
from tests.door import run
from tests.requirements import requirement
from tests.savings.builders import (
    EXAMPLE,
    SESSION,
    Payload,
    correction,
    delegation,
    request_id,
    steering,
)
from tests.savings.ledgers import ended

ONE, TWO = map(request_id, (1, 2))


def _example() -> list[Payload]:
    events: list[Payload] = json.loads(EXAMPLE)["evenements"]
    return events


def _lines(*args: str) -> list[str]:
    ran = run("balance", *args)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.splitlines()


def _json(*args: str) -> dict[str, Any]:
    ran = run("balance", "--json", *args)
    assert (ran.code, ran.err) == (0, "")
    found: dict[str, Any] = json.loads(ran.out)
    return found


def _mixed() -> list[Payload]:
    """Return the events of two clients, on two days."""
    return [
        delegation(1, estimation__evites=6000),
        delegation(2, estimation__evites=2000, date="2026-10-31T10:00:00Z"),
        steering(1, demande_ids=[ONE, TWO], cout=1000),
        correction(1, cout=600),
        delegation(3, client="codex", estimation__evites=10),
    ]


JOURNAL = [ended(ONE, preset="small"), ended(TWO, preset="large")]


@requirement("S7", "C-M52")
def test_the_contracts_own_example_is_told_in_its_headline(fill: Fill) -> None:
    fill(*_example())
    assert _lines()[:2] == [
        "2,900 tokens net saved by delegating",
        "4,900 avoided − 2,000 steering − 0 corrections = 2,900 · 1 delegation · rework 0%",
    ]


@requirement("S7")
def test_a_loss_is_called_one(fill: Fill) -> None:
    fill(steering(1))
    assert _lines()[0] == "2,000 tokens net lost by delegating"


@requirement("S7")
@pytest.mark.parametrize("args", [(), ("--by", "preset"), ("--usd",), ("--days", "7")])
def test_where_nothing_was_ever_received_it_says_so_and_what_to_run(
    home: Path, args: tuple[str, ...]
) -> None:
    text = " ".join(_lines(*args))
    assert text.startswith("No event was ever received in ")
    assert "econome serve" in text
    assert "saved" not in text


@requirement("S7", "C-N20")
def test_where_nothing_was_ever_received_json_is_a_balance_of_nothing(home: Path) -> None:
    report = _json("--by", "preset")
    assert [client["client"] for client in report["clients"]] == ["claude-code"]
    assert report["total"]["rework_rate"] is None
    assert not (home / "data" / "econome").exists(), "a question makes no directory"


@requirement("S7")
def test_clients_are_a_table_with_their_sum(fill: Fill) -> None:
    fill(*_mixed())
    table = [line.split() for line in _lines()[3:9]]
    assert table == [
        ["client", "delegations", "avoided", "steering", "corrections", "net", "rework"],
        ["claude-code", "2", "8,000", "1,000", "600", "6,400", "8%"],
        ["codex", "1", "10", "0", "0", "10", "0%"],
        [table[3][0]],
        ["total", "3", "8,010", "1,000", "600", "6,410", "7%"],
        [],
    ]


@requirement("S7", "C-N21")
def test_each_client_has_a_table_of_rows(fill: Fill) -> None:
    fill(*_mixed(), journal=JOURNAL)
    lines = [line.split() for line in _lines("--by", "preset")]
    begin = lines.index(["claude-code"])
    assert lines[begin + 2 : begin + 4] == [
        ["small", "1", "6,000", "750", "600", "4,650", "10%"],
        ["large", "1", "2,000", "250", "0", "1,750", "0%"],
    ]
    begin = lines.index(["codex"])
    assert lines[begin + 2] == ["(none)", "1", "10", "0", "0", "10", "0%"]


@requirement("S7")
def test_a_limit_sums_up_what_it_leaves_out_and_the_total_holds_it(fill: Fill) -> None:
    fill(*[delegation(at, estimation__evites=10 * at) for at in range(1, 31)])
    lines = _lines("--by", "delegation", "--limit", "28")
    assert "and 2 more: 30 net" in lines
    (total,) = (line.split() for line in lines if line.startswith("total"))
    assert total[1:3] == ["30", "4,650"]
    assert "and 10 more: 550 net" in _lines("--by", "delegation"), "many are cut unasked"
    assert len(_json("--by", "delegation")["clients"][0]["rows"]) == 30
    assert len(_json("--by", "delegation", "--limit", "2")["clients"][0]["rows"]) == 2


@requirement("S7", "S6")
def test_what_is_odd_is_told_below(fill: Fill) -> None:
    fill(
        delegation(1),
        correction(9),
        delegation(1),
        journal=[ended(ONE, duree_s=61.0)],
        conflicts=[delegation(1, estimation__evites=1)],
        damage={0: b"{\n"},
    )
    text = " ".join(_lines())
    assert "1 event without a delegation that the ledger or the journal knows" in text
    assert "1 event came again with another content" in text
    assert "The local model: 1 request (1 done), 4,200 tokens in, 900 out, 1m." in text
    assert "Read 2 events and 1 line of the journal. Not counted: 1 damaged line." in text
    assert "1 line of an earlier id left out." in text


@requirement("S7")
def test_filters_that_leave_nothing_are_named(fill: Fill) -> None:
    fill(delegation(1))
    assert "Nothing matches --client nobody." in " ".join(_lines("--client", "nobody"))
    text = " ".join(_lines("--preset", NO_PRESET_WORD, "--since", "2026-11-01"))
    assert "Nothing in this period matches --preset (none)." in text
    assert "Nothing in this period." in _lines("--since", "2026-11-01")


@requirement("S7")
def test_days_count_back_from_today_and_may_be_any_number(
    fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ECONOME_NOW", "2026-11-01T12:00:00Z")
    fill(*_mixed())
    for days, avoided in (("1", 0), ("2", 2000), ("3", 8010), ("all", 8010), ("400", 8010)):
        assert _json("--days", days)["total"]["avoided"] == avoided
    assert _json("--days", "2")["period"] == {"since": "2026-10-31", "until": "2026-11-01"}
    period = ("--days", "1", "--until", "2026-10-31")
    assert _json(*period)["total"]["avoided"] == 2000


@requirement("S7")
def test_the_zone_of_an_option_decides_the_day_and_then_that_of_the_settings(
    fill: Fill, home: Path
) -> None:
    fill(delegation(1, date="2026-10-30T23:30:00Z"))
    config = home / "config" / "econome"
    config.mkdir()
    config.joinpath("config.toml").write_text('timezone = "Europe/Paris"\n', encoding="utf-8")
    rows = _json("--by", "day")["clients"][0]["rows"]
    assert [row["day"] for row in rows] == ["2026-10-31"]
    rows = _json("--by", "day", "--timezone", "America/New_York")["clients"][0]["rows"]
    assert [row["day"] for row in rows] == ["2026-10-30"]


@requirement("S7")
def test_another_data_directory_is_another_ledger(fill: Fill, tmp_path: Path) -> None:
    fill(delegation(1)).parent.parent.rename(tmp_path / "elsewhere")
    assert _json()["ledger"]["events"] == 0
    assert _json("--data-dir", str(tmp_path / "elsewhere"))["ledger"]["events"] == 1


@requirement("S7")
@pytest.mark.parametrize("by", [None, *BY])
@pytest.mark.parametrize("usd", [False, True])
def test_csv_has_the_rows_and_figures_of_the_json(fill: Fill, by: str | None, usd: bool) -> None:
    fill(*_mixed(), journal=JOURNAL)
    args = [*(["--by", by] if by else []), *(["--usd"] if usd else [])]
    read = list(csv.DictReader(io.StringIO(run("balance", "--csv", *args).out)))
    expected = []
    for client in _json(*args)["clients"]:
        for row in client.pop("rows", [client]):
            money = {f"usd_{name}": value for name, value in row.pop("usd", {}).items()}
            # No preset of these was ever tested.
            scored = dict.fromkeys(("score_passed", "score_total")) if "score" in row else {}
            assert row.pop("score", None) is None
            expected.append({"client": client["client"], **row, **money, **scored})
    assert [list(line) for line in read] == [list(row) for row in expected]
    spelt = {True: "true", False: "false", None: ""}
    assert [list(line.values()) for line in read] == [
        [spelt[value] if value is None or isinstance(value, bool) else str(value) for value in row]
        for row in (list(row.values()) for row in expected)
    ]


@requirement("S9")
def test_money_takes_the_model_of_the_transcript_and_says_its_method(
    fill: Fill, tree: Tree
) -> None:
    usage = counts(1, 1, 0, 0)
    tree.main(SESSION, assistant("a", model="claude-opus-4-8", usage=usage))
    fill(
        delegation(1, par_subagent=True, estimation__lus=1_000_000, estimation__ecrits=0),
        steering(1, modele="claude-haiku-4-5", usage__input_tokens=1_000_000),
    )
    lines = _lines("--usd")
    assert lines[2].startswith("in USD: $5.00 avoided − $1.00 steering − $0.00 corrections = $4.00")
    assert "list prices" in " ".join(lines)
    assert "*" not in " ".join(lines)
    assert _json("--usd")["total"]["usd"]["net"] == "3.998"


@requirement("S9", "P4")
def test_money_without_a_price_is_not_available_and_says_what_is_missing(fill: Fill) -> None:
    fill(delegation(1), {**steering(1), "modele": "claude-nobody-9"}, correction(1))
    text = " ".join(_lines("--usd", "--by", "delegation"))
    assert "n/a avoided − n/a steering − n/a corrections = n/a" in text
    assert "No price for claude-nobody-9: 1 event in no sum (*)." in text
    assert "No transcript names the model of 1 session: 2 events in no sum (*)." in text
    assert "$0" not in text


@requirement("S9")
def test_the_model_of_reference_stands_in_where_no_transcript_does(fill: Fill, home: Path) -> None:
    config = home / "config" / "econome"
    config.mkdir()
    model = "claude-opus-4-8"
    text = f'reference_model = "{model}"\n'
    config.joinpath("config.toml").write_text(text, encoding="utf-8")
    fill(correction(1, tokens_lus=1_000_000), {**correction(2), "session_id": "other"})
    report = _json("--usd")
    assert report["money"]["models"] == [{"model": model, "events": 2}]
    assert report["total"]["usd"]["corrections"] == "5.0015"
    assert f"priced as {model}" in " ".join(_lines("--usd"))


@requirement("S9")
def test_transcripts_are_read_for_money_only(
    fill: Fill, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    fill(delegation(1))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "missing"))
    assert _json()["ledger"]["events"] == 1
    assert run("balance", "--usd").code == 1
    assert _json("--usd", "--root", str(tmp_path))["ledger"]["events"] == 1


@requirement("S7")
@pytest.mark.parametrize("width", [60, 80, 100, 120])
@pytest.mark.parametrize("by", BY)
def test_no_line_is_wider_than_the_terminal_and_net_stays(
    fill: Fill, monkeypatch: pytest.MonkeyPatch, width: int, by: str
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    long = [ended(ONE, preset="p" * 90, format="f" * 90, modele="m" * 90)]
    fill(*[{**event, "cout": 10**9} if "cout" in event else event for event in _mixed()],
         journal=long)  # fmt: skip
    lines = _lines("--by", by, "--usd")
    assert [line for line in lines if len(line) > width] == []
    notes = next(at for at, line in enumerate(lines) if line.startswith("No transcript"))
    heads = [line.split() for line in lines[:notes] if line.startswith(by)]
    assert ["net" in head for head in heads] == [True, True], "one of each client"


@requirement("S4")
def test_what_a_terminal_would_obey_is_never_printed(fill: Fill) -> None:
    evil = "\x1b[2Jx"
    fill(
        delegation(1, client=evil),
        {**steering(1), "modele": evil, "id": evil, "client": evil},
        journal=[ended(ONE, preset=evil, statut=evil)],
    )
    for args in (("--by", "preset", "--usd"), ("--verify",), ("--client", evil, "--since", "2027-01-01")):  # fmt: skip
        assert "\x1b" not in run("balance", *args).out


@requirement("S7")
@pytest.mark.parametrize(
    "args",
    [
        ("--by", "session"), ("--by", "day", "--by", "preset", "--by"), ("--days", "0"), ("--days", "x"),
        ("--days", "-1"), ("--days", "7", "--since", "2026-10-01"), ("--since", "2026-10-02", "--until", "2026-10-01"),
        ("--json", "--csv"), ("--root", "x"), ("--no-index",), ("--verify", "--json"), ("--verify", "--csv"),
        ("--verify", "--usd"), ("--verify", "--limit", "3"), ("--client", ""), ("stray",),
    ],
)  # fmt: skip
def test_a_wrong_question_is_one_line_and_exit_2(args: tuple[str, ...]) -> None:
    ran = run("balance", *args)
    assert (ran.code, ran.out) == (2, "")
    assert re.fullmatch(r"econome[^\n]+\n", ran.err)


@requirement("S7")
def test_values_become_the_question_that_they_ask() -> None:
    today = read_day("2026-10-17")
    values = {"by": "model", "days": 5, "client": "c", "preset": NO_PRESET_WORD, "limit": 3}
    asked = ask_balance(values)
    assert asked.question(today) == Question(today - 4, today, "c", NO_PRESET, "model", 3)
    assert asked.question(today, limit=False) == Question(today - 4, today, "c", NO_PRESET, "model")
    assert ask_balance({}).question(today) == Question()
    with pytest.raises(UsageError, match="--json and --csv"):
        ask_balance({"json": True, "csv": True})
    assert len({option.name for option in BALANCE}) == len(BALANCE)


@requirement("S7")
def test_where_requests_were_carried_out_and_nobody_posted_a_delegation_it_says_why_nothing_is_saved(
    fill: Fill,
) -> None:
    fill(journal=[ended(ONE)])
    told = " ".join(_lines())
    assert "0 until a client that measures it posts events" in told
    assert told.count("No client has posted a delegation") == 1
    fill(delegation(2), journal=[ended(ONE)])
    assert "No client has posted" not in " ".join(_lines())
    assert "No client has posted" not in " ".join(_lines("--client", "nobody"))
