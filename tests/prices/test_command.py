"""`econome prices` and `econome prices explain`, through the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.cli.app import main
from tests.prices.builders import bundled
from tests.requirements import requirement


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return what a command that must succeed prints."""
    code = main(["prices", *arguments])
    printed = capsys.readouterr()
    assert (code, printed.err) == (0, "")
    return printed.out


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(capsys, *arguments, "--json"))
    return answer


@pytest.fixture
def settings(home: Path) -> Path:
    path = home / "config" / "econome" / "config.toml"
    path.parent.mkdir(parents=True)
    return path


@requirement("P8")
def test_the_table_shows_claudes_models_with_version_date_and_sources(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = run(capsys)
    assert all(name in shown for name in bundled().names())
    assert bundled().version in shown
    assert "checked 2026-10-17" in shown
    assert "https://platform.claude.com/docs/en/about-claude/pricing" in shown
    assert "genai-prices" in shown
    assert "gpt-5" not in shown


@requirement("P8")
def test_the_table_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    answer = told(capsys)
    assert list(answer) == [
        "schema", "version", "checked", "unit", "overridden", "factors", "web_search", "sources",
        "vendors", "models",
    ]  # fmt: skip
    assert answer["schema"] == "econome.prices/1"
    assert {row["model"] for row in answer["models"]} == set(bundled().names())
    assert answer["models"][0] == {
        "model": "claude-fable-5-2",
        "tier": "",
        "from": None,
        "until": None,
        "above": None,
        "input": "8",
        "output": "40",
        "cache_read": "0.2",
        "write_5m": "10",
        "write_1h": "16",
        "fast": None,
        "us_only": "1.1",
        "web_search": "10",
        "list": "claude",
        "sources": [
            "https://platform.claude.com/docs/en/about-claude/pricing",
            "https://platform.claude.com/docs/en/build-with-claude/prompt-caching#pricing",
        ],
        "notes": ["one source only"],
    }


@requirement("P8")
def test_other_vendors_models_are_shown_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    everything = {row["model"] for row in told(capsys, "--all")["models"]}
    some = {row["model"] for row in told(capsys, "--model", "GPT-5")["models"]}
    assert {"claude-opus-5", "gpt-5", "glm-4.6"} <= everything
    assert some == {name for name in everything if "gpt-5" in name}


@requirement("P8")
def test_a_filter_that_finds_nothing_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "No model id contains 'nobody-sells-this'." in run(
        capsys, "--model", "nobody-sells-this"
    )
    assert told(capsys, "--model", "nobody-sells-this")["models"] == []


@requirement("P8")
@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_no_price_is_ever_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    row = next(line for line in run(capsys).splitlines() if line.startswith("claude-3-haiku"))
    assert row.split()[-5:] == ["0.25", "1.25", "0.03", "0.3", "0.5"]


@requirement("P8")
def test_an_override_is_in_the_table(capsys: pytest.CaptureFixture[str], settings: Path) -> None:
    settings.write_text('[prices."My-Model"]\ninput = 1.5\noutput = "6"\n', encoding="utf-8")
    answer = told(capsys, "--model", "my-model")
    assert answer["overridden"] == ["my-model"]
    assert [(row["input"], row["list"]) for row in answer["models"]] == [("1.5", "settings")]
    assert "from your settings" in run(capsys)


@requirement("P8")
def test_a_wrong_override_fails_in_one_line(
    capsys: pytest.CaptureFixture[str], settings: Path
) -> None:
    settings.write_text("[prices.mine]\ninput = 1\n", encoding="utf-8")
    assert main(["prices"]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == (
        f'econome: {settings}: prices."mine".output: missing: a price needs `input` and `output`\n'
    )


@requirement("P8")
def test_a_dotted_id_without_quotes_is_told(
    capsys: pytest.CaptureFixture[str], settings: Path
) -> None:
    settings.write_text("[prices.gpt-9.1]\ninput = 1\noutput = 2\n", encoding="utf-8")
    assert main(["prices"]) == 1
    assert "an id that holds a dot stands in quotes" in capsys.readouterr().err


@requirement("P3", "P8")
def test_an_id_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    shown = run(capsys, "explain", "claude-haiku-4-5@20251001")
    assert "claude-haiku-4-5@20251001 is claude-haiku-4-5" in shown
    assert "2026-10-17: in 1, out 5, cache read 0.1, write 5m 1.25, write 1h 2" in shown


@requirement("P3", "P4")
def test_an_unpriced_id_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    shown = " ".join(run(capsys, "explain", "claude-opus-9").split())
    assert "No price: claude-opus-9 is in no price list" in shown
    assert "$" not in shown


@requirement("P8")
def test_an_explanation_is_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    answer = told(capsys, "explain", "claude-sonnet-5-5", "--date", "2026-10-06")
    assert answer["schema"] == "econome.price/1"
    assert (answer["day"], answer["checked"]) == ("2026-10-06", "2026-10-17")
    assert [price["cache_read"] for price in answer["prices"]] == ["0.2"]


@requirement("P8")
def test_a_wrong_date_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prices", "explain", "claude-opus-5", "--date", "2026-02-30"]) == 2
    assert "2026-02-30" in capsys.readouterr().err
