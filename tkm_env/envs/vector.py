"""Gymnasium for thousands of games: a `VectorEnv` over a batch. Imports `protocol`, `opponents`, `rendering`, `single`, `errors`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, Final

import numpy as np
from gymnasium import spaces
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tkm_env.envs.opponents import OpponentLike, opponent_of
from tkm_env.envs.protocol import BatchProtocol
from tkm_env.envs.rendering import Rendering
from tkm_env.envs.single import RANDOM_SIDE, checked_side
from tkm_env.errors import ArrayError, ConfigError

__all__ = ["SELF_PLAY", "VectorFace"]

#: The opponent's name where the learner plays whoever is to act.
SELF_PLAY: Final = "self"


class VectorFace(VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]):
    """The part of a vector environment that is the same for every game.

    Against an opponent the learner plays one side, and everything is seen from that side: rewards are 1 for a won game, -1 for a lost
    one, else 0. In self-play it plays whoever is to act: a reward is that of the player who made the action, the observation is that of
    the player to act next, ``info["to_act"]`` (int8 of shape (n,), the player's number) says who that is, and ``info["rewards"]``
    (float64 of shape (n, players)) what each player earned, so that nobody has to guess signs.

    ``info["action_mask"]`` is int8 of shape (n, actions): 1 for each legal action of the player to act. An illegal action loses the game
    for who made it. In the step in which games end, ``info`` holds "result" (as text) and, for those lost so, "illegal_action" (its
    index), each with a bool mask of the same name after an underscore; with ``AutoresetMode.SAME_STEP`` they are in
    ``info["final_info"]``, beside ``info["final_obs"]``.

    Arrays that were handed out never change afterwards.
    """

    #: By which `tkm_env.agents.specs` knows the game.
    game_name: ClassVar[str]

    def __init__(
        self,
        batch: BatchProtocol,
        observation_space: spaces.Space[Any],
        opponent: OpponentLike,
        side: str,
        autoreset_mode: AutoresetMode | str,
        render_mode: str | None = None,
    ) -> None:
        try:
            self._autoreset = AutoresetMode(autoreset_mode)
        except ValueError:
            modes = ", ".join(mode.name for mode in AutoresetMode)
            raise ConfigError("autoreset_mode", autoreset_mode, f"it must be a gymnasium.vector.AutoresetMode: {modes}") from None
        self._rendering = Rendering(render_mode, self.metadata)
        self.render_mode = render_mode
        self.metadata = self.metadata | {"autoreset_mode": self._autoreset}
        self.num_envs = batch.num_games
        self.single_observation_space = observation_space
        self.single_action_space = spaces.Discrete(batch.num_actions)
        self.observation_space = batch_space(observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._batch = batch
        self._opponent = None if opponent == SELF_PLAY else opponent_of(opponent, self.game_name)
        self._wanted_side = checked_side(side, batch.players)
        self._players = np.zeros(self.num_envs, np.int64)
        #: Whether nothing can be played: before the first reset, and after an opponent failed to answer.
        self._reset_needed = True
        #: The games that ended and did not begin anew.
        self._done = np.zeros(self.num_envs, np.bool_)
        self._observations, self._masks = _Reused(batch.new_observations), _Reused(partial(np.empty_like, batch.masks))

    @property
    def batch(self) -> BatchProtocol:
        """The games being played: to look at, and to copy from. Play through `step`, not on it."""
        return self._batch

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new games, in which the opponent has moved where it goes first.

        Args:
            seed: one number, to which game i adds i, or one for each game; None goes on with the randomness there is. An opponent with
                randomness of its own draws from the first game's, where all games begin.
            options: "reset_mask", bool of shape (n,): which games to begin anew, by default all.

        Raises:
            ArrayError: if the mask or the seeds do not fit; nothing changes then.
        """
        which = self._reset_mask(options or {})
        if self._reset_needed and not which.all():
            raise ResetNeeded("the first reset(), and one after an opponent failed, must begin all games")
        self._batch.reset(seed, which)
        self._reset_needed = True
        if seed is not None and self._opponent is not None and which.all():
            self._opponent.reset(np.random.default_rng(np.atleast_1d(seed)[0]))
        self._answer(which)
        self._reset_needed = False
        self._done[which] = False
        return self._seen({})

    def step(self, actions: Any) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play an action in each game, and the opponent's answers.

        Args:
            actions: whole numbers of shape (n,). With ``AutoresetMode.NEXT_STEP`` those of games that ended in the step before are
                ignored; they begin anew.

        Raises:
            ArrayError: if the shape is another one, or it holds other things than indices of actions; nothing changes then.
            ResetNeeded: before the first reset, after an opponent failed to answer, and with ``AutoresetMode.DISABLED`` while a game
                that ended was not begun anew.
        """
        batch = self._batch
        played = batch.checked_actions(actions, self._done if self._done.any() else None)
        if self._reset_needed:
            raise ResetNeeded("call reset() before step()")
        begun = self._done
        if self._autoreset == AutoresetMode.DISABLED and begun.any():
            raise ResetNeeded(f"game {int(begun.argmax())} is over: begin it anew with reset() before the next step()")
        self._reset_needed = True
        actors = batch.to_act.copy() if self._opponent is None else self._players
        batch.play(played)
        illegal = batch.illegal.copy()
        self._answer(begun)
        # A game that the opponent ended as it began is told of in the next step, as in Gymnasium's own vector environments.
        ended = batch.over & ~begun
        chosen = ended.nonzero()[0]
        truncations, rewards = np.zeros_like(ended), np.zeros(self.num_envs)
        truncations[chosen] = batch.cut_off_of(chosen)
        earned = np.zeros((self.num_envs, len(batch.players)))
        earned[chosen] = batch.rewards_of(chosen)
        rewards[chosen] = earned[chosen, actors[chosen]]
        told: dict[str, Any] = {} if self._opponent is not None else {"rewards": earned}
        if len(chosen):
            told |= self._end(ended, illegal, played)
        if self._autoreset != AutoresetMode.SAME_STEP:
            self._done = ended
        self._reset_needed = False
        observations, info = self._seen(told)
        return observations, rewards, ended & ~truncations, truncations, info

    def _end(self, ended: NDArray[np.bool_], illegal: NDArray[np.bool_], actions: NDArray[np.int64]) -> dict[str, Any]:
        """What is told of games that ended; with ``AutoresetMode.SAME_STEP`` they begin anew."""
        chosen = ended.nonzero()[0]
        results = np.full(self.num_envs, None, object)
        results[chosen] = self._batch.results_of(chosen)
        ending = {
            "result": results,
            "_result": ended.copy(),
            "illegal_action": np.where(illegal, actions, 0),
            "_illegal_action": illegal,
        }
        if self._autoreset != AutoresetMode.SAME_STEP:
            return ending
        final = np.full(self.num_envs, None, object)
        for number, observation in zip(chosen.tolist(), self._batch.observations_of(chosen, self._viewers()[chosen]), strict=True):
            final[number] = observation.copy()
        self._batch.begin(ended)
        self._answer(ended)
        return {"final_obs": final, "_final_obs": ended.copy(), "final_info": ending, "_final_info": ended.copy()}

    def _answer(self, begun: NDArray[np.bool_]) -> None:
        """Draw sides for games that have begun; then the opponent moves wherever it is to act."""
        if self._opponent is None:
            return
        players = self._batch.players
        if self._wanted_side != RANDOM_SIDE:
            self._players[begun] = players.index(self._wanted_side)
        elif begun.any():
            self._players[begun] = self._batch.draw(begun, len(players))
        self._opponent.answer_all(self._batch, self._players)

    def _viewers(self) -> NDArray[np.int64]:
        return self._batch.to_act if self._opponent is None else self._players

    def _seen(self, told: dict[str, Any]) -> tuple[NDArray[Any], dict[str, Any]]:
        observations = self._observations.take()
        self._batch.observe(observations, self._viewers())
        masks = self._masks.take()
        np.copyto(masks, self._batch.masks)
        info = {"action_mask": masks}
        if self._opponent is None:
            info["to_act"] = self._batch.to_act.astype(np.int8)
        else:
            info["side"] = self._players.astype(np.int8)
        return observations, info | told

    def _reset_mask(self, options: dict[str, Any]) -> NDArray[np.bool_]:
        if "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        given = options["reset_mask"]
        wanted = f"bool of shape ({self.num_envs},), with at least one True, is"
        if not isinstance(given, np.ndarray) or given.shape != (self.num_envs,) or given.dtype != np.bool_ or not given.any():
            told = f"shape {np.shape(given)}, dtype {getattr(given, 'dtype', type(given).__name__)}"
            raise ArrayError("reset_mask", told, wanted)
        return given

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal: bool of shape (n, actions)."""
        return self._batch.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """All positions: as text in the mode ``"ansi"``, as uint8 of shape (480, 960, 3) each in the mode ``"rgb_array"``."""
        if self.render_mode is None:
            return None
        return tuple(self._rendering.of(self._batch.game(number)) for number in range(self.num_envs))


class _Reused:
    """Rooms that are handed out again once nobody holds them: big arrays are slow to get from the system."""

    _MOST: Final = 4

    def __init__(self, new: Callable[[], NDArray[Any]]) -> None:
        self._new = new
        self._rooms: list[NDArray[Any]] = []

    def take(self) -> NDArray[Any]:
        """A room that no one else holds."""
        for number in range(len(self._rooms)):
            # The list and the argument hold it.
            if sys.getrefcount(self._rooms[number]) == _HELD_BY_NOBODY:
                return self._rooms[number]
        room = self._new()
        self._rooms = [*self._rooms[-self._MOST + 1 :], room]
        return room


def _held_by_nobody() -> int:
    """What `sys.getrefcount` tells of an array that only a list holds."""
    rooms = [np.zeros(1)]
    return sys.getrefcount(rooms[0])


_HELD_BY_NOBODY: Final = _held_by_nobody()
