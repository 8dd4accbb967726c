"""The players that look one turn ahead, by weighted terms or by a value network."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.random_numbers import draw
from tkm_env.compiled.threads import in_ranges, useful_threads
from tkm_env.core.agent import TurnAgent, agent_name
from tkm_env.core.state_arrays import words_of
from tkm_env.foundations.checks import checked_flag, checked_integer
from tkm_env.foundations.concurrency import no_concurrent_use
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
    with_own_workspace,
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
from tkm_env.players.tkm.search.replies import (
    MAX_CANDIDATES,
    Candidates,
    find_best_by_replies,
    new_candidates,
)


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
    turns: TurnGenerator,
    states: Any,
    stream: Any,
    candidates: Candidates,
    best: Any,
    evaluator: Evaluator,
    history: Any,
) -> tuple[int, int]:
    """Find the turn with the highest value in a single game.

    Args:
        turns: the generator of turns, as a workspace.
        states: STATE of shape (1,): the game, which is not over; unchanged.
        stream: uint64 of shape (1,): its stream of random numbers.
        candidates: memory for the turns whose replies are looked at, maybe for none.
        best: STATE of shape (1,): overwritten by the position after the turn.
        evaluator: evaluates the positions after turns.
        history: int64 of shape (k,): the keys of the game's earlier positions.

    Returns:
        The turn, packed, and its value.
    """
    if candidates.values.shape[0]:
        return find_best_by_replies(turns, states, 0, candidates, best, evaluator, history)
    return _find_best(turns, states, 0, stream, best, evaluator, history)


@nogil_kernel
def play_greedily(
    turns: TurnGenerator,
    states: Any,
    players: Any,
    streams: Any,
    notes: Any,
    candidates: Candidates,
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
        candidates: memory for the turns whose replies are looked at, maybe for none.
        best: STATE of shape (1,): a workspace.
        best_words: ``best`` as words.
        evaluator: evaluates the positions after turns.
    """
    for game in range(states.shape[0]):
        known = notes[game]
        while states[game].step != OVER and states[game].to_act != players[game]:
            earlier = known[1 : 1 + known[0]]
            if candidates.values.shape[0]:
                find_best_by_replies(turns, states, game, candidates, best, evaluator, earlier)
            else:
                _find_best(turns, states, game, streams, best, evaluator, earlier)
            if best[0].turn != states[game].turn and known[0] + 1 < known.shape[0]:
                note_position(known, best_words, 0)
            states[game] = best[0]


class _Workspace(NamedTuple):
    """What one thread needs to find turns."""

    turns: TurnGenerator
    candidates: Candidates
    best: NDArray[np.void]  # (1,) STATE: the position after the best turn
    best_words: NDArray[np.uint64]  # the same memory as words
    evaluators: Sequence[Evaluator]


def _new_workspace(evaluators: Sequence[Evaluator], replies: int) -> _Workspace:
    best = np.zeros(1, STATE)
    own = [with_own_workspace(evaluator) for evaluator in evaluators]
    return _Workspace(new_turn_generator(), new_candidates(replies), best, words_of(best), own)


