"""The blocks of an answer have kinds and one order, and a cap is for all of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.lean.answering import answered
from econome.lean.blocks import KINDS, Answer, Block, arranged, beside, text_block
from econome.lean.kept import Kept
from econome.lean.options import Economy, Held
from econome.lean.policies import KNOWN, STRANGER, Policy
from econome.tokenizers import tokenizer
from tests.requirements import requirement

pytestmark = requirement("L9", "LC8")

LONGEST_NOTE = 160

FULL = Answer(
    None,
    note="as of today",
    ui=["<chart>", "<gauge>"],
    rules=["amounts are in cents"],
    suggestions=["refund: takes it back"],
    invalidation=["billing", "invoices"],
)


def sent(value: Any, *, policy: Policy = KNOWN[0], **economy: Any) -> tuple[Block, ...]:
    """Return the blocks in which a value is answered."""
    text = value if isinstance(value, str) else json.dumps(value)
    result = {"content": [{"type": "text", "text": text}], "structuredContent": {"result": value}}
    made, blocks = answered(
        result,
        Economy(**economy),
        Held(),
        fields=(),
        select=None,
        policy=policy,
        count=tokenizer().count,
        keep=Kept(lambda: 0.0, lambda: "h" * 22),
        principal="",
        more_call="more",
    )
    assert made["content"] == [block.content for block in blocks]
    return blocks


def test_what_is_said_beside_the_data_has_kinds_and_titles() -> None:
    assert [(block.kind, block.text) for block in beside(FULL)] == [
        ("invalidation", "Stale now: billing, invoices"),
        ("note", "as of today"),
        ("ui", "<chart>"),
        ("ui", "<gauge>"),
        ("rules", "Rules:\n- amounts are in cents"),
        ("suggestions", "Next:\n- refund: takes it back"),
    ]
    assert beside(Answer([1])) == ()


@given(st.lists(st.sampled_from(KINDS)))
def test_blocks_come_in_one_order_and_those_of_a_kind_as_they_came(kinds: list[str]) -> None:
    given_ = [text_block(kind, str(at)) for at, kind in enumerate(kinds)]
    ordered = arranged(given_)
    assert sorted(map(id, ordered)) == sorted(map(id, given_))
    places = [(KINDS.index(block.kind), int(block.text)) for block in ordered]
    assert places == sorted(places)


def size(blocks: tuple[Block, ...]) -> int:
    return sum(len(block.text.encode()) for block in blocks)


def fits(blocks: tuple[Block, ...], max_bytes: int) -> bool:
    """Tell whether blocks keep to a cap; nothing is cut where that would hardly save its own note."""
    cut = any(block.kind == "cut" for block in blocks)
    return size(blocks) <= max_bytes + (0 if cut else LONGEST_NOTE + max_bytes // 10)


def rows(number: int, width: int = 20) -> list[dict[str, Any]]:
    return [{"id": at, "title": f"issue {'x' * width}", "state": "open"} for at in range(number)]


@pytest.mark.parametrize("policy", [KNOWN[0], STRANGER], ids=["texts", "structure"])
@given(
    number=st.integers(0, 200),
    max_bytes=st.integers(500, 5000),
    limit=st.none() | st.integers(1, 150),
    more=st.booleans(),
)
def test_a_cap_is_for_all_blocks_and_keeps_whole_rows_and_the_rules(
    policy: Policy, number: int, max_bytes: int, limit: int | None, more: bool
) -> None:
    rule = ["amounts are in cents"]
    blocks = sent(
        rows(number),
        policy=policy,
        max_bytes=max_bytes,
        limit=limit,
        more=more,
        rules=rule,
        table=False,
    )
    assert fits(blocks, max_bytes)
    by_kind = {block.kind: block.text for block in blocks}
    kept = json.loads(by_kind["data"])
    assert kept == rows(number)[: len(kept)]
    assert by_kind["rules"] == "Rules:\n- amounts are in cents"
    hidden = number - len(kept)
    assert (f"{len(kept)} of {number} shown, {hidden} hidden" in by_kind.get("cut", "")) is (
        hidden > 0
    )
    if hidden and len(kept) != limit:  # one row more would not have fitted
        assert size(blocks) > max_bytes - 2 * 60


@given(st.integers(0, 400), st.integers(300, 3000), st.booleans())
def test_a_cap_is_for_a_text_and_its_note_as_well(lines: int, max_bytes: int, more: bool) -> None:
    text = "\n".join(f"line {at} of a log" for at in range(lines))
    blocks = sent(text, max_bytes=max_bytes, more=more, rules=["read on"])
    assert fits(blocks, max_bytes)
    assert blocks[-1].kind == "rules"


def test_a_cap_of_1024_bytes_on_60_rows_keeps_valid_json_and_the_rule() -> None:
    cut, data, rule = sent(
        rows(60), max_bytes=1024, more=False, table=False, rules=["amounts are in cents"]
    )
    kept = json.loads(data.text)
    assert [cut.kind, data.kind, rule.kind] == ["cut", "data", "rules"]
    assert kept == rows(60)[: len(kept)]
    assert f"{len(kept)} of 60 shown, {60 - len(kept)} hidden" in cut.text
    assert "amounts are in cents" in rule.text
    assert 900 < size((cut, data, rule)) <= 1024
