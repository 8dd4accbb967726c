"""Where legal actions lead on a drawing, for pages on which it can be clicked."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games.tictactoe import TicTacToe
from tkm_env import Game
from tkm_env.games.terminus.game import TerminusGame

GAMES: dict[str, Any] = {
    "all chapters": lambda: Game(chapters=("growth", "influence", "memory"), seed=1),
    "a draft": lambda: Game(timeline="draft_powers", seed=1),
    "terminus": lambda: TerminusGame(seed=1),
}


@pytest.mark.parametrize("make", GAMES.values(), ids=GAMES)
def test_every_place_lies_within_the_drawing_and_has_one_name(make: Any) -> None:
    game, generator = make(), np.random.default_rng(1)
    canvas = game.renderer().canvas
    led = set()
    while game.result is None:
        targets = game.renderer().targets(game)
        assert {*targets} <= {*game.legal_names()}
        for place, x, y, width, height in targets.values():
            assert 0 <= x < x + width <= canvas.width, place
            assert 0 <= y < y + height <= canvas.height, place
        different = {*targets.values()}
        assert len({target.place for target in different}) == len(different)
        led |= different
        game.play(int(generator.choice(game.legal_actions())))
    assert len(led) > 10


def _places(game: Game) -> dict[str, str]:
    return {name: target.place for name, target in game.renderer().targets(game).items()}


def test_an_action_leads_to_the_space_where_it_takes_effect() -> None:
    game = Game()
    assert _places(game) == {"choose 1": "P1"}
    game.play("choose 1")
    assert _places(game) == {"move east": "P2", "move south": "P5"}
    game.play("move south")
    game.play("move east")
    assert _places(game) == {"focus present": "present", "focus future": "future"}


def test_a_game_that_draws_no_places_has_none() -> None:
    game = TicTacToe()
    assert not game.renderer().targets(game)
