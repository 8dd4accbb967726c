"""Players whose networks give each way to play a turn a score; they need numpy alone.

``turn_ppo.py`` and ``sb3_turn_selfplay.py`` train them.

    tkm match examples/turn_players.py:TurnPolicy:file=turns.npz greedy
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env import Batch, BatchTurns, Game, GameConfig, ObservationEncoder

#: The score of an end in which the game is won; where it is lost, the score is the opposite.
WON = 30.0
#: What a `TurnPolicy` is not shown: what is the same in all positions between two turns, and the
#: number of the turn.
LEFT_OUT = {
    "active",
    "white",
    "to act",
    "choose",
    "act",
    "shift",
    "actions left",
    "turn, hundreds",
    "turn, units",
}


class TurnPlayer(ABC):
    """Plays the turn whose end has the highest score."""

    def reset(self, seed: int | np.random.Generator | None = None) -> None:  # noqa: B027
        """Do nothing: by default a player is deterministic."""

    @abstractmethod
    def scores(self, batch: Batch, turns: BatchTurns) -> NDArray[np.float32]:
        """A score of each turn in some games of a batch, of shape (m,)."""

    def act(self, game: Game) -> int:
        """The first action of the best turn, or of the best way to finish the turn."""
        return int(self.act_all(_batch_of(game), np.zeros(1, np.int64))[0])

    def act_all(self, batch: Batch, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for some games of a batch."""
        turns = batch.turns(indices)
        return turns.actions[turns.best(self.scores(batch, turns)), 0].astype(np.int64)

    def answer_all(self, batch: Batch, players: NDArray[np.int64]) -> None:
        """Play all games of a batch until ``players[i]`` is to act, or the game is over."""
        while len(indices := (~batch.over & (batch.to_act != players)).nonzero()[0]):
            turns = batch.turns(indices)
            batch.play_turns(turns, turns.best(self.scores(batch, turns)))


def _batch_of(game: Game) -> Batch:
    """A batch of one game."""
    batch = Batch(1, game.config)
    batch.set_game(0, game)
    return batch


