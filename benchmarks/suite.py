"""Freeze a version of the suite for language models: ``python -m benchmarks.suite``.

It writes the versions of the prompts and the anchors' credits. Raise the version of the suite
first, unless nobody has used it yet.
"""

from __future__ import annotations

from collections.abc import Iterator

from tkm_env import Game
from tkm_env.arena.benchmark.suite import ANCHORS, FROZEN, FROZEN_FILE, TRIALS, VERSION
from tkm_env.arena.benchmark.turn_tasks import TurnBenchmark
from tkm_env.arena.benchmark.valued_positions import positions_digest, valued_positions
from tkm_env.foundations.files import write_json
from tkm_env.text import digest

#: The anchor whose credit is computed, not played.
_RANDOM = "random"


def credits_of(anchor: str) -> Iterator[float]:
    """An anchor's credit in each position; that of a random player is its mean."""
    if anchor == _RANDOM:
        yield from (position.credit_at_random for position in valued_positions())
        return
    yield from (turn.credit for turn in TurnBenchmark(anchor).play())


if __name__ == "__main__":
    content = {
        "suite": VERSION,
        "positions": positions_digest(),
        "prompts": {name: digest(Game, trial.text_options) for name, trial in TRIALS.items()},
        "anchors": {
            anchor: [round(credit, 4) for credit in credits_of(anchor)] for anchor in ANCHORS
        },
    }
    write_json(FROZEN_FILE, FROZEN, content)
