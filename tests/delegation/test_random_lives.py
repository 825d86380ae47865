"""Whatever callers do in whatever order, each request ends in the journal once, and as it was told."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from econome.delegation.office import Office
from econome.delegation.options import Options
from econome.delegation.order import Caller, Order
from econome.delegation.ports import Ask, Proposal
from econome.delegation.states import ENDED
from econome.delegation.wire import STATUSES
from econome.errors import BackendFailed, ChangeRefused, DelegationRefused, WrongMoment
from tests.brief import examples
from tests.delegation.desks import (
    Changes,
    Piece,
    Scene,
    asks,
    journaled,
    office_on,
    proposes,
    registered,
    run,
)
from tests.requirements import requirement

pytestmark = requirement("D3", "D4")


async def _fails(piece: Piece, ask: Ask) -> str:
    raise BackendFailed("it crashed")


async def _asks_then_proposes(piece: Piece, ask: Ask) -> Proposal:
    await asks("edit", [])(piece, ask)
    return Changes([ChangeRefused(None, "no")])


KINDS: dict[str, Any] = {
    "answers": None,
    "fails": _fails,
    "asks": asks("edit", []),
    "proposes": proposes(Changes()),
    "asks then proposes": _asks_then_proposes,
}

numbers = st.integers(0, 12)
acts = st.one_of(
    st.tuples(st.just("submit"), st.sampled_from(sorted(KINDS)), numbers),
    st.tuples(st.just("leave"), st.sampled_from(sorted(KINDS)), numbers),
    st.tuples(st.sampled_from(["cancel", "allow", "apply", "reject", "let", "expire"]), numbers),
    st.tuples(st.just("turn"), st.integers(1, 20)),
)


class _Life:
    """An office, and what was done to it."""

    def __init__(self, office: Office, desk: Scene) -> None:
        self.office, self.desk = office, desk
        self.ids: list[str] = []
        self.told: dict[str, str] = {}
        self.refused = 0

    async def act(self, name: str, *given: Any) -> None:
        if name in ("submit", "leave"):
            await self._submit(given[0], given[1], stays=name == "submit")
        elif name == "turn":
            for _ in range(given[0]):
                await asyncio.sleep(0)
        elif self.ids:
            request_id = self.ids[given[0] % len(self.ids)]
            with suppress(WrongMoment, ChangeRefused):
                await self._do(name, request_id)
            standing = await self.office.standing(request_id)
            if standing.status in ENDED:
                assert self.told.setdefault(request_id, standing.status) == standing.status

    async def _submit(self, kind: str, caller: int, *, stays: bool) -> None:
        doing = KINDS[kind]
        piece = Piece(**({} if doing is None else {"doing": doing}), place=f"place {caller % 2}")
        piece.gate = asyncio.Event()
        self.desk.pieces.append(piece)
        order = Order("do it", deadline_s=0.001 if caller == 12 else None)
        coming = asyncio.create_task(self.office.submit(order, Caller(str(caller))))
        if not stays:
            await asyncio.sleep(0)
            coming.cancel()
        try:
            self.ids.append(await coming)
        except DelegationRefused:
            self.refused += 1
        except asyncio.CancelledError:
            pass

    async def _do(self, name: str, request_id: str) -> None:
        office = self.office
        if name == "let":
            for piece in self.desk.taken:
                if piece.id == request_id and piece.gate is not None:
                    piece.gate.set()
        elif name == "allow":
            await office.allow(request_id, True)
        elif name == "expire":
            office._floor.stop(request_id, "expire", "it was late")
        else:
            await getattr(office, name)(request_id)


@pytest.mark.slow
@settings(max_examples=examples(60))
@given(st.lists(acts, max_size=30))
def test_every_life_ends_once(
    tmp_path_factory: pytest.TempPathFactory, life: list[tuple[Any, ...]]
) -> None:
    place = tmp_path_factory.mktemp("life")

    async def work() -> _Life:
        desk = Scene()
        async with office_on(place, desk, Options(queue=3)) as office:
            lived = _Life(office, desk)
            for name, *given_more in life:
                await lived.act(name, *given_more)
        return lived

    lived = run(work())
    lines = journaled(place)
    ended = {one["demande_id"]: one["statut"] for one in lines}
    refused = [one for one in lines if one["demande_id"] is None]
    assert (
        max(Counter(one["demande_id"] for one in lines if one["demande_id"]).values(), default=1)
        == 1
    )
    assert set(lived.ids) <= ended.keys()
    assert lived.told.items() <= ended.items()
    assert set(ended.values()) <= set(STATUSES)
    assert len(refused) >= lived.refused
    assert registered(place) == []
    assert all(piece.closed for piece in lived.desk.taken)
