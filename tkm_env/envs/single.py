"""Gymnasium for one game: the learner plays one side, an opponent the other. Imports `protocol`, `opponents`, `rendering`, `errors`."""

from __future__ import annotations

import copy
from abc import abstractmethod
from typing import Any, ClassVar, Final

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from tkm_env.envs.opponents import OpponentLike, opponent_of
from tkm_env.envs.protocol import GameProtocol
from tkm_env.envs.rendering import Picture, Rendering
from tkm_env.errors import ConfigError, IllegalActionError, TKMError, UnknownActionError

__all__ = ["RANDOM_SIDE", "SingleFace", "checked_side"]

RANDOM_SIDE: Final = "random"
_SEEDS: Final = 2**63


def checked_side(side: object, players: tuple[str, ...]) -> str:
    """The side that the learner plays: a player's name or "random".

    Raises:
        ConfigError: if it is neither.
    """
    if not isinstance(side, str) or side not in (*players, RANDOM_SIDE):
        raise ConfigError("side", side, f"it must be {', '.join(map(repr, players))} or {RANDOM_SIDE!r}")
    return side


class SingleFace(gymnasium.Env[NDArray[Any], int]):
    """The part of a Gymnasium environment that is the same for every game.

    The opponent moves inside `reset` and `step`, so that the learner is to act in everything it sees, but at the end. The reward is 1
    for a won game, -1 for a lost one, else 0; it comes with the learner's own last transition. A game that is cut off is a truncation.
    A game that the opponent ends inside `reset` is an episode of one step, with nothing legal: `step` tells how it ended.

    ``info`` holds "action_mask" (int8, 1 for each legal action), "side" (the learner's) and what the game tells of itself: from a
    reset on until the next step, and at the end, then with "result". An illegal action loses the game; ``info`` then holds
    "illegal_action" (its index) and "reason" (a sentence).
    """

    #: The players, in the order of their numbers.
    players: ClassVar[tuple[str, ...]]
    action_names: ClassVar[tuple[str, ...]]
    #: By which `tkm_env.agents.specs` knows the game.
    game_name: ClassVar[str]

    def __init__(
        self, observation_space: spaces.Space[Any], opponent: OpponentLike, side: str, render_mode: str | None = None
    ) -> None:
        self._rendering = Rendering(render_mode, self.metadata)
        self.render_mode = render_mode
        self.observation_space = observation_space
        self.action_space = spaces.Discrete(len(self.action_names))  # type: ignore[assignment]
        self._opponent = opponent_of(opponent, self.game_name)
        self._wanted_side = checked_side(side, self.players)
        self._game: GameProtocol | None = None
        self._done = True

    @abstractmethod
    def _new_game(self, generator: np.random.Generator, options: dict[str, Any]) -> GameProtocol:
        """The game that a reset begins."""

    @property
    def game(self) -> GameProtocol:
        """The game being played: a forward model to copy and search in. Play through `step`, not on it."""
        if self._game is None:
            raise ResetNeeded("call reset() before game")
        return self._game

    @property
    def side(self) -> str:
        """Whom the learner plays in this game."""
        return self._side

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a new game, in which the opponent has moved if it goes first.

        Args:
            seed: for what the game leaves to chance, the opponent's randomness and a random side; None goes on with the randomness
                of the last reset.
            options: "side", to play that one in this game; further ones see the environment that derives from this.

        Raises:
            TKMError: if an option cannot be; the episode and its randomness stay as they were.
        """
        wanted = checked_side((options or {}).get("side", self._wanted_side), self.players)
        randomness = self._np_random, self._np_random_seed
        super().reset(seed=seed)
        try:
            game = self._new_game(self.np_random, options or {})
        except TKMError:
            self._np_random, self._np_random_seed = randomness
            raise
        self._side = self.players[self.np_random.integers(len(self.players))] if wanted == RANDOM_SIDE else wanted
        self._opponent.reset(np.random.default_rng(self.np_random.integers(_SEEDS)))
        self._game = game
        self._answer()
        return self._seen(game.about())

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action, and the opponent's answer to it.

        Where the opponent ended the game before the learner's first action, the action is not played, and the end is told.

        Raises:
            ResetNeeded: before the first reset, when the game is over, and when the opponent failed to answer.
            UnknownActionError: if there is no such action; nothing changes then.
        """
        if self._done:
            raise ResetNeeded(
                "call reset() before step()" if self._game is None else "the episode is over: call reset() before step()"
            )
        game = self.game
        if game.result is None:
            try:
                game.play(action)
            except UnknownActionError:
                raise
            except IllegalActionError as error:
                self._done = True
                observation, info = self._seen({"illegal_action": int(action), "reason": str(error)})
                info["action_mask"][:] = 0
                return observation, -1.0, True, False, info
            self._answer()
        self._done = game.result is not None
        told = game.about() | {"result": game.result} if self._done else {}
        observation, info = self._seen(told)
        reward = 0.0 if game.winner is None else 1.0 if game.winner == self._side else -1.0
        return observation, reward, self._done and not game.is_cut_off, game.is_cut_off, info

    def _answer(self) -> None:
        """Let the opponent play; if it fails to, the episode cannot go on."""
        self._done = True
        self._opponent.answer(self.game, self._side)
        self._done = False

    def _seen(self, told: dict[str, Any]) -> tuple[NDArray[Any], dict[str, Any]]:
        observation: NDArray[Any] = self.game.observation(self._side)
        if self.render_mode == "human":
            self.render()
        return observation, {"action_mask": self.game.action_mask(), "side": self._side} | told

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, where sb3-contrib looks for it: bool of shape (actions,)."""
        return self.game.action_mask().astype(np.bool_)

    def render(self) -> Picture | None:
        """The position: as text in the mode ``"ansi"``, as uint8 of shape (480, 960, 3) in ``"rgb_array"``, in a window in ``"human"``."""
        return self._rendering.of(self.game)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._rendering.close()

    def clone(self) -> SingleFace:
        """An independent environment in the same position, with the same randomness ahead."""
        return copy.deepcopy(self)
