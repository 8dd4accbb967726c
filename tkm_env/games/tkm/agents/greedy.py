"""The players that look one turn ahead: greedy, by the weighted terms, and net, by a value network."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.random_numbers import draw
from tkm_env.games.tkm.agents.evaluators import SHIPPED, Evaluators, ValueNetwork
from tkm_env.games.tkm.agents.turn_agent import TurnAgent
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.state import OVER, STATE
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.search.evaluation import WEIGHTS, WINS, Evaluator, checked_weights, new_evaluator, value_after
from tkm_env.games.tkm.search.turns import (
    MAX_TURNS,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_turn,
    unpack_turn,
)
from tkm_env.time_budget import TimeBudget

#: Games of a batch in which it plays per second, before that is measured.
_SLOWEST: Final = 500.0


@kernel
def evaluate_turns(turns: TurnGenerator, states: Any, evaluator: Evaluator, packed: Any, values: Any) -> int:
    """Write the ways to play the turn in ``states[0]``, packed, and the value after each to its player.

    Returns how many there are. Shapes: ``packed`` and ``values`` (n,) int64, of which no more than n are written.
    """
    count = 0
    begin_turns(turns, states, 0)
    while count < packed.shape[0] and next_turn(turns):
        packed[count] = pack_turn(turns)
        values[count] = value_after(turns.states[turns.length[0]], evaluator)
        count += 1
    return count


@inlined
def _play_turn(turns: TurnGenerator, states: Any, game: int, streams: Any, best: Any, evaluator: Evaluator) -> None:
    """Play the turn of the highest value in one game; ties are broken at random from the game's stream."""
    begin_turns(turns, states, game)
    highest, ties = -WINS, 0
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        value = value_after(state, evaluator)
        if ties == 0 or value > highest:
            highest, ties = value, 1
            best[0] = state
        elif value == highest:
            # Each of k ties is kept with probability 1 / k.
            ties += 1
            if draw(streams, game, ties) == 0:
                best[0] = state
    states[game] = best[0]


@kernel
def play_greedily(turns: TurnGenerator, states: Any, players: Any, streams: Any, best: Any, evaluator: Evaluator) -> None:
    """Play the turns of the highest value in each game, until it is over or ``players[i]`` is to act.

    Shapes: ``states`` (n,) of dtype STATE, ``players`` (n,) int64, ``streams`` (n,) uint64, ``best`` (1,) of dtype STATE: a workspace.
    """
    for game in range(states.shape[0]):
        while states[game].step != OVER and states[game].to_act != players[game]:
            _play_turn(turns, states, game, streams, best, evaluator)


class _OneTurnAgent(TurnAgent):
    """Evaluates the position after every way to play the whole turn, and plays the best; ties are broken at random."""

    def __init__(self, name: str, seed: int | np.random.Generator | None) -> None:
        self._turn_generator = new_turn_generator()
        self._turns, self._values = np.zeros(MAX_TURNS, np.int64), np.zeros(MAX_TURNS, np.int64)
        self._best = np.zeros(1, STATE)
        super().__init__(name, seed)

    @abstractmethod
    def _evaluators_for(self, states: NDArray[np.void]) -> list[tuple[Evaluator, NDArray[np.bool_]]]:
        """The evaluators of these positions, each with those that are its own: bool of shape (n,)."""

    @cached_property
    def _time_budget(self) -> TimeBudget:
        return TimeBudget(_SLOWEST)

    def _plan_turn(self, game: Game) -> list[int]:
        states = game.state
        evaluator = next(evaluator for evaluator, own in self._evaluators_for(states) if own[0])
        count = evaluate_turns(self._turn_generator, states, evaluator, self._turns, self._values)
        best = (self._values[:count] == self._values[:count].max()).nonzero()[0]
        return unpack_turn(int(self._turns[best[self._generator.integers(len(best))]]))

    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act, in compiled code, drawing from the games' own streams."""

        def play(states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]) -> None:
            for evaluator, own in self._evaluators_for(states):
                # A game that another network evaluates is left as it is: nobody else is to act there.
                wanted = np.where(own, players, states["to_act"])
                for games in self._time_budget.slices(batch.num_games):
                    play_greedily(self._turn_generator, states[games], wanted[games], streams[games], self._best, evaluator)

        batch.let_play(play)


class GreedyAgent(_OneTurnAgent):
    """Evaluates the position after every way to play the whole turn, and plays the best; ties are broken at random.

    It wins if it can win at once, and does not consider the opponent's reply. The evaluation is `tkm_env.games.tkm.search.evaluation`.

    Args:
        seed: of the player's own random numbers.
        weights: of the evaluation.

    Raises:
        ConfigError: if the seed is invalid.
        ArrayError: if the weights are invalid.

    >>> from tkm_env import Game
    >>> GreedyAgent(seed=1).act(Game())
    0
    """

    def __init__(self, *, seed: int | np.random.Generator | None = None, weights: np.ndarray[Any, Any] = WEIGHTS) -> None:
        self._evaluator = new_evaluator(checked_weights(weights))
        super().__init__("greedy", seed)

    def _evaluators_for(self, states: NDArray[np.void]) -> list[tuple[Evaluator, NDArray[np.bool_]]]:
        return [(self._evaluator, np.ones(len(states), np.bool_))]


class NetAgent(_OneTurnAgent):
    """Evaluates the position after every way to play the whole turn with a value network, and plays the best.

    The network learned from self-play how positions turn out in the end, so it anticipates replies without looking at them; see
    docs/learning.md.

    Args:
        file: of the network, as ``tkm train`` writes it, or the network itself; by default those that come with the package.
        seed: of the player's own random numbers, which only break ties.

    Raises:
        ConfigError: if the seed is invalid, or, at play, if the network has not learned such games.
        FileError: if the file cannot be read or holds no network for this game.

    >>> from tkm_env import Game
    >>> NetAgent(seed=1).act(Game())
    0
    """

    def __init__(self, *, file: str | ValueNetwork = SHIPPED, seed: int | np.random.Generator | None = None) -> None:
        self._evaluators = Evaluators(file)
        super().__init__(f"net file={file}" if isinstance(file, str) and file != SHIPPED else "net", seed)

    def _evaluators_for(self, states: NDArray[np.void]) -> list[tuple[Evaluator, NDArray[np.bool_]]]:
        numbers = self._evaluators.numbers_for(states)
        return [(evaluator, numbers == number) for number, evaluator in enumerate(self._evaluators.evaluators)]
