"""The players that look one turn ahead, by weighted terms or by a value network."""

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
from tkm_env.players.tkm.search.evaluation import (
    WINS,
    Evaluator,
    expectation_of,
    new_evaluator,
    value_after,
)
from tkm_env.players.tkm.search.evaluation_terms import WEIGHTS, checked_weights
from tkm_env.players.tkm.search.repetition import (
    NO_HISTORY,
    REPETITION_VALUE,
    history_keys,
    is_repetition,
    note_position,
    value_of_repetition,
)

#: The assumed speed before the first measurement, in games of a batch per second.
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
) -> tuple[int, int]:
    """Find the turn with the highest value in one game; ties are broken at random.

    Args:
        turns: the generator of turns, as a workspace.
        states: STATE of shape (n,): the games.
        game: the index of a game that is not over.
        streams: uint64 of shape (n,): the games' streams of random numbers.
        best: STATE of shape (1,): overwritten by the position after the turn.
        evaluator: evaluates the positions after turns.
        history: int64 of shape (k,): the keys of the game's earlier positions.

    Returns:
        The turn, packed, and its value.
    """
    begin_turns(turns, states, game)
    highest, ties, turn = -WINS, 0, NO_TURN
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        value = value_after(state, evaluator)
        # Turns that cannot become the best need no check.
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
    return turn, highest


@kernel
def best_turn(
    turns: TurnGenerator, states: Any, stream: Any, best: Any, evaluator: Evaluator, history: Any
) -> tuple[int, int]:
    """Find the turn with the highest value in a single game; ties are broken at random.

    Args:
        turns: the generator of turns, as a workspace.
        states: STATE of shape (1,): the game, which is not over; unchanged.
        stream: uint64 of shape (1,): its stream of random numbers.
        best: STATE of shape (1,): overwritten by the position after the turn.
        evaluator: evaluates the positions after turns.
        history: int64 of shape (k,): the keys of the game's earlier positions.

    Returns:
        The turn, packed, and its value.
    """
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
        turns: the generator of turns, as a workspace.
        states: STATE of shape (n,): the games, which are played on in place.
        players: int64 of shape (n,): for each game, the index of the player to leave to act.
        streams: uint64 of shape (n,): the games' streams of random numbers.
        notes: int64 of shape (n, k), as `CompiledBatch.notes` returns them: the position after each
            turn is noted there, as long as there is room.
        best: STATE of shape (1,): a workspace.
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

    It avoids positions that it has left to the opponent before. It reads them from a game's
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
        """Return the evaluators for n positions, each with its positions: bool of shape (n,)."""

    def _plan_turn(self, game: Game) -> list[int]:
        states = game.state
        evaluator = next(evaluator for evaluator, own in self._evaluators_for(states) if own[0])
        history = history_keys(game)[1:] if self._knows_history else NO_HISTORY
        turn, value = best_turn(
            self._turn_generator, states, self._stream, self._best, evaluator, history
        )
        self.expectation = expectation_of(value)
        return unpack_turn(turn)

    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        Compiled code plays, and draws from the games' own streams.

        Args:
            batch: the n games.
            players: int64 of shape (n,): for each game, the index of the player to leave to act.
        """
        notes = batch.notes(1) if self._knows_history else np.zeros((batch.num_games, 1), np.int64)
        best = self._best, words_of(self._best)

        def play(
            states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]
        ) -> None:
            for evaluator, own in self._evaluators_for(states):
                # Games of other evaluators stay as they are, since the wanted player is to act.
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

    Ties are broken at random. It wins if it can win at once, and does not consider the opponent's
    reply. The evaluation is `tkm_env.players.tkm.search.evaluation`. Returning to a position of the
    game counts as worse than a draw.

    Args:
        history: whether it knows the game's earlier positions; otherwise it may go in circles.
        seed: the seed of its random numbers, or a generator to draw them from; None draws a seed
            from the system.
        weights: the weights of the evaluation, int64 of shape (8, 23): by the chapters in play and
            by term.

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
    """Plays the turn after which a value network rates the position best.

    The network has learned from self-play how games end, so it anticipates replies without looking
    at them; see docs/learning.md. Returning to a position of the game counts as worse than a draw.

    Args:
        file: the file of the network, as ``tkm train`` writes it, or the network itself; by default
            the networks that come with the package.
        history: whether it knows the game's earlier positions; otherwise it may go in circles.
        endgames: whether it looks positions up in the table of solved endgames.
        seed: the seed of its random numbers, which only break ties, or a generator to draw them
            from; None draws a seed from the system.

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
