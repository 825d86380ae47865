"""`econome proxy install`, `uninstall` and `list`, on the configurations of a home of its own."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from econome.lean.install.entries import LeftAlone
from tests.door import run
from tests.requirements import requirement

pytestmark = requirement("L18")

ENTRY = {"command": "npx", "args": ["-y", "server"], "env": {"TOKEN": "s3"}}
PROXIED = [
    "/opt/bin/econome",
    ["proxy", "--name", "gh", "--", "npx", "-y", "server"],
]


@pytest.fixture(autouse=True)
def nothing_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no command start a program, wherever it is told to."""

    def refuse(*args: object, **more: object) -> NoReturn:
        raise AssertionError("a program was started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(shutil, "which", lambda name: f"/opt/bin/{name}")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a repository, of which a folder below is the working directory."""
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "repo" / "sub")
    return tmp_path / "repo"


def put(path: Path, value: Any, *keys: str) -> Path:
    for key in reversed(keys or ("mcpServers",)):
        value = {key: value}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2), encoding="utf-8")
    return path


def claude(home: Path, *keys: str, **servers: Any) -> Path:
    return put(home / "claude" / ".claude.json", servers, *keys)


def cursor(home: Path, **servers: Any) -> Path:
    return put(home / ".cursor" / "mcp.json", servers)


def started(path: Path, name: str = "gh", key: str = "mcpServers") -> list[Any]:
    entry = json.loads(path.read_text("utf-8"))[key][name]
    return [entry["command"], entry["args"]]


def test_an_entry_goes_through_the_proxy_and_comes_back(home: Path) -> None:
    file = claude(home, gh=ENTRY)
    before = file.read_bytes()
    ran = run("proxy", "install", "gh")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "gh (claude-code) goes through the proxy. Start the client anew; "
        "`econome proxy uninstall gh` gives it back.\n"
    )
    assert started(file) == PROXIED
    ran = run("proxy", "uninstall", "gh")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "gh (claude-code) is as it was. Start the client anew.\n"
    assert file.read_bytes() == before


def test_the_originals_lie_in_the_data_directory(home: Path, tmp_path: Path) -> None:
    file = claude(home, gh=ENTRY)
    assert run("proxy", "install", "gh", "--data-dir", str(tmp_path)).code == 0
    assert [path.stem.partition("-")[0] for path in (tmp_path / "proxied").iterdir()] == ["gh"]
    assert started(file)[1][:5] == ["proxy", "--name", "gh", "--data-dir", str(tmp_path)]
    assert run("proxy", "uninstall", "gh").code == 2
    assert run("proxy", "uninstall", "gh", "--data-dir", str(tmp_path)).code == 0
    assert started(file) == ["npx", ["-y", "server"]]


def test_an_entry_of_claude_code_for_the_repository_is_found(home: Path, project: Path) -> None:
    file = claude(home, "projects", str(project), "mcpServers", gh=ENTRY)
    assert "gh (claude-code-local) goes through" in run("proxy", "install", "gh").out
    entry = json.loads(file.read_text("utf-8"))["projects"][str(project)]["mcpServers"]["gh"]
    assert [entry["command"], entry["args"]] == PROXIED


def test_one_name_of_two_clients_wants_the_client(home: Path) -> None:
    file, other = claude(home, gh=ENTRY), cursor(home, gh=ENTRY)
    before = file.read_bytes()
    ran = run("proxy", "install", "gh")
    assert (ran.code, ran.out) == (2, "")
    assert "choose with --client claude-code or --client cursor" in ran.err
    assert run("proxy", "install", "gh", "--client", "cursor").code == 0
    assert (file.read_bytes(), started(other)) == (before, PROXIED)
    ran = run("proxy", "install", "gh", "--client", "vscode")
    assert (ran.code, "gh: no entry of vscode has this name; there are: gh" in ran.err) == (2, True)


