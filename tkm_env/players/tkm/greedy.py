"""The players that look one turn ahead: by weighted terms, and by a value network."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.random_numbers import draw
from tkm_env.core.agent import TurnAgent, agent_name
from tkm_env.core.state_arrays import words_of
from tkm_env.foundations.checks import checked_flag
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.state import OVER, STATE
from tkm_env.games.tkm.engine.turn_generator import (
    NO_TURN,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_turn,
    unpack_turn,
)
from tkm_env.games.tkm.game import Game
from tkm_env.players.tkm.evaluators import SHIPPED, Evaluators, ValueNetwork
from tkm_env.players.tkm.search.evaluation import WINS, Evaluator, new_evaluator, value_after
from tkm_env.players.tkm.search.evaluation_terms import WEIGHTS, checked_weights
from tkm_env.players.tkm.search.repetition import (
    NO_HISTORY,
    REPETITION_VALUE,
    history_keys,
    is_repetition,
    note_position,
    value_of_repetition,
)

#: In how many games of a batch a player plays per second, before that is measured.
_SLOWEST: Final = 500.0


@inlined
def _find_best(
    turns: TurnGenerator,
    states: Any,
    game: int,
    streams: Any,
    best: Any,
    evaluator: Evaluator,
    history: Any,
) -> int:
    """The turn of the highest value in one game, drawn from its stream if there are several.

    Args:
        turns: the generator.
        states: (n,) of dtype STATE.
        game: which of them; it is not over.
        streams: (n,) uint64: the streams of random numbers.
        best: (1,) of dtype STATE: becomes the position after the turn.
        evaluator: evaluates the positions after turns.
        history: (k,) int64: the keys of the positions that the game has been through.

    Returns:
        The turn, packed.
    """
    begin_turns(turns, states, game)
    highest, ties, turn = -WINS, 0, NO_TURN
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        value = value_after(state, evaluator)
        # It makes no difference to the other turns.
        if (value >= highest or highest < REPETITION_VALUE) and is_repetition(
            history, turns.words, turns.length[0]
        ):
            value = value_of_repetition(value)
        if ties == 0 or value > highest:
            highest, ties, turn = value, 1, pack_turn(turns)
            best[0] = state
        elif value == highest:
            # Each of k ties is kept with probability 1 / k.
            ties += 1
            if draw(streams, game, ties) == 0:
                turn = pack_turn(turns)
                best[0] = state
    return turn


@kernel
def best_turn(
    turns: TurnGenerator, states: Any, stream: Any, best: Any, evaluator: Evaluator, history: Any
) -> int:
    """`_find_best` in a single game: ``states``, ``stream`` and ``best`` are of shape (1,)."""
    return _find_best(turns, states, 0, stream, best, evaluator, history)


@kernel
def play_greedily(
    turns: TurnGenerator,
    states: Any,
    players: Any,
    streams: Any,
    notes: Any,
    best: Any,
    best_words: Any,
    evaluator: Evaluator,
) -> None:
    """Play the best turns in each game, until it is over or ``players[i]`` is to act.

    Args:
        turns: the generator.
        states: (n,) of dtype STATE: the games.
        players: (n,) int64.
        streams: (n,) uint64: the games' streams of random numbers.
        notes: (n, k) int64, as `CompiledBatch.notes` returns them: where each turn ends is noted
            there.
        best: (1,) of dtype STATE: a workspace.
        best_words: ``best`` as words.
        evaluator: evaluates the positions after turns.

    """
    for game in range(states.shape[0]):
        known = notes[game]
        while states[game].step != OVER and states[game].to_act != players[game]:
            _find_best(turns, states, game, streams, best, evaluator, known[1 : 1 + known[0]])
            if best[0].turn != states[game].turn and known[0] + 1 < known.shape[0]:
                note_position(known, best_words, 0)
            states[game] = best[0]


class _OneTurnAgent(TurnAgent):
    """Plays the turn after which the position is best; ties are broken at random.

    It avoids the positions that it has left to the opponent before. It reads them from a game's
    history, and keeps notes of them for the games of a batch.

    """

    draws_from_streams: ClassVar = True

    def __init__(self, name: str, history: bool, seed: int | np.random.Generator | None) -> None:
        self._turn_generator = new_turn_generator()
        self._best = np.zeros(1, STATE)
        self._knows_history = checked_flag("history", history)
        self._time_budget = TimeBudget(_SLOWEST)
        super().__init__(name, seed)

    @abstractmethod
    def _evaluators_for(
        self, states: NDArray[np.void]
    ) -> list[tuple[Evaluator, NDArray[np.bool_]]]:
        """The evaluators for n positions, each with those that it is for: bool of shape (n,)."""

    def _plan_turn(self, game: Game) -> list[int]:
        states = game.state
        evaluator = next(evaluator for evaluator, own in self._evaluators_for(states) if own[0])
        history = history_keys(game)[1:] if self._knows_history else NO_HISTORY
        return unpack_turn(
            best_turn(self._turn_generator, states, self._stream, self._best, evaluator, history)
        )

    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        Compiled code plays, and draws from the games' own streams.

        Args:
            batch: the games, n of them.
            players: (n,) int64.
        """
        notes = batch.notes(1) if self._knows_history else np.zeros((batch.num_games, 1), np.int64)
        best = self._best, words_of(self._best)

        def play(
            states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]
        ) -> None:
            for evaluator, own in self._evaluators_for(states):
                # A game for another evaluator is left alone: the player it is to be played up to is
                # to act.
                wanted = np.where(own, players, states["to_act"])
                for games in self._time_budget.slices(batch.num_games):
                    play_greedily(
                        self._turn_generator,
                        states[games],
                        wanted[games],
                        streams[games],
                        notes[games],
                        *best,
                        evaluator,
                    )

        batch.let_play(play)


