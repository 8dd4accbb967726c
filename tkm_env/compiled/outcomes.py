"""What a step brings in each of many games: its end, if it ends, and what players earn."""

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Actions, Flags, PlayerOfEach, Results
from tkm_env.compiled.atomics import address_of, array_at
from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.kernels import BEGIN, UNDECIDED

# The kernel `work` takes one address for a task. For the task `WRITE_OUTCOMES` it is the address of
# these int64 words.
#: The addresses of what each result means, and of where to write.
_REWARDS_OF: Final = 0
_TRUNCATES: Final = 1
_FLAGS: Final = 2
_EARNED: Final = 3
_REWARDS: Final = 4
#: The number of results and of players.
_RESULTS: Final = 5
_PLAYERS: Final = 6
_NUM_WORDS: Final = 7

_WORD_BYTES: Final = 8


class Outcomes(NamedTuple):
    """What a step brought in each of n games, in new arrays.

    Attributes:
        over: which games ended: bool of shape (n,).
        terminated: those that ended by their rules: bool of shape (n,).
        truncated: those that ended for another reason: bool of shape (n,).
        earned: what each player earned: float64 of shape (n, players).
        rewards: what one player of each game earned: float64 of shape (n,).
    """

    over: Flags
    terminated: Flags
    truncated: Flags
    earned: NDArray[np.float64]
    rewards: NDArray[np.float64]


@inlined
def write_outcomes(
    results: Results,
    actions: Actions,
    players: PlayerOfEach,
    rewards_of: NDArray[np.float64],
    truncates: Flags,
    over: Flags,
    terminated: Flags,
    truncated: Flags,
    earned: NDArray[np.float64],
    rewards: NDArray[np.float64],
) -> None:
    """Write what a step brought. A game that began in it did not end in it.

    Args:
        results: how each game ended: int8 of shape (n,).
        actions: what was played, `BEGIN` where a game began: int64 of shape (n,).
        players: whose reward to write in each game: int64 of shape (n,).
        rewards_of: what each player earns by a result: float64 of shape (results, players).
        truncates: whether a result truncates the game: bool of shape (results,).
        over: where to write whether the game is over: bool of shape (n,).
        terminated: where to write whether its rules ended it: bool of shape (n,).
        truncated: where to write whether anything else did: bool of shape (n,).
        earned: where to write what each player earned: float64 of shape (n, players).
        rewards: where to write what ``players[i]`` earned: float64 of shape (n,).
    """
    for game in range(results.shape[0]):
        result = np.int64(0) if actions[game] == BEGIN else np.int64(results[game])
        over[game] = result != UNDECIDED
        truncated[game] = over[game] and truncates[result]
        terminated[game] = over[game] and not truncates[result]
        for player in range(earned.shape[1]):
            earned[game, player] = rewards_of[result, player]
        rewards[game] = rewards_of[result, players[game]]


@inlined
def outcomes_at(
    address: int, games: int
) -> tuple[NDArray[np.float64], Flags, Flags, NDArray[np.float64], NDArray[np.float64]]:
    """What the task `WRITE_OUTCOMES` needs.

    Args:
        address: the address of the words that `OutcomeTask.words` returns.
        games: the number of games.

    Returns:
        ``rewards_of`` and ``truncates``, as `write_outcomes` takes them; ``over``,
            ``terminated`` and ``truncated`` as the rows of one array; ``earned`` and ``rewards``.
    """
    words = array_at(address, 1, _WORD_BYTES * _NUM_WORDS).view(np.int64)[0]
    row = _WORD_BYTES * words[_PLAYERS]
    return (
        array_at(words[_REWARDS_OF], words[_RESULTS], row).view(np.float64),
        array_at(words[_TRUNCATES], 1, words[_RESULTS]).view(np.bool_)[0],
        array_at(words[_FLAGS], 3, games).view(np.bool_),
        array_at(words[_EARNED], games, row).view(np.float64),
        array_at(words[_REWARDS], 1, _WORD_BYTES * games).view(np.float64)[0],
    )


class OutcomeTask:
    """Room for outcomes, and the argument of the task that writes them.

    Args:
        rewards_of: what each player earns by a result: float64 of shape (results, players).
        truncates: whether a result truncates the game: bool of shape (results,).
    """

    def __init__(self, rewards_of: NDArray[np.float64], truncates: Flags) -> None:
        self._meaning = rewards_of, truncates
        self._words = np.zeros(_NUM_WORDS, np.int64)
        self._words[_REWARDS_OF] = rewards_of.ctypes.data
        self._words[_TRUNCATES] = truncates.ctypes.data
        self._words[_RESULTS], self._words[_PLAYERS] = rewards_of.shape

    def __reduce__(self) -> "tuple[type[OutcomeTask], tuple[NDArray[np.float64], Flags]]":
        """A copy has the addresses of its own arrays."""
        return OutcomeTask, self._meaning

    def new(self, games: int) -> Outcomes:
        """Room for the outcomes of a number of games, with arbitrary content."""
        flags = np.empty((3, games), np.bool_)
        earned = np.empty((games, self._meaning[0].shape[1]))
        return Outcomes(flags[0], flags[1], flags[2], earned, np.empty(games))

    def words(self, outcomes: Outcomes) -> NDArray[np.int64]:
        """The argument of the task `WRITE_OUTCOMES`, which holds until the next call.

        Args:
            outcomes: where to write, from `new`.

        Returns:
            The words, whose address the kernel ``work`` takes.
        """
        for word, array in (
            (_FLAGS, outcomes.over),
            (_EARNED, outcomes.earned),
            (_REWARDS, outcomes.rewards),
        ):
            self._words[word] = address_of(array)
        return self._words
