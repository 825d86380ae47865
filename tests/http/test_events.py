"""`GET /api/v1/events`: the events that a figure of the balance is made of, as they came in a moment ago."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.process import Served
from tests.http.raw import Reply, exchange, spelt
from tests.requirements import requirement
from tests.savings.builders import body, correction, delegation, request_id, steering

pytestmark = requirement("S7")


def _get(server: Served, query: str, *, token: bool = True) -> Reply:
    headers = {"Host": f"127.0.0.1:{server.port}"}
    if token:
        headers["Authorization"] = f"Bearer {server.token}"
    return exchange(server.port, spelt("GET", f"/api/v1/events{query}", headers))


def _figures(server: Served, query: str) -> dict[str, Any]:
    reply = _get(server, query)
    assert (reply.status, reply.header("content-type")) == (200, "application/json")
    found: dict[str, Any] = reply.json
    assert found["schema"] == "econome.events/1"
    return found


def test_events_are_listed_once_they_are_acknowledged(shared_server: Served) -> None:
    dated = {"date": "2026-10-16T23:30:00Z"}
    batch = body(
        delegation(1, **dated),
        delegation(2, client="other", **dated),
        steering(1, demande_ids=[request_id(1), request_id(2)], cout=1001, **dated),
        correction(1, **dated),
        correction(9, tool_use_id="t9", id="alone", demande_id="nobody", **dated),
    )
    assert shared_server.status("POST", "/economies", batch) == 200
    everything = _figures(shared_server, "")
    assert everything["figures"]["events"] == len(everything["events"]) == 5
    balance = exchange(
        shared_server.port,
        spelt(
            "GET",
            "/api/v1/balance",
            {
                "Host": f"127.0.0.1:{shared_server.port}",
                "Authorization": f"Bearer {shared_server.token}",
            },
        ),
    ).json["total"]
    names = ("delegations", "avoided", "steering", "corrections", "net")
    assert {name: everything["figures"][name] for name in names} == {
        name: balance[name] for name in names
    }
    (shared,) = _figures(shared_server, f"?kind=steering&request={request_id(2)}")["events"]
    assert (shared["tokens"], shared["counted"], shared["request_count"]) == (1001, 500, 2)
    (alone,) = _figures(shared_server, "?attached=no")["events"]
    assert (alone["id"], alone["attached"]) == ("alone", False)
    assert (
        _figures(shared_server, "?timezone=Asia/Tokyo&since=2026-10-17")["figures"]["events"] == 5
    )
    assert _figures(shared_server, "?since=2026-10-17")["figures"]["events"] == 0
    page = _figures(shared_server, "?limit=2&page=3")
    assert page["page"] == {"number": 3, "pages": 3, "limit": 2}
    assert len(page["events"]) == 1
    changed = body(delegation(1, estimation__evites=7, **dated))
    assert shared_server.status("POST", "/economies", changed) == 200
    (conflict,) = _figures(shared_server, "?kind=conflict")["events"]
    assert (conflict["conflict"], conflict["tokens"], conflict["counted"]) == (True, 7, 0)


@requirement("S3")
@pytest.mark.parametrize(
    "query",
    [
        "?kind=other", "?attached=maybe", "?limit=501", "?limit=0", "?page=0", "?page=x", "?by=day", "?usd=1",
        "?days=7&since=2026-10-01", "?since=2026-10-02&until=2026-10-01", "?client=", "?kind=steering&kind=steering",
        "?timezone=Nowhere/None",
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused(shared_server: Served, query: str) -> None:
    reply = _get(shared_server, query)
    assert (reply.status, reply.json.keys()) == (400, {"ok", "erreur"})


@requirement("S1")
def test_nobody_lists_events_without_a_token(shared_server: Served) -> None:
    assert _get(shared_server, "", token=False).status == 401
