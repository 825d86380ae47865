"""A call that is taken back cancels its request, and the model stops; one that ends otherwise leaves it (D9)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from econome.delegation.office import Office
from econome.delegation.order import Caller, Order
from econome.delegation.register import REGISTER, read_register
from econome.server.delegating.call import Asking
from econome.server.delegating.local import Local
from econome.server.delegating.standby import Standby
from econome.settings import load
from tests.delegation.desks import Piece, Scene, journaled, office_on
from tests.door import run
from tests.http.raw import Connection, spelt
from tests.http.work import ERAS, Work, over_http, over_stdio, talk, told, working
from tests.requirements import requirement
from tests.savings.builders import text

SECONDS = 30
LOOK_OFTEN = "from econome.delegation import office; office._LOOK_S = 0.02"
"""Has the server tell how a request stands fifty times a second, not once."""


@pytest.fixture(scope="module")
def work(shared_home: Path) -> Iterator[Work]:
    """Return a running server whose model is scripted; the tests of this module share it."""
    with working(shared_home, first=LOOK_OFTEN) as running:
        yield running


@pytest.fixture(autouse=True)
def _settings(work: Work, shared_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `econome mcp` find the settings of the shared server, not those of the test's own home."""
    monkeypatch.setenv("HOME", str(shared_home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(shared_home / "config"))


def _last(work: Work, status: str) -> dict[str, Any]:
    """Return the newest line of the journal, which must come to have that status."""
    (*_, line) = work.journal()
    assert line["statut"] == status
    return line


async def _cancelled(work: Work, client: Any, tool: str, given: Any, brief: str) -> None:
    """Take a call back once the model is at work and the call waits for it; wait until the model has been left."""
    waits = asyncio.Event()

    async def hear(*progress: object) -> None:
        waits.set()

    task = asyncio.ensure_future(client.call_tool(tool, given, progress_callback=hear))
    assert await asyncio.to_thread(work.asked, brief)
    before = work.model.hung_up
    if tool == "suivre":
        await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(work.model.wait_for_hang_ups, before + 1)


def _ways(work: Work, era: str) -> dict[str, Any]:
    return {
        "http": over_http(work.server, era),
        "stdio": over_stdio(work.server.directory, era),
        "alone": over_stdio(work.root.parent / "own", era),
    }


@pytest.mark.slow
@requirement("D9", "D5")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["http", "stdio", "alone"])
@pytest.mark.parametrize("tool", ["deleguer", "suivre"])
def test_a_call_that_is_taken_back_cancels_its_request_and_stops_the_model(
    work: Work, era: str, way: str, tool: str
) -> None:
    brief = f"hold {era} {way} {tool}"
    work.hold(brief)

    async def say(client: Any) -> Any:
        given: dict[str, Any] = {"consigne": brief}
        if tool == "suivre":
            begun = told(await client.call_tool("deleguer", {**given, "attente_s": 0}))
            given = {"demande_id": begun["demande_id"]}
        await _cancelled(work, client, tool, given, brief)
        if tool == "suivre":
            return told(await client.call_tool("suivre", given))["statut"]
        return None

    assert talk(_ways(work, era)[way], say) in (None, "annulee")
    if way != "alone":
        asked = [one for one in work.model.requests if brief in str(one)]
        assert len(asked) == 1
        assert _last(work, "annulee")["erreur"]


@requirement("D9", "D2")
@pytest.mark.parametrize("era", ERAS)
def test_a_call_whose_time_is_over_leaves_its_request(work: Work, era: str) -> None:
    brief = f"leave {era}"
    gate = work.hold(brief)

    async def begin(client: Any) -> Any:
        return told(await client.call_tool("deleguer", {"consigne": brief, "attente_s": 1}))

    begun = talk(over_http(work.server, era), begin)  # and then its connection is closed too
    assert begun["statut"] == "en_cours"
    gate.set()
    request = {"demande_id": begun["demande_id"]}

    async def follow(client: Any) -> Any:
        return told(await client.call_tool("suivre", request))

    assert talk(over_http(work.server, era), follow)["reponse"] == "One two"


