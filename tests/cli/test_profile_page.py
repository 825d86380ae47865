"""The report of `econome profile` is one file that shows the same figures in drawings and tables, and replaces no other file."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from econome.__main__ import main
from econome.cli.render.profile_file import check_place, put
from econome.errors import FileRefused
from tests.cli.test_profile import LIST
from tests.contract.listed import command, entry

VOID = {"link", "meta", "path", "rect", "circle"}


class _Reader(HTMLParser):
    """Reads a document strictly enough: every mark is closed, and cells and marks are noted."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.marks: list[str] = []
        self.ids: list[str] = []
        self.rows: list[list[str]] = []
        self.drawings: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.marks.append(tag)
        given = dict(attrs)
        self.ids += [given["id"] or ""] if "id" in given else []
        if tag == "svg" and given.get("role") == "img":
            self.drawings.append(given["aria-labelledby"] or "")
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.marks.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def _read(path: Path) -> _Reader:
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    assert reader.open == []
    return reader


def _report(path: Path, capfd: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    """Write the page; return the same report as JSON."""
    assert main(["profile", "--html", str(path), "--json", *words]) == 0
    report: dict[str, Any] = json.loads(capfd.readouterr().out)
    return report


def test_the_tables_hold_every_figure_of_the_drawings(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    tools = [entry("find", outputSchema=LIST), entry("read")]
    report = _report(page, capfd, "--name", "shop", "--", *command(tmp_path, tools=tools))
    menu, read = report["servers"][0]["menu"], _read(page)
    for tool in menu["tools"]:
        cells = next(row for row in read.rows if row[0] == tool["tool"])
        parts = [tool[part] for part in ("tokens", "name", "description", "schema")]
        assert cells[1:5] == [f"{part:,}" for part in parts]
    for form in menu["forms"]:
        cells = next(row for row in read.rows if row[0] == form["form"])
        assert cells[1] == ("n/a" if form["tokens"] is None else f"{form['tokens']:,}")
    assert len(read.drawings) == 2
    assert [name for drawn in read.drawings for name in drawn.split() if name not in read.ids] == []


def test_a_page_runs_nothing_and_asks_nobody(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "report.html"
    _report(page, capfd, "--", *command(tmp_path, tools=[entry("find")]))
    text, read = page.read_text(encoding="utf-8"), _read(page)
    assert {"script", "link", "img", "iframe", "object", "form"} & set(read.marks) == set()
    assert re.findall(r"url\((?!#)[^)]*\)|@import|style=|\son\w+=", text) == []
    assert "default-src 'none'" in text
    assert "prefers-color-scheme: dark" in text


def test_several_servers_share_a_page_and_no_name_in_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    entries = {}
    for name in ("shop", "desk"):
        words = command(tmp_path, name, tools=[entry("find"), entry(name)])
        entries[name] = {"command": words[0], "args": words[1:]}
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": entries}), encoding="utf-8")
    page = tmp_path / "report.html"
    _report(page, capfd, "--config", str(config), "--yes")
    read = _read(page)
    assert len(read.drawings) == 5
    assert len(set(read.ids)) == len(read.ids)


def test_a_report_is_replaced_and_any_other_file_is_left_as_it_is(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    page, other = tmp_path / "report.html", tmp_path / "mine.html"
    words = ("--", *command(tmp_path, tools=[entry("find")]))
    _report(page, capfd, *words)
    before = page.stat().st_ino
    _report(page, capfd, *words)
    assert page.stat().st_ino != before
    other.write_text("<p>mine</p>", encoding="utf-8")
    assert main(["profile", "--html", str(other), *words]) == 1
    assert "it is no report of econome" in capfd.readouterr().err
    assert other.read_text(encoding="utf-8") == "<p>mine</p>"
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".html", ".html", ".json"]


def test_an_empty_file_may_become_a_report(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.touch()
    put(str(path), "<p>")
    assert path.read_text(encoding="utf-8") == "<p>"


def test_a_link_leads_to_where_the_report_is_written(tmp_path: Path) -> None:
    link = tmp_path / "link.html"
    link.symlink_to(tmp_path / "report.html")
    put(str(link), "<p>")
    assert link.is_symlink()
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "<p>"


@pytest.mark.parametrize("name", ["", "gone/report.html", "pipe"])
def test_a_place_that_cannot_hold_a_report_is_refused_before_anything_starts(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    path = str(tmp_path / name)
    with pytest.raises(FileRefused):
        check_place(path)
    touched = tmp_path / "touched"
    assert main(["profile", "--html", path, "--", "touch", str(touched)]) == 1
    assert path.rstrip("/") in capfd.readouterr().err
    assert not touched.exists()
