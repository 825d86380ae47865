"""A capture has all that a server tells of itself, whatever the server's manners, and leaves it at once."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from econome.contract.capture import capture, capture_all
from econome.contract.captured import Captured
from econome.contract.sources import Source
from econome.errors import UpstreamAway
from tests.contract.listed import entry, source
from tests.requirements import requirement

pytestmark = requirement("L16")

TOOLS = [entry("read"), entry("write", annotations={"destructiveHint": True}), entry("list")]
PROMPTS = [{"name": "greet", "arguments": [{"name": "who", "required": True}]}]
RESOURCES = [{"uri": "file:///a", "name": "a"}, {"uri": "file:///b", "name": "b"}]
TEMPLATES = [{"uriTemplate": "file:///{path}", "name": "files"}]
EVERYTHING: dict[str, Any] = {
    "tools": TOOLS,
    "prompts": PROMPTS,
    "resources": RESOURCES,
    "resourceTemplates": TEMPLATES,
}
ALONE = str(Path(__file__).parents[1] / "lean" / "servers" / "alone.py")


def _captured(**differing: Any) -> Captured:
    whole: dict[str, Any] = {
        "name": "shop",
        "tools": tuple(TOOLS),
        "menu": tuple(TOOLS),
        "prompts": tuple(PROMPTS),
        "resources": tuple(RESOURCES),
        "templates": tuple(TEMPLATES),
        "capabilities": {"prompts": {}, "resources": {}, "tools": {}},
        "title": "listing",
        "version": "1",
        "protocol": "2025-11-25",
    }
    return Captured(**{**whole, **differing})


def _heard(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]


def test_a_capture_is_the_whole_of_what_a_server_tells(tmp_path: Path) -> None:
    told = source(tmp_path, **EVERYTHING, instructions="Be kind.", version="7")
    found = capture(told, version="1")
    assert found == _captured(instructions="Be kind.", version="7")


@pytest.mark.parametrize(
    "manner", [{"page": 1}, {"page": 2}, {"backwards": True}, {"asks": True}, {"refuse_meta": True}]
)
def test_neither_pages_nor_order_nor_questions_change_a_capture(
    tmp_path: Path, manner: dict[str, Any]
) -> None:
    assert capture(source(tmp_path, **EVERYTHING, **manner), version="1") == _captured()


def test_a_server_is_told_who_asks_and_is_called_for_lists_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    capture(source(tmp_path, **EVERYTHING, page=2, log=str(log)), version="1.2.3")
    heard = _heard(log)
    assert [(each["method"], each.get("params")) for each in heard] == [
        (
            "initialize",
            {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": {"name": "econome", "version": "1.2.3"},
            },
        ),
        ("notifications/initialized", {}),
        ("tools/list", {"_meta": {"econome/contract": True}}),
        ("prompts/list", {}),
        ("resources/list", {}),
        ("resources/templates/list", {}),
        ("tools/list", {"_meta": {}, "cursor": "2"}),
    ]


def test_what_a_server_asks_is_refused_but_for_a_ping(tmp_path: Path) -> None:
    log = tmp_path / "log"
    capture(source(tmp_path, tools=TOOLS, asks=True, log=str(log)), version="1")
    answers = [each for each in _heard(log) if "method" not in each]
    refused = {"error": {"code": -32601, "message": "Method not found"}}
    assert answers == [
        {"jsonrpc": "2.0", "id": 0, "result": {}},
        *({"jsonrpc": "2.0", "id": number, **refused} for number in (1, 2, 3)),
    ]


def test_only_what_is_announced_is_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    told = source(tmp_path, **EVERYTHING, capabilities={"prompts": {}}, log=str(log))
    found = capture(told, version="1")
    assert found == _captured(
        tools=(), menu=(), resources=(), templates=(), capabilities={"prompts": {}}
    )
    assert "tools/list" not in {each.get("method") for each in _heard(log)}


def test_a_server_with_resources_may_have_no_templates_at_all(tmp_path: Path) -> None:
    told = source(tmp_path, tools=TOOLS, resources=RESOURCES, refuse=["resources/templates/list"])
    assert (capture(told, version="1").resources, capture(told, version="1").templates) == (
        tuple(RESOURCES),
        (),
    )


@pytest.mark.parametrize(
    ("manner", "reason"),
    [
        ({"refuse": ["prompts/list"]}, "the server refused prompts/list: Method not found"),
        ({"raw": {"tools/list": '{"tools":7}'}}, "tools/list: no list of tools"),
        ({"raw": {"resources/list": "7"}}, "resources/list: no list of resources"),
        (
            {"raw": {"tools/list": '{"tools":[],"nextCursor":"again"}'}},
            "tools/list: pages without an end",
        ),
        ({"die": "tools/list"}, f"{sys.executable} ended with exit status 3 before it answered all "
         "that it was asked; run it by itself to see why"),
        ({"die": "initialize"}, f"{sys.executable} ended with exit status 3 before it answered "
         "anything; run it by itself to see why"),
        ({"refuse": ["initialize"]}, "the server refused initialize: Method not found"),
    ],
)  # fmt: skip
def test_a_server_that_fails_says_at_what(
    tmp_path: Path, manner: dict[str, Any], reason: str
) -> None:
    with pytest.raises(UpstreamAway) as caught:
        capture(source(tmp_path, **EVERYTHING, **manner), version="1")
    assert (type(caught.value), str(caught.value)) == (UpstreamAway, reason)


def test_a_list_of_megabytes_is_taken(tmp_path: Path) -> None:
    big = [entry("big", description="x" * 3_000_000)]
    assert capture(source(tmp_path, tools=big), version="1").tools == tuple(big)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("/no/such", "/no/such: no such program; it is started as it is given, without a shell"),
        ("/", "/: it is no program that can be run; it is started as it is given, without a shell"),
    ],
)
def test_a_program_that_is_none_is_told_before_anything_starts(program: str, reason: str) -> None:
    with pytest.raises(UpstreamAway) as caught:
        capture(Source("shop", (program,)), version="1")
    assert str(caught.value) == reason


def test_what_a_server_writes_to_standard_error_goes_with_the_error_and_is_no_part_of_its_text(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UpstreamAway) as caught:
        capture(source(tmp_path, tools=TOOLS, die="tools/list", stderr="a secret\n"), version="1")
    assert (capfd.readouterr(), caught.value.said) == (("", ""), "a secret")
    assert "secret" not in repr(caught.value)


def test_one_server_that_fails_fails_alone(tmp_path: Path) -> None:
    good = source(tmp_path, "good", tools=TOOLS)
    bad = source(tmp_path, "bad", tools=TOOLS, refuse=["tools/list"])
    none = Source("none", ("/no/such",))
    found = capture_all((good, bad, none), version="1")
    assert [each for each, _ in found] == [good, bad, none]
    assert [str(one) if isinstance(one, UpstreamAway) else one.tools for _, one in found] == [
        tuple(TOOLS),
        "the server refused tools/list: Method not found",
        "/no/such: no such program; it is started as it is given, without a shell",
    ]


def test_all_servers_are_asked_at_once(tmp_path: Path) -> None:
    line = tmp_path / "line"
    os.mkfifo(line)  # which opens for one of them once the other opens it too
    met = [
        source(tmp_path, mode, tools=TOOLS, meets={"path": str(line), "mode": mode})
        for mode in ("r", "w")
    ]
    found = capture_all(met, version="1")
    assert [one.tools for _, one in found if isinstance(one, Captured)] == [tuple(TOOLS)] * 2


def test_odd_json_is_taken_as_it_comes(tmp_path: Path) -> None:
    huge = "9" * 5000
    odd = (
        '{"name":"a","name":"b","inputSchema":{"maximum":123456789012345678901234567890,'
        f'"minimum":-{huge},"multipleOf":NaN,"const":"\\ud800"}}}}'
    )
    raw = f'{{"tools":[{odd},7,null,{{"name":"c"}}]}}'
    found = capture(source(tmp_path, tools=[], raw={"tools/list": raw}), version="1")
    first, second = found.tools
    assert (first["name"], second) == ("b", {"name": "c"})
    schema = first["inputSchema"]
    assert (schema["maximum"], schema["minimum"], schema["const"]) == (
        123456789012345678901234567890,
        float("-inf"),
        "\ud800",
    )
    assert schema["multipleOf"] != schema["multipleOf"]
    assert found.unreadable == (
        "entry 2 of its tools is no object that can be read",
        "entry 3 of its tools is no object that can be read",
    )


def test_a_server_without_a_handshake_is_asked_in_its_own_era() -> None:
    found = capture(Source("alone", (sys.executable, ALONE)), version="1")
    assert (found.protocol, found.title, found.version) == ("2026-07-28", "alone", "1")
    assert (found.capabilities, len(found.tools), found.menu) == ({"tools": {}}, 7, found.tools)


def test_a_contract_tells_the_tools_as_they_are_declared(tmp_path: Path) -> None:
    declared, shown = [entry("read"), entry("write")], [entry("shop")]
    machine = {"initial": "open", "states": {"open": {}}}
    contract = {"tools": declared, "economies": {"read": {"limit": 5}}, "machine": machine}
    raw = json.dumps({"tools": shown, "_meta": {"econome/contract": contract}})
    found = capture(source(tmp_path, tools=shown, raw={"tools/list": raw}), version="1")
    assert found == _captured(
        tools=tuple(declared),
        menu=tuple(shown),
        prompts=(),
        resources=(),
        templates=(),
        capabilities={"tools": {}},
        economies={"read": {"limit": 5}},
        machine=machine,
    )


@pytest.mark.parametrize("contract", ["7", "[]", '{"tools":7,"economies":[],"machine":1}'])
def test_a_contract_that_is_none_changes_nothing(tmp_path: Path, contract: str) -> None:
    raw = f'{{"tools":{json.dumps(TOOLS)},"_meta":{{"econome/contract":{contract}}}}}'
    found = capture(source(tmp_path, **EVERYTHING, raw={"tools/list": raw}), version="1")
    assert found == _captured()


def test_a_program_runs_where_and_with_what_its_source_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEPT", "ours")
    inside = tmp_path / "inside"
    (inside / "bin").mkdir(parents=True)
    log = tmp_path / "log"
    command = source(tmp_path, tools=TOOLS).command
    assert command is not None
    script = f'#!/bin/sh\necho "$PWD $KEPT $TOLD $0" >{log}\nexec {" ".join(command)}\n'
    program = inside / "bin" / "shop"
    program.write_text(script, encoding="utf-8")
    program.chmod(0o755)
    for words in (("bin/shop",), ("shop",)):
        env = {"TOLD": "theirs", "PATH": f"{inside / 'bin'}{os.pathsep}{os.environ['PATH']}"}
        found = capture(Source("shop", words, env=env, cwd=str(inside)), version="1")
        assert found.tools == tuple(TOOLS)
        place = "bin/shop" if "/" in words[0] else str(program)
        assert log.read_text(encoding="utf-8") == f"{inside} ours theirs {place}\n"


def test_a_directory_that_is_not_there_is_told(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone")
    with pytest.raises(UpstreamAway) as caught:
        capture(Source("shop", ("sh",), cwd=gone), version="1")
    assert str(caught.value) == f"{gone}: no such directory, in which sh is to be started"


@requirement("L16")
def test_what_a_server_that_answers_writes_to_standard_error_is_not_shown(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    capture(source(tmp_path, tools=TOOLS, stderr="ready on stdio\n"), version="1")
    assert capfd.readouterr() == ("", "")


@requirement("L16")
def test_of_a_long_complaint_the_end_is_shown_without_what_steers_a_terminal(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    said = "x" * 300_000 + "\n\x1b[2Jwhy\n"
    with pytest.raises(UpstreamAway) as caught:
        capture(source(tmp_path, tools=TOOLS, die="tools/list", stderr=said), version="1")
    assert capfd.readouterr() == ("", "")
    assert caught.value.said.splitlines()[-1] == " [2Jwhy"
    assert 4000 < len(caught.value.said) < 5000
