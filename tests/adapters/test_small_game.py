"""OpenSpiel's algorithms on the small game, which is solved: they find its values.

Without the extra ``[openspiel]``, the tests are skipped and say so.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks import small_game
from tkm_env import PositionError
from tkm_env.evaluation import solve
from tkm_env.games.registry import TKM

pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")

import pyspiel
from open_spiel.python.algorithms.value_iteration import value_iteration

import tkm_env.adapters.open_spiel  # noqa: F401 registers the games

#: The last turns of the line that wins.
ENDING = small_game.AFTER_TWO_TURNS


def enumerated(state: Any, values: dict[str, float], best: dict[str, list[int]]) -> float:
    """The value to the first player, by visiting all of a game through OpenSpiel's interface."""
    key: str = state.observation_string(0)
    if key not in values:
        if state.is_terminal():
            values[key], best[key] = state.returns()[0], []
        else:
            after = {
                action: enumerated(state.child(action), values, best)
                for action in state.legal_actions()
            }
            values[key] = (max, min)[state.current_player()](after.values())
            best[key] = [action for action, value in after.items() if value == values[key]]
    return values[key]


@pytest.mark.parametrize("turns", [4, 5, pytest.param(6, marks=pytest.mark.slow)])
def test_visiting_all_of_it_finds_the_values_and_the_optimal_actions(turns: int) -> None:
    values: dict[str, float] = {}
    best: dict[str, list[int]] = {}
    start = small_game.small_game(f"max_turns={turns}").new_initial_state()
    enumerated(start, values, best)
    game = start.as_game()
    solution = solve(game)
    assert len(solution) == len(values) == {4: 2_074, 5: 12_391, 6: 47_263}[turns]
    for each in small_game.positions_from(game):
        assert solution.value(each) == values[each.position]
        assert solution.optimal_actions(each) == best[each.position]


@pytest.mark.parametrize(
    "parameters",
    [ENDING, pytest.param("max_turns=5", marks=pytest.mark.slow)],
    ids=["the last turns", "five turns"],
)
def test_value_iteration_finds_the_value_of_every_position(parameters: str) -> None:
    game = small_game.small_game(parameters)
    values = value_iteration(game, depth_limit=-1, threshold=0.01, cyclic_game=True)
    solution = solve(game.new_initial_state().as_game())

    def compare(state: Any, seen: set[str]) -> None:
        if str(state) not in seen:
            seen.add(str(state))
            assert values[str(state)] == solution.value(state.as_game())
            for action in state.legal_actions():
                compare(state.child(action), seen)

    seen: set[str] = set()
    compare(game.new_initial_state(), seen)
    assert len(seen) == len(values)


def test_alpha_beta_finds_the_value() -> None:
    assert small_game.alpha_beta(small_game.small_game("max_turns=4")) == 0
    assert small_game.alpha_beta(small_game.small_game(ENDING)) == 1


@pytest.mark.slow
def test_alpha_beta_finds_the_win_of_the_whole_game() -> None:
    assert small_game.alpha_beta(small_game.small_game()) == 1


def test_nobody_can_exploit_the_optimal_actions() -> None:
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import UniformRandomPolicy, tabular_policy_from_callable

    game = small_game.small_game("max_turns=3")
    solution = solve(game.new_initial_state().as_game())
    best = tabular_policy_from_callable(
        game, lambda state: {solution.optimal_actions(state.as_game())[0]: 1.0}
    )
    assert nash_conv(game, best) == pytest.approx(0)
    assert nash_conv(game, UniformRandomPolicy(game)) == pytest.approx(0.25)


def test_counterfactual_regret_minimization_approaches_the_value() -> None:
    game = small_game.small_game("max_turns=3")
    gaps = [small_game.cfr_plus_nash_conv(game, iterations) for iterations in (1, 4)]
    assert gaps[0] > gaps[1] >= 0
    assert gaps[1] < 0.05


def test_tree_search_that_proves_results_finds_the_win_of_the_last_turns() -> None:
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

    game = small_game.small_game(ENDING)
    state = game.new_initial_state()
    solution = solve(state.as_game())
    random = np.random.RandomState(1)
    bot = MCTSBot(game, 2, 1000, RandomRolloutEvaluator(1, random), random_state=random)
    while not state.is_terminal():
        state.apply_action(bot.step(state))
        assert solution.value(state.as_game()) == 1
    assert state.returns() == [1.0, -1.0]


def test_random_simulations_of_the_small_game_pass_with_serialization() -> None:
    for parameters in ("", ENDING):
        game = small_game.small_game(parameters)
        pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
        assert pyspiel.load_game(str(game)) == game


def mean(state: Any) -> float:
    """The value to the first player, by walking through every line of a game with chance."""
    if state.is_terminal():
        return float(state.returns()[0])
    if state.is_chance_node():
        return sum(share * mean(state.child(card)) for card, share in state.chance_outcomes())
    values = [mean(state.child(action)) for action in state.legal_actions()]
    return (max, min)[state.current_player()](values)


def test_walking_through_a_late_position_of_terminus_finds_its_value() -> None:
    text = "6:A|1:I|11:A|16:A r p 9,10/14,15 13,T -/- 1 0123456789abcdef"
    game = pyspiel.load_game(f"tkm_env/terminus-v0(position={text.replace(',', ';')})")
    start = game.new_initial_state()
    values = solve(start.as_game()).action_values(start.as_game())
    assert {*values.values()} == {-1.0, 1.0}
    for action, value in values.items():
        assert mean(start.child(action)) == pytest.approx(value)


def test_its_settings_and_its_position_can_be_changed() -> None:
    start = small_game.small_game().new_initial_state().as_game()
    assert (start.position, start.config.max_turns) == (TKM.presets["Small"].position, 6)
    ending = small_game.small_game(ENDING).new_initial_state().as_game()
    assert (ending.turn, ending.config.max_turns) == (3, 5)
    with pytest.raises(PositionError, match="11 fields"):
        small_game.small_game("position=W")
