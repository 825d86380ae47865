"""`econome prices` on a narrow terminal, and ids as tables show them."""

from __future__ import annotations

import pytest

from tests.door import run
from tests.requirements import requirement


@requirement("P8")
def test_columns_that_do_not_fit_are_named_and_addresses_stay_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = run("prices", "--model", "opus-4-6").out.splitlines()
    (left_out,) = (line for line in lines if line.startswith("Not shown at this width: "))
    assert "days" in left_out
    assert "prompt" in left_out
    sources = [line for line in lines if line.startswith("Source: ")]
    assert sources
    assert all(line.startswith("Source: https://") for line in sources)
    assert [line for line in lines if "://" in line] == sources


@requirement("P3")
def test_an_id_without_its_vendor_is_no_price_but_the_whole_id_is_named() -> None:
    ran = run("prices", "explain", "opus-4-8")
    assert "No price" in ran.out
    assert "claude-opus-4-8" in ran.out
    assert "claude-" not in run("prices", "explain", "opus-4-99").out
