"""Tests of the players of Terminus.

They play legally everywhere, repeat their games from the same seeds, do not see what is hidden, and
each is stronger than the one before.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.games.terminus.games import DECKS, generator_of, random_action
from tkm_env import ConfigError, TerminusBatch, TerminusGame
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.agent import PlansTurns
from tkm_env.players import Agent
from tkm_env.players.factory import make_agent
from tkm_env.players.roster import ROSTERS
from tkm_env.players.terminus.ismcts import ISMCTSAgent

#: How many games may be looked at.
GAMES = 40 if COMPILES else 5
LINES = ("random", "greedy", "ismcts:iterations=60" if COMPILES else "ismcts:iterations=4")


@pytest.fixture(params=LINES)
def player(request: pytest.FixtureRequest) -> Agent:
    found: Agent = make_agent(request.param, game="terminus")
    return found


def middle_of(seed: int, **settings: Any) -> TerminusGame:
    """A game that was played at random for a while, and is not over."""
    game, generator = TerminusGame(seed=seed, **settings), generator_of(seed)
    for _ in range(seed % 12):
        after = game.copy()
        after.play(random_action(game, generator))
        if after.result is not None:
            break
        game = after
    return game


def test_every_player_by_name_is_tested() -> None:
    assert [line.partition(":")[0] for line in LINES] == list(ROSTERS.of("terminus").agents)


@pytest.mark.parametrize("deck", DECKS)
def test_players_play_legally_to_the_end_and_leave_the_game_as_it_is(
    player: Agent, deck: str
) -> None:
    player.reset(1)
    game: Any = TerminusGame(seed=3, deck=DECKS[deck])
    while game.result is None:
        before = game.copy()
        action = player.act(game)
        assert type(action) is int
        assert game == before
        game.play(action)


def test_the_same_seed_gives_the_same_actions(player: Any) -> None:
    def actions(seed: int) -> list[int]:
        player.reset(seed)
        return [player.act(middle_of(number)) for number in range(GAMES // 2)]

    assert actions(1) == actions(1)
    assert actions(1) != actions(2)


def test_players_see_neither_the_order_of_the_deck_nor_the_shuffles_to_come(player: Any) -> None:
    generator = generator_of("hidden")
    for seed in range(GAMES // 2):
        game = middle_of(seed)
        twins = [game, *(game.determinize(generator) for _ in range(4))]
        assert len({twin.position for twin in twins}) > 1
        actions = []
        for twin in twins:
            player.reset(seed)
            actions.append(player.act(twin))
        assert len(set(actions)) == 1


def wins_at_once(game: TerminusGame, action: int) -> bool:
    after = game.copy()
    after.play(action)
    return after.winner == game.to_act


def test_greedy_wins_when_it_can() -> None:
    agent, generator, found = make_agent("greedy", game="terminus"), generator_of("wins"), 0
    for seed in range(GAMES):
        game = TerminusGame(seed=seed)
        while game.result is None:
            if any(wins_at_once(game, action) for action in game.legal_actions()):
                found += 1
                trial, player, turn = game.copy(), game.to_act, game.turn
                while trial.result is None:
                    assert trial.turn == turn
                    trial.play(agent.act(trial))
                assert trial.winner == player
            game.play(random_action(game, generator))
    assert found > GAMES // 4


def test_what_cannot_be_set_is_refused() -> None:
    for settings, keyword in (
        ({"iterations": 0}, "iterations"),
        ({"exploration": -1}, "exploration"),
    ):
        with pytest.raises(ConfigError, match=keyword):
            ISMCTSAgent(**settings)


@pytest.mark.parametrize("line", LINES)
def test_players_by_name_are_opponents_in_one_game_and_in_many(line: str) -> None:
    env = gymnasium.make("tkm_env/Terminus-v0", opponent=line, side="blue")
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(info["action_mask"].argmax()))
    envs: Any = gymnasium.make_vec("tkm_env/Terminus-v0", 4, opponent=line, side="random")
    _, info = envs.reset(seed=1)
    for _ in range(GAMES // 4):
        _, _, terminations, _, info = envs.step(info["action_mask"].argmax(1))
        assert info["action_mask"][~terminations].any(1).all()


def test_greedy_plays_in_a_batch_as_it_does_alone() -> None:
    """Where one turn is best; of equals both take any."""
    agent = make_agent("greedy", game="terminus")
    batch = TerminusBatch(GAMES)
    batch.reset(seed=5)
    opponents = 1 - batch.to_act
    before = batch.states.copy()
    agent.answer_all(batch, opponents)
    assert ((batch.to_act == opponents) | batch.over).all()
    for number in range(GAMES):
        game = TerminusGame.from_state(before[number])
        player = game.to_act
        other = batch.game(number)
        while game.to_act == player and game.result is None:
            game.play(agent.act(game))
        lead = [
            after.victories[player] - sum(after.victories.values()) / 2 for after in (game, other)
        ]
        assert lead[0] == lead[1]


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
@pytest.mark.parametrize(
    ("stronger", "weaker", "games"),
    [("greedy", "random", 60), ("ismcts:iterations=300", "greedy", 40)],
)
def test_each_player_beats_the_one_before(stronger: str, weaker: str, games: int) -> None:
    """Play a few games, enough to detect a broken player.

    The documentation has the figures of long matches.
    """
    players = [make_agent(line, game="terminus") for line in (stronger, weaker)]
    won = 0
    for number in range(games):
        game, seats = TerminusGame(seed=number // 2), players if number % 2 else players[::-1]
        for seat, player in enumerate(seats):
            player.reset(np.random.default_rng([number, seat]))
        while game.result is None:
            game.play(seats[game.players.index(game.to_act)].act(game))
        won += seats[game.players.index(str(game.winner))] is players[0]
    assert won > 0.6 * games


@pytest.mark.parametrize("line", LINES[:2])
def test_a_planned_turn_is_what_single_actions_would_be(line: str) -> None:
    game = TerminusGame(seed=3)
    at_once, one_by_one = (make_agent(line, game="terminus") for _ in range(2))
    for player in (at_once, one_by_one):
        player.reset(1)
    assert isinstance(at_once, PlansTurns)
    while game.result is None:
        turn = game.turn_id
        for action in at_once.plan_turn(game):
            assert game.is_in_turn(turn)
            assert action == one_by_one.act(game)
            game.play(action)
        assert not game.is_in_turn(turn)
