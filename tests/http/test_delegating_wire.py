"""The French of the tools: every answer as a client reads it, and orders that survive the way to the server."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econome.delegation.backends.wheel import SMOLLM2
from econome.delegation.order import Change, Order, Question, Standing
from econome.errors import BodyMalformed, UsageError
from econome.server.delegating import wire
from econome.server.delegating.call import Said
from econome.server.delegating.posted import (
    progress_line,
    read_line,
    read_posted,
    result_line,
)
from econome.server.delegating.tools import said
from tests.requirements import requirement
from tests.savings.builders import text

ID = "dem-0123456789"
DONE = Standing(
    ID, "terminee", "résumé", "text", "qwen", 4200, 900, False, 1.5, answer="Voilà",
    answer_path="/kept/answer.txt",
)  # fmt: skip
FIGURES: dict[str, Any] = {
    "tokens_entree": 4200, "tokens_sortie": 900, "sortie": None, "preset": "résumé",
    "format": "text", "modele": "qwen", "duree_s": 1.5,
}  # fmt: skip


def _like(standing: Standing, **other: Any) -> Standing:
    fields = {name: getattr(standing, name) for name in Standing.__slots__}
    return Standing(**{**fields, **other})


@requirement("D2", "D8", "C-N27")
@pytest.mark.parametrize(
    "standing, expected",
    [
        (DONE, {"ok": True, "statut": "terminee", "reponse": "Voilà", **FIGURES}),
        (
            _like(DONE, reply="apercu", output="/out.txt"),
            {"ok": True, "statut": "terminee", "apercu": "Voilà", **FIGURES, "sortie": "/out.txt"},
        ),
        (_like(DONE, answer=None), {"ok": True, "statut": "terminee", "reponse": None, **FIGURES}),
        (
            Standing(ID, "en_file", position=3),
            {"ok": True, "statut": "en_file", "position": 3},
        ),
        (Standing(ID, "en_cours", written=7), {"ok": True, "statut": "en_cours", "position": 0}),
        (
            Standing(ID, "a_valider", question=Question("bash", "make test")),
            {
                "ok": True, "statut": "a_valider",
                "question": {"acte": "bash", "objet": "make test"},
                "suite": "autoriser, accord true or false",
            },
        ),
        (
            Standing(
                ID, "a_valider",
                changes=(
                    Change("a.py", 3, 1, "changed", False), Change("ci.yml", 2, 0, "added", True),
                ),
            ),
            {
                "ok": True, "statut": "a_valider",
                "modifications": [
                    {"fichier": "a.py", "ajouts": 3, "retraits": 1, "genre": "modifie"},
                    {
                        "fichier": "ci.yml", "ajouts": 2, "retraits": 0, "genre": "ajoute",
                        "execute_du_code": True,
                    },
                ],
                "suite": "relire, then appliquer or rejeter",
            },
        ),
        (
            Standing(
                ID, "a_valider", changes=(Change("a.lnk", 0, 0, "changed", False),),
                refusal="a.lnk: it is a link", left_out=("logo.png",),
            ),
            {
                "ok": True, "statut": "a_valider",
                "modifications": [
                    {"fichier": "a.lnk", "ajouts": 0, "retraits": 0, "genre": "modifie"},
                ],
                "ecartes": ["logo.png"], "refus": "a.lnk: it is a link",
                "suite": "relire, then rejeter",
            },
        ),
        (
            Standing(ID, "echec", error="it broke; ask again"),
            {"ok": False, "statut": "echec", "erreur": "it broke; ask again"},
        ),
    ],
)  # fmt: skip
def test_each_standing_has_its_envelope(standing: Standing, expected: dict[str, Any]) -> None:
    begin = {"ok": expected["ok"], "demande_id": ID}
    found = wire.envelope(standing)
    assert list(found.items()) == list({**begin, **expected}.items())
    assert said(found) == Said(text(found).decode("utf-8"), failed=not expected["ok"])


@requirement("D2", "D8")
def test_a_preview_says_that_the_rest_is_where_it_was_asked_for_else_where_it_is_kept() -> None:
    long = _like(DONE, reply="apercu", answer="line\n" * 1000)
    for output, where in (("/out.txt", "/out.txt"), (None, "/kept/answer.txt")):
        shown = wire.envelope(_like(long, output=output))["apercu"]
        assert shown.endswith(f"the whole is in {where}]")


@requirement("D2", "D5")
def test_an_estimate_says_so_beside_the_counts() -> None:
    names = list(wire.envelope(_like(DONE, tokens_estimated=True)))
    assert names[4:7] == ["tokens_entree", "tokens_sortie", "tokens_estimes"]


@requirement("D2", "D5")
def test_an_answer_that_is_not_whole_and_one_of_the_embedded_model_say_so() -> None:
    found = wire.envelope(_like(DONE, tokens_estimated=True, cut=True, model=SMOLLM2.title))
    names = list(found)
    assert names[4:8] == ["tokens_entree", "tokens_sortie", "tokens_estimes", "tronquee"]
    assert (found["tronquee"], names[-1]) == (True, "avis")
    assert "embedded model" in found["avis"]
    outcome = wire.read_outcome(json.dumps(found))
    assert (outcome.cut, outcome.notice) == (True, found["avis"])


@requirement("D2")
@pytest.mark.parametrize("status", ["echec", "annulee", "expiree", "refusee"])
def test_an_end_without_a_reason_still_says_what_to_do(status: str) -> None:
    assert wire.envelope(Standing(ID, status))["erreur"]


_WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\uffff"), min_size=1)
_WORD = _WORDS.filter(lambda text: bool(text.strip()))


@requirement("D2")
@given(
    st.builds(
        Order,
        brief=_WORD,
        preset=st.none() | _WORD,
        format=st.none() | _WORD,
        files=st.lists(_WORD, max_size=3).map(tuple),
        output=st.none() | _WORD,
        overwrite=st.booleans(),
        reply=st.sampled_from(["complet", "apercu"]),
        deadline_s=st.none() | st.floats(0.1, 100),
        base=st.none() | _WORD,
        roots=st.none() | st.lists(_WORD, max_size=2).map(tuple),
    ),
    st.integers(0, 600),
)
def test_an_order_is_the_same_at_the_other_end(order: Order, wait_s: int) -> None:
    arguments = json.loads(json.dumps(wire.delegate_arguments(order, wait_s)))
    assert wire.read_order(arguments, order.base, order.roots, order.deadline_s) == order
    assert wire.read_wait(wire.DELEGATE, arguments) == wait_s


@requirement("D2")
@given(st.dictionaries(st.text(max_size=12) | st.sampled_from(sorted(
    wire.MENU["deleguer"][1]["properties"])), st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4), st.lists), max_size=4))  # fmt: skip
def test_whatever_is_asked_is_an_order_or_one_error(arguments: dict[str, Any]) -> None:
    for tool in wire.MENU:
        try:
            if tool == wire.DELEGATE:
                assert wire.read_order(arguments).brief
            else:
                assert wire.read_id(tool, arguments)
        except UsageError:
            pass


@requirement("D9")
def test_progress_and_answer_are_the_same_at_the_other_end() -> None:
    standing = Standing(ID, "en_file", position=2, waiting_s=1.5, written=3, model="qwen")
    assert read_line(progress_line(standing)) == standing
    for answer in (Said('{"ok":true,"reponse":"é\\n"}'), Said('{"ok":false}', failed=True)):
        line = result_line(answer)
        assert (read_line(line), line.count(b"\n")) == (answer, 1)
    for line in (b"", b"{}", b"[]", b'{"result":7}', b'{"result":{}}', b"\xff"):
        with pytest.raises(ValueError, match=r"\A"):
            read_line(line)


@requirement("S4", "D1")
@given(st.binary())
def test_whatever_is_posted_is_a_call_or_one_error(body: bytes) -> None:
    try:
        assert isinstance(read_posted(body).arguments, dict)
    except BodyMalformed:
        pass
