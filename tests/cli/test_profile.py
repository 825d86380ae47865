"""`econome profile` tells what servers cost: of one, of a configuration, of a recording, of transcripts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main
from tests.contract.listed import command, entry

ROW = {"type": "object", "properties": {f"field{at}": {"type": "string"} for at in range(11)}}
LIST = {"type": "object", "properties": {"rows": {"type": "array", "items": ROW}}}
HOSTILE = "bad\x1b[2J\u202e<script>"


def _tools() -> list[dict[str, Any]]:
    return [
        entry("find", outputSchema=LIST),
        entry("read", description="Read a file. " + "It says much more than it has to. " * 20),
        entry("write", annotations={"destructiveHint": True}),
    ]


def _run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["profile", *words])
    out, err = capfd.readouterr()
    return code, out, err


def _json(capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    code, out, _ = _run(capfd, "--json", *words)
    assert code == 0
    report: dict[str, Any] = json.loads(out)
    return report


def _call(at: int, tool: str, result: dict[str, Any]) -> list[dict[str, Any]]:
    asked = {"jsonrpc": "2.0", "id": at, "method": "tools/call", "params": {"name": tool}}
    return [asked, {"jsonrpc": "2.0", "id": at, "result": result}]


def _log(path: Path, *, listed: bool = False) -> str:
    """Write a recording of three answers of one tool; return its path."""
    messages: list[dict[str, Any]] = []
    if listed:
        messages.append({"jsonrpc": "2.0", "id": "l", "method": "tools/list"})
        messages.append({"jsonrpc": "2.0", "id": "l", "result": {"tools": _tools()}})
    for at, many in enumerate((1, 2, 80)):
        rows = json.dumps({"rows": [{"city": "Lyon", "id": row} for row in range(many)]})
        messages += _call(at, "find", {"content": [{"type": "text", "text": rows}]})
    path.write_text("\n".join(map(json.dumps, messages)), encoding="utf-8")
    return str(path)


def _config(path: Path, **servers: tuple[str, ...]) -> str:
    entries = {name: {"command": words[0], "args": words[1:]} for name, words in servers.items()}
    path.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    return str(path)


def test_a_server_is_told_with_its_worst_tools_first(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, tools=_tools())
    whole = _json(capfd, "--name", "shop", "--", *words)["servers"][0]["menu"]
    code, out, _ = _run(capfd, "--name", "shop", "--", *words)
    heading, *lines = out.splitlines()
    assert code == 0
    assert heading == f"shop: {whole['per_turn']:,} tokens in every turn, for 3 tools"
    at = lines.index("Tools, the worst first")
    assert [line.split()[0] for line in lines[at + 1 : at + 5]] == ["tool", "find", "read", "write"]
    assert "critical" in lines[at + 2]
    assert "n/a" in lines[at + 3]
    assert "Estimated with features-v1, which is no provider's count." in lines


def test_each_saving_says_how_it_is_known_and_the_steps_keep_their_order(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = _run(capfd, "--", *command(tmp_path, tools=_tools()))
    steps = [line for line in out.splitlines() if line[:2] in {f"{at} " for at in range(1, 7)}]
    unknown = [line[:13] for line in out.splitlines() if line.startswith("n/a in step")]
    assert [line[0] for line in steps] == ["1", "3", "4", "5", "6"]
    assert unknown == ["n/a in step 2", "n/a in step 4"]
    bases = {"counted", "measured", "estimated"}
    unsaid = [line for line in steps if not bases & set(line.split())]
    assert unsaid == ["6 Keep it with econome lock"]


def test_only_as_many_tools_are_shown_as_were_asked_for(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = command(tmp_path, tools=[entry(f"tool{at}") for at in range(741)])
    _, out, _ = _run(capfd, "--", *words)
    assert sum(line.startswith("tool") for line in out.splitlines()) == 11
    assert "and 731 more: " in out
    _, out, _ = _run(capfd, "--limit", "2", "--", *words)
    assert "and 739 more: " in out


@pytest.mark.parametrize("width", [40, 60, 120])
def test_a_narrow_terminal_holds_every_line(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    log = _log(tmp_path / "shop.log")
    _, out, _ = _run(capfd, "--log", log, "--", *command(tmp_path, tools=_tools()))
    commands = ("econome proxy", "econome lock")
    assert [
        line for line in out.splitlines() if len(line) > width and not line.startswith(commands)
    ] == []
    assert "\x1b" not in out


def test_hostile_names_are_shown_and_not_obeyed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    tools = [entry(HOSTILE, description=HOSTILE, outputSchema={"type": "object"})]
    words = command(tmp_path, tools=tools, instructions=f"Always call {HOSTILE} first.")
    _, out, _ = _run(capfd, "--name", HOSTILE, "--html", str(page), "--", *words)
    assert "bad\ufffd[2J\ufffd<script>" in out
    assert [sign for sign in ("\x1b", "\u202e") if sign in out] == []
    text = page.read_text(encoding="utf-8")
    assert "bad\ufffd[2J\ufffd&lt;script&gt;" in text
    assert [sign for sign in ("\x1b", "\u202e", "<script") if sign in text] == []


def test_a_recording_gives_sizes_and_what_was_measured_on_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = _log(tmp_path / "shop.log")
    report = _json(capfd, "--log", log, "--", *command(tmp_path, tools=_tools()))
    (server,) = report["servers"]
    found = server["answers"]["find"]
    assert (found["calls"], found["errors"]) == (3, 0)
    assert found["p50"] < found["p95"] == found["max"]
    assert [row["tool"] for row in server["never_called"]["tools"]] == ["read", "write"]
    bases = {row["basis"] for row in server["economies"] if row["what"] == "find"}
    assert "measured" in bases
    _, out, _ = _run(capfd, "--log", log, "--", *command(tmp_path, tools=_tools()))
    assert "Never called: 2 tools of 3, " in out


@pytest.mark.parametrize("listed", [True, False])
def test_a_recording_alone_is_told_as_far_as_it_goes(
    listed: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    log = _log(tmp_path / "mcp-server-shop.log", listed=listed)
    report = _json(capfd, "--log", log)
    (server,) = report["servers"]
    assert (server["server"], len(server["menu"]["tools"])) == ("shop", 3 if listed else 0)
    code, out, _ = _run(capfd, "--log", log)
    assert code == 0
    heading = out.splitlines()[0]
    assert heading == "shop: the recording holds no list of its tools" or listed
    assert "Answers as recorded, in tokens" in out
    assert "Next" not in out.splitlines()


@pytest.mark.parametrize("option", ["--log", "--config", "--rules"])
def test_a_file_that_is_not_there_is_a_failure_whatever_it_is_for(
    option: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    words = ("--", "true") if option == "--rules" else ()
    code, out, err = _run(capfd, option, str(tmp_path / "none"), *words)
    assert (code, out) == (1, "")
    assert err.lower().startswith(f"econome: {tmp_path / 'none'}: no such file")


def test_a_configuration_tells_of_all_that_answer_and_of_those_that_do_not(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = _config(
        tmp_path / "mcp.json",
        shop=command(tmp_path, "shop", tools=_tools()),
        gone=(str(tmp_path / "nothing"),),
        desk=command(tmp_path, "desk", tools=[entry("sit")]),
    )
    report = _json(capfd, "--config", config, "--yes")
    assert [server["server"] for server in report["servers"]] == ["shop", "desk"]
    assert [row["server"] for row in report["away"]] == ["gone"]
    code, out, _ = _run(capfd, "--config", config, "--yes")
    whole = sum(server["menu"]["per_turn"] for server in report["servers"])
    assert code == 0
    assert out.splitlines()[0] == f"2 servers: {whole:,} tokens in every turn"
    assert "gone could not be asked: " in " ".join(out.split())


def test_where_no_server_answers_that_is_a_failure(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    config = _config(tmp_path / "mcp.json", gone=(str(tmp_path / "nothing"),))
    code, out, _ = _run(capfd, "--config", config, "--yes")
    assert code == 1
    assert "None of the servers could be asked." in out
    code, out, err = _run(capfd, "--", str(tmp_path / "nothing"))
    assert (code, out) == (1, "")
    assert "no such program" in err


def test_a_foreign_configuration_starts_nothing_before_it_was_confirmed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    touched = tmp_path / "touched"
    config = _config(tmp_path / "mcp.json", shop=("touch", str(touched)))
    code, out, err = _run(capfd, "--config", config)
    assert (code, out, touched.exists()) == (2, "", False)
    assert str(touched) in err
    assert err.endswith("read what is listed above, and then add --yes\n")


def test_the_rules_that_are_named_bound_answers_and_set_the_budget(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "[servers.shop.tools.find]\nlimit = 5\nrows = 'rows'\n[budgets.shop]\nmenu_tokens = 10\nanswer_tokens = 20\n",
        encoding="utf-8",
    )
    words = ("--name", "shop", "--", *command(tmp_path, tools=_tools()))
    classes = [
        {tool["tool"]: tool["class"] for tool in _json(capfd, *more, *words)["servers"][0]["menu"]["tools"]}
        for more in ((), ("--rules", str(rules)))
    ]  # fmt: skip
    assert [found["find"] for found in classes] == ["critical", "low"]
    _, out, _ = _run(capfd, "--rules", str(rules), *words)
    at = out.splitlines().index("Budgets")
    assert out.splitlines()[at - 1] == ""
    assert out.splitlines()[at + 1].startswith("Over its budget: server shop has ")
    assert "May be over its budget: an answer of find can have " in out


@pytest.mark.parametrize(
    "words, said",
    [
        ((), "give what starts the server behind --, or --url, --config, --log or --transcripts"),
        (("npx", "it"), "econome profile -- npx it"),
        (("--root", ".", "--", "a"), "--root goes with --transcripts"),
        (("--data-dir", ".", "--", "a"), "--data-dir goes with --transcripts"),
        (("--html", "-", "--", "a"), "--html writes a file"),
        (("--log", "a", "--log", "b"), "--log is given once"),
        (("--url", "http://a", "--url", "http://b"), "--url is given once"),
        (("--url", "a"), "--url: give the http:// or https:// URL"),
        (("--log", "a", "--config", "b"), "--log goes with one server"),
        (("--url", "http://a", "--", "b"), "give one of these"),
        (("--limit", "0", "--", "a"), "--limit"),
    ],
)
def test_what_does_not_go_together_is_wrong_usage(
    words: tuple[str, ...], said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    code, out, err = _run(capfd, *words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
