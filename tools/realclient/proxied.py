"""Let the real Claude Code use a server through econome's proxy, and hold what its model read against the ledger.

`python -m tools.realclient.proxied` runs this alone; it needs what `python -m tools.realclient` needs, and says so where
that is missing.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.lean.reading import readings
from bench.lean.record import compact
from econome.lean.ledger import Reading, lean_dir
from econome.lean.records import Record
from econome.tokenizers import tokenizer
from tools.realclient.checks import Checks, client, session
from tools.realclient.shelf import zones
from tools.realclient.transcripts import Said, menu, said

__all__ = ["main", "proxied"]

NAME = "shelf"
LIMIT = 20

_PREFIX = f"mcp__{NAME}__"
_REPOSITORY = Path(__file__).resolve().parent.parent.parent
_LONGEST_S = 90.0
_URL = re.compile(r"http://[^\s]+/mcp")


def proxied(claude: str, check: Checks) -> None:
    """Run the scenario over standard streams and over HTTP."""
    for name, listening in (("over standard streams", False), ("over HTTP", True)):
        print(f"\nthrough the proxy, {name}")
        with tempfile.TemporaryDirectory(prefix="econome-proxied-") as place:
            folder = Path(place)
            data = folder / "data"
            with _options(folder, data, listening=listening) as options:
                out = folder / "out"
                own = ["--mcp-name", NAME, *options]
                summary = session(claude, "proxied", out, folder / "work", own, _LONGEST_S)
            records = list(Reading(lean_dir(str(data))).records())
            _check(summary, out, records, check)


def _environment(folder: Path) -> dict[str, str]:
    own = {"HOME": folder, "XDG_CONFIG_HOME": folder / "config", "XDG_DATA_HOME": folder / "own"}
    found = {name: str(path) for name, path in own.items()}
    # What the scenario tells the client, and the client would tell a proxy that it starts itself.
    searching = {"ENABLE_TOOL_SEARCH": "false"}
    return found | searching | {"PATH": os.environ["PATH"], "PYTHONPATH": str(_REPOSITORY)}


@contextmanager
def _options(folder: Path, data: Path, *, listening: bool) -> Iterator[list[str]]:
    """Yield how the client is told of the proxy, which runs for as long where it listens."""
    own = ["-m", "econome", "proxy", "--name", NAME, "--limit", str(LIMIT), "--data-dir", str(data)]
    behind = ["--", sys.executable, "-m", "tools.realclient.shelf"]
    environment = _environment(folder)
    if not listening:
        program = {"command": sys.executable, "args": [*own, *behind], "env": environment}
        config = folder / "mcp.json"
        config.write_text(json.dumps({"mcpServers": {NAME: program}}), encoding="utf-8")
        yield ["--mcp-config", str(config)]
        return
    words = [sys.executable, *own, "--listen", "0", *behind]
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            url = _URL.search(process.stdout.readline())
            if url is None:
                sys.exit("the proxy does not say where it listens")
            show = [sys.executable, "-m", "econome", "token", "show", "--data-dir", str(data)]
            token = subprocess.run(show, env=environment, check=True, capture_output=True)
            yield ["--mcp-url", url[0], "--token", token.stdout.decode().strip()]
        finally:
            process.terminate()


def _check(summary: dict[str, Any], out: Path, records: list[Record], check: Checks) -> None:
    check("the session ended well", (summary["exit_status"], summary["is_error"]), (0, False))
    _check_menu(out, check)
    made = said(out / "transcripts", _PREFIX)
    check("six calls were made", [call.given["action"] for call in made],
          ["list_zones", "get_zone", "tell_zone", "lose_zone", "list_zones", "more"])  # fmt: skip
    if len(made) == 6:
        _check_answers(made, check)
        _check_ledger(made, records, check)


def _check_menu(out: Path, check: Checks) -> None:
    sent = menu(out / "stub" / "requests", _PREFIX)
    check("the model is sent one tool", [tool["name"] for tool in sent], [_PREFIX + NAME])
    keys = {key for tool in sent for key in tool}
    check("with name, description and schema alone", keys, {"name", "description", "input_schema"})
    text = compact(sent)
    missing = [name for name in ("list_zones", "get_zone", "two letters") if name not in text]
    check("it names the actions and tells their fields", missing, [])


def _check_answers(made: list[Said], check: Checks) -> None:
    rows, one, prose, wrong, cut, rest = made
    brazil = [zone.model_dump() for zone in zones() if zone.country == "BR"]
    check("rows come as a text that is smaller", len(rows.text) < len(compact(brazil)) * 0.7, True)
    check("and hold all that the server said", _read(rows.text), brazil)
    (paris,) = [zone.model_dump() for zone in zones() if zone.zone == "Europe/Paris"]
    check("one object holds all that the server said", _read(one.text), paris)
    told = f"Europe/Paris is in FR, at {paris['place']}."
    check("prose passes as it is", prose.text, told)
    check("what there is not is refused with what there is",
          (wrong.failed, [name for name in ("list_zones", "tell_zone") if name not in wrong.text]),
          (True, []))  # fmt: skip
    states = [zone.model_dump() for zone in zones() if zone.country == "US"]
    note, _, text = cut.text.partition("\n")
    counted = f"{LIMIT} of {len(states)} shown, {len(states) - LIMIT} hidden"
    check("a cut answer says so first", counted in note, True)
    check("and holds the first rows", _read(text), states[:LIMIT])
    _, _, text = rest.text.partition("\n")
    check("more gives the rest", _read(text), states[LIMIT:])


def _read(text: str) -> Any:
    """Return what *text* is read as, by the first reader that can."""
    return next((value for _, value in readings(text)), text)


def _check_ledger(made: list[Said], records: list[Record], check: Checks) -> None:
    count = tokenizer().count
    shown = [record for record in records if record.kind == "menu"]
    check("the ledger has the menu, and that it got smaller",
          (len(shown) > 0, all(record.after < record.before for record in shown)),
          (True, True))  # fmt: skip
    answers = [record for record in records if record.kind == "answer"]
    read = [made[number] for number in (0, 1, 2, 4)]
    check("and each answer of the server", [record.tool for record in answers],
          [call.given["action"] for call in read])  # fmt: skip
    check("with the tokens that the model read", [record.after for record in answers],
          [count(call.text) for call in read])  # fmt: skip
    check("fewer than it would have read, or as many",
          [record.after <= record.before for record in answers], [True] * len(read))  # fmt: skip
    check("what was cut is told apart", [record.rows_cut for record in answers[:3]], [0, 0, 0])
    check("as are the refusal and the look-up", [record.tool for record in records if record.kind == "lookup"],
          ["refused", "more"])  # fmt: skip
    clients = {record.client.partition("/")[0] for record in records}
    check("and the client is named", clients, {"claude-code"})


def main() -> int:
    """Run this part alone; return the exit code."""
    claude = client()
    if claude is None:
        return 0
    check = Checks()
    proxied(claude, check)
    return check.ended()


if __name__ == "__main__":
    sys.exit(main())
