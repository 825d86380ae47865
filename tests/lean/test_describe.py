"""The table of a namespace: made from the actions, shorter than the prose, and never drifting from them."""

from __future__ import annotations

from dataclasses import replace

import pytest
import quicktok
from hypothesis import example, given
from hypothesis import strategies as st

from econome.lean.actions import Action, Namespace, action_of
from econome.lean.describe import described, first_sentence, look_up, name_list, prose, table
from tests.lean.schemas import BILLING, FILES, count
from tests.requirements import requirement

_BILLING = Namespace("billing", tuple(map(action_of, BILLING)))
_RISKY = replace(
    _BILLING,
    actions=tuple(
        replace(action, destructive=action.name == "refund") for action in _BILLING.actions
    ),
)
_ROWS = """billing actions|desc|required
get_invoice|Retrieve an invoice by ID|id
refund|Refund an invoice|id,amount_cents
list_invoices|List the tenant invoices|-"""


@requirement("LC1")
def test_the_table_stands_behind_a_summary_and_a_blank_line() -> None:
    said = described(_BILLING, count)
    assert (said.form, said.text) == ("table", f"Give `action` and its fields.\n\n{_ROWS}")


@requirement("LC1")
def test_an_optional_field_changes_its_row_and_nothing_else() -> None:
    refund = {**BILLING[1], "inputSchema": {**BILLING[1]["inputSchema"], "required": ["id"]}}
    changed = Namespace("billing", tuple(map(action_of, [BILLING[0], refund, BILLING[2]])))
    before, after = described(_BILLING, count).text, described(changed, count).text
    assert after == before.replace(
        "refund|Refund an invoice|id,amount_cents", "refund|Refund an invoice|id"
    )


@requirement("LC2")
def test_a_destructive_action_is_marked_in_one_table_that_costs_less_than_the_prose() -> None:
    tokens = quicktok.get_encoding("o200k_base")
    said = described(_RISKY, lambda text: len(tokens.encode(text)))
    assert said.form == "table"
    assert said.text == (
        "Give `action` and its fields (! destructive).\n\n" + _ROWS.replace("refund|", "refund!|")
    )
    assert len(tokens.encode(said.text)) <= min(69, len(tokens.encode(prose(_RISKY))))


@requirement("L1")
def test_the_prose_names_what_each_action_needs() -> None:
    assert prose(replace(_RISKY, description="Bills")) == (
        "Bills. Select operation via: action. Actions: get_invoice, refund, list_invoices\n\n"
        "Workflow:\n"
        "- 'get_invoice': Retrieve an invoice by ID. Requires: id\n"
        "- 'refund': Refund an invoice. Requires: id, amount_cents [DESTRUCTIVE]\n"
        "- 'list_invoices': List the tenant invoices"
    )


@requirement("L1")
def test_the_prose_stays_where_the_table_would_be_longer() -> None:
    bare = Namespace("n", (Action("a"), Action("b")))
    said = described(bare, count)
    assert (said.form, said.text) == ("prose", prose(bare))
    assert said.text == "n. Select operation via: action. Actions: a, b"


@requirement("L1")
@example(["a|b\\", "\\|"], "a\\|")
@given(st.lists(st.text(max_size=30), min_size=1, max_size=4), st.text(max_size=8))
def test_a_row_is_one_line_of_three_cells_whatever_the_texts(texts: list[str], field: str) -> None:
    actions = tuple(
        Action(
            f"a{place}", text, {"type": "object", "properties": {field: {}}, "required": [field]}
        )
        for place, text in enumerate(texts)
    )
    rows = table(Namespace("n", actions)).split("\n")
    assert rows[0] == "n actions|desc|required"
    assert len(rows) == 1 + len(texts)
    for row, text in zip(rows[1:], texts, strict=True):
        cells = _cells(row)
        assert (len(cells), cells[1]) == (3, " ".join(text.split()) or "-")


def _cells(row: str) -> list[str]:
    cells, escaped = [""], False
    for sign in row:
        if not escaped and sign == "|":
            cells.append("")
        elif not escaped and sign == "\\":
            escaped = True
            continue
        else:
            cells[-1] += sign
        escaped = False
    return cells


