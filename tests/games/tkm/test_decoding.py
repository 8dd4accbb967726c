"""Decoding: an observation holds the whole position, for both viewers."""

from __future__ import annotations

import numpy as np

from tests.cases import each, each_setting
from tests.games.tkm.positions import EXTREME, TALK, random_game
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import Game, GameConfig, decode_observation
from tkm_env.compiled.decorators import COMPILES

#: How long random games are.
TURNS = 12 if COMPILES else 5
PLAYERS = ("white", "black")


@each_setting
def test_decoding_is_the_way_back_for_both_viewers(chapters: tuple[str, ...], edition: str) -> None:
    generator = np.random.default_rng(seed_of("decoding", chapters, edition))
    for powers in power_pairs(chapters, generator, 2):
        config = GameConfig(chapters=chapters, edition=edition, powers=powers, max_turns=TURNS, **TALK)
        for game in random_game(Game(config), seed_of(powers)):
            for player in PLAYERS:
                if game.result is None:
                    assert decode_observation(game.observation(player)) == game.position


@each("position", EXTREME)
def test_extreme_positions_are_decoded_for_both_viewers(position: str) -> None:
    game = Game(position=position, max_turns=9_999)
    for player in PLAYERS:
        assert decode_observation(game.observation(player)) == position
