"""Gymnasium with whole turns as actions: the learner sees where each leads and picks one."""

from __future__ import annotations

from typing import Any, Final, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import VectorWrapper
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tkm_env.compiled.kernels import BEGIN, NO_ACTION
from tkm_env.core.compiled_batch import CompiledBatch
from tkm_env.core.game import BaseGame
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.registry import game_spec
from tkm_env.core.turns import Turn
from tkm_env.envs.interface import action_number, observation_space
from tkm_env.envs.single import GameEnv
from tkm_env.envs.vector import GamesMixin, GameVectorEnv
from tkm_env.foundations.checks import checked_flag, checked_instance, checked_integer
from tkm_env.foundations.errors import ConfigError, IllegalActionError, UnknownActionError

#: The size of the action space without ``max_choices``: more turns than any position has.
_NO_BOUND: Final = 2**31 - 1


class _TurnChoice:
    """Which turns a learner is shown, and how.

    Arguments and errors are those of `TurnEnv`.
    """

    def __init__(self, env: GameEnv | GameVectorEnv, max_choices: int | None, thin: bool) -> None:
        game_class = game_spec(env.game_name).game_class
        if game_class.hides():
            raise ConfigError(
                "env", env.game_name, "it must not hide anything: where a turn leads would tell it"
            )
        self.max_choices = (
            None
            if max_choices is None
            else checked_integer("max_choices", max_choices, 1, _NO_BOUND)
        )
        self._thin = checked_flag("thin", thin)
        self.encoder = ObservationEncoder(game_class, env.config, **env.shown_as)
        self.actions = spaces.Discrete(self.max_choices or _NO_BOUND)
        position = observation_space(self.encoder)
        self.observations: spaces.Space[Any] = position
        if self.max_choices is not None:
            high = np.broadcast_to(position.high, (self.max_choices, *position.shape))
            ends = spaces.Box(position.low.flat[0], high, dtype=position.dtype.type)
            self.observations = spaces.Dict({"position": position, "ends": ends})

    def check(self, counts: NDArray[np.int64]) -> None:
        """Check that all turns of each game can be shown.

        Raises:
            ConfigError: if a game has more than ``max_choices`` and they are not thinned out.
        """
        if (
            self.max_choices is not None
            and not self._thin
            and len(counts)
            and counts.max() > self.max_choices
        ):
            allowed = (
                f"game {counts.argmax()} has {counts.max()} turns here; "
                "thin=True would show some of them"
            )
            raise ConfigError("max_choices", self.max_choices, allowed)

    def shown(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of turns shown in games with this number of turns."""
        return counts if self.max_choices is None else np.minimum(counts, self.max_choices)

    def listed(self, numbers: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Convert indices among the turns shown to indices among all turns.

        Args:
            numbers: the indices among the turns shown.
            counts: the number of all turns in each game.

        Returns:
            The indices among all turns.
        """
        if self.max_choices is None:
            return numbers
        return np.where(counts > self.max_choices, numbers * counts // self.max_choices, numbers)

    def padded(
        self, ends: NDArray[Any], counts: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[np.int8]]:
        """Pad the ends of the turns to ``max_choices`` in each game.

        Args:
            ends: the ends of all turns, those of one game after those of another.
            counts: the number of turns in each game.

        Returns:
            The ends, of shape ``(n, max_choices, *observation)``, and a mask with 1 for each turn:
            int8 of shape (n, max_choices).
        """
        assert self.max_choices is not None
        numbers = np.arange(self.max_choices)
        is_one = numbers < counts[:, None]
        rows = (np.cumsum(counts) - counts)[:, None] + self.listed(numbers, counts[:, None])
        shown = np.zeros((*is_one.shape, *ends.shape[1:]), ends.dtype)
        shown[is_one] = ends[rows[is_one]]
        return shown, is_one.astype(np.int8)


class TurnEnv(gymnasium.Wrapper[Any, int, NDArray[Any], int]):
    """One game against an opponent in which an action is a whole turn.

    An action is the index of a turn in ``info["turns"]``, which lists every turn that is possible
    now as `tkm_env.core.game.BaseGame.turns` does; ``info["num_turns"]`` is their number, 0 after
    the last step. An index beyond them loses the game, like an illegal action. All else is as in
    the wrapped environment: the opponent's replies, rewards, ends and the rest of ``info``.

    Without ``max_choices``, observations are those of the wrapped environment, and ``info["ends"]``
    holds what the learner sees after each turn: an array of shape ``(turns, *observation)``.

    With ``max_choices``, an observation is a dict of "position", what the learner sees now, and
    "ends", what it sees after each turn: an array of shape ``(max_choices, *observation)``, with
    zeros after the last turn. ``info["action_mask"]``, int8 of shape (max_choices,), is 1 for each
    turn.

    Args:
        env: a `tkm_env.envs.single.GameEnv`, as ``gymnasium.make`` returns it. Wrappers inside this
            one are taken off, since they would see no steps; put them outside.
        max_choices: the number of turns that an observation has room for; None for as many as there
            are.
        thin: what happens in a position with more turns. False raises a `ConfigError` in `reset` or
            `step`; True shows ``max_choices`` of them, evenly spread: action i stands for turn ``i
            * num_turns // max_choices``.

    Raises:
        ConfigError: naming the keyword that is invalid, or if the game hides anything.

    >>> env = TurnEnv(gymnasium.make("tkm_env/TKM-v0", observation="compact"), max_choices=256)
    >>> observation, info = env.reset(seed=1)
    >>> observation["ends"].shape, info["num_turns"], info["turns"][3].actions
    ((256, 160), 12, (15, 16, 18, 59))
    >>> observation, reward, terminated, truncated, info = env.step(3)
    """

    def __init__(
        self, env: gymnasium.Env[Any, Any], max_choices: int | None = None, thin: bool = False
    ) -> None:
        self._base = checked_instance("env", getattr(env, "unwrapped", env), GameEnv)
        self._choice = _TurnChoice(self._base, max_choices, thin)
        super().__init__(self._base)
        self.action_space = self._choice.actions  # type: ignore[assignment]
        self.observation_space = self._choice.observations
        self._turns: tuple[Turn[BaseGame], ...] = ()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a new game.

        Args:
            seed: as for `tkm_env.envs.single.GameEnv.reset`.
            options: as for `tkm_env.envs.single.GameEnv.reset`.

        Returns:
            The observation and the ``info``.

        Raises:
            TKMError: if the seed or an option is invalid; nothing changes.
            ConfigError: if there are more than ``max_choices`` turns, unless ``thin`` is set.
        """
        observation, info = self._base.reset(seed=seed, options=options)
        return self._show(observation, info, self._base.game.turns())

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a turn, and the opponent's reply to it.

        Args:
            action: the index of the turn.

        Raises:
            gymnasium.error.ResetNeeded: as for `tkm_env.envs.single.GameEnv.step`.
            UnknownActionError: if it is not in the action space; the game is unchanged.
            ConfigError: if the next position has more than ``max_choices`` turns, unless ``thin``
                is set.
        """
        end = int(self._choice.actions.n)
        if not 0 <= action_number(action, end) < end:
            raise UnknownActionError(f"there is no turn {action}; indices go from 0 to {end - 1}")
        seen, reward, terminated, truncated, details = self._base.advance(action, self._play)
        turns = () if terminated or truncated else self._base.game.turns()
        observation, info = self._show(seen, details, turns)
        return observation, reward, terminated, truncated, info

    def _play(self, game: BaseGame, number: int) -> None:
        counts = np.array(len(self._turns))
        if number >= (shown := self._choice.shown(counts)):
            raise IllegalActionError(
                f"turn {number} is not legal: {game.situation}, with turns 0 to {shown - 1}"
            )
        for action in self._turns[int(self._choice.listed(np.array(number), counts))].actions:
            game.play(action)

    def _show(
        self, observation: NDArray[Any], info: dict[str, Any], turns: tuple[Turn[BaseGame], ...]
    ) -> tuple[Any, dict[str, Any]]:
        """Return an observation and an info, with these turns added."""
        choice, counts = self._choice, np.array([len(turns)])
        self._turns = turns
        choice.check(counts)
        ends = np.zeros((len(turns), *choice.encoder.high.shape), choice.encoder.high.dtype)
        for row, turn in enumerate(turns):
            ends[row] = choice.encoder.observation(turn.after, self._base.side)
        del info["action_mask"]
        info |= {"turns": turns, "num_turns": len(turns)}
        if choice.max_choices is None:
            return observation, info | {"ends": ends}
        padded, masks = choice.padded(ends, counts)
        return {"position": observation, "ends": padded[0]}, info | {"action_mask": masks[0]}

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which indices are turns: bool of shape (max_choices,).

        sb3-contrib looks for a method of this name.
        """
        return np.arange(self._choice.actions.n) < len(self._turns)


class TurnGameEnv(TurnEnv):
    """A `TurnEnv` with an id of its own, such as ``"tkm_env/TKM-Turns-v0"``."""

    @property
    def spec(self) -> EnvSpec | None:  # type: ignore[override]
        """What Gymnasium makes it from: an id that stands for the whole turns, too."""
        return self.unwrapped.spec


class TurnVectorEnv(GamesMixin, VectorWrapper):
    """Many games in which an action is a whole turn.

    An action is the index of a turn among all that are possible in that game. All else is as in the
    wrapped environment, against an opponent and in self-play; turns are shown as in `TurnEnv`.
    ``info["turns"]`` is what `tkm_env.core.batch.BaseBatch.turns` returns for all n games, and
    ``info["num_turns"]`` the number of turns in each, int64 of shape (n,): 0 in games that are
    over.

    Without ``max_choices``, ``info["ends"]`` holds what the players to act see after each turn: a
    row for each turn, where the rows of game i start at ``turns.offsets[i]``.

    With ``max_choices``, observations are dicts of "position", of shape ``(n, *observation)``, and
    "ends", of shape ``(n, max_choices, *observation)``; ``info["action_mask"]`` is int8 of shape
    (n, max_choices).

    Args:
        env: a `tkm_env.envs.vector.GameVectorEnv`, as ``gymnasium.make_vec`` returns it, without
            wrappers; put them outside.
        max_choices: the number of turns that an observation has room for; None for as many as there
            are.
        thin: whether games with more turns show some of them, as for `TurnEnv`, instead of raising
            a `ConfigError`.

    Raises:
        ConfigError: naming the keyword that is invalid, if the game hides anything, or if its batch
            lists no turns.

    >>> envs = gymnasium.make_vec("tkm_env/TKM-v0", 500, opponent="self", observation="compact")
    >>> turns = TurnVectorEnv(envs)
    >>> observations, info = turns.reset(seed=1)
    >>> info["ends"].shape, info["turns"].offsets[:3]
    ((6000, 160), array([ 0, 12, 24]))
    >>> actions = info["num_turns"] - 1
    >>> observations, rewards, terminations, truncations, info = turns.step(actions)
    """

    def __init__(self, env: Any, max_choices: int | None = None, thin: bool = False) -> None:
        self._base = checked_instance("env", env, GameVectorEnv)
        self._choice = choice = _TurnChoice(self._base, max_choices, thin)
        self._turns = self._base.batch.turns(np.zeros(0, np.int64))
        self._batch = cast("CompiledBatch[Any]", self._base.batch)  # since it lists turns
        super().__init__(self._base)
        self.single_action_space, self.single_observation_space = (
            choice.actions,
            choice.observations,
        )
        self.action_space = batch_space(choice.actions, self.num_envs)
        self.observation_space = batch_space(choice.observations, self.num_envs)

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new games.

        Args:
            seed: as for `tkm_env.envs.vector.GameVectorEnv.reset`.
            options: as for `tkm_env.envs.vector.GameVectorEnv.reset`.

        Returns:
            The observations and the ``info``.

        Raises:
            TKMError: as for `tkm_env.envs.vector.GameVectorEnv.reset`.
            ConfigError: if a game has more than ``max_choices`` turns, unless ``thin`` is set.
        """
        return self._show(*self._base.reset(seed=seed, options=options))

    def step(
        self, actions: Any
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Play a turn in each game, and the opponent's replies.

        Args:
            actions: the indices of the turns, integers of shape (n,). Games that are over are
                treated as by `tkm_env.envs.vector.GameVectorEnv.step`.

        Returns:
            Observations, rewards, terminations, truncations and the ``info``.

        Raises:
            ArrayError: if the shape is wrong, or an index is not in the action space; nothing
                changes.
            gymnasium.error.ResetNeeded: as for `tkm_env.envs.vector.GameVectorEnv.step`.
            ConfigError: if a game has more than ``max_choices`` turns, unless ``thin`` is set.
        """
        step = self._base.begin_step(actions, int(self._choice.actions.n))
        self._play(step.actions)
        seen, rewards, terminations, truncations, details = self._base.end_step(step)
        observations, info = self._show(seen, details)
        return observations, rewards, terminations, truncations, info

    @property
    def _games(self) -> GameVectorEnv:
        return self._base

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which indices are turns: bool of shape (n, max_choices)."""
        shown = self._choice.shown(self._turns.counts)
        mask: NDArray[np.bool_] = np.arange(self._choice.actions.n) < shown[:, None]
        return mask

    def _play(self, numbers: NDArray[np.int64]) -> None:
        choice, turns, batch = self._choice, self._turns, self._batch
        counts, begun, live = turns.counts, numbers == BEGIN, ~batch.over
        legal = live & ~begun & (numbers < choice.shown(counts))
        rows = (turns.offsets[:-1] + choice.listed(numbers, counts))[legal]
        for actions in turns.actions[rows].T:
            followed = np.full(batch.num_games, NO_ACTION)
            followed[legal] = actions
            self._base.follow(followed)
        batch.play_turns(turns, rows)
        lost = np.where(live & ~legal, batch.masks.argmin(1), NO_ACTION)  # the first illegal action
        batch.play_checked(np.where(begun, BEGIN, lost))

    def _show(self, observations: NDArray[Any], info: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return observations and an info, with the turns that are possible now."""
        choice, batch = self._choice, self._batch
        self._turns = turns = batch.turns()
        counts = turns.counts
        choice.check(counts)
        ends = batch.observe_turns(turns, encoder=choice.encoder)
        every = info.pop("_action_mask")
        del info["action_mask"]
        info |= {"turns": turns, "num_turns": counts, "_num_turns": every}
        if choice.max_choices is None:
            return observations, info | {"ends": ends}
        padded, masks = choice.padded(ends, counts)
        for number in info.get("_final_obs", np.zeros(0)).nonzero()[0]:
            info["final_obs"][number] = {
                "position": info["final_obs"][number],
                "ends": np.zeros_like(padded[0]),
            }
        return {"position": observations, "ends": padded}, info | {
            "action_mask": masks,
            "_action_mask": every,
        }