class GreedyAgent(_OneTurnAgent):
    """Evaluates the position after every way to play the turn, and plays the best one.

    Ties are broken at random.

    It wins if it can win at once, and does not consider the opponent's reply. The evaluation is
    `tkm_env.players.tkm.search.evaluation`. Returning to a position of the game counts as worse
    than a draw.

    Args:
        history: whether it knows where the game has been; otherwise it may go in circles.
        seed: of its random numbers.
        weights: of the evaluation, int64 of shape (8, 23): by the chapters in play and by term.

    Raises:
        ConfigError: if the seed is invalid.
        ArrayError: if the weights are invalid.

    >>> from tkm_env import Game
    >>> GreedyAgent(seed=1).act(Game())
    0
    """

    def __init__(
        self,
        *,
        history: bool = True,
        seed: int | np.random.Generator | None = None,
        weights: np.ndarray[Any, Any] = WEIGHTS,
    ) -> None:
        self._evaluator = new_evaluator(checked_weights(weights), knows_endgames=False)
        super().__init__(agent_name("greedy", history=(history, True)), history, seed)

    def _evaluators_for(
        self, states: NDArray[np.void]
    ) -> list[tuple[Evaluator, NDArray[np.bool_]]]:
        return [(self._evaluator, np.ones(len(states), np.bool_))]


class NetAgent(_OneTurnAgent):
    """Evaluates the position after every way to play the turn with a network, and plays the best.

    The network learned from self-play how positions turn out in the end, so it anticipates replies
    without looking at them; see docs/learning.md. Returning to a position of the game counts as
    worse than a draw.

    Args:
        file: of the network, as ``tkm train`` writes it, or the network itself; by default those
            that come with the package.
        history: whether it knows where the game has been; otherwise it may go in circles.
        endgames: whether it looks positions up in the table of solved endgames.
        seed: of its random numbers, which only break ties.

    Raises:
        ConfigError: if the seed is invalid, or, at play, if the network has not learned such games.
        FileError: if the file cannot be read or holds no network for this game.

    >>> from tkm_env import Game
    >>> NetAgent(seed=1).act(Game())
    0
    """

    def __init__(
        self,
        *,
        file: str | ValueNetwork = SHIPPED,
        history: bool = True,
        endgames: bool = True,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        self._evaluators = Evaluators(file, endgames=endgames)
        named = file if isinstance(file, str) else SHIPPED
        name = agent_name(
            "net", file=(named, SHIPPED), history=(history, True), endgames=(endgames, True)
        )
        super().__init__(name, history, seed)

    def _evaluators_for(
        self, states: NDArray[np.void]
    ) -> list[tuple[Evaluator, NDArray[np.bool_]]]:
        numbers = self._evaluators.numbers_for(states)
        return [
            (self._evaluators.evaluators[number], numbers == number)
            for number in np.unique(numbers)
        ]
