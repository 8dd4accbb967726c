"""Players of Terminus: they play by the rules, do not look at what is hidden, and each beats the weaker one."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest

from tests.terminus.games import PLAYERS
from tkm_env import ConfigError, TerminusGame
from tkm_env.agents.specs import PLAYERS_BY_NAME, TERMINUS, agent_of

#: All players, none of whom thinks for long.
QUICK = ("random", "greedy", "montecarlo:playouts=2")


def wins(first: str, second: str, games: int) -> int:
    """How many games the first player wins, each start played from both sides."""
    agents = [agent_of(line, game=TERMINUS) for line in (first, second)]
    won = 0
    for number in range(games):
        game = TerminusGame(seed=number // 2)
        for agent in agents:
            agent.reset(number)
        seats = dict(zip(PLAYERS, agents if number % 2 else agents[::-1], strict=True))
        while game.result is None:
            game.play(seats[game.to_act].act(game))
        won += seats[game.winner] is agents[0]
    return won


@pytest.mark.slow
def test_greedy_beats_random() -> None:
    assert wins("greedy", "random", 60) > 36


@pytest.mark.slow
def test_montecarlo_beats_greedy() -> None:
    assert wins("montecarlo:playouts=100", "greedy", 60) > 36


@pytest.mark.parametrize("name", QUICK)
def test_players_do_not_look_at_what_is_hidden(name: str) -> None:
    agent, game = agent_of(name, game=TERMINUS), TerminusGame(seed=3)
    while game.result is None:
        chosen = set()
        for shuffle in range(4):
            twin = game.determinized(np.random.default_rng(shuffle))
            before = twin.copy()
            agent.reset(game.turn)
            chosen.add(agent.act(twin))
            assert twin == before, "the game stays as it is"
        assert len(chosen) == 1, f"{name} plays {chosen} at {game}, by the order of the deck"
        game.play(chosen.pop())


@pytest.mark.parametrize("name", QUICK)
def test_players_are_opponents_in_every_face(name: str) -> None:
    env = gymnasium.make("tkm_env/Terminus-v0", opponent=name, side="random")
    envs = gymnasium.make_vec("tkm_env/Terminus-v0", 2, "vector_entry_point", opponent=name)
    _, info = env.reset(seed=1)
    _, infos = envs.reset(seed=1)
    for _ in range(6):
        _, _, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        _, _, _, _, infos = envs.step(infos["action_mask"].argmax(1))
        if terminated:
            _, info = env.reset()


def test_all_players_are_tested() -> None:
    assert [line.split(":")[0] for line in QUICK] == [*PLAYERS_BY_NAME[TERMINUS]]


def test_the_number_of_playouts_is_checked() -> None:
    with pytest.raises(ConfigError, match="playouts"):
        agent_of("montecarlo:playouts=0", game=TERMINUS)
