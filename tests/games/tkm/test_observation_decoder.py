"""Decoding: an observation holds the whole position, for both viewers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.positions import EXTREME, START, TALK, random_game, with_fields
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import ArrayError, Game, GameConfig, decode_observation
from tkm_env.compiled.decorators import COMPILES

#: How long random games are.
TURNS = 12 if COMPILES else 5
PLAYERS = ("white", "black")


@each_setting
def test_decoding_is_the_way_back_for_both_viewers(chapters: tuple[str, ...], edition: str) -> None:
    generator = np.random.default_rng(seed_of("decoding", chapters, edition))
    for powers in power_pairs(chapters, generator, 2):
        config = GameConfig(
            chapters=chapters, edition=edition, powers=powers, max_turns=TURNS, **TALK
        )
        for game in random_game(Game(config), seed_of(powers)):
            for player in PLAYERS:
                if game.result is None:
                    assert decode_observation(game.observation(player)) == game.position


@pytest.mark.parametrize("position", EXTREME)
def test_extreme_positions_are_decoded_for_both_viewers(position: str) -> None:
    game = Game(position=position, max_turns=9_999)
    for player in PLAYERS:
        assert decode_observation(game.observation(player)) == position


@pytest.mark.parametrize("result", ["1-0", "0-1", "1/2", "*"])
def test_observations_of_finished_games_are_not_decoded(result: str) -> None:
    game = Game(position=with_fields(START, step=result))
    for player in ("white", "black"):
        with pytest.raises(ValueError, match="finished"):
            decode_observation(game.observation(player))


@pytest.mark.parametrize(
    "observation",
    [
        None,
        [],
        "x",
        np.zeros((84, 4, 4)),
        np.zeros((84, 16), np.int8),
        np.zeros((84, 4, 4), bool),
        np.full((84, 4, 4), -1, np.int8),
        np.ones((84, 4, 4), np.int8),
        np.full((84, 4, 4), 2**40),
        Game().observation() + np.eye(4, dtype=np.int8),
        [[0], [1, 2]],
    ],
)
def test_what_shows_no_position_is_not_decoded(observation: Any) -> None:
    with pytest.raises(ArrayError, match=r"^invalid observation: "):
        decode_observation(observation)