@requirement("L1")
def test_a_brief_table_has_the_short_text_or_the_first_sentence() -> None:
    actions = tuple(map(action_of, FILES[:2]))
    brief = table(Namespace("fs", (replace(actions[0], short="Reads"), actions[1])), brief=True)
    assert brief == (
        "fs actions|desc|required\nread_lines|Reads|path\n"
        "write_text|Write a text to a file; what it held is lost!|path,text"
    )


@requirement("L1")
@pytest.mark.parametrize(
    "text, first",
    [
        ("Reads a file. Then more.", "Reads a file"),
        ("Reads a file, e.g. a text. More.", "Reads a file, e.g. a text"),
        ("One line\nand another.", "One line"),
        ("", ""),
        ("word " * 40, ("word " * 20).strip() + "…"),
    ],
)
def test_the_first_sentence_ends_where_a_reader_would_end_it(text: str, first: str) -> None:
    assert first_sentence(text) == first


@requirement("L1")
def test_describe_answers_with_signatures_and_whole_texts() -> None:
    action = action_of(BILLING[1])
    assert look_up([action]) == (
        "field?:type=default (text); untyped: string; $ no other fields\n"
        "refund(id, amount_cents:integer): Refund an invoice"
    )


@requirement("L11")
def test_very_many_names_are_counted() -> None:
    assert name_list(map(str, range(5)), longest=3) == "0, 1, 2 and 2 more"
    assert name_list(["a"]) == "a"


@requirement("L1")
def test_what_is_asked_of_a_destructive_action_is_marked_as_in_the_table() -> None:
    told = look_up([_RISKY.actions[1], _RISKY.actions[2]])
    assert told == (
        "field?:type=default (text); untyped: string; $ no other fields; ! destructive\n"
        "refund!(id, amount_cents:integer): Refund an invoice\n"
        "list_invoices(): List the tenant invoices"
    )


def _brief(*texts: str, **hints: bool) -> list[str]:
    actions = tuple(Action(f"a{place}", text, **hints) for place, text in enumerate(texts))  # type: ignore[arg-type]
    return table(Namespace("n", actions), brief=True).split("\n")[1:]


@requirement("L1")
@pytest.mark.parametrize(
    "text, row",
    [
        (
            "Reads a file as text. DEPRECATED: Use read_text instead.",
            "Reads a file as text. DEPRECATED: Use read_text instead",
        ),
        (
            "Reads a file.\n\nNote: this tool is obsolete, see read_text.",
            "Reads a file. Note: this tool is obsolete, see read_text",
        ),
        ("[Deprecated] Reads a file. More.", "[Deprecated] Reads a file"),
        (
            "Reads a file. For directories, use list_directory instead.",
            "Reads a file. For directories, use list_directory instead",
        ),
        (
            "Reads a file. " + "It is long " * 20 + "and deprecated since 2.0.",
            "Reads a file. deprecated since 2.0",
        ),
        ("Lists deprecated packages. More.", "Lists deprecated packages"),
        ("Lists packages. Shows deprecated ones too.", "Lists packages"),
        ("Reads a file. It is not deprecated.", "Reads a file"),
    ],
)
def test_a_first_sentence_does_not_hide_that_an_action_is_deprecated(text: str, row: str) -> None:
    assert _brief(text) == [f"a0|{row}|-"]


@requirement("L1")
def test_deprecated_actions_come_last_in_a_brief_table_alone() -> None:
    texts = ("Old. Deprecated.", "New.")
    assert _brief(*texts) == ["a1|New|-", "a0|Old. Deprecated|-"]
    whole = table(Namespace("n", tuple(Action(f"a{n}", t) for n, t in enumerate(texts))))
    assert whole.split("\n")[1:] == ["a0|Old. Deprecated.|-", "a1|New.|-"]


@requirement("L1")
@pytest.mark.parametrize(
    "text, mark",
    [
        ("Drops a table. This cannot be undone.", "!"),
        ("Drops a table. Permanently deletes its rows.", "!"),
        ("Drops a table. Use with caution.", "!"),
        ("Drops a table. IRREVERSIBLE!", "!"),
        ("Merges. This is a non-destructive merge.", ""),
        ("Merges. This is not destructive.", ""),
        ("Merges. All is kept.", ""),
    ],
)
def test_a_brief_row_is_marked_where_the_words_warn_of_harm(text: str, mark: str) -> None:
    assert [row.partition("|")[0] for row in _brief(text)] == [f"a0{mark}"]
    assert [row.partition("|")[0] for row in _brief(text, read_only=True)] == ["a0"]