def told_back(out: str) -> list[list[str]]:
    """Return the words of each command that gives an entry back, as it was told."""
    return [shlex.split(words)[1:] for words in re.findall(r"`(econome [^`]*)`", out)]


def test_the_way_back_that_is_told_leads_back_wherever_the_name_stands(
    home: Path, project: Path, tmp_path: Path
) -> None:
    other = put(tmp_path / "other file.json", {"gh": ENTRY}, "servers")
    files = [claude(home, gh=ENTRY), cursor(home, gh=ENTRY), other]
    files.append(put(project / ".cursor" / "mcp.json", {"gh": ENTRY}))
    before = [file.read_bytes() for file in files]
    told: list[list[str]] = []
    for options in (
        ["--client", "claude-code"],
        ["--client", "cursor"],
        ["--config", str(other), "--yes"],
        ["--project", "--yes"],
    ):
        ran = run("proxy", "install", "gh", *options)
        assert ran.code == 0
        told += told_back(ran.out)
    assert run("proxy", "uninstall", "gh").code == 2
    assert len(told) == len(files)
    for words in told:
        assert run(*words).code == 0
    assert [file.read_bytes() for file in files] == before


def test_an_entry_of_two_folders_comes_back_where_the_command_is_given(
    home: Path, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    servers = {"mcpServers": {"gh": ENTRY}}
    folders = {str(project): servers, str(project / "sub"): servers}
    file = put(home / "claude" / ".claude.json", folders, "projects")
    before = file.read_bytes()

    def through() -> list[str]:
        read = json.loads(file.read_text("utf-8"))["projects"]
        return [name for name in folders if read[name]["mcpServers"]["gh"] != ENTRY]

    told = told_back(run("proxy", "install", "gh").out)
    assert through() == [str(project / "sub")]
    monkeypatch.chdir(project)
    told += told_back(run("proxy", "install", "gh").out)
    assert len(through()) == 2
    assert run(*told[1]).code == 0
    assert through() == [str(project / "sub")]
    assert run(*told[0]).code == 0
    assert file.read_bytes() == before


def test_where_all_go_through_the_proxy_that_is_said(home: Path) -> None:
    file = claude(home, gh=ENTRY)
    assert run("proxy", "install", "--all").code == 0
    before = file.read_bytes()
    ran = run("proxy", "install", "--all")
    assert (ran.code, ran.err, file.read_bytes()) == (0, "", before)
    assert ran.out.splitlines() == [
        "All that can go through the proxy does so already.",
        "gh (claude-code) goes through the proxy already.",
    ]


def test_a_narrow_list_keeps_what_names_a_server(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "70")
    args = ["-y", "@modelcontextprotocol/server-filesystem"]
    env = {"LOG_LEVEL": "debug", "REGION": "eu"}
    far = f"https://docs.example/{'long/' * 12}mcp"
    claude(home, fs={"command": "npx", "args": args, "env": env}, docs={"type": "http", "url": far})
    assert run("proxy", "list").out.splitlines()[:3] == [
        "server  client       proxy  starts or reaches",
        "fs      claude-code  no     …y @modelcontextprotocol/server-filesystem",
        "docs    claude-code  no     https://docs.example/long/long/long/long/…",
    ]


def test_all_entries_that_can_go_through_do(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(url: str) -> None:
        raise LeftAlone("it wants a login")

    monkeypatch.setattr("econome.lean.install.changing.Changes.__init__.__defaults__", ((), refuse))
    file = claude(home, gh=ENTRY, old={"type": "sse", "url": "https://a.example/"})
    other = cursor(home, db=ENTRY, web={"url": "https://a.example/"})
    before = file.read_bytes(), other.read_bytes()
    ran = run("proxy", "install", "--all")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split(" goes")[0].split(": ")[0] for line in ran.out.splitlines()] == [
        "gh (claude-code)",
        "old (claude-code) is left alone",
        "db (cursor)",
        "web (cursor) is left alone",
    ]
    assert run("proxy", "uninstall", "--all").out.count("is as it was") == 2
    assert (file.read_bytes(), other.read_bytes()) == before


def test_an_entry_that_is_named_and_left_alone_is_a_failure(home: Path) -> None:
    file = claude(home, gh={"type": "sse", "url": "https://a.example/"})
    ran = run("proxy", "install", "gh")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == (
        f"econome: {file}: gh: left alone: it uses the old transport (sse), which the proxy does not speak\n"
    )


def test_a_file_that_does_not_parse_fails_no_other_but_is_told(home: Path) -> None:
    file = claude(home, gh=ENTRY)
    broken = home / ".cursor" / "mcp.json"
    broken.parent.mkdir()
    broken.write_bytes(b"{")
    ran = run("proxy", "install", "gh")
    assert (ran.code, started(file)) == (0, PROXIED)
    assert f"{broken}: it does not parse: line 1" in ran.err
    ran = run("proxy", "install", "other")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(f"econome: {broken}: it does not parse")
    assert run("proxy", "install", "--all").code == 1
    assert broken.read_bytes() == b"{"


def test_a_projects_files_are_changed_only_with_project_and_once_confirmed(
    home: Path, project: Path
) -> None:
    file = put(project / ".mcp.json", {"gh": ENTRY})
    before = file.read_bytes()
    assert run("proxy", "install", "gh").code == 2
    ran = run("proxy", "install", "gh", "--project")
    assert (ran.code, ran.out, file.read_bytes()) == (2, "", before)
    assert ran.err.splitlines()[:2] == [
        f"{file} may have been written by others. Its client would start these through the proxy:",
        "  gh: npx -y server (env: TOKEN=…)",
    ]
    assert "confirm the commands above with --yes" in ran.err
    assert run("proxy", "install", "gh", "--project", "--yes").code == 0
    assert started(file) == PROXIED
    assert run("proxy", "uninstall", "gh").code == 0
    assert file.read_bytes() == before


def test_a_server_of_a_project_is_asked_nothing_before_it_was_confirmed(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "econome.lean.install.changing.Changes.__init__.__defaults__", ((), asked.append)
    )
    put(project / ".mcp.json", {"gh": {"type": "http", "url": "http://10.0.0.1/mcp"}})
    assert run("proxy", "install", "gh", "--project").code == 2
    assert run("proxy", "list", "--project").code == 0
    assert asked == []
    assert run("proxy", "install", "gh", "--project", "--yes").code == 0
    assert asked == ["http://10.0.0.1/mcp"]


@pytest.mark.parametrize("answer, code", [("y\n", 0), ("\n", 130), ("", 130)])
def test_on_a_terminal_a_project_is_confirmed_by_a_yes(
    project: Path, monkeypatch: pytest.MonkeyPatch, answer: str, code: int
) -> None:
    def confirm(question: str) -> bool:
        assert question == "Are these commands as they should be?"
        return answer == "y\n"

    file = put(project / ".vscode" / "mcp.json", {"gh": ENTRY}, "servers")
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("econome.cli.questions.confirm", confirm)
    assert run("proxy", "install", "gh", "--project").code == code
    assert (started(file, key="servers") == PROXIED) is (code == 0)


def test_a_link_in_a_project_is_shown_with_what_it_leads_to(home: Path, project: Path) -> None:
    file = claude(home, gh=ENTRY)
    (project / ".mcp.json").symlink_to(file)
    ran = run("proxy", "install", "gh", "--project")
    assert (ran.code, f"{project / '.mcp.json'} is a link to {file}" in ran.err) == (2, True)


def test_a_named_file_has_to_be_confirmed_unless_it_is_this_users_own(
    home: Path, tmp_path: Path
) -> None:
    other = put(tmp_path / "other.json", {"gh": ENTRY}, "servers")
    assert run("proxy", "install", "gh", "--config", str(other)).code == 2
    assert run("proxy", "install", "gh", "--config", str(other), "--yes").code == 0
    assert started(other, key="servers") == PROXIED
    own = claude(home, gh=ENTRY)
    assert run("proxy", "install", "gh", "--config", str(own)).code == 0
    ran = run("proxy", "uninstall", "gh")
    assert (ran.code, "several entries have this name" in ran.err) == (2, True)
    assert run("proxy", "uninstall", "gh", "--config", str(other)).code == 0
    assert (started(other, key="servers")[0], started(own)) == ("npx", PROXIED)


def test_an_entry_that_was_edited_since_is_not_given_back(home: Path) -> None:
    file = claude(home, gh=ENTRY)
    assert run("proxy", "install", "gh").code == 0
    changed = file.read_bytes().replace(b"s3", b"s4")
    file.write_bytes(changed)
    ran = run("proxy", "uninstall", "gh")
    assert (ran.code, ran.out, file.read_bytes()) == (1, "", changed)
    assert "gh: its entry was edited since it goes through the proxy" in ran.err
    (kept,) = (home / "data" / "econome" / "proxied").iterdir()
    said = f"its entry was edited since it goes through the proxy; the original is kept in {kept}"
    out = run("proxy", "list").out
    assert " ".join(out.partition("\n\n")[2].split()) == f"gh (claude-code): {said}."
    (entry,) = json.loads(run("proxy", "list", "--json").out)["entries"]
    assert (entry["state"], entry["reason"]) == ("changed", said)


def test_the_list_tells_how_each_entry_stands(home: Path) -> None:
    file = claude(home, gh=ENTRY, old={"type": "sse", "url": "https://a.example/"})
    assert run("proxy", "install", "gh").code == 0
    ran = run("proxy", "list")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "server  client       proxy       starts or reaches",
        "gh      claude-code  yes         TOKEN=… npx -y server",
        "old     claude-code  left alone  https://a.example/",
        "",
        "old (claude-code) is left alone: it uses the old transport (sse), which the proxy does not speak.",
    ]
    report = json.loads(run("proxy", "list", "--json").out)
    entry = {"client": "claude-code", "path": str(file)}
    assert report == {
        "schema": "econome.clients/1",
        "entries": [
            {**entry, "name": "gh", "state": "proxied", "reason": None, "told": "TOKEN=… npx -y server"},
            {
                **entry,
                "name": "old",
                "state": "alone",
                "reason": "it uses the old transport (sse), which the proxy does not speak",
                "told": "https://a.example/",
            },
        ],
        "faults": [],
    }  # fmt: skip


