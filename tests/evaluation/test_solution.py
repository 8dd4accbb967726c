"""The exact solution of small games."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from benchmarks import small_game
from tests.games.tictactoe import TicTacToe
from tkm_env import ConfigError, Game, TerminusGame
from tkm_env.evaluation import Solution, solve
from tkm_env.games.registry import TKM
from tkm_env.players.tkm.search.endgames import known_outcome

SMALL = TKM.presets["Small"]


def small_start(**changes: Any) -> Game:
    return Game(position=SMALL.position, **{**SMALL.settings, **changes})


@pytest.fixture(scope="module")
def solution() -> Solution:
    """The small game with a turn less, which takes a second."""
    return solve(small_start(max_turns=5))


def test_tic_tac_toe_has_5478_positions_and_best_play_is_a_draw(tictactoe: str) -> None:
    start = TicTacToe()
    solution = solve(start)
    assert (len(solution), solution.value(start)) == (5478, 0)
    assert solution.optimal_actions(start) == list(range(9))
    # Cross stands in a corner: only the centre saves nought.
    start.play(0)
    assert solution.optimal_actions(start) == [4]


def test_one_first_turn_of_the_small_game_wins_and_four_lose(solution: Solution) -> None:
    start = small_start(max_turns=5)
    assert solution.value(start) == 1
    assert small_game.first_turns(start, solution) == {1: 1, 0: 7, -1: 4}


def test_best_play_wins_the_small_game_on_its_fifth_turn(solution: Solution) -> None:
    game = small_start()
    while game.result is None:
        best = solution.optimal_actions(game) if game.to_act == "white" else game.legal_actions()
        game.play(best[-1])
    assert (game.result, game.turn) == ("1-0", 5)


def test_values_between_turns_are_those_of_the_endgames_within_the_turns_left(
    solution: Solution,
) -> None:
    compared = 0
    for game in itertools.islice(small_game.positions_from(small_start(max_turns=5)), 4000):
        turns = known_outcome(game.state) if game.result is None else None
        if turns is not None:
            compared += 1
            to_act = 0 if turns == 0 else 1 if turns % 2 else -1
            assert solution.value(game) == (to_act if game.to_act == "white" else -to_act)
    assert compared > 100


def test_optimal_actions_are_those_that_keep_the_value(solution: Solution) -> None:
    for game in itertools.islice(small_game.positions_from(small_start(max_turns=5)), 200):
        values = solution.action_values(game)
        best = solution.optimal_actions(game)
        assert {values[action] for action in best} <= {solution.value(game)}
        assert all(values[action] != solution.value(game) for action in {*values} - {*best})


def test_in_terminus_the_value_is_the_mean_over_the_cards_that_may_be_drawn() -> None:
    game = TerminusGame(position=small_game.LATE_IN_TERMINUS, seed=1)
    solution = solve(game)
    assert (len(solution), solution.value(game)) == (12_445, pytest.approx(-1 / 3))
    values = sorted(solution.action_values(game).values())
    assert values == pytest.approx([-1, -1, -1 / 3, -1 / 3])
    assert len(solution.optimal_actions(game)) == 2


def test_the_order_of_the_deck_in_the_given_game_does_not_matter() -> None:
    text = "6:A|1:I|11:A|16:A r p 9,10/14,15 {} -/- 1 0123456789abcdef"
    games = [TerminusGame(position=text.format(deck), seed=1) for deck in ("13,T", "T,13")]
    solutions = [solve(game) for game in games]
    assert len(solutions[0]) == len(solutions[1]) > 200
    for solution in solutions:
        assert len({str(solution.action_values(game)) for game in games}) == 1


def test_a_position_that_cannot_be_reached_has_no_value(solution: Solution) -> None:
    with pytest.raises(ConfigError, match="it cannot be reached"):
        solution.value(Game())


def test_a_game_that_is_too_large_is_not_solved() -> None:
    for game in (Game(), TerminusGame(seed=1)):
        with pytest.raises(ConfigError, match="too large to be solved: more than 100 positions"):
            solve(game, most_positions=100)
