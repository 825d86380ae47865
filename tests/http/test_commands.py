"""The commands of the server against a real one: what it prints, how it ends, who brings events to it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import pytest

from econome.cli.addresses import program
from tests.door import run, spawn
from tests.http.process import SECONDS, Served, served
from tests.requirements import requirement
from tests.savings.builders import body, correction, delegation, steering, text


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """Return a running server that ends with the test."""
    with served(tmp_path / "data dir") as running:
        yield running


@pytest.mark.slow
@requirement("S1")
def test_it_says_where_it_is_and_how_to_reach_it_and_never_the_token(server: Served) -> None:
    directory = server.directory
    assert re.fullmatch(r"econome serves http://127\.0\.0\.1:\d+", server.told[0])
    assert server.told[1].startswith(f"The token lies in {directory / 'token'}; ")
    assert server.told[3] == (
        f"  claude mcp add --scope user --transport http econome {server.url}/mcp --header "
        f"\"Authorization: Bearer $({program()} token show --data-dir '{directory}')\""
    )
    ran = server.stop()
    assert ran.code == 0
    assert server.token not in ran.out + ran.err


@requirement("S1")
def test_the_line_for_claude_code_gives_the_token_when_a_shell_runs_it(server: Served) -> None:
    shell = (
        'claude() { for word in "$@"; do printf "%s\\n" "$word"; done; }\n'
        f'econome() {{ "{sys.executable}" -m econome "$@"; }}\n'
    )
    done = subprocess.run(
        ["sh", "-c", shell + server.told[3]], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.splitlines() == [
        "mcp", "add", "--scope", "user", "--transport", "http", "econome", f"{server.url}/mcp", "--header",
        f"Authorization: Bearer {server.token}",
    ]  # fmt: skip


@requirement("S1")
def test_behind_a_proxy_the_line_names_the_proxy(tmp_path: Path) -> None:
    with served(tmp_path, "--behind-proxy", "tokens.example.org") as running:
        assert " https://tokens.example.org/mcp " in running.told[3]
        assert running.status("GET", "/api/v1/health") == 421
        assert running.status("GET", "/api/v1/health", Host="tokens.example.org") == 200
        assert run("events", "import", *_file(tmp_path), "--data-dir", str(tmp_path)).code == 0


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@requirement("S5")
def test_told_to_end_it_ends_well_and_another_may_begin(
    tmp_path: Path, number: signal.Signals
) -> None:
    with served(tmp_path) as running:
        ran = running.stop(number)
        assert (ran.code, ran.err) == (0, "")
    with served(tmp_path) as running:
        assert running.status("GET", "/api/v1/health") == 200


@requirement("S5")
def test_a_second_server_on_the_ledger_names_the_first_in_one_line(server: Served) -> None:
    ran = run("serve", "--port", "0", "--data-dir", str(server.directory))
    assert (ran.code, ran.out, ran.err.count("\n")) == (1, "", 1)
    assert f"econome serve (pid {server.process.pid}, {server.url})" in ran.err


@requirement("S1")
def test_a_taken_port_is_one_line_that_says_what_to_do(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ran = run("serve", "--port", str(port), "--data-dir", str(tmp_path))
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(rf"econome: 127\.0\.0\.1:{port}: [^\n]*--port\n", ran.err)


@requirement("S1")
def test_a_rotated_token_holds_in_the_running_server_at_once(server: Served) -> None:
    old = server.token
    assert server.status("POST", "/economies", body(delegation(1))) == 200
    ran = run("token", "rotate", "--data-dir", str(server.directory))
    assert (ran.code, ran.out) == (0, "")
    assert f"econome {server.url}/mcp" in ran.err
    assert old not in ran.err
    assert server.token not in ran.err
    given = {"Authorization": f"Bearer {old}"}
    assert server.status("POST", "/economies", body(delegation(1)), **given) == 401
    assert server.status("POST", "/economies", body(delegation(1))) == 200


@requirement("S1")
def test_open_prints_a_link_to_this_server_that_differs_each_time(server: Served) -> None:
    links = [run("open", "--print", "--data-dir", str(server.directory)) for _ in range(2)]
    assert all((ran.code, ran.err) == (0, "") for ran in links)
    pattern = re.escape(server.url) + r"/login#[A-Za-z0-9_-]{40,}\n"
    assert all(re.fullmatch(pattern, ran.out) for ran in links)
    assert links[0].out != links[1].out


@requirement("S1")
@pytest.mark.parametrize("works", [True, False])
def test_open_gives_the_link_to_the_browser_and_prints_it_where_there_is_none(
    server: Served, monkeypatch: pytest.MonkeyPatch, works: bool
) -> None:
    seen: list[str] = []

    def follow(link: str) -> bool:
        seen.append(link)
        return works

    monkeypatch.setattr(webbrowser, "open", follow)
    ran = run("open", "--data-dir", str(server.directory))
    (link,) = seen
    assert link.startswith(f"{server.url}/login#")
    assert (ran.code, link in ran.out, bool(ran.err)) == (0, not works, not works)


def _file(directory: Path, *lines: bytes) -> list[str]:
    path = directory / "events.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in lines or (text(delegation(1)),)))
    return [str(path)]


@requirement("S5", "S6")
def test_a_file_is_brought_to_the_running_server(server: Served, tmp_path: Path) -> None:
    to = ("--data-dir", str(server.directory))
    found = [text(delegation(n)) for n in range(600)] + [text(steering(1)), text(correction(1))]
    assert run("events", "import", *_file(tmp_path, *found), *to).out == (
        "602 received, 0 duplicates, 0 conflicts.\n"
    )
    assert server.ledger.read_bytes().count(b"\n") == 602
    changed = [text(delegation(1, client="other")), text(delegation(601)), found[2]]
    assert run("events", "import", *_file(tmp_path, *changed), *to).out == (
        "1 received, 2 duplicates, 1 conflict.\n"
    )


@requirement("S6")
def test_a_ledger_that_is_brought_into_itself_is_all_duplicates(server: Served) -> None:
    to = ("--data-dir", str(server.directory))
    server.status("POST", "/economies", body(delegation(1), steering(1), correction(1)))
    before = server.ledger.read_bytes()
    ran = run("events", "import", str(server.ledger), *to)
    assert (ran.out, ran.err) == ("0 received, 3 duplicates, 0 conflicts.\n", "")
    assert server.ledger.read_bytes() == before


@requirement("S4")
def test_one_event_that_breaks_the_contract_and_nothing_is_sent(
    server: Served, tmp_path: Path
) -> None:
    lines = [text(delegation(n)) for n in range(600)] + [text(steering(1, cout=True))]
    ran = run("events", "import", *_file(tmp_path, *lines), "--data-dir", str(server.directory))
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"econome: [^\n]*events\.jsonl: line 601: cout: [^\n]*\n", ran.err)
    assert server.ledger.read_bytes() == b""


@requirement("S5")
def test_those_who_follow_see_an_event_once_it_is_there(server: Served) -> None:
    process = spawn("events", "tail", "--follow", "-n", "1", "--data-dir", str(server.directory))
    with process:
        try:
            for number in (1, 2):
                server.status("POST", "/economies", body(delegation(number)))
                assert process.stdout is not None
                assert f"dem-{number:010x}" in process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=SECONDS) == 130
        finally:
            process.kill()


@requirement("S1")
@pytest.mark.parametrize("blanks", ["", " ", " \t "])
def test_blanks_around_a_headers_value_are_no_part_of_it(server: Served, blanks: str) -> None:
    about = {"protocolVersion": "2026-07-28", "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in about.items()}
    params = {"name": "bilan", "arguments": {}, "_meta": meta}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    given = {
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "tools/call",
        "Mcp-Name": f"{blanks}bilan{blanks}",
    }
    assert server.status("POST", "/mcp", text(call), **given) == 200
