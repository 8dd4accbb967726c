"""What a game implements so that a network can learn the values of its positions.

Only positions between turns have values here.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.network import Network
from tkm_env.core.per_game import PerGame
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.model_file import Model


class SelfPlayConfig(NamedTuple):
    """How games of self-play are played, and what is learned from them."""

    temperature: float = 0.05  # of the softmax over values, from -1 to 1, that chooses a turn
    exploration: float = 0.03  # the share of turns chosen at random, from 0 to 1
    trace: float = 0.8  # lambda, from 0 (learn from the next value) to 1 (learn from the result)
    discount: float = 0.995  # gamma, per turn, from 0 to 1
    opening_turns: int = 6  # each game begins with 1 to this many random turns; 0 for none
    most_turns: int = 80  # longer games are cut off and count as 0

    def check(self) -> None:
        """Raise a `ConfigError` that names a number out of range."""
        checked_integer("opening_turns", self.opening_turns, 0, 10**4)
        checked_integer("most_turns", self.most_turns, 1, 10**4)
        for name in ("temperature", "discount"):
            checked_number(name, getattr(self, name), 0, 1)
        for name in ("exploration", "trace"):
            checked_number(name, getattr(self, name), 0, 1, from_low=True)


class Samples(NamedTuple):
    """Positions of g games, with the target values for the side to act."""

    inputs: NDArray[np.int16]  # (n, most inputs): the indices of the active inputs
    counts: NDArray[np.int16]  # (n,): the number of active inputs
    targets: NDArray[np.float32]  # (n,): from -1 to 1
    lengths: NDArray[np.int64]  # (g,): the number of actions in each game


class ValueGame(ABC):
    """A game whose positions between turns a network can evaluate.

    An entry point of the group ``tkm_env.value_games``, named after the game, names an instance of
    a subclass.
    """

    num_inputs: int  # the number of inputs
    most_inputs: int  # the most inputs that a position activates
    #: For each input, the row that it shares with others, from ``num_inputs`` on, or -1: int32 of
    #: shape (num_inputs,).
    factorized_inputs: NDArray[np.int32]
    #: Each input under each symmetry of the rules that keeps the side to act: int16 of shape
    #: (symmetries, num_inputs).
    images: NDArray[np.int16]

    #: The versions of its inputs that can be learned, the newest last; none if there is but one.
    input_versions: Sequence[str] = ()
    #: The version that is learned; empty if there is but one.
    inputs: str = ""

    def with_inputs(self, version: str) -> "ValueGame":
        """Return the same game with another version of its inputs.

        Args:
            version: one of ``input_versions``.

        Returns:
            The game.

        Raises:
            ConfigError: if there is no such version.
        """
        raise ConfigError("inputs", version, "this game has one version of its inputs")

    @abstractmethod
    def variants(self, complexity_factor: int = 1) -> Sequence[Any]:
        """Return configs for all variants of the game.

        Args:
            complexity_factor: how many times as often a variant is among them as one with one
                part of the game less, such as a chapter; from 1 to 10.

        Returns:
            The configs, all equally likely; some are there more than once.
        """

    @abstractmethod
    def starts(
        self, configs: Sequence[Any], generator: np.random.Generator, number: int
    ) -> NDArray[np.void]:
        """Return starting positions.

        Args:
            configs: the settings; each position has one of these, drawn at random.
            generator: draws them, and the chance of their set-up.
            number: the number of positions.

        Returns:
            States of shape (number,).
        """

    @abstractmethod
    def active_inputs(
        self, states: NDArray[np.void]
    ) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Return the inputs that each of n positions activates.

        Returns:
            The indices of the active inputs, int16 of shape (n, most_inputs); and their number,
            int16 of shape (n,).
        """

    @abstractmethod
    def play(
        self,
        network: Network,
        how: SelfPlayConfig,
        starts: NDArray[np.void],
        streams: NDArray[np.uint64],
    ) -> Samples:
        """Play a game from each start; threads may call it concurrently.

        Args:
            network: plays both sides.
            how: the hyperparameters.
            starts: states of shape (n,).
            streams: uint64 of shape (n,): the stream of random numbers of each game.

        Returns:
            The positions to learn from.
        """

    @abstractmethod
    def model(self, network: Network, configs: Sequence[Any], **card: Any) -> Model:
        """Return the network as a model for a file.

        Args:
            network: the value network.
            configs: the settings of the games that it has learned.
            **card: further fields of its `ModelCard`.

        Returns:
            The model.
        """

    @abstractmethod
    def player(self, model: Model) -> Any:
        """Return the agent that searches one turn ahead with a model."""


#: The `ValueGame` of each game; None for games that do not support value training.
VALUE_GAMES: Final[PerGame[ValueGame | None]] = PerGame("tkm_env.value_games", ValueGame, None)
