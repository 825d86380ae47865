"""What a proxy begins with: what chooses its forms, and the headers that the environment holds for its server."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

from econome.__main__ import main
from econome.lean.proxy.opening import Wishes, opened
from econome.settings import load
from econome.tokenizers import tokenizer


@pytest.mark.parametrize(
    ("name", "choosing"),
    [
        ("features-v1", "features-v1"),
        ("features-v1:claude-3", "features-v1:claude-3"),
        ("chars/4", "chars/4"),
        ("o200k", "features-v1"),
        ("claude", "features-v1"),
    ],
)
def test_forms_are_chosen_by_an_estimate_where_the_tokenizer_that_measures_is_slow(
    name: str, choosing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "o200k":
        pytest.importorskip("quicktok")
    stand_in = ModuleType("ctok")
    monkeypatch.setattr(stand_in, "token_count", lambda text, version: 1 + len(text), raising=False)
    monkeypatch.setitem(sys.modules, "ctok", stand_in)
    lean = opened(load(), Wishes("shop", tokenizer=name)).lean
    texts = ["", "a", "Some words, 12 digits.\nAnd a line.", '[{"id":1},{"id":2}]']
    assert [lean.count(text) for text in texts] == list(map(tokenizer(choosing).count, texts))
    assert [lean.measure(text) for text in texts] == list(map(tokenizer(name).count, texts))
    assert lean.tokenizer == name


def test_a_variable_that_is_not_there_is_named_with_the_header_that_wants_it(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rules = home / "config" / "econome" / "econome.toml"
    rules.parent.mkdir(parents=True)
    rules.write_text(
        "[servers.shop.header_env]\nX-First = 'SHOP_FIRST'\nAuthorization = 'SHOP_AUTH'\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("SHOP_FIRST", "told-to-nobody")
    monkeypatch.delenv("SHOP_AUTH", raising=False)
    assert main(["proxy", "--dry-run", "--name", "shop", "--url", "http://127.0.0.1:1/mcp"]) == 2
    wanted = "which the rules want for the header Authorization"
    assert (
        capsys.readouterr()
        .err.splitlines()[-1]
        .endswith(f"the environment holds nothing under SHOP_AUTH, {wanted}")
    )
