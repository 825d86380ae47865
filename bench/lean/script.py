"""The calls the lean room is judged by, written before any of it was, and not changed since.

A call is of the kind of its answer: `rows`, a collection of similar objects, however the server writes it; `nested`,
one object, a tree, or a collection whose items differ or hold others; `text`, prose, code, diffs and listings meant for reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from bench.lean.servers import SERVERS

__all__ = ["CALLS", "TASKS", "Call", "Kind", "Task"]

Kind = Literal["rows", "nested", "text"]


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool: `{data}` and `{page}` in a text are the data folder and the local page's address."""

    server: str
    tool: str
    arguments: dict[str, Any]
    kind: Kind


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent would do with these *servers* in its configuration: one turn a call, and one to answer."""

    name: str
    servers: tuple[str, ...]
    calls: tuple[Call, ...]


def _sql(server: str, kind: Kind, query: str) -> Call:
    tool, name = {
        "sqlite": ("read_query", "query"),
        "mcp-sqlite": ("query", "sql"),
        "motherduck": ("execute_query", "sql"),
    }[server]
    return Call(server, tool, {name: query}, kind)


def _file(tool: str, path: str, kind: Kind, **more: object) -> Call:
    return Call("filesystem", tool, {"path": f"{{data}}/{path}", **more}, kind)


def _git(tool: str, **more: object) -> Call:
    return Call("git", tool, {"repo_path": "{data}/project", **more}, "text")


def _sheet(tool: str, kind: Kind, **more: object) -> Call:
    return Call("excel", tool, {"path": "{data}/project.xlsx", **more}, kind)


def _page(path: str, kind: Kind, **more: object) -> Call:
    return Call("fetch", "fetch", {"url": f"{{page}}/{path}", **more}, kind)


def _thought(number: int, text: str) -> Call:
    arguments = {
        "thought": text,
        "nextThoughtNeeded": number < 3,
        "thoughtNumber": number,
        "totalThoughts": 3,
    }
    return Call("thinking", "sequentialthinking", arguments, "nested")


ROWS = (
    Call("sqlite", "list_tables", {}, "rows"),
    Call("sqlite", "describe_table", {"table_name": "models"}, "rows"),
    _sql("sqlite", "rows", "SELECT * FROM prices WHERE model LIKE 'gpt-%' ORDER BY model, kind"),
    _sql("sqlite", "rows", "SELECT * FROM characters WHERE category IN ('No', 'Nd', 'Lt')"),
    _sql("sqlite", "rows", "SELECT * FROM functions WHERE module LIKE 'econome.prices.%'"),
    _sql("sqlite", "rows", "SELECT * FROM zones WHERE country IN ('BR', 'CA', 'RU', 'AU')"),
    _sql(
        "sqlite",
        "rows",
        "SELECT module, count(*) AS functions, sum(lines) AS lines, avg(arguments) AS arguments "
        "FROM functions GROUP BY module ORDER BY lines DESC LIMIT 40",
    ),
    Call("mcp-sqlite", "get_table_schema", {"tableName": "characters"}, "rows"),
    Call("mcp-sqlite", "read_records", {"table": "commits", "limit": 50}, "rows"),
    Call("mcp-sqlite", "read_records", {"table": "models", "limit": 25, "offset": 400}, "rows"),
    _sql("mcp-sqlite", "rows", "SELECT zone, latitude, longitude FROM zones WHERE country = 'US'"),
    _sql("mcp-sqlite", "rows", "SELECT path, bytes, lines FROM files WHERE lines > 350"),
    _sql(
        "motherduck",
        "rows",
        "SELECT * FROM read_csv('{data}/exports/files.csv') WHERE suffix = '.py' ORDER BY bytes",
    ),
    _sql("motherduck", "rows", "DESCRIBE SELECT * FROM read_csv('{data}/exports/models.csv')"),
    _sql(
        "motherduck",
        "rows",
        "SELECT country, count(*) AS zones, min(latitude) AS south, max(latitude) AS north "
        "FROM read_csv('{data}/exports/zones.csv') GROUP BY country ORDER BY zones DESC, country "
        "LIMIT 30",
    ),
    _sheet("read_range", "rows", sheet="zones", range="A1:E60"),
    _sheet("read_range", "rows", sheet="models", range="A1:P25"),
    _file("read_text_file", "exports/commits.json", "rows"),
    _file("read_text_file", "exports/files.json", "rows"),
    _page("economies.json", "rows"),
)

NESTED = (
    _file("directory_tree", "project/src/econome/usage", "nested"),
    _file("directory_tree", "project/docs", "nested"),
    _file("directory_tree", "project", "nested", excludePatterns=[".git", "tests", "src"]),
    _file("read_text_file", "project/src/econome/prices/data/claude.json", "nested"),
    _file("read_text_file", "project/tools/realclient/scenarios/delegate.json", "nested"),
    _page("claude.json", "nested", max_length=20000),
    Call("memory", "open_nodes", {"names": ["econome.prices.table"]}, "nested"),
    Call(
        "memory",
        "open_nodes",
        {"names": ["econome.usage.report", "econome.usage.query", "econome.usage.cells"]},
        "nested",
    ),
    Call("memory", "search_nodes", {"query": "tariff"}, "nested"),
    Call("memory", "search_nodes", {"query": "transcript"}, "nested"),
    Call(
        "memory",
        "add_observations",
        {
            "observations": [
                {"entityName": "econome.clock", "contents": ["the only reader of the time"]},
                {"entityName": "econome.settings", "contents": ["reads the environment", "pure"]},
            ]
        },
        "nested",
    ),
    Call(
        "memory",
        "create_entities",
        {
            "entities": [
                {
                    "name": "release 0.2",
                    "entityType": "release",
                    "observations": ["planned", "needs the lean room"],
                }
            ]
        },
        "nested",
    ),
    Call("everything", "get-structured-content", {"location": "Chicago"}, "nested"),
    Call("everything", "get-env", {}, "nested"),
    Call("time", "get_current_time", {"timezone": "Europe/Paris"}, "nested"),
    Call(
        "time",
        "convert_time",
        {"source_timezone": "Asia/Tokyo", "time": "16:30", "target_timezone": "America/New_York"},
        "nested",
    ),
    _thought(1, "The price of a response depends on the day it was made, so the table is dated."),
    _thought(2, "A model without a price must not be priced as a relative of its name."),
    Call("mcp-sqlite", "db_info", {}, "nested"),
    _sheet("describe_workbook", "nested"),
    _sheet("describe_sheet", "nested", sheet="models"),
    _sheet("find_cells", "nested", query="America/Argentina"),
    _sql(
        "motherduck",
        "nested",
        "SELECT model, entries FROM read_json('{data}/exports/prices.json') AS m "
        "WHERE m.by = 'openrouter' ORDER BY model LIMIT 20",
    ),
)

TEXT = (
    _file("read_text_file", "project/src/econome/prices/table.py", "text"),
    _file("read_text_file", "project/docs/architecture.md", "text"),
    _file("read_text_file", "project/pyproject.toml", "text", head=60),
    _file("read_text_file", "exports/zones.csv", "text", tail=40),
    Call(
        "filesystem",
        "read_multiple_files",
        {"paths": ["{data}/project/Makefile", "{data}/project/src/econome/clock.py"]},
        "text",
    ),
    _file("list_directory", "project/src/econome/server", "text"),
    _file("list_directory_with_sizes", "project/docs", "text", sortBy="size"),
    _file("search_files", "project", "text", pattern="**/wire.py"),
    _file("get_file_info", "project/README.md", "text"),
    _file(
        "edit_file",
        "project/src/econome/clock.py",
        "text",
        edits=[{"oldText": "import", "newText": "import"}],
        dryRun=True,
    ),
    _git("git_status"),
    _git("git_log", max_count=12),
    _git("git_show", revision="trunk~1"),
    _git("git_diff_unstaged"),
    _git("git_diff_staged"),
    _git("git_diff", target="trunk~3"),
    _git("git_branch", branch_type="local"),
    _page("sched.html", "text"),
    _page("textwrap.html", "text", max_length=8000),
    _page("rules.md", "text", start_index=5000),
    Call("everything", "get-resource-links", {"count": 8}, "text"),
    Call("everything", "echo", {"message": "The table is dated; the old entry stays."}, "text"),
    Call("everything", "get-sum", {"a": 1250, "b": 17}, "text"),
    Call("sqlite", "append_insight", {"insight": "Most prices have no cache entry."}, "text"),
)

CALLS: tuple[Call, ...] = (*ROWS, *NESTED, *TEXT)

TASKS = (
    Task(
        "what a change touched",
        ("filesystem", "git"),
        (
            _git("git_status"),
            _git("git_log", max_count=12),
            _git("git_show", revision="trunk~1"),
            _file("read_text_file", "project/src/econome/traces.py", "text"),
            _file("search_files", "project", "text", pattern="**/test_settings*.py"),
            _git("git_diff_unstaged"),
        ),
    ),
    Task(
        "find the dearest models",
        ("sqlite", "time"),
        (
            Call("sqlite", "list_tables", {}, "rows"),
            Call("sqlite", "describe_table", {"table_name": "models"}, "rows"),
            _sql(
                "sqlite",
                "rows",
                "SELECT model, input, output FROM models WHERE models.by = 'openai' "
                "ORDER BY output DESC LIMIT 50",
            ),
            _sql(
                "sqlite",
                "rows",
                "SELECT kind, count(*), avg(usd_per_million) FROM prices GROUP BY 1",
            ),
            Call("time", "get_current_time", {"timezone": "Etc/UTC"}, "nested"),
            Call("sqlite", "append_insight", {"insight": "Ten models cost over 100."}, "text"),
        ),
    ),
    Task(
        "learn the code and remember it",
        ("filesystem", "memory", "thinking"),
        (
            _file("directory_tree", "project/src/econome/prices", "nested"),
            Call("memory", "search_nodes", {"query": "econome.prices"}, "nested"),
            _file("read_text_file", "project/src/econome/prices/tariff.py", "text"),
            _thought(1, "The tariff holds one price for a span of days."),
            Call(
                "memory",
                "add_observations",
                {
                    "observations": [
                        {"entityName": "econome.prices.tariff", "contents": ["a price has a span"]}
                    ]
                },
                "nested",
            ),
        ),
    ),
    Task(
        "a workbook's figures",
        ("excel",),
        (
            _sheet("describe_workbook", "nested"),
            _sheet("read_range", "rows", sheet="commits", range="A1:F40"),
            _sheet("find_cells", "nested", query="Europe/"),
            _sheet("read_range", "rows", sheet="zones", range="A1:E40"),
        ),
    ),
    Task(
        "everything is configured, little is used",
        tuple(server.name for server in SERVERS),
        (
            _page("sched.html", "text"),
            _file("read_text_file", "project/README.md", "text"),
            _sql("mcp-sqlite", "rows", "SELECT * FROM zones WHERE country = 'FR'"),
            _git("git_log", max_count=5),
            Call("time", "get_current_time", {"timezone": "Europe/Paris"}, "nested"),
            _file("list_directory", "project/docs", "text"),
        ),
    ),
)
