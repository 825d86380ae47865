"""A check that finds nothing costs little: what judges and shows differences is not even imported, and the lock is read meanwhile."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from econome.contract.capture import capture_all
from econome.contract.sources import Source
from tests.contract import many
from tests.requirements import requirement

pytestmark = requirement("L16")

SERVER = (sys.executable, str(many.__file__), "--tools", "3")
ASKED = """
import sys
from econome.cli.app import main
status = main(sys.argv[1:])
heavy = ("rich", "uvloop", "jsonschema", "econome.contract.drift_servers", "econome.contract.witness")
print(status, [name for name in heavy if name in sys.modules])
"""


def checked(folder: Path, *words: str, how: str = "none") -> str:
    given = ["lock", *words, "--name", "many", "--", *SERVER, "--changed", how]
    run = [sys.executable, "-c", ASKED, *given]
    done = subprocess.run(run, cwd=folder, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


@pytest.mark.slow
def test_a_check_that_finds_nothing_imports_nothing_that_judges_or_shows(tmp_path: Path) -> None:
    checked(tmp_path)
    line, status = checked(tmp_path, "--check").splitlines()
    assert line.startswith("econome.lock holds: 1 server as locked, 3 tools, ")
    assert status == "0 []"
    *_, status = checked(tmp_path, "--check", how="texts").splitlines()
    assert status.startswith("1 ['rich', ")


def test_what_is_done_while_servers_start_may_end_all(tmp_path: Path) -> None:
    done: list[str] = []

    def refuse() -> None:
        done.append("read")
        raise LookupError

    source = Source("s", SERVER, None, {}, {}, str(tmp_path), "s", False)
    with pytest.raises(LookupError):
        capture_all((source,), version="1", meanwhile=refuse)
    assert done == ["read"]
    ((_, found),) = capture_all((source,), version="1", meanwhile=lambda: done.append("again"))
    assert (done, getattr(found, "name", "")) == (["read", "again"], "s")
