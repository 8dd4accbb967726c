"""How long programs take to start playing, each in its own process."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

from benchmarks.speed.work import Work

#: A game of all chapters to its end, with observations; players take the last legal action.
FIRST_GAME = """
import tkm_env
game = tkm_env.Game(chapters=("growth", "influence", "memory"), max_turns=50)
while game.result is None:
    game.play(game.legal_actions()[-1])
    game.observation()
"""

#: Ten random steps of a batch of all chapters, with observations.
FIRST_BATCH = """
import tkm_env
batch = tkm_env.Batch(100, chapters=("growth", "influence", "memory"))
batch.reset(seed=1)
observations = batch.new_observations()
for _ in range(10):
    batch.step(batch.random_actions(), observations)
"""


def seconds_of(program: str, *, fresh: bool = False) -> Work:
    """How many seconds ``program`` takes, excluding the start of Python.

    Args:
        program: the source.
        fresh: whether to start with nothing compiled.

    Returns:
        The work, whose figure is in seconds.
    """
    timed = (
        f"import time\nbegan = time.perf_counter()\n{program}\nprint(time.perf_counter() - began)"
    )

    def work(seconds: float) -> float:
        """Run the program once, to its end, however short the time."""
        with tempfile.TemporaryDirectory() as empty:
            environment = os.environ | ({"NUMBA_CACHE_DIR": empty} if fresh else {})
            result = subprocess.run(
                [sys.executable, "-c", timed],
                env=environment,
                check=True,
                stdout=subprocess.PIPE,
                text=True,
            )
        return float(result.stdout)

    if not fresh:
        work(0)
    return work
