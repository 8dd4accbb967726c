"""The player that knows its opponent: it beats it, by fair means."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import each
from tests.games.terminus.games import generator_of
from tests.games.tictactoe import TicTacToe
from tests.players.terminus.test_agents import middle_of
from tkm_env.arena.match import Match, standings
from tkm_env.arena.referee import Conditions
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.random_agent import RandomAgent
from tkm_env.players import make_agent
from tkm_env.players.best_response import BestResponse


def score(line: str, playouts: int, games: int, game: str) -> float:
    match = Match(
        f"exploit:playouts={playouts}:{line}",
        line,
        games,
        seed=1,
        game=game,
        conditions=Conditions(turn_seconds=None),
    )
    return standings([*match.play()], match)[0].score.share


def test_it_takes_a_win_and_stops_one(tictactoe: str) -> None:
    player = make_agent("exploit:playouts=200:random", game=tictactoe)
    for position, action in (("xx.oo....", 2), ("x...o.x..", 3)):
        player.reset(1)
        assert player.act(TicTacToe(position=position)) == action, position


@pytest.mark.slow
def test_in_tic_tac_toe_it_scores_almost_what_a_best_response_does(tictactoe: str) -> None:
    assert score("random", 50, 40, tictactoe) > 0.85, "from the start a best response expects 0.98"


@pytest.mark.nightly
@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
@each(
    "game, line, least",
    [("tkm", "greedy", 0.8), ("tkm", "alphabeta:depth=2", 0.8), ("terminus", "greedy", 0.6)],
)
def test_it_clearly_beats_whom_it_knows(game: str, line: str, least: float) -> None:
    assert score(line, 40, 8, game) >= least


def test_an_opponent_that_fails_in_a_playout_loses_it() -> None:
    class Failing(RandomAgent):
        def act(self, game: Any) -> int:
            return 0

    player = BestResponse(Failing(), [RandomAgent(seed=2)], playouts=100, seed=1)
    assert player.act(TicTacToe()) == 0, "without the top left, the other's first answer is illegal"


def test_it_sees_neither_the_order_of_the_deck_nor_the_shuffles_to_come() -> None:
    player, generator = (
        make_agent("exploit:playouts=8:greedy", game="terminus"),
        generator_of("hidden"),
    )
    for seed in range(6):
        actions = set()
        for twin in (middle_of(seed), *(middle_of(seed).determinize(generator) for _ in range(3))):
            player.reset(seed)
            actions.add(player.act(twin))
        assert len(actions) == 1, (seed, actions)
