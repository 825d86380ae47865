"""The French of the answers: a name that somebody chose never takes the place of what has none."""

from __future__ import annotations

from typing import Any

from econome.server.wire import balance_answer
from tests.requirements import requirement

LOCAL = {"requests": 0, "by_status": {}, "tokens_in": 0, "tokens_out": 0, "duration_s": 0.0}


def figures(delegations: int) -> dict[str, Any]:
    """The figures of a row or a client that avoided nothing and cost nothing."""
    return {
        "delegations": delegations, "avoided": 0, "steering": 0, "corrections": 0, "net": 0,
        "rework_rate": None,
    }  # fmt: skip


@requirement("S7")
def test_a_preset_called_as_the_nameless_row_keeps_its_own_row() -> None:
    names = ("(inconnu)", "((inconnu))", None)
    rows = [{"preset": name, **figures(number)} for number, name in enumerate(names, 1)]
    client = {
        "client": "c", **figures(6), "unattached": 0, "conflicts": 0, "rows": rows,
    }  # fmt: skip
    answer = balance_answer({"by": "preset", "clients": [client], "local": LOCAL})
    found = answer["economies"]["c"]["par_preset"]
    assert {name: row["delegations"] for name, row in found.items()} == {
        "(inconnu)": 1,
        "((inconnu))": 2,
        "(((inconnu)))": 3,
    }
