"""Play-outs at random."""

from __future__ import annotations

import numpy as np

from tests.cases import each_setting
from tests.games.tkm.positions import TALK
from tests.games.tkm.search.helpers import MORE
from tkm_env import Game
from tkm_env.compiled.random_numbers import new_streams
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import DRAWN
from tkm_env.games.tkm.search.playout import play_out_many


def referee(game: Game, games: int, seed: int) -> list[int]:
    results = np.zeros(5, np.int64)
    mask = np.zeros((1, NUM_ACTIONS), np.int8)
    play_out_many(game._states, games, results, game._states.copy(), mask, new_streams([seed]), new_scratch())
    return results.tolist()


@each_setting
def test_playouts_end_in_wins_or_at_the_turn_limit_and_nobody_talks(chapters: tuple[str, ...], edition: str) -> None:
    game = Game(chapters=chapters, edition=edition, max_turns=12, **TALK)
    results = referee(game, 3 * MORE, 5)
    assert sum(results) == 3 * MORE
    assert results[DRAWN] == 0


def test_playouts_with_the_same_seed_are_the_same() -> None:
    assert referee(Game(), 10, 1) == referee(Game(), 10, 1)
    assert len({tuple(referee(Game(), 10, seed)) for seed in range(10)}) > 1


def test_playouts_leave_the_position_as_it_is() -> None:
    game = Game(chapters="memory")
    before = game.position
    referee(game, 2, 1)
    assert game.position == before
