"""The pages of servers show what commands measured, what the proxy counted and what transcripts hold, and harm nobody."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from econome import settings
from econome.contract.kept import keep
from econome.contract.measured import SCHEMA, Checked, Told
from econome.lean.ledger import lean_dir
from econome.lean.records import Record, line_of
from econome.server.desk import Desk
from econome.server.showing import Asking, Showing, Shown
from tests.builders import Tree
from tests.contract.listed import command, entry
from tests.door import run
from tests.http.process import Served, served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement
from tests.usage.details import call, result

pytestmark = requirement("L15", "L16", "L19")

HOSTILE = 'bad<script>alert(1)</script>"\u202e{x}%s😀' + "n" * 500
ROW = {"type": "object", "properties": {f"field{at}": {"type": "string"} for at in range(11)}}
LIST = {"type": "object", "properties": {"rows": {"type": "array", "items": ROW}}}


@pytest.fixture
def server(home: Path) -> Iterator[Served]:
    with served(home / "data" / "econome") as running:
        yield running


@pytest.fixture
def desk(home: Path) -> Iterator[Desk]:
    made = Desk(settings.load())
    yield made
    made.close()


def _get(server: Served, path: str) -> Reply:
    headers = {
        "Host": f"127.0.0.1:{server.port}",
        "Authorization": f"Bearer {server.token}",
    }
    return exchange(server.port, spelt("GET", path, headers))


def _rows(server: Served, path: str) -> list[dict[str, Any]]:
    """Return the rows of a figure."""
    reply = _get(server, path)
    assert reply.status == 200, path
    rows: list[dict[str, Any]] = reply.json["rows"]
    return rows


def _show(desk: Desk, rest: str = "", language: str = "en", part: str = "") -> Shown:
    return Showing(desk).show(Asking("servers", rest, (), language, part))


def _read(desk: Desk) -> bytes:
    """Return the part of transcripts once they were read: each look waits a little, as a browser does."""
    for _ in range(500):
        shown = _show(desk, part="called").body
        if b"hx-trigger" not in shown:
            return shown
    raise AssertionError("transcripts are never read")


class _Page(HTMLParser):
    """The elements of a page by their names, and its text."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.texts).split())


def _words(home: Path, **said: Any) -> tuple[str, ...]:
    tools = [entry("find", outputSchema=LIST), entry("read", description="It says more. " * 30)]
    return command(home, **({"tools": tools} | said))


