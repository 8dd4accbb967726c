"""What can be wrong with a language model's reply, and the suite."""

from __future__ import annotations

from tables.markdown import table
from tkm_env.arena.benchmark.suite import TIERS, TRIALS
from tkm_env.text.flaws import FLAWS


def reply_flaws() -> str:
    """A row for each flaw."""
    rows = [(f"`{name}`", f"`{flaw.kind}`", flaw.meaning) for name, flaw in FLAWS.items()]
    return table(("flaw", "kind", "the reply has"), rows)


def suite_tiers() -> str:
    """A row for each tier."""
    rows = [
        (
            f"`{name}`",
            ", ".join(f"`{trial}`" for trial in tier.trials),
            str(len(tier.indices)),
            str(tier.answers),
        )
        for name, tier in TIERS.items()
    ]
    return table(("tier", "trials", "positions", "answers"), rows)


def suite_trials() -> str:
    """A row for each trial."""
    rows = [
        (
            f"`{name}`",
            ", ".join(f"`{option}={value}`" for option, value in trial.options.items()) or "–",
            trial.meaning,
        )
        for name, trial in TRIALS.items()
    ]
    return table(("trial", "options", "shows"), rows)


BLOCKS = {"reply_flaws": reply_flaws, "suite_tiers": suite_tiers, "suite_trials": suite_trials}
