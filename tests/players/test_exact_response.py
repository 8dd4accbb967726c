"""The exact value of a best response: known figures, those of OpenSpiel, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.tictactoe import TicTacToe
from tkm_env import ConfigError, Game
from tkm_env.core.random_agent import RandomAgent
from tkm_env.players import make_agent, write_policy
from tkm_env.players.best_response import best_response_value

Probabilities = Callable[[Any], Mapping[int, float]]


def uniform(game: Any) -> Mapping[int, Any]:
    return dict.fromkeys(game.legal_actions(), Fraction(1, len(game.legal_actions())))


def first_legal(game: Any) -> Mapping[int, float]:
    return {game.legal_actions()[0]: 1}


#: What a best response to each scores as cross and as nought.
KNOWN: dict[Probabilities, tuple[Any, Any]] = {
    uniform: (Fraction(383, 384), Fraction(1819, 1890)),
    first_legal: (1, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("policy", KNOWN)
def test_the_best_response_in_tic_tac_toe_is_worth_what_is_known(policy: Probabilities) -> None:
    found = [best_response_value(TicTacToe(), player, policy) for player in TicTacToe.players]
    assert found == pytest.approx([float(value) for value in KNOWN[policy]], abs=1e-12)


def test_openspiel_finds_the_same_values() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")
    from open_spiel.python import policy as policies
    from open_spiel.python.algorithms.best_response import BestResponsePolicy

    game = pyspiel.load_game("tic_tac_toe")

    class FirstLegal(policies.Policy):  # type: ignore[misc] # OpenSpiel has no types
        def action_probabilities(self, state: Any, player_id: Any = None) -> dict[int, float]:
            return {state.legal_actions()[0]: 1.0}

    for policy, theirs in (
        (uniform, policies.UniformRandomPolicy(game)),
        (first_legal, FirstLegal(game, [0, 1])),
    ):
        values = [
            BestResponsePolicy(game, number, theirs).value(game.new_initial_state())
            for number in (0, 1)
        ]
        assert [(1 + value) / 2 for value in values] == pytest.approx(
            [float(known) for known in KNOWN[policy]]
        )


def test_random_and_trained_policies_state_the_probabilities_with_which_they_play(
    tmp_path: Path, tictactoe: str
) -> None:
    file = tmp_path / "policy.npz"
    write_policy(file, [(np.zeros((27, 9)), np.arange(9) / 4)], game=tictactoe)
    game, times = TicTacToe(position="x.o......"), 4000
    for agent in (
        RandomAgent(),
        *(make_agent(f"policy:{file}{given}", game=tictactoe) for given in ("", ":temperature=1")),
    ):
        agent.reset(1)
        stated = agent.probabilities(game)
        played = np.bincount([agent.act(game) for _ in range(times)], minlength=9) / times
        assert sum(stated.values()) == pytest.approx(1), agent.name
        assert np.abs(played - [stated.get(action, 0) for action in range(9)]).max() < 0.04, (
            agent.name
        )


def test_a_game_that_is_too_large_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"game='tkm' .*more than 100 positions"):
        best_response_value(Game(), "white", uniform, most_positions=100)