def test_without_any_entry_the_list_names_where_it_looked(home: Path) -> None:
    ran = run("proxy", "list")
    assert ran.out.splitlines()[:2] == [
        "No client on this machine has a server. Looked for:",
        f"  {home / 'claude' / '.claude.json'}",
    ]


@pytest.mark.parametrize(
    "args, said",
    [
        (("install",), "name an entry, or give --all"),
        (("install", "gh", "--all"), "give names or --all, not both"),
        (("uninstall", "gh"), "no entry of this name was sent through the proxy"),
        (("install", "gh", "--config", "/nowhere.json"), "/nowhere.json: no such file"),
    ],
)
def test_a_wrong_question_is_told(args: tuple[str, ...], said: str) -> None:
    ran = run("proxy", *args)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize(
    "found, argv, words",
    [
        ("/usr/bin/econome", "x", ["/usr/bin/econome"]),
        (None, "/opt/venv/bin/econome", ["/opt/venv/bin/econome"]),
        (None, "/opt/econome/__main__.py", [sys.executable, "-m", "econome"]),
    ],
)
def test_the_program_is_named_so_that_any_client_finds_it(
    monkeypatch: pytest.MonkeyPatch, found: str | None, argv: str, words: list[str]
) -> None:
    from econome.cli.addresses import command_words

    monkeypatch.setattr(shutil, "which", lambda name: found)
    monkeypatch.setattr(sys, "argv", [argv])
    assert command_words() == words
