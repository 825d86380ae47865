"""The tables of detail, and the questions asked of them. Nothing here opens a database.

Every row belongs to a file and is as the file says it. Which of several copies of a line counts is decided by the
questions, over all files at once, so the order in which files were read never shows.
"""

from __future__ import annotations

__all__ = [
    "ATTRIBUTIONS",
    "CALLS",
    "COMPACTIONS",
    "COVERAGE",
    "FORMAT",
    "INSERTS",
    "PARTS",
    "PAUSES",
    "ROWS",
    "SCHEMA",
    "TOUCHES",
]

FORMAT = "2"
"""Raised whenever the tables or what is read into them change; older databases are made anew."""

ROWS = ("call", "result", "part", "attribution", "compaction", "pause")
"""The tables whose rows belong to a file."""

SCHEMA = """
CREATE TABLE memo (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE file (id INTEGER PRIMARY KEY, root INTEGER NOT NULL, path BLOB NOT NULL,
  helper INTEGER NOT NULL, first INTEGER NOT NULL, stat BLOB NOT NULL, state BLOB NOT NULL,
  lines INTEGER NOT NULL, malformed INTEGER NOT NULL, pending INTEGER NOT NULL, reason TEXT NOT NULL,
  UNIQUE (root, path));
CREATE TABLE call (file INTEGER NOT NULL, at INTEGER NOT NULL, nr INTEGER NOT NULL, key BLOB NOT NULL,
  name_id TEXT NOT NULL, name TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL,
  response INTEGER, request TEXT, session TEXT NOT NULL, agent TEXT NOT NULL, project TEXT NOT NULL,
  side INTEGER NOT NULL, copied INTEGER NOT NULL, time INTEGER, touched BLOB NOT NULL);
CREATE TABLE result (file INTEGER NOT NULL, at INTEGER NOT NULL, nr INTEGER NOT NULL, key BLOB NOT NULL,
  side INTEGER NOT NULL, copied INTEGER NOT NULL, time INTEGER, failed INTEGER NOT NULL);
CREATE TABLE part (file INTEGER NOT NULL, at INTEGER NOT NULL, nr INTEGER NOT NULL, kind TEXT NOT NULL,
  blocks INTEGER NOT NULL, characters INTEGER NOT NULL, utf8_bytes INTEGER NOT NULL);
CREATE TABLE attribution (file INTEGER NOT NULL, at INTEGER NOT NULL, key BLOB NOT NULL,
  response INTEGER, request TEXT, agent TEXT NOT NULL, skill TEXT NOT NULL, plugin TEXT NOT NULL,
  server TEXT NOT NULL, tool TEXT NOT NULL, session TEXT NOT NULL, side INTEGER NOT NULL,
  copied INTEGER NOT NULL, time INTEGER, version TEXT NOT NULL);
CREATE TABLE compaction (file INTEGER NOT NULL, at INTEGER NOT NULL, key BLOB NOT NULL,
  session TEXT NOT NULL, agent TEXT NOT NULL, project TEXT NOT NULL, side INTEGER NOT NULL,
  copied INTEGER NOT NULL, time INTEGER, cause TEXT NOT NULL, before INTEGER, after INTEGER);
CREATE TABLE pause (file INTEGER NOT NULL, at INTEGER NOT NULL, key BLOB NOT NULL, session TEXT NOT NULL,
  project TEXT NOT NULL, copied INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER NOT NULL);
CREATE INDEX call_file ON call (file);
CREATE INDEX result_file ON result (file);
CREATE INDEX part_file ON part (file, at, nr);
CREATE INDEX attribution_file ON attribution (file);
CREATE INDEX compaction_file ON compaction (file);
CREATE INDEX pause_file ON pause (file);
"""

INSERTS = {
    "call": f"INSERT INTO call VALUES ({', '.join('?' * 17)})",
    "result": f"INSERT INTO result VALUES ({', '.join('?' * 8)})",
    "part": f"INSERT INTO part VALUES ({', '.join('?' * 7)})",
    "attribution": f"INSERT INTO attribution VALUES ({', '.join('?' * 15)})",
    "compaction": f"INSERT INTO compaction VALUES ({', '.join('?' * 12)})",
    "pause": f"INSERT INTO pause VALUES ({', '.join('?' * 8)})",
}


def _owned(table: str, side: str = "r.side") -> str:
    """Return a query of the one row of each key that counts (F5)."""
    order = f"f.helper, {side}, r.copied, f.first, f.root, f.path, r.at"
    return (
        f"SELECT * FROM (SELECT r.*, ROW_NUMBER() OVER (PARTITION BY r.key ORDER BY {order}) AS place"
        f" FROM {table} r JOIN file f ON f.id = r.file) WHERE place = 1"
    )


_JOINED = (
    f"WITH c AS ({_owned('call')}), a AS ({_owned('result')})"
    " SELECT {columns} FROM c LEFT JOIN a ON a.key = c.key {rest}"
)

CALLS = _JOINED.format(
    columns="c.key, c.name_id, c.name, c.server, c.tool, c.response, c.request, c.session, c.agent, c.side,"
    " c.project, c.time, a.time, a.failed, c.touched",
    rest="WHERE (:session IS NULL OR c.session = :session) ORDER BY c.time, c.session, c.agent, c.at, c.nr, c.key",
)
"""Every call once, with the time and the failure of its result."""

PARTS = (
    f"WITH a AS ({_owned('result')}) SELECT a.key, p.kind, p.blocks, p.characters, p.utf8_bytes"
    " FROM a JOIN part p ON p.file = a.file AND p.at = a.at AND p.nr = a.nr ORDER BY a.key, p.kind"
)
"""The sizes of every result, by the key of its call."""

TOUCHES = _JOINED.format(
    columns="c.session, c.agent, c.project, c.touched, SUM(c.name = 'Read'),"
    " SUM(c.name IN ('Edit', 'MultiEdit', 'NotebookEdit', 'Write')), COUNT(*), SUM(("
    "SELECT SUM(p.characters) FROM part p WHERE p.file = a.file AND p.at = a.at AND p.nr = a.nr))",
    rest="WHERE c.touched != x'' GROUP BY c.session, c.agent, c.project, c.touched"
    " ORDER BY 5 DESC, c.session, c.agent, c.project, c.touched",
)
"""Every file that a session's agent touched: reads, changes, all calls, characters returned."""

ATTRIBUTIONS = (
    "SELECT response, request, agent, skill, plugin, server, tool, session, time, version"
    f" FROM ({_owned('attribution')}) WHERE (:session IS NULL OR session = :session) ORDER BY time, session, at, key"
)
"""What each response is put down to, once."""

COMPACTIONS = (
    "SELECT session, agent, project, time, cause, before, after"
    f" FROM ({_owned('compaction')}) ORDER BY time, key"
)

PAUSES = (
    "SELECT session, project, since, until"
    f" FROM ({_owned('pause', side='0')}) ORDER BY since, until, key"
)

COVERAGE = "SELECT SUM(reason = ''), SUM(lines), SUM(malformed), SUM(pending) FROM file"
