"""Alpha-beta as a player: plans, and games that go in circles."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.players.tkm.test_agents import play
from tkm_env import Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.players import Agent, AlphaBetaAgent


def test_a_player_follows_a_game_that_was_not_played_as_planned() -> None:
    game = Game()
    player = AlphaBetaAgent(depth=1)
    game.play(player.act(game))
    planned = player.act(game)
    other = next(action for action in game.legal_actions() if action != planned)
    game.play(other)
    assert player.act(game) in game.legal_actions()


def forgetful(player: Agent) -> Any:
    """The same player, who knows the position but not how the game came to it."""
    return SimpleNamespace(act=lambda game: player.act(Game(game.config, position=game.position)))


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_alphabeta_does_not_go_in_circles_while_it_is_ahead() -> None:
    ahead = (
        "..../.B../...W/W...|..../...W/..../....|"
        "...B/..../..../.... - w c PF - 1/1 - ---/--- -/- 30"
    )
    results = []
    for remembers in (False, True):
        white, black = (
            AlphaBetaAgent(depth=2, table_bits=12, net=None),
            AlphaBetaAgent(depth=1, table_bits=12, net=None),
        )
        players = {"white": white if remembers else forgetful(white), "black": forgetful(black)}
        results.append(play(Game(position=ahead, max_turns=80), players, 1000).result)
    assert results == ["*", "1-0"]


def test_alphabeta_plays_the_same_whether_or_not_a_game_was_where_it_cannot_return() -> None:
    generator = np.random.default_rng(1)
    for chapters in ("standard", "growth", "memory"):
        game = Game(chapters=chapters)
        while game.turn < 4:
            game.play(int(generator.choice(game.legal_actions())))
        player, other = (
            AlphaBetaAgent(depth=2 if COMPILES else 1, table_bits=12) for _ in range(2)
        )
        while game.turn == 4:
            action = player.act(game)
            assert forgetful(other).act(game) == action
            game.play(action)
