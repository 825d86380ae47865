"""The published description is true: of what may be asked, of every answer, and nothing that fits it breaks the server."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from econome.server.gate import PAGES
from econome.server.openapi import document
from tests.http.process import Served, served
from tests.http.raw import exchange, spelt
from tests.http.test_gate import _routes
from tests.requirements import requirement

EXAMPLES = 40
SEED = "20261017"


@requirement("S3")
def test_the_description_is_published_as_it_is_made(shared_server: Served) -> None:
    bearer = f"Bearer {shared_server.token}"
    headers = {"Host": f"127.0.0.1:{shared_server.port}", "Authorization": bearer}
    reply = exchange(shared_server.port, spelt("GET", "/openapi.json", headers))
    assert (reply.status, reply.header("content-type")) == (200, "application/json")
    assert reply.json == json.loads(json.dumps(document()))


@requirement("S3")
def test_every_route_for_programs_is_described_and_none_that_is_not_there(tmp_path: Path) -> None:
    described = {
        (method.upper(), path) for path, item in document()["paths"].items() for method in item
    }
    pages = {"/", "/login", "/mcp"}
    below = ("/static/", *(f"/{name}" for name in PAGES))
    routes = {
        (method, path)
        for method, path in _routes(tmp_path)
        if path not in pages and not path.startswith(below) and method != "HEAD"
    }
    assert described == routes


@requirement("S3", "S4", "C-R2", "C-R8")
@pytest.mark.slow
@pytest.mark.skipif(find_spec("schemathesis") is None, reason="needs schemathesis")
def test_nothing_that_can_be_sent_gets_an_answer_that_is_not_described(tmp_path: Path) -> None:
    """No input gives a 5xx, an undescribed status, or a body of another shape; what breaks the schemas is refused.

    The stream of news is left out, since it does not end. That all that fits the schemas is taken is not asked: no schema can say that 1.0 is no whole number, or that two
    parameters exclude each other.
    """
    with served(tmp_path / "data") as running:
        place = tmp_path / "openapi.json"
        place.write_text(json.dumps(document()), encoding="utf-8")
        done = subprocess.run(
            [
                sys.executable, "-m", "schemathesis.cli", "run", str(place), "--url", running.url,
                "--header", f"Authorization: Bearer {running.token}", "--exclude-checks",
                "positive_data_acceptance", "--max-examples", str(EXAMPLES), "--seed", SEED,
                "--exclude-path", "/api/v1/live", "--suppress-health-check", "all", "--warnings", "off", "--no-color",
            ],
            cwd=tmp_path, capture_output=True, encoding="utf-8", check=False, timeout=300,
        )  # fmt: skip
        ran = running.stop()
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    paths = len(document()["paths"])
    assert f"{paths - 1} selected / {paths} total" in done.stdout
    assert ran.code == 0
    assert "unexpected" not in ran.err
