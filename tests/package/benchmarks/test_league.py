"""The intervals of a continuous tournament hold, though it chooses games by results that vary."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.league import simulated


@pytest.mark.nightly
def test_intervals_of_a_continuous_league_cover_the_true_strengths() -> None:
    leagues = [
        simulated(players=24, games=4800, workers=20, per_player=400, seed=seed)
        for seed in range(4)
    ]
    covered = float(np.mean([np.mean(league.inside) for league in leagues]))
    assert covered >= 0.92, f"95% intervals covered {covered:.1%}"
