"""What must be known beside the figures of a session, in sentences: prices, bounds, gaps, attempts."""

from __future__ import annotations

from econome.server.screens.session_seen import TOKENS, Seen, tokens

__all__ = ["notes"]


def notes(seen: Seen) -> tuple[str, ...]:
    """Return the sentences, the one on list prices first, as every report of costs has it (P9)."""
    telling, report = seen.telling, seen.report
    text, total = telling.text, report["total"]
    label = report["prices"]
    found = [
        text(
            "Costs are API list prices of {version}, not what a subscription paid, and a lower bound: some calls never reach a transcript.",
            version=label["version"],
        )
    ]
    for row in report["unpriced"]:
        counted = telling.brief(tokens(row, TOKENS))
        found.append(
            text(
                "{model} has responses without a price: their {tokens} tokens count, their cost does not, and sums are partial.",
                model=row["model"],
                tokens=counted,
            )
        )
    if total["output_incomplete"]:
        found.append(
            telling.plural(
                "{count} response never got its final count of output: tokens out are a lower bound.",
                "{count} responses never got their final count of output: tokens out are a lower bound.",
                total["output_incomplete"],
            )
        )
    recorded = report["recorded"]
    if recorded is not None and recorded["gap_usd"] is not None:
        found.append(
            text(
                "The client's own record says {recorded}, the transcript holds {counted}: a gap of {gap}, which is in no sum.",
                recorded=telling.usd(recorded["recorded_usd"]),
                counted=telling.usd(recorded["counted_usd"]),
                gap=telling.usd(recorded["gap_usd"]),
            )
        )
    if recorded is not None and recorded["unknown_model_cost"]:
        found.append(text("That record leaves out a model whose price the client did not know."))
    if report["refused"]:
        found.append(
            telling.plural(
                "{count} attempt was refused before another model answered; whether it is billed is not published, so it is in no sum.",
                "{count} attempts were refused before another model answered; whether they are billed is not published, so they are in no sum.",
                len(report["refused"]),
            )
        )
    return tuple(found)
