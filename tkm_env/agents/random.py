"""The random player."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.protocol import nothing_to_play
from tkm_env.checks import checked_seed
from tkm_env.errors import ConfigError

__all__ = ["RandomAgent"]


class _HasMask(Protocol):
    action_names: ClassVar[tuple[str, ...]]

    def action_mask(self) -> NDArray[np.int8]: ...


class RandomAgent:
    """Plays any legal action, all equally likely: the baseline that every other agent must beat.

    It plays any game with ``action_mask()``.

    Args:
        seed: of the player's own random numbers.
        never: the first words of the actions that it plays only if there is nothing else, joined by ``+``.

    >>> from tkm_env import Game
    >>> RandomAgent(seed=1).act(Game())
    0
    >>> game = Game(concede=True)
    >>> {RandomAgent(seed=seed, never="concede").act(game) for seed in range(20)}
    {0}
    """

    def __init__(self, *, seed: int | np.random.Generator | None = None, never: str = "") -> None:
        if not isinstance(never, str):
            raise ConfigError("never", never, "it must be the first words of actions, joined by '+'")
        self.name = f"random never={never}" if never else "random"
        self._never = frozenset(filter(None, never.split("+")))
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Draw from ``seed`` from now on."""
        self._generator = np.random.default_rng(checked_seed(seed))

    def act(self, game: _HasMask) -> int:
        """Any legal action.

        Raises:
            IllegalActionError: if the game is over.
        """
        legal = game.action_mask().nonzero()[0]
        if not len(legal):
            raise nothing_to_play()
        if self._never:
            wanted = [action for action in legal if game.action_names[action].partition(" ")[0] not in self._never]
            legal = np.array(wanted or legal)
        return int(legal[self._generator.integers(len(legal))])

    def answer_all(self, batch: Any, players: NDArray[np.int64]) -> None:
        """Play in each game of a `tkm_env.Batch` until it is over or ``players[i]`` is to act, drawing from the games' own streams.

        Raises:
            ConfigError: if there are actions that it never plays: a batch draws from all of them.
        """
        if self._never:
            raise ConfigError("never", "+".join(sorted(self._never)), "a batch of games draws from all actions")
        batch.play_at_random(players)