class _OneTurnAgent(TurnAgent):
    """Plays the turn after which the position is best; ties are broken at random.

    It avoids positions that it has left to the opponent before. It reads them from a game's
    history, and keeps notes of them for the games of a batch.

    Args:
        name: the player's name.
        evaluators: rate positions.
        history: whether it knows the game's earlier positions.
        seed: the seed of its random numbers.
        replies: the number of turns whose replies it looks at.
    """

    draws_from_streams: ClassVar = True

    def __init__(
        self,
        name: str,
        evaluators: Sequence[Evaluator],
        history: bool,
        seed: int | np.random.Generator | None,
        replies: int = 0,
    ) -> None:
        self._replies = replies
        #: One for each thread that has been of use.
        self._workspaces = [_new_workspace(evaluators, replies)]
        self._knows_history = checked_flag("history", history)
        super().__init__(name, seed)

    @abstractmethod
    def _evaluator_numbers(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        """Which of the evaluators rates each of n positions: its index; int64 of shape (n,)."""

    def _plan_turn(self, game: Game) -> list[int]:
        states, own = game.state, self._workspaces[0]
        evaluator = own.evaluators[int(self._evaluator_numbers(states)[0])]
        history = history_keys(game)[1:] if self._knows_history else NO_HISTORY
        turn, value = best_turn(
            own.turns, states, self._stream, own.candidates, own.best, evaluator, history
        )
        self.expectation = expectation_of(value)
        return unpack_turn(turn)

    @no_concurrent_use
    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        Compiled code plays, and draws from the games' own streams.

        Args:
            batch: the n games.
            players: int64 of shape (n,): for each game, the index of the player to leave to act.
        """
        notes = batch.notes(1) if self._knows_history else np.zeros((batch.num_games, 1), np.int64)

        def play(
            states: NDArray[np.void], streams: NDArray[np.uint64], masks: NDArray[np.int8]
        ) -> None:
            numbers = self._evaluator_numbers(states)
            for number in np.unique(numbers).tolist():
                # Games of other evaluators stay as they are, since the wanted player is to act.
                wanted = np.where(numbers == number, players, states["to_act"])

                def play_some(
                    thread: int,
                    games: slice,
                    number: int = number,
                    wanted: NDArray[np.int64] = wanted,
                ) -> None:
                    own = self._workspaces[thread]
                    play_greedily(
                        own.turns,
                        states[games],
                        wanted[games],
                        streams[games],
                        notes[games],
                        own.candidates,
                        own.best,
                        own.best_words,
                        own.evaluators[number],
                    )

                in_ranges(play_some, batch.num_games, batch.num_threads, cost=1 + self._replies)

        for _ in range(len(self._workspaces), useful_threads(batch.num_threads, batch.num_games)):
            self._workspaces.append(_new_workspace(self._workspaces[0].evaluators, self._replies))
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
        evaluator = new_evaluator(checked_weights(weights), knows_endgames=False)
        super().__init__(agent_name("greedy", history=(history, True)), [evaluator], history, seed)

    def _evaluator_numbers(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        return np.zeros(len(states), np.int64)


class NetAgent(_OneTurnAgent):
    """Plays the turn after which a value network rates the position best.

    The network has learned from self-play how games end, so it anticipates replies without looking
    at them; see docs/learning.md. With ``replies``, it looks at the replies to the turns that look
    best, too. Returning to a position of the game counts as worse than a draw.

    Args:
        file: the file of the network, as ``tkm train`` writes it, or the network itself; by default
            the networks that come with the package.
        history: whether it knows the game's earlier positions; otherwise it may go in circles.
        endgames: whether it looks positions up in the table of solved endgames.
        replies: for how many turns at most, of those that look best, it looks for the opponent's
            best reply, 0 to 64. Each takes at most one more list of turns, the opponent's.
        seed: the seed of its random numbers, which only break ties, or a generator to draw them
            from; None draws a seed from the system.

    Raises:
        ConfigError: if the seed is invalid, or, at play, if the network has not learned such games.
        FileError: if the file cannot be read or holds no network for this game.

    >>> from tkm_env import Game
    >>> NetAgent(seed=1).act(Game())
    0
    """

    page_limits: ClassVar[Mapping[str, float]] = {"replies": 8}

    def __init__(
        self,
        *,
        file: str | ValueNetwork = SHIPPED,
        history: bool = True,
        endgames: bool = True,
        replies: int = 0,
        seed: int | np.random.Generator | None = None,
    ) -> None:
        self._evaluators = Evaluators(file, endgames=endgames)
        looks_at = checked_integer("replies", replies, 0, MAX_CANDIDATES)
        named = file if isinstance(file, str) else SHIPPED
        options = {
            "file": (named, SHIPPED),
            "history": (history, True),
            "endgames": (endgames, True),
            "replies": (replies, 0),
        }
        name = agent_name("net", **options)
        super().__init__(name, self._evaluators.evaluators, history, seed, looks_at)

    def _evaluator_numbers(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        return self._evaluators.numbers_for(states)
