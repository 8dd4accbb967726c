"""The player that knows its opponent: it beats it, by fair means."""

from __future__ import annotations

from typing import Any

from tests.games.terminus.games import generator_of
from tests.games.tictactoe import TicTacToe
from tests.players.terminus.test_agents import middle_of
from tkm_env.core.random_agent import RandomAgent
from tkm_env.players import make_agent
from tkm_env.players.best_response import BestResponse


def test_it_takes_a_win_and_stops_one(tictactoe: str) -> None:
    player = make_agent("exploit:playouts=200:random", game=tictactoe)
    for position, action in (("xx.oo....", 2), ("x...o.x..", 3)):
        player.reset(1)
        assert player.act(TicTacToe(position=position)) == action, position


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
