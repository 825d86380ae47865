"""The lines of the demo's ledger and journal, as the wire spells them: shapes only, the figures are given."""

from __future__ import annotations

from typing import Any

__all__ = ["Line", "correction", "delegation", "ended", "steering"]

Line = dict[str, Any]

_CLIENT = "claude-code"


def delegation(
    *,
    date: str,
    session: str,
    request: str,
    agent: str | None,
    preview: bool,
    counts: tuple[int, int],
    estimate: tuple[int, int, int, int, int],
) -> Line:
    """Return a delegation; *counts* are tokens in and out, *estimate* read, written, brief, returned, avoided."""
    names = ("lus", "ecrits", "consigne", "rendus", "evites")
    return {
        "schema": 1,
        "type": "delegation",
        "id": f"{_CLIENT}:{request}",
        "date": date,
        "client": _CLIENT,
        "session_id": session,
        "demande_id": request,
        "agent_id": agent,
        "par_subagent": agent is not None,
        "retour": "apercu" if preview else "complet",
        "tokens_entree": counts[0],
        "tokens_sortie": counts[1],
        "estimation": {
            **dict(zip(names, estimate, strict=True)),
            "methode": "caracteres/4",
        },
        "recu_le": date,
    }


def steering(
    *,
    date: str,
    session: str,
    agent: str,
    turn: str,
    requests: list[str],
    model: str,
    usage: tuple[int, int, int, int],
    cost: int,
) -> Line:
    """Return a steering; *usage* are input, output, cache read and cache creation tokens."""
    names = (
        "input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens",
    )  # fmt: skip
    return {
        "schema": 1,
        "type": "pilotage",
        "id": f"{_CLIENT}:{session}:{agent}:{turn}",
        "date": date,
        "client": _CLIENT,
        "session_id": session,
        "agent_id": agent,
        "turn_id": turn,
        "demande_ids": requests,
        "modele": model,
        "usage": dict(zip(names, usage, strict=True)),
        "cout": cost,
        "recu_le": date,
    }


def correction(
    *, date: str, session: str, request: str, tool_use: str, read: int, written: int
) -> Line:
    """Return a correction: a read where nothing was written, else an edit."""
    return {
        "schema": 1,
        "type": "correction",
        "id": f"{_CLIENT}:{session}:{tool_use}",
        "date": date,
        "client": _CLIENT,
        "session_id": session,
        "demande_id": request,
        "outil": "Edit" if written else "Read",
        "tool_use_id": tool_use,
        "tokens_lus": read,
        "tokens_ecrits": written,
        "cout": read + written,
        "recu_le": date,
    }


def ended(
    *,
    date: str,
    session: str,
    request: str,
    preset: str,
    form: str,
    model: str,
    counts: tuple[int, int],
    seconds: float,
    preview: bool,
    output: str | None,
    failure: str | None,
) -> Line:
    """Return a line of the journal; *failure* is why the request failed, None where it succeeded."""
    return {
        "date": date,
        "demande_id": request,
        "tool_use_id": None,
        "statut": "terminee" if failure is None else "echec",
        "session": session,
        "preset": preset,
        "format": form,
        "modele": model,
        "tokens_entree": counts[0],
        "tokens_sortie": counts[1],
        "duree_s": seconds,
        "retour": "apercu" if preview else "complet",
        "sortie": output,
        "erreur": failure,
    }
