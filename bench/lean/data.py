"""The data the servers are asked about: all of it real, all of it at hand, the same at every run.

A clone of this project at a fixed commit (files and history); a database, tables and a graph about it; the price table,
the time zones, the characters of Unicode; and pages of the library's own reference, served on loopback.
"""

from __future__ import annotations

import ast
import csv
import json
import pydoc
import shutil
import sqlite3
import subprocess
import sys
import threading
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import resources
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

__all__ = ["COMMIT", "PORT", "build", "page"]

COMMIT = "3eb94bb8286bdcd3ec1033df6ee8a0b18bfbcb97"
PORT = 48217
"""Fixed, since it is part of what `fetch` answers."""

_REPOSITORY = Path(__file__).resolve().parent.parent.parent
_PAGES = ("sched", "json", "textwrap", "shlex")

Row = tuple[Any, ...]
Table = tuple[tuple[str, ...], list[Row]]


def _git(*arguments: str, folder: Path) -> str:
    command = ["git", "-c", "advice.detachedHead=false", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def _clone(project: Path) -> None:
    """Clone this project at COMMIT, with two branches, a staged and an unstaged change."""
    _git("clone", "--quiet", "--no-hardlinks", str(_REPOSITORY), str(project), folder=_REPOSITORY)
    _git("checkout", "--quiet", "-B", "work", f"{COMMIT}~12", folder=project)
    _git("checkout", "--quiet", "-B", "trunk", COMMIT, folder=project)
    _git("remote", "remove", "origin", folder=project)
    changes = (
        ("docs/usage.md", "docs/prices.md"),
        ("src/econome/settings.py", "src/econome/server/app.py"),
    )
    for staged, pair in zip((True, False), changes, strict=True):
        for name in pair:
            older = _git("show", f"{COMMIT}~60:{name}", folder=project)
            (project / name).write_text(older, encoding="utf-8")
            if staged:
                _git("add", name, folder=project)


def _commits(project: Path) -> Table:
    head = ("hash", "date", "subject", "files", "insertions", "deletions")
    log = _git("log", "--format=%x00%H%x1f%cI%x1f%s", "--numstat", COMMIT, folder=project)
    rows = []
    for entry in log.split("\0")[1:]:
        first, _, rest = entry.partition("\n")
        counts = [line.split("\t")[:2] for line in rest.splitlines() if line]
        added, gone = (sum(int(c[i]) for c in counts if c[i] != "-") for i in (0, 1))
        rows.append((*first.split("\x1f"), len(counts), added, gone))
    return head, rows


def _files(project: Path) -> Table:
    rows: list[Row] = []
    for name in _git("ls-files", folder=project).splitlines():
        content = (project / name).read_bytes()
        suffix = Path(name).suffix or None
        rows.append((name, suffix, len(content), content.count(b"\n"), name.count("/")))
    return ("path", "suffix", "bytes", "lines", "depth"), rows


def _functions(project: Path) -> Table:
    head = ("id", "module", "name", "line", "lines", "arguments", "returns", "async", "summary")
    rows: list[Row] = []
    for path in sorted((project / "src").rglob("*.py")):
        module = ".".join(path.relative_to(project / "src").with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                text = ast.get_docstring(node)
                returns = ast.unparse(node.returns) if node.returns else None
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                taken = len(node.args.args) + len(node.args.kwonlyargs)
                own = isinstance(node, ast.AsyncFunctionDef)
                summary = text.splitlines()[0] if text else None
                row = (module, node.name, node.lineno, length, taken, returns, own, summary)
                rows.append((len(rows) + 1, *row))
    return head, rows


def _models(project: Path) -> dict[str, Any]:
    table = project / "src" / "econome" / "prices" / "data" / "vendors.json"
    models = json.loads(table.read_text(encoding="utf-8"))["models"]
    return {name: model for name, model in models.items() if isinstance(model, dict)}


def _prices(project: Path) -> tuple[Table, Table]:
    """Return the price table twice: narrow, one price a row, and wide, one model a row."""
    kinds = ("input", "output", "cache_read", "write_5m", "write_1h")
    flags = ("by", "from", "until", "tier", "entries")
    narrow: list[Row] = []
    wide: list[Row] = []
    for name, model in _models(project).items():
        entry = model["entries"][-1]
        prices = [float(entry[kind]) if kind in entry else None for kind in kinds]
        narrow += [
            (name, kind, price)
            for kind, price in zip(kinds, prices, strict=True)
            if price is not None
        ]
        rest = [model.get("by"), entry.get("from"), entry.get("until"), _shown(entry.get("tier"))]
        batch = [None if price is None else price / 2 for price in prices]
        wide.append((name, *rest, len(model["entries"]), *prices, *batch))
    batched = tuple(f"batch_{kind}" for kind in kinds)
    return (("model", "kind", "usd_per_million"), narrow), (
        ("model", *flags, *kinds, *batched),
        wide,
    )


def _shown(value: object) -> str | None:
    return None if value is None else json.dumps(value)


def _zones() -> Table:
    text = resources.files("tzdata").joinpath("zoneinfo/zone.tab").read_text(encoding="utf-8")
    rows: list[Row] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            country, place, zone, *comment = line.split("\t")
            cut = max(place.rfind("+"), place.rfind("-"))
            where = [_degrees(place[:cut]), _degrees(place[cut:])]
            rows.append((zone, country, *where, comment[0] if comment else None))
    return ("zone", "country", "latitude", "longitude", "comment"), rows


def _degrees(text: str) -> float:
    """Return the degrees of an ISO 6709 half, `+DDMM`, `+DDDMM`, with seconds or without."""
    digits = text[1:]
    whole = 2 if len(digits) in (4, 6) else 3
    seconds = digits[whole + 2 :] or "0"
    value = int(digits[:whole]) + int(digits[whole : whole + 2]) / 60 + int(seconds) / 3600
    return round(-value if text[0] == "-" else value, 4)


def _characters() -> Table:
    head = (
        *("codepoint", "char", "name", "category", "bidirectional", "combining", "width"),
        *("mirrored", "decimal", "digit", "numeric", "decomposition", "upper", "lower"),
    )
    rows: list[Row] = []
    for code in (*range(0x21, 0x7F), *range(0xA1, 0x250), *range(0x391, 0x3CA)):
        char = chr(code)
        if (name := unicodedata.name(char, None)) is None:
            continue
        classes = (unicodedata.category(char), unicodedata.bidirectional(char))
        form = (unicodedata.combining(char), unicodedata.east_asian_width(char))
        numbers = (unicodedata.decimal(char, None), unicodedata.digit(char, None))
        rest = (unicodedata.numeric(char, None), unicodedata.decomposition(char) or None)
        cases = (char.upper(), char.lower())
        mirrored = unicodedata.mirrored(char)
        rows.append((code, char, name, *classes, *form, mirrored, *numbers, *rest, *cases))
    return head, rows


def _memory(project: Path) -> str:
    """Return what is known of the project's modules as the memory server keeps it: entities and relations."""
    entities, relations = [], []
    for path in sorted((project / "src" / "econome").rglob("*.py")):
        module = ".".join(path.relative_to(project / "src").with_suffix("").parts)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        text = ast.get_docstring(tree) or ""
        facts = [line for line in text.splitlines() if line]
        facts += [f"defines {n.name}" for n in tree.body if isinstance(n, ast.ClassDef)]
        kind = "package" if path.name == "__init__.py" else "module"
        entities.append(
            {"type": "entity", "name": module, "entityType": kind, "observations": facts}
        )
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("econome"):
                relation = {"from": module, "to": node.module, "relationType": "imports"}
                relations.append({"type": "relation", **relation})
    return "".join(f"{json.dumps(one, ensure_ascii=False)}\n" for one in (*entities, *relations))


def _cell(value: object) -> str:
    if value is None:
        return "<c/>"
    if isinstance(value, int | float):
        return f"<c><v>{float(value) if isinstance(value, float) else int(value)}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def _workbook(path: Path, sheets: dict[str, Table]) -> None:
    """Write *sheets* as the least a spreadsheet program opens."""
    space = "http://schemas.openxmlformats.org"
    main, tied = f"{space}/spreadsheetml/2006/main", f"{space}/officeDocument/2006/relationships"
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    types = f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
    names = links = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for number, (name, (head, rows)) in enumerate(sheets.items(), 1):
            part = f"worksheets/sheet{number}.xml"
            types += f'<Override PartName="/xl/{part}" ContentType="{kinds}.worksheet+xml"/>'
            names += f'<sheet name="{name}" sheetId="{number}" r:id="r{number}"/>'
            links += f'<Relationship Id="r{number}" Type="{tied}/worksheet" Target="{part}"/>'
            body = "".join(f"<row>{''.join(map(_cell, row))}</row>" for row in (head, *rows))
            book.writestr(
                f"xl/{part}", f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
            )
        packed = f"{space}/package/2006"
        kind = "application/vnd.openxmlformats-package.relationships+xml"
        rels = f'<Default Extension="rels" ContentType="{kind}"/>'
        book.writestr(
            "[Content_Types].xml", f'<Types xmlns="{packed}/content-types">{rels}{types}</Types>'
        )
        open_tag = f'<Relationships xmlns="{packed}/relationships">'
        book.writestr(
            "_rels/.rels",
            f'{open_tag}<Relationship Id="r1" Type="{tied}/officeDocument" Target="xl/workbook.xml"/>'
            "</Relationships>",
        )
        book.writestr("xl/_rels/workbook.xml.rels", f"{open_tag}{links}</Relationships>")
        book.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{tied}"><sheets>{names}</sheets></workbook>',
        )


def _database(path: Path, tables: dict[str, Table]) -> None:
    with sqlite3.connect(path) as base:
        for name, (head, rows) in tables.items():
            kinds = [_kind([row[i] for row in rows]) for i in range(len(head))]
            columns = ", ".join(f'"{h}" {k}' for h, k in zip(head, kinds, strict=True))
            base.execute(f'CREATE TABLE "{name}" ({columns})')
            marks = ", ".join("?" * len(head))
            base.executemany(f'INSERT INTO "{name}" VALUES ({marks})', rows)
    base.close()


def _kind(values: Sequence[object]) -> str:
    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, bool}:
        return "INTEGER"
    return "REAL" if kinds <= {int, float} else "TEXT"