@pytest.mark.slow
def test_the_figures_are_those_that_the_commands_printed(
    home: Path, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(home)
    asked = ("--name", "shop", "--", *_words(home))
    (printed,) = json.loads(run("profile", "--json", *asked).out)["servers"]
    menu = printed["menu"]
    (row,) = _rows(server, "/servers/figures/menus.json")
    assert row == {
        "server": "shop",
        "tools": 2,
        "per_turn": menu["per_turn"],
        "deferred": menu["deferred"],
        "deferred_share": menu["deferred"] / menu["per_turn"],
        "instructions": menu["instructions"],
        "tokenizer": "features-v1",
        "estimate": "estimated",
        "at": "2026-10-17T12:00:00Z",
    }
    classes = {"critical": 1, "high": 0, "medium": 0, "low": 0, "unknown": 1}
    assert _rows(server, "/servers/figures/classes.json") == [{"server": "shop", **classes}]
    tools = _rows(server, "/servers/shop/figures/tools.json")
    assert {(one["tool"], one["tokens"], one["share"]) for one in tools} == {
        (one["tool"], one["tokens"], one["share"]) for one in menu["tools"]
    }
    for name, per in (("economies", "turn"), ("answer-economies", "answer")):
        rows = _rows(server, f"/servers/shop/figures/{name}.json")
        assert [
            (one["economy"], one["what"], one["tokens_before"], one["tokens_after"], one["basis"])
            for one in rows
        ] == [
            (one["economy"], one["what"], one["tokens_before"], one["tokens_after"], one["basis"])
            for one in printed["economies"]
            if one["per"] == per and None not in (one["tokens_before"], one["tokens_after"])
        ]
    (row,) = _rows(server, "/servers/figures/servers.json")
    assert row["lock"] == "none"

    assert run("lock", *asked).code == 0
    assert _rows(server, "/servers/figures/locks.json")[0]["outcome"] == "locked"
    assert run("lock", "--check", *asked).code == 0
    assert _rows(server, "/servers/figures/locks.json")[0]["outcome"] == "holds"
    _words(home, tools=[entry("find", inputSchema={"type": "object", "required": ["a", "city"]})])
    ran = run("lock", "--check", "--json", *asked)
    assert ran.code == 1
    found = json.loads(ran.out)["findings"]
    rows = _rows(server, "/servers/shop/figures/findings.json")
    lock = str(home / "econome.lock")
    assert [(one["severity"], one["kind"], one["name"]) for one in rows] == [
        (one["severity"], one["kind"], one["name"]) for one in found
    ]
    explain = f"econome lock explain --lock {lock} --server shop find"
    assert explain in {one["explain"] for one in rows}
    assert run(*explain.split()[1:]).code == 0
    page = _Page(_get(server, "/servers/shop").body)
    assert "does not hold" in page.text
    assert explain in page.text


def test_what_is_not_measured_is_said_in_words_with_the_command_that_measures(desk: Desk) -> None:
    page = _Page(_show(desk).body).text
    assert "No server is known yet" in page
    assert "econome profile --config .mcp.json" in page
    keep(desk.settings.data_dir, [Checked(SCHEMA, "shop", "/l", "2026-10-17T12:00:00Z", "holds")])
    page = _Page(_show(desk).body).text
    assert "not measured yet" in page
    assert "No menu is measured yet" in page
    page = _Page(_show(desk, "shop").body).text
    assert "Its menu is not measured yet" in page
    assert "econome profile --name shop -- COMMAND" in page
    assert "econome profile --name shop --log FILE -- COMMAND" in page
    assert "econome proxy install" in page


def test_a_server_that_nobody_knows_has_no_page(desk: Desk) -> None:
    _read(desk)
    assert _show(desk, "nobody").status == 404
    assert _show(desk, "figures/nothing.json").status == 404


def test_menus_that_were_counted_otherwise_are_neither_drawn_nor_added_together(
    desk: Desk, home: Path
) -> None:
    for name, method in (("one", "features-v1"), ("two", "features-v1"), ("three", "chars/4")):
        asked = ("--tokenizer", method, "--name", name, "--", *_words(home))
        assert run("profile", *asked).code == 0
    rows = json.loads(_show(desk, "figures/menus.json").body)["rows"]
    drawn = _show(desk, "figures/menus.svg").body.decode()
    assert {row["tokenizer"] for row in rows} == {"features-v1", "chars/4"}
    assert ("three" in drawn, "one" in drawn, "two" in drawn) == (False, True, True)
    alike = sum(row["per_turn"] for row in rows if row["tokenizer"] == "features-v1")
    page = _Page(_show(desk).body).text
    assert f"Menus in every turn {alike:,} features-v1, an estimate" in page
    assert "stand in the table alone" in page


def test_each_bar_of_an_economy_is_of_one_basis(desk: Desk, home: Path) -> None:
    assert run("profile", "--name", "shop", "--", *_words(home)).code == 0
    for name in ("economies", "answer-economies"):
        rows = json.loads(_show(desk, f"shop/figures/{name}.json").body)["rows"]
        assert {row["basis"] for row in rows} <= {"counted", "measured", "estimated"}
        assert all(row["saves"] == row["tokens_before"] - row["tokens_after"] for row in rows)
    columns = json.loads(_show(desk, "shop/figures/economies.json").body)["columns"]
    assert "basis" in [column["key"] for column in columns]


def _heavy(tree: Tree) -> None:
    tree.main(
        "s1",
        call("toolu_1", "mcp__shop__find"), result("toolu_1", "x" * 70),
        call("toolu_2", "mcp__shop__find", minutes=2), result("toolu_2", "y" * 700, minutes=3, failed=True),
        call("toolu_3", "mcp__my_own__read", minutes=4), result("toolu_3", "z" * 7, minutes=5),
    )  # fmt: skip


def test_what_transcripts_show_stands_beside_what_was_measured(desk: Desk, home: Path) -> None:
    _heavy(Tree(home / "claude"))
    assert run("profile", "--name", "my own", "--", *_words(home)).code == 0
    printed = json.loads(run("profile", "--transcripts", "--json").out)["weighed"]["servers"]
    _read(desk)
    rows = json.loads(_show(desk, "figures/called.json").body)["rows"]
    assert [(row["server"], row["calls"], row["failures"], row["characters"]) for row in rows] == [
        ("shop", 2, 1, 770),
        ("my own", 1, 0, 7),
    ]
    (row,) = json.loads(_show(desk, "shop/figures/called.json").body)["rows"]
    sizes = printed["shop"]["find"]["characters"]
    assert (row["p50"], row["p95"], row["max"]) == (sizes["p50"], sizes["p95"], sizes["max"])
    assert (row["calls"], row["failures"], row["last_day"]) == (2, 1, "2026-01-05")


def test_until_transcripts_were_read_the_page_says_so_and_asks_again(
    desk: Desk, home: Path
) -> None:
    _heavy(Tree(home / "claude"))
    gate = threading.Event()
    desk.later("busy", 0, gate.wait)
    waiting = _Page(_show(desk).body)
    (section,) = (attrs for _, attrs in waiting.tags if attrs.get("id") == "called")
    assert (section["hx-get"], section["hx-trigger"]) == ("/servers", "load delay:1s")
    assert "being read" in waiting.text
    assert _show(desk, "shop").status == 200
    gate.set()
    part = _Page(_read(desk))
    assert "770" in part.text
    assert "html" not in {tag for tag, _ in part.tags}


def test_transcripts_that_are_missing_leave_the_rest(
    desk: Desk, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("profile", "--name", "shop", "--", *_words(home)).code == 0
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "nowhere"))
    page = _Page(_show(desk).body).text
    assert "Your transcripts cannot be read" in page
    assert "What menus cost in every turn" in page