class Weights(NamedTuple):
    """A network with two hidden layers that gives the end of a turn a score and a value.

    Its fields are arrays that play, or tensors that learn.
    """

    first: Any
    first_bias: Any
    second: Any
    second_bias: Any
    last: Any  # two outputs: score and value
    last_bias: Any

    def of_arrays(
        self, seen: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions after a turn, for the player who took it.

        Returns:
            The scores and the values, from -1 to 1, of shape (m,) each.
        """
        hidden = np.maximum(seen @ self.first + self.first_bias, 0)
        hidden = np.maximum(hidden @ self.second + self.second_bias, 0)
        score, value = (hidden @ self.last + self.last_bias).T
        return score, np.tanh(value)


class Ends(NamedTuple):
    """The ends of the turns of many games, one after another."""

    seen: NDArray[np.float32]  # (m, inputs): as seen by the player whose turn ended there
    known: NDArray[np.float32]  # (m,): the score of an end in which the game is over; NaN elsewhere


class Eyes:
    """How positions between two turns are shown.

    They are shown by the part of the canonical compact observation that varies there.
    """

    def __init__(self, config: GameConfig) -> None:
        self.encoder = ObservationEncoder(Game, config, "compact", canonical=True)
        rows = [row for row in self.encoder.rows if row.name not in LEFT_OUT]
        self.columns = np.concatenate(
            [np.arange(row.start, row.start + row.length) for row in rows]
        )

    def before(self, batch: Batch) -> NDArray[np.float32]:
        """What the player whose turn has just ended sees, in each game."""
        return batch.observations_of(np.arange(batch.num_games), 1 - batch.to_act, self.encoder)[
            :, self.columns
        ]

    def after(self, batch: Batch, turns: BatchTurns) -> Ends:
        """The ends of these turns.

        An observation does not tell who has won, so the scores of those ends are given.
        """
        rewards = batch.ends.rewards[turns.results, turns.players[turns.owners]]
        known = np.where(turns.results == 0, np.nan, WON * rewards).astype(np.float32)
        return Ends(batch.observe_turns(turns, encoder=self.encoder)[:, self.columns], known)

    def images(self) -> list[NDArray[np.int64]]:
        """The inputs of a position's image, for each symmetry that keeps the players."""
        places = np.zeros(len(self.encoder.high), np.int64)
        places[self.columns] = np.arange(len(self.columns))
        return [
            np.argsort(places[symmetry.elements[self.columns]])
            for symmetry in self.encoder.symmetries
        ]


eyes_for = cache(Eyes)

#: A network at work: from observations (m, inputs) to scores and values, float32 of shape (m,).
Network = Callable[[NDArray[np.float32]], tuple[NDArray[np.float32], NDArray[np.float32]]]


def scores_of(network: Network, ends: Ends, trust: float) -> NDArray[np.float32]:
    """The score of each end, to play by.

    It is the value of the end times ``trust``, plus the network's score. So what a network learns
    as a score corrects a softmax of values at temperature 1 / trust.
    """
    score, value = network(ends.seen)
    return np.where(np.isnan(ends.known), score + np.float32(trust) * value, ends.known)


class TurnPolicy(TurnPlayer):
    """Plays what ``turn_ppo.py`` saved.

    Args:
        file: the file, for games with the chapters that it learned.

    Attributes:
        expectation: the result that it expected when it last acted, from -1 to 1.
    """

    expectation: float | None = None

    def __init__(self, file: str) -> None:
        with np.load(file) as arrays:
            self.weights = Weights(*(arrays[name] for name in Weights._fields))
            self.trust = float(arrays["trust"])
        self.name = f"turn-ppo {Path(file).stem}"

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget what it expected."""
        self.expectation = None

    def act(self, game: Game) -> int:
        """The first action of the best turn, or of the best way to finish the turn."""
        batch = _batch_of(game)
        turns = batch.turns(np.zeros(1, np.int64))
        ends = eyes_for(game.config).after(batch, turns)
        best = turns.best(scores_of(self.weights.of_arrays, ends, self.trust))
        _, values = self.weights.of_arrays(ends.seen[best])
        known = ends.known[best]
        self.expectation = float(np.where(np.isnan(known), values, known / WON)[0])
        return int(turns.actions[best, 0][0])

    def scores(self, batch: Batch, turns: BatchTurns) -> NDArray[np.float32]:
        ends = eyes_for(batch.config).after(batch, turns)
        return scores_of(self.weights.of_arrays, ends, self.trust)


#: Pairs of weights and biases.
Layers = Sequence[tuple[NDArray[np.float32], NDArray[np.float32]]]


@cache
def _encoder_for(config: GameConfig) -> ObservationEncoder:
    return ObservationEncoder(Game, config, "compact", canonical=True)


class TurnScores(TurnPlayer):
    """Plays by a network with one output, the score of what a player sees after a turn.

    Args:
        file: a file that `write_layers` wrote.
    """

    def __init__(self, file: str) -> None:
        with np.load(file) as arrays:
            pairs = range(len(arrays) // 2)
            self.layers: Layers = [(arrays[f"weights{i}"], arrays[f"biases{i}"]) for i in pairs]
        self.name = f"turn scores {Path(file).stem}"

    def scores(self, batch: Batch, turns: BatchTurns) -> NDArray[np.float32]:
        hidden = batch.observe_turns(turns, encoder=_encoder_for(batch.config))
        for number, (weights, biases) in enumerate(self.layers):
            hidden = (np.maximum(hidden, 0) if number else hidden) @ weights + biases
        return hidden[:, 0]


class SampledTurns(TurnScores):
    """Draws each turn by the softmax of such scores.

    Args:
        layers: the network, as for `write_layers`.
        generator: draws the turns.
    """

    def __init__(self, layers: Layers, generator: np.random.Generator) -> None:
        self.layers, self.generator = layers, generator
        self.name = "sampled turns"

    def scores(self, batch: Batch, turns: BatchTurns) -> NDArray[np.float32]:
        scores = super().scores(batch, turns)
        return scores + self.generator.gumbel(size=len(scores)).astype(np.float32)


def write_layers(file: Path, layers: Layers) -> None:
    """Write a network to a file.

    Args:
        file: the file.
        layers: pairs of weights, of shape (inputs, outputs), and biases, with ReLU in between.
    """
    arrays: dict[str, Any] = {}
    for number, (weights, biases) in enumerate(layers):
        arrays |= {f"weights{number}": weights, f"biases{number}": biases}
    np.savez(file, **arrays)