def _exports(folder: Path, tables: dict[str, Table]) -> None:
    """Write tables the way programs leave them in a tree: CSV, and JSON with an indent of two."""
    folder.mkdir()
    for name, (head, rows) in tables.items():
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows((head, *rows))
        objects = [dict(zip(head, row, strict=True)) for row in rows]
        text = json.dumps(objects, indent=2, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _site(folder: Path, project: Path) -> None:
    folder.mkdir()
    for name in _PAGES:
        __import__(name)
        content = pydoc.html.document(sys.modules[name], name)
        (folder / f"{name}.html").write_text(pydoc.html.page(name, content), encoding="utf-8")
    for source in (project / "docs" / "rules.md", project / "docs" / "examples" / "economies.json"):
        shutil.copy(source, folder)
    shutil.copy(project / "src/econome/prices/data/claude.json", folder)


def build(folder: Path) -> None:
    """Make the data anew at *folder*, whatever earlier calls have left there."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    project = folder / "project"
    _clone(project)
    narrow, wide = _prices(project)
    commits, files, functions = _commits(project), _files(project), _functions(project)
    zones, characters = _zones(), _characters()
    tables = {"commits": commits, "files": files, "functions": functions, "zones": zones}
    prices = {"prices": narrow, "models": wide, "characters": characters}
    _database(folder / "project.sqlite", tables | prices)
    recent = {"commits": (commits[0], commits[1][:60]), "files": (files[0], files[1][:80])}
    _exports(folder / "exports", recent | {"zones": zones, "models": wide})
    _workbook(folder / "project.xlsx", {"zones": zones, "commits": commits, "models": wide})
    (folder / "memory.jsonl").write_text(_memory(project), encoding="utf-8")
    nested = json.dumps(
        [{"model": n, **m} for n, m in _models(project).items()], ensure_ascii=False
    )
    (folder / "exports" / "prices.json").write_text(nested, encoding="utf-8")
    _site(folder / "site", project)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base
        """Say nothing: the bench prints figures only."""


@contextmanager
def page(folder: Path) -> Iterator[str]:
    """Serve the pages below *folder* on loopback; yield their address."""
    server = ThreadingHTTPServer(("127.0.0.1", PORT), partial(_Quiet, directory=folder / "site"))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{PORT}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
