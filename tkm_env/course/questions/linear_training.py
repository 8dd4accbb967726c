"""Learning from self-play with a submission's functions.

The grader plays the games and keeps the weights; the submission's functions decide and learn.

Each weight belongs to a feature that is shared among all pairs of focuses. The features are
numbered in a secret order, so that weights learned elsewhere are worthless.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.network import Network
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import real_number
from tkm_env.foundations.errors import TKMError, repr_of
from tkm_env.learn.value_training import value_game
from tkm_env.players.model_file import Model

#: The number of games played at a time, the number of random turns at the beginning of each, and
#: the number of turns after which a game is cut off and counts as 0.
_ROUND: Final = 50
_OPENING_TURNS: Final = 2
_MOST_TURNS: Final = 60
#: The approximate number of positions in a step of learning.
_STEP: Final = 64

#: Calls the function of this name in the submission with each list of arguments, and returns the
#: results, which are lists of numbers; None if the submission failed and is forgiven.
Call = Callable[[str, Sequence[Sequence[Any]]], list[Any] | None]


class InvalidResultError(TKMError):
    """A submission's function returned a result that is unusable for learning.

    Args:
        function: the name of the function.
        given: what it returned; None if it gave no answer.
        allowed: what it must return, for the message.
    """

    def __init__(self, function: str, given: Any, allowed: str) -> None:
        given = "nothing yet" if given is None else repr_of(given)
        super().__init__(f"{function} returned {given}; it must return {allowed}")


class Plan(NamedTuple):
    """How a submission wants to learn: what its function ``plan()`` returns.

    Attributes:
        temperature: of the softmax over turns.
        trace: λ of the λ-returns.
        rate: the learning rate.
    """

    temperature: float
    trace: float
    rate: float

    @classmethod
    def of(cls, given: Any) -> "Plan":
        """Check a plan that was given; raise an `InvalidResultError` if it is invalid."""
        numbers = as_array(given, 3)
        if numbers is None or not (numbers > 0).all() or not (numbers <= 1).all():
            raise InvalidResultError(
                "plan", given, "temperature, trace and rate, each above 0 and at most 1"
            )
        return cls(*numbers.tolist())


class _Move(NamedTuple):
    """A turn that was played.

    Attributes:
        player: the index of the player.
        value: the value of the position after the turn to that player.
        features: the indices of the active features of that position.
    """

    player: int
    value: float
    features: list[int]


class LinearTraining:
    """Trains the weights of a linear value by calling a submission's functions.

    Args:
        spec: the game's row in the registry.
        config: the settings of the game.
        generator: the source of all games, and of the order of the features.
    """

    def __init__(self, spec: GameSpec, config: Any, generator: np.random.Generator) -> None:
        self._values = value_game(spec.name)
        self._config, self._generator = config, generator
        shared = self._values.factorized_inputs
        # An input counts as the feature shared among all pairs of focuses, if there is one.
        own = np.where(shared >= 0, shared, np.arange(len(shared)))
        used, rows = np.unique(own, return_inverse=True)
        self._feature = generator.permutation(len(used))[rows.reshape(-1)]
        self._weights = np.zeros(len(used))
        self._batch: Any = make_batch(spec, _ROUND, config)

    def run(self, games: int, call: Call) -> Model:
        """Play and learn, in rounds of fifty games.

        Where the submission failed and is forgiven, the turns are drawn with equal chances, or
        nothing is learned.

        Args:
            games: the number of games, rounded up to full rounds.
            call: calls functions of the submission.

        Returns:
            The trained model.

        Raises:
            InvalidResultError: if a function returns a result that is unusable for learning.
        """
        (given,) = call("plan", [()]) or [None]
        plan = Plan.of(given)
        for _ in range(-(-games // _ROUND)):
            moves, results = self._play(plan, call)
            self._learn(moves, results, plan, call)
        return self.model()

    def model(self) -> Model:
        """Return the weights as a network that sums them, for the player `net`."""
        column = self._weights[self._feature].astype(np.float32)
        pair, both = np.array([1, -1], np.float32), np.eye(2, dtype=np.float32)
        network = Network(
            column[:, None] * pair, 0 * pair, both, 0 * pair, pair, np.zeros(1, np.float32)
        )
        return self._values.model(
            network, [self._config], settings="", command="", seed=0, games=0, minutes=0, ratings=()
        )

    def _play(self, plan: Plan, call: Call) -> tuple[list[list[_Move]], NDArray[np.float64]]:
        """Play a round of games; return the turns of each, and its result for the first player."""
        batch = self._batch
        batch.reset(seed=int(self._generator.integers(2**31)))
        moves: list[list[_Move]] = [[] for _ in range(_ROUND)]
        for number in range(_MOST_TURNS):
            turns = batch.turns(np.flatnonzero(~batch.over))
            if not len(turns.indices):
                break
            features = self._features(turns.states)
            # After a turn the other side is to act, so the player of the turn has the opposite
            # value.
            values = -np.tanh(np.append(self._weights, 0)[features].sum(1))
            ends = turns.results > 0
            values[ends] = batch.ends.rewards[turns.results, turns.players[turns.owners]][ends]
            groups = np.split(values, turns.offsets[1:-1])
            chances = [np.full(len(group), 1 / len(group)) for group in groups]
            if number >= _OPENING_TURNS:
                asked = [[group.round(6).tolist(), plan.temperature] for group in groups]
                answers = call("turn_chances", asked) or chances
                chances = [
                    _as_chances(given, len(group))
                    for given, group in zip(answers, groups, strict=True)
                ]
            rows = turns.offsets[:-1] + [
                self._generator.choice(len(each), p=each) for each in chances
            ]
            for game, player, row in zip(
                turns.indices.tolist(), turns.players.tolist(), rows.tolist(), strict=True
            ):
                if not ends[row]:
                    active = features[row]
                    moves[game].append(
                        _Move(
                            player, float(values[row]), active[active < len(self._weights)].tolist()
                        )
                    )
            batch.play_turns(turns, rows)
        return moves, batch.rewards[:, 0]

    def _learn(
        self, moves: list[list[_Move]], results: NDArray[np.float64], plan: Plan, call: Call
    ) -> None:
        """Learn from a round, a few dozen positions at a time."""
        played = [number for number in range(_ROUND) if moves[number]]
        games = [
            (1 - 2 * np.array([move.player for move in moves[number]])) for number in played
        ]  # 1 for turns of the first player, -1 for those of the second
        asked = []
        for number, signs in zip(played, games, strict=True):
            values = signs * [move.value for move in moves[number]]
            asked.append([values.round(6).tolist(), float(results[number]), plan.trace])
        answers = call("lambda_returns", asked)
        if answers is None:
            return
        targets = [
            -signs * _as_numbers("lambda_returns", given, len(signs))
            for given, signs in zip(answers, games, strict=True)
        ]
        positions = [move.features for number in played for move in moves[number]]
        wanted = np.concatenate(targets).clip(-1, 1).round(6)
        order = self._generator.permutation(len(positions))
        for part in np.array_split(order, max(1, len(order) // _STEP)):
            step = [
                self._weights.round(6).tolist(),
                [positions[number] for number in part],
                wanted[part].tolist(),
                plan.rate,
            ]
            for given in call("update", [step]) or ():
                self._weights = _as_numbers("update", given, len(self._weights)).clip(-100, 100)

    def _features(self, states: NDArray[np.void]) -> NDArray[np.int64]:
        """Return the indices of the positions' active features; one past the last means none."""
        inputs, counts = self._values.active_inputs(states)
        features: NDArray[np.int64] = self._feature[inputs]
        features[np.arange(inputs.shape[1]) >= counts[:, None]] = len(self._weights)
        return features


def as_array(given: Any, length: int) -> NDArray[np.float64] | None:
    """Convert a list of finite numbers to an array.

    Args:
        given: what a function returned.
        length: the required length.

    Returns:
        The numbers, as float64 of shape (length,); None if ``given`` is anything else, such as
            strings that look like numbers.
    """
    if not isinstance(given, (list, tuple, np.ndarray)) or len(given) != length:
        return None
    numbers = [real_number(each) for each in given]
    return (
        None
        if any(each is None or not math.isfinite(each) for each in numbers)
        else np.array(numbers, np.float64)
    )


def _as_numbers(function: str, given: Any, length: int) -> NDArray[np.float64]:
    array = as_array(given, length)
    if array is None:
        raise InvalidResultError(function, given, f"{length} finite numbers")
    return array


def _as_chances(given: Any, length: int) -> NDArray[np.float64]:
    chances = as_array(given, length)
    if chances is None or (chances < 0).any() or abs(chances.sum() - 1) > 1e-6:
        raise InvalidResultError("turn_chances", given, f"{length} chances that add up to 1")
    chances /= chances.sum()
    return chances