def test_what_the_proxy_counted_has_a_row_for_each_method(desk: Desk, home: Path) -> None:
    directory = Path(lean_dir(desk.settings.data_dir))
    directory.mkdir(parents=True)
    records = [
        Record(kind="answer", at="2026-10-16T23:30:00Z", server="shop", client="c", method=method, before=100, after=after)
        for method, after in (("o200k", 40), ("features-v1", 50))
    ]  # fmt: skip
    (directory / "one.jsonl").write_bytes(b"".join(map(line_of, records)))
    (directory / "one.jsonl").chmod(0o600)
    printed = json.loads(run("balance", "--json").out)["lean"]["methods"]
    rows = json.loads(_show(desk, "shop/figures/proxied.json").body)["rows"]
    assert [(row["method"], row["net"]) for row in rows] == [
        (method["method"], method["servers"][0]["net"]) for method in printed
    ]


@pytest.mark.parametrize("language", ["en", "fr"])
def test_names_that_are_meant_to_do_harm_do_none(desk: Desk, home: Path, language: str) -> None:
    tools = [entry(HOSTILE, outputSchema=LIST), entry("a</svg><img src=x onerror=alert(1)>")]
    words = _words(home, tools=tools, version=HOSTILE)
    assert run("profile", "--name", HOSTILE, "--", *words).code == 0
    told = tuple(Told("BREAKING", "tool-removed", "tool", name) for name in (HOSTILE, "--lock", "a b;c"))  # fmt: skip
    (known,) = json.loads(_show(desk, "figures/menus.json").body)["rows"]
    name = known["server"]
    keep(desk.settings.data_dir, [Checked(SCHEMA, name, "/l", "2026-10-17T12:00:00Z", "fails", findings=told, severities={"BREAKING": 3})])  # fmt: skip
    _read(desk)
    for rest in ("", name):
        shown = _show(desk, rest, language)
        page = _Page(shown.body)
        assert shown.status == 200
        assert {attrs.get("src") for tag, attrs in page.tags if tag == "script"} == {
            "/static/htmx.min.js",
            "/static/page.js",
        }
        assert not any(key.startswith("on") for _, attrs in page.tags for key in attrs)
        assert not any(tag == "img" for tag, _ in page.tags)
        assert "\u202e" not in shown.body.decode()
        assert shown == _show(desk, rest, language)
    rows = json.loads(_show(desk, f"{name}/figures/findings.json").body)["rows"]
    assert rows[1]["explain"] == ""
    assert rows[2]["explain"].endswith(" 'a b;c'")
