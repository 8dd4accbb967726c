"""The example of search in many games counts simulations, finds wins, keeps games apart."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env import Batch, Game, action_index
from tkm_env.compiled.decorators import COMPILES
from tkm_env.evaluation import evaluate

EXAMPLE = Path(__file__).parents[2] / "examples" / "batched_puct.py"
SIMULATIONS = 60
#: White wins by leaving for another era.
WON = "W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"


@pytest.fixture(scope="module")
def puct() -> Any:
    found = importlib.util.spec_from_file_location("batched_puct", EXAMPLE)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def begun(games: int, **settings: Any) -> Batch:
    batch = Batch(games, **settings)
    batch.reset(seed=1)
    for _ in range(12):
        batch.play(batch.random_actions())
    return batch


@pytest.mark.parametrize("chapters", [None, "convergence"])
def test_every_simulation_is_counted_and_every_action_legal(puct: Any, chapters: Any) -> None:
    batch, numbers = begun(6, chapters=chapters), np.array([4, 1, 5])
    tried = puct.Trees(6, SIMULATIONS, 0.5, puct.count_copies).search(batch, numbers)
    assert tried.sum(1).tolist() == [SIMULATIONS] * 3
    assert not tried[batch.masks[numbers] == 0].any()


def test_a_game_among_many_is_searched_as_if_it_were_alone(puct: Any) -> None:
    batch = begun(7)
    trees = puct.Trees(7, SIMULATIONS, 0.5, puct.count_copies)
    together = trees.search(batch, np.arange(7))
    for number in range(7):
        assert trees.search(batch, np.array([number])).tolist() == [together[number].tolist()]


def test_it_finds_a_win_for_either_side(puct: Any) -> None:
    game = Game(position=WON)
    player = puct.PUCT(SIMULATIONS)
    assert player.act(game) == action_index("focus present")
    mirrored = Game(
        position=(
            "W.../..../..../...B|..../..../..../...B|"
            "..../..../..../...B - b f FP - 4/4 - ---/--- -/- 8"
        )
    )
    assert mirrored.to_act == "black"
    mirrored.play(player.act(mirrored))
    assert mirrored.winner == "black"


def certain(batch: Batch, rows: Any) -> tuple[Any, Any]:
    """Says of the first legal action that nothing else comes into question."""
    priors = np.zeros((len(rows), batch.num_actions))
    priors[np.arange(len(rows)), batch.masks[rows].argmax(1)] = 1
    return priors, np.zeros(len(rows))


def test_with_noise_it_also_tries_what_the_priors_rule_out(puct: Any) -> None:
    batch = begun(4)
    while (batch.masks.sum(1) == 1).any():
        batch.play(batch.random_actions())
    quiet, noisy = (
        puct.Trees(4, SIMULATIONS, 1.0, certain, generator).search(batch, np.arange(4))
        for generator in (None, np.random.default_rng(1))
    )
    assert (quiet.max(1) == SIMULATIONS).all()
    assert (noisy.sum(1) == SIMULATIONS).all()
    assert (noisy.max(1) < SIMULATIONS).all()
    assert not noisy[batch.masks == 0].any()


@pytest.mark.skipif(not COMPILES, reason="takes long uncompiled")
def test_it_beats_random_play_and_is_evaluated_as_any_player(puct: Any) -> None:
    assert evaluate(puct.PUCT(20), "random", games=20, seed=1).wins >= 19


@pytest.mark.skipif(not COMPILES, reason="takes long uncompiled")
def test_it_runs_as_printed() -> None:
    command = [
        sys.executable,
        EXAMPLE,
        "--games-at-once",
        "8",
        "--simulations",
        "10",
        "--runs",
        "1",
        "--games",
        "4",
    ]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert re.match(
        (
            r"[\d,]+ simulations per CPU second, in 8 trees at once\npuct simulations=10 "
            r"against greedy: 4 games, "
        ),
        output,
    )
