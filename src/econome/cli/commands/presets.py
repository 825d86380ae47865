"""`econome presets`: the named ways to ask a model, and how well they do on one."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from econome import clock, settings
from econome.cli.params import params
from econome.cli.presets_texts import (
    PRESETS,
    PRESETS_HELP,
    PRESETS_OPTIONS,
    PRESETS_TEST_HELP,
)

if TYPE_CHECKING:
    from econome.delegation.presets import Preset
    from econome.delegation.trial import Outcome, Trial
    from econome.settings import Settings

__all__ = ["command"]


@click.group(help=PRESETS_HELP, invoke_without_command=True)
@params("json", "data-dir", texts=PRESETS_OPTIONS)
@click.pass_context
def command(context: click.Context, /, json: bool, data_dir: str | None) -> None:
    """List the presets where no other command is named."""
    if context.invoked_subcommand is not None:
        if json or data_dir:
            option = "--json" if json else "--data-dir"
            raise click.UsageError(f"{option} stands before the command; write it after 'test'")
        return
    from econome.delegation.listing import list_presets

    found = settings.load(data_dir=data_dir)
    report = list_presets(found)
    if json:
        _print(report)
        return
    from econome.cli.render.presets import show
    from econome.cli.render.screen import Screen

    show(Screen(), report)


@command.command("test", help=PRESETS_TEST_HELP)
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.option("--backend", metavar="NAME", help=PRESETS_OPTIONS["backend"])
@params("json", "data-dir", texts=PRESETS_OPTIONS)
def _test(names: tuple[str, ...], backend: str | None, json: bool, data_dir: str | None) -> None:
    """Run the checks one after another, and keep each score as soon as it is known."""
    import asyncio

    from econome.server.delegating.ending import Ending

    found = settings.load(data_dir=data_dir)
    presets = _chosen(found, names)
    with Ending() as ending, asyncio.Runner() as runner:
        trials = ending.run(runner, _run(found, presets, backend, silent=json))
    if json:
        rows = [_row(trial) for trial in trials]
        _print({"schema": "econome.trials/1", "trials": rows})


def _print(report: dict[str, Any]) -> None:
    from econome.jsontext import dumps

    sys.stdout.write(dumps(report) + "\n")


def _chosen(found: Settings, names: tuple[str, ...]) -> list[Preset]:
    """Return the presets to be tried; without *names* all that have checks."""
    from econome.delegation.shipped import load_presets, presets_path

    presets = load_presets(presets_path(found))
    for name in names:
        if name not in presets:
            known = ", ".join(sorted(presets))
            raise click.UsageError(PRESETS["unknown"].format(name=name, known=known))
        if not presets[name].checks:
            raise click.UsageError(PRESETS["no_checks"].format(name=name))
    if names:
        return [presets[name] for name in dict.fromkeys(names)]
    return [preset for preset in presets.values() if preset.checks]


async def _run(
    found: Settings, presets: list[Preset], named: str | None, *, silent: bool
) -> list[Trial]:
    from econome.delegation.choosing import backends_of
    from econome.delegation.trial import try_preset

    trials: list[Trial] = []
    backends = backends_of(found)
    try:
        for preset in presets:
            backend = await backends.pick(named or preset.backend)
            if not silent:
                print(end="\n" if trials else "")
                print(PRESETS["trial"].format(preset=preset.name, backend=backend.name), flush=True)
            trial = await try_preset(preset, backend, None if silent else _tell)
            _keep(found, trial)
            if not silent:
                _conclude(trial)
            trials.append(trial)
    finally:
        await backends.close()
    return trials


def _tell(outcome: Outcome) -> None:
    from econome.cli.render.figures import plain

    brief = plain(outcome.brief.partition("\n")[0])
    reasons = plain("; ".join(outcome.reasons))
    text = PRESETS["missed" if reasons else "held"].format(brief=brief, reasons=reasons)
    print(text, flush=True)


def _keep(found: Settings, trial: Trial) -> None:
    """Keep the score of a trial; where nothing answered there is none."""
    import os
    from datetime import UTC, datetime

    from econome.delegation.scores import FILE, Score, keep_score

    if trial.model is None:
        return
    now = datetime.fromtimestamp(clock.now(), UTC)
    score = Score(
        preset=trial.preset.name,
        digest=trial.preset.digest,
        backend=trial.backend,
        model=trial.model,
        passed=trial.passed,
        total=len(trial.outcomes),
        date=now.strftime("%Y-%m-%dT%H:%M:%SZ"),
    )
    keep_score(os.path.join(found.data_dir, FILE), score)


def _conclude(trial: Trial) -> None:
    from econome.cli.render.figures import plain

    facts = {"preset": trial.preset.name, "backend": trial.backend}
    if trial.model is None:
        print(PRESETS["no_model"].format(**facts))
        return
    counts = {"passed": trial.passed, "total": len(trial.outcomes), "model": plain(trial.model)}
    print(PRESETS["score"].format(**facts, **counts))


def _row(trial: Trial) -> dict[str, Any]:
    return {
        "preset": trial.preset.name,
        "backend": trial.backend,
        "model": trial.model,
        "passed": trial.passed,
        "total": len(trial.outcomes),
        "checks": [
            {
                "brief": outcome.brief,
                "held": not outcome.reasons,
                "reasons": list(outcome.reasons),
                "tokens_in": outcome.tokens_in,
                "tokens_out": outcome.tokens_out,
            }
            for outcome in trial.outcomes
        ],
    }
