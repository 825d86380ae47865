"""Presets: those that are shipped, the user's own, and what is wrong in a file, said by its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.checks import Check
from econome.delegation.formats import Format
from econome.delegation.presets import CODER, Preset, read_presets
from econome.delegation.shipped import load_presets, shipped_presets
from econome.errors import PresetError
from tests.requirements import requirement

pytestmark = requirement("D6")

WHOLE = """
[review]
description = "remarks on a change"
backend = "big"
model = "qwen3:30b"
system = "You review.\\n"
temperature = 1
max_tokens = 1500
schema = '{"type": "array"}'

[[review.checks]]
brief = "Review this."
contains = "zero"
max_words = 9
json_has = { a = [1] }
[review.checks.files]
"a.diff" = "-a"
"""


def test_a_whole_preset_is_read_as_it_is_written() -> None:
    check = Check(
        "Review this.", (("a.diff", "-a"),), ("zero",), max_words=9, json_has=(("a", [1]),)
    )
    assert read_presets(WHOLE, "p") == {
        "review": Preset(
            name="review",
            description="remarks on a change",
            backend="big",
            model="qwen3:30b",
            system="You review.",
            temperature=1.0,
            max_tokens=1500,
            format=Format("json", schema={"type": "array"}),
            checks=(check,),
        )
    }


def test_an_empty_preset_leaves_all_to_the_backend() -> None:
    assert read_presets("[plain]", "p") == {"plain": Preset("plain")}


def test_the_shipped_presets_are_these_and_the_answering_ones_have_checks() -> None:
    presets = shipped_presets()
    assert {name: preset.format.name for name, preset in presets.items()} == {
        "summarise": "text",
        "extract-json": "json",
        "code": "code",
        "edit": "text",
    }
    assert [name for name, preset in presets.items() if preset.backend == CODER] == ["edit"]
    assert all(len(presets[name].checks) >= 3 for name in presets.keys() - {"edit"})
    assert all(preset.description for preset in presets.values())


@pytest.mark.parametrize(
    "text, place",
    [
        ("x = ", ""),
        ("x = 1", "x"),
        ('"a b".system = "x"', "'a b'"),
        ("[p]\nsytem = 'x'", "p.sytem"),
        ("[p]\nsystem = 1", "p.system"),
        ("[p]\nsystem = ' '", "p.system"),
        ("[p]\ndescription = 'a\\nb'\nmodel = 1", "p.model"),
        ('[p]\ndescription = "a\\nb"', "p.description"),
        ("[p]\ntemperature = 3", "p.temperature"),
        ("[p]\ntemperature = true", "p.temperature"),
        ("[p]\ntemperature = nan", "p.temperature"),
        ("[p]\nmax_tokens = 0", "p.max_tokens"),
        ("[p]\nmax_tokens = 1.5", "p.max_tokens"),
        ("[p]\nformat = 'xml'", "p.format"),
        ("[p]\nformat = 'text'\nschema = '{}'", "p.schema"),
        ("[p]\nschema = '{'", "p.schema"),
        ("[p]\nschema = '[]'", "p.schema"),
        ("[p]\nschema = 1", "p.schema"),
        ("[p]\nschema = { type = 'colour' }", "p.schema"),
        ("[p]\nchecks = 1", "p.checks"),
        ("[p]\nbackend = 'opencode'\n[[p.checks]]\nbrief = 'a'\ncontains = 'b'", "p.checks"),
        ("[p]\nchecks = [1]", "p.checks[1]"),
        ("[[p.checks]]\nbrief = 'a'\ncontains = 'b'\n[[p.checks]]\nbrief = 'a'", "p.checks[2]"),
        ("[[p.checks]]\ncontains = 'b'", "p.checks[1]"),
        ("[[p.checks]]\nbrief = 'a'\nregex = '('", "p.checks[1]"),
        ("[[p.checks]]\nbrief = 'a'\nmax_words = -1", "p.checks[1]"),
        ("[[p.checks]]\nbrief = 'a'\ncontains = ['']", "p.checks[1]"),
        ("[[p.checks]]\nbrief = 'a'\ncontain = 'b'", "p.checks[1]"),
        ("[[p.checks]]\nbrief = 'a'\ncontains = 'b'\nfiles = ['x']", "p.checks[1]"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_place(text: str, place: str) -> None:
    with pytest.raises(PresetError) as caught:
        read_presets(text, "presets.toml")
    assert (caught.value.path, caught.value.name) == ("presets.toml", place)
    assert "\n" not in str(caught.value)


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_is_presets_or_an_error_of_presets(text: str) -> None:
    try:
        read_presets(text, "p")
    except PresetError as error:
        assert error.path == "p"  # noqa: PT017


def test_a_users_preset_takes_the_place_of_the_shipped_one_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "presets.toml"
    path.write_text('[code]\nmodel = "m"\n[own]\n', encoding="utf-8")
    presets = load_presets(str(path))
    assert (presets["code"], presets["own"]) == (Preset("code", model="m"), Preset("own"))
    assert presets.keys() == {*shipped_presets(), "own"}


def test_without_a_file_of_ones_own_the_shipped_ones_hold(tmp_path: Path) -> None:
    assert load_presets(str(tmp_path / "absent.toml")) == shipped_presets()


def test_a_file_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "latin.toml").write_bytes(b"[p]\nsystem = '\xe9'")
    with open(tmp_path / "huge.toml", "wb") as file:
        file.truncate(5 << 30)
    for path in (tmp_path / "latin.toml", tmp_path / "huge.toml", tmp_path):
        with pytest.raises(PresetError) as caught:
            load_presets(str(path))
        assert caught.value.path == str(path)


def test_the_digest_tells_one_state_of_a_preset_from_another() -> None:
    states = [
        read_presets(text, "p")["review"]
        for text in (WHOLE, WHOLE.replace("= 1\n", "= 0.9\n"), WHOLE.replace("= 9\n", "= 8\n"))
    ]
    assert states[0].digest == read_presets(WHOLE, "other")["review"].digest
    assert len({state.digest for state in states}) == 3
