"""`POST /api/v1/tools/{tool}`: what this machine's commands say to the running server, and what it answers them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from econome.savings.lock import holder
from tests.http.raw import Reply, exchange, spelt
from tests.http.work import Work, working
from tests.requirements import requirement
from tests.savings.builders import text


@pytest.fixture(scope="module")
def work(shared_home: Path) -> Iterator[Work]:
    """Return a running server whose settings name no root; the tests of this module share it."""
    with working(shared_home) as running:
        yield running


@pytest.fixture(scope="module")
def rootless(tmp_path_factory: pytest.TempPathFactory, shared_home: Path) -> Iterator[Work]:
    """Return a running server whose settings name no root."""
    with working(tmp_path_factory.mktemp("rootless"), roots=False) as running:
        yield running


def _post(work: Work, tool: str, body: bytes, token: str | None = None) -> Reply:
    headers = {
        "Host": f"127.0.0.1:{work.server.port}",
        "Authorization": f"Bearer {token or work.server.token}",
        "Content-Type": "application/json",
    }
    path = f"/api/v1/tools/{tool}"
    return exchange(work.server.port, spelt("POST", path, headers, body), "POST")


def _result(work: Work, tool: str, arguments: dict[str, Any], **more: Any) -> Any:
    reply = _post(work, tool, text({"arguments": arguments, **more}))
    assert (reply.status, reply.header("content-type")) == (200, "application/x-ndjson")
    *others, last = [json.loads(line) for line in reply.body.splitlines() if line]
    assert all(line.keys() == {"progress"} for line in others)
    return last["result"]


@requirement("D1", "D4")
def test_a_call_is_answered_as_over_mcp_and_journaled_as_its_caller_says(work: Work) -> None:
    about = {"client": "econome test", "session": "s1", "tool_use": "toolu_7"}
    found = _result(work, "deleguer", {"consigne": "greet me"}, **about)
    assert (found["ok"], found["reponse"]) == (True, "Hello")
    line = work.line(found["demande_id"])
    assert (line["session"], line["tool_use_id"]) == ("s1", "toolu_7")
    again = _result(work, "suivre", {"demande_id": found["demande_id"]})
    assert again == found


@requirement("D2")
def test_what_cannot_be_asked_is_the_same_error_as_over_mcp(work: Work) -> None:
    assert _result(work, "suivre", {}) == {"ok": False, "erreur": "demande_id: missing"}


@requirement("S3", "D1")
def test_only_the_tools_are_there_and_only_with_the_token(work: Work) -> None:
    good = text({"arguments": {}})
    assert _post(work, "bilan", good).status == 404
    assert _post(work, "..", good).status == 404
    assert _post(work, "suivre", good, token="A" * 43).status == 401
    assert _post(work, "suivre", b'{"arguments":{}').status == 400
    assert _post(work, "suivre", b'{"argument":{}}').status == 400
    assert _post(work, "suivre", b'{"roots":[""]}').status == 400
    assert _post(work, "suivre", b" " * 1_048_577).status == 413
    bare = exchange(work.server.port, spelt("GET", "/api/v1/tools/suivre", {
        "Host": "localhost", "Authorization": f"Bearer {work.server.token}"}))  # fmt: skip
    assert bare.status == 405


@requirement("D3")
def test_a_deadline_ends_a_request_and_the_journal_says_so(work: Work) -> None:
    work.hold("in time")
    found = _result(work, "deleguer", {"consigne": "in time"}, deadline_s=0.2)
    assert (found["ok"], found["statut"]) == (False, "expiree")
    assert work.line(found["demande_id"])["statut"] == "expiree"


@requirement("D7")
def test_only_who_can_read_the_lock_names_a_directory_to_work_in(rootless: Work) -> None:
    (rootless.root / "in.txt").write_text("private", encoding="utf-8")
    given = {"consigne": "read it", "fichiers": ["in.txt"]}
    base = str(rootless.root)
    for more in ({}, {"base": base}, {"base": base, "key": "k" * 43}):
        refused = _result(rootless, "deleguer", given, **more)
        assert (refused["ok"], refused["statut"]) == (False, "refusee")
    assert "private" not in str(rootless.model.requests)
    found = holder(str(rootless.server.ledger.parent))
    assert found is not None
    assert found.key is not None
    assert found.key not in str(found)
    near = _result(rootless, "deleguer", given, base=base, key=found.key)
    assert near["ok"] is True
    assert "private" in str(rootless.model.requests)


@requirement("D7")
@pytest.mark.parametrize("roots", [[], ["/nowhere"], ["project/inner"]])
def test_the_roots_of_a_client_only_narrow(work: Work, roots: list[str]) -> None:
    (work.root / "in.txt").write_text("x", encoding="utf-8")
    named = [str(work.root.parent / root) for root in roots]
    given = {"consigne": "read it", "fichiers": [str(work.root / "in.txt")]}
    refused = _result(work, "deleguer", given, roots=named)
    assert (refused["ok"], refused["statut"]) == (False, "refusee")
    wider = _result(work, "deleguer", given, roots=["/"])
    assert wider["ok"] is True
    outside = {**given, "fichiers": ["/etc/hostname"]}
    assert _result(work, "deleguer", outside, roots=["/"])["ok"] is False