@requirement("D9")
@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("way", ["http", "stdio", pytest.param("alone", marks=pytest.mark.slow)])
def test_progress_is_told_while_it_runs(work: Work, era: str, way: str) -> None:
    brief = f"progress {era} {way}"
    gate = work.hold(brief)
    told_of: list[tuple[float, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told_of.append((progress, message))
        if len(told_of) == 2:
            gate.set()

    async def say(client: Any) -> Any:
        return told(await client.call_tool("deleguer", {"consigne": brief}, progress_callback=hear))

    found = talk(_ways(work, era)[way], say)
    assert found["reponse"] == "One two"
    amounts = [amount for amount, _ in told_of]
    assert amounts == sorted(set(amounts))
    assert all(found["demande_id"] in str(message) for _, message in told_of)
    assert len(told_of) >= 2


def _posted(work: Work, tool: str, arguments: dict[str, Any], **more: Any) -> bytes:
    headers = {
        "Host": f"127.0.0.1:{work.server.port}",
        "Authorization": f"Bearer {work.server.token}",
        "Content-Type": "application/json",
    }
    body = text({"arguments": arguments, **more})
    return spelt("POST", f"/api/v1/tools/{tool}", headers, body)


@requirement("D9")
@pytest.mark.parametrize("way", ["server", "alone"])
def test_what_is_taken_back_right_before_a_stop_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    taking, gate = asyncio.Event(), asyncio.Event()

    class Slow(Scene):
        async def take(self, order: Order, caller: Caller) -> Piece:
            taking.set()
            await gate.wait()
            return await super().take(order, caller)

    async def stop() -> None:
        async with office_on(tmp_path, Slow(Piece(gate=asyncio.Event()))) as office:

            async def opens(*_given: object) -> Office:
                return office

            monkeypatch.setattr("econome.server.delegating.local.open_office", opens)
            log = list[str]().append
            carrier = (
                Standby(opens, log)
                if way == "server"
                else Local(load(data_dir=str(tmp_path)), "a test", str(tmp_path), log)
            )
            asking = Asking(withdrawn=lambda: True)
            calling = asyncio.ensure_future(carrier.carry("deleguer", {"consigne": "x"}, asking))
            await taking.wait()
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
            closing = asyncio.ensure_future(carrier.close())
            for _ in range(20):  # let it come as far as it can
                await asyncio.sleep(0)
            gate.set()
            await closing

    asyncio.run(stop())
    assert [one["statut"] for one in journaled(tmp_path)] == ["annulee"]


@requirement("D9")
def test_who_hangs_up_on_the_plain_route_wants_it_no_more(work: Work) -> None:
    work.hold("hang up")
    before = work.model.hung_up
    with Connection(work.server.port) as connection:
        connection.send(_posted(work, "deleguer", {"consigne": "hang up"}))
        assert work.asked("hang up")
    assert work.model.wait_for_hang_ups(before + 1)


@requirement("D9", "S1")
@pytest.mark.parametrize("way", ["mcp", "route"])
def test_another_token_ends_the_waiting_call_and_not_the_request(work: Work, way: str) -> None:
    brief = f"rotate {way}"
    gate = work.hold(brief)
    done = threading.Event()

    async def over_mcp(client: Any) -> None:
        try:
            await client.call_tool("deleguer", {"consigne": brief})
        finally:
            done.set()

    def wait() -> None:
        if way == "route":
            with Connection(work.server.port) as connection:
                connection.send(_posted(work, "deleguer", {"consigne": brief}))
                assert b"result" not in connection.reply("POST").body
            done.set()
            return
        try:
            talk(over_http(work.server, ERAS[0]), over_mcp)
        except BaseException:  # the SDK's way to say that an answer broke off
            pass

    hung_up = work.model.hung_up
    waiting = threading.Thread(target=wait)
    waiting.start()
    assert work.asked(brief)
    assert run("token", "rotate", "--data-dir", str(work.server.directory)).code == 0
    assert done.wait(SECONDS)
    waiting.join(SECONDS)
    assert work.model.hung_up == hung_up
    ((accepted, began),) = read_register(str(work.server.ledger.parent / REGISTER))
    assert began
    request_id = accepted.id
    gate.set()

    async def follow(client: Any) -> Any:
        return told(await client.call_tool("suivre", {"demande_id": request_id}))

    assert talk(over_http(work.server, ERAS[0]), follow)["reponse"] == "One two"
