"""Gymnasium for thousands of games: a `VectorEnv` over a batch."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from gymnasium import spaces
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from tkm_env.compiled.outcomes import Outcomes
from tkm_env.compiled.random_numbers import SIDE
from tkm_env.core.batch import MAX_GAMES, BaseBatch, Shown, read_only
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.core.registry import game_spec
from tkm_env.envs.interface import (
    IllegalActionCounter,
    action_space,
    checked_options,
    observation_space,
)
from tkm_env.envs.opponent_pool import opponent_in_many_games
from tkm_env.envs.opponents import SELF_PLAY, OpponentLike, OpponentMixin
from tkm_env.envs.rendering import EnvRenderer
from tkm_env.envs.single import RANDOM_SIDE
from tkm_env.foundations.checks import checked_choice, checked_flag, checked_integer
from tkm_env.foundations.errors import ArrayError, ConfigError, repr_of

_MODES: Final = tuple(mode.value for mode in AutoresetMode)
#: More steps than any game has.
_MAX_STEPS: Final = 2**31 - 1

#: What a step returns: observations, rewards, terminations, truncations and ``info``.
StepResult: TypeAlias = tuple[
    NDArray[Any], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]
]


class BegunStep(NamedTuple):
    """A step of n games whose actions have been checked but not yet played."""

    actions: NDArray[np.int64]  # the actions to play; `BEGIN` where a game begins: (n,)
    actors: NDArray[np.int64]  # the player who acts in each game, 0 or 1: (n,)
    begun: NDArray[np.bool_]  # which games begin in this step, having ended in the last: (n,)


def check_open(envs: VectorEnv[Any, Any, Any]) -> None:
    """Raise `gymnasium.error.ClosedEnvironmentError` if an environment has been closed."""
    if envs.closed:
        raise ClosedEnvironmentError(f"this {type(envs).__name__} is closed: make another one")


def is_self_play(opponent: object) -> bool:
    """Whether the learner plays both sides."""
    return isinstance(opponent, str) and opponent == SELF_PLAY


class GamesMixin(ABC):
    """A vector environment whose single games can be reached, as those of `SyncVectorEnv` can."""

    num_envs: int
    single_action_space: spaces.Space[Any]
    single_observation_space: spaces.Space[Any]

    @abstractmethod
    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal: bool of shape (n, actions)."""

    @property
    @abstractmethod
    def _games(self) -> GameVectorEnv:
        """The environment that plays the games."""

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each game, or read an attribute of it, as `SyncVectorEnv.call` does.

        Args:
            name: "action_masks", "action_space", "game" (a copy), "observation_space", "render" or
                "side", of which each game has its own; or the name of any other public attribute or
                method, which all games share.
            *args: the method's arguments.
            **kwargs: its keyword arguments.

        Returns:
            What came of it for each game: n values.

        Raises:
            AttributeError: if there is nothing of that name.

        >>> import gymnasium
        >>> envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=2, side="black")
        >>> observations, info = envs.reset(seed=1)
        >>> envs.call("side"), [int(mask.sum()) for mask in envs.call("action_masks")]
        (('black', 'black'), [1, 1])
        """
        if name.startswith("_"):
            raise AttributeError(f"{name!r} is private")
        if name == "action_masks":
            return tuple(self.action_masks())
        if name in ("action_space", "observation_space"):
            return (getattr(self, f"single_{name}"),) * self.num_envs
        games = self._games
        if name == "game":
            return tuple(games.batch.game(number) for number in range(self.num_envs))
        if name == "side":
            return tuple(games.batch.players[player] for player in games.viewers())
        value = getattr(games, name)
        if callable(value):
            value = value(*args, **kwargs)
        if name == "render" and value is not None:
            return tuple(value)
        return (value,) * self.num_envs

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Read an attribute of each game.

        Args:
            name: as for `call`.

        Returns:
            The attribute of each game: n values.

        Raises:
            AttributeError: if there is nothing of that name.
        """
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set the attribute "opponent", as `set_opponent` does; no other one can be set.

        If it raises, nothing changes.

        Args:
            name: ``"opponent"``.
            values: the new opponent; or a list or tuple of n times the same, since all games share
                their opponent.

        Raises:
            ConfigError: if it is another attribute, if the games are to have different opponents,
                or if the opponent cannot play.
        """
        if name != "opponent":
            raise ConfigError("name", name, "it must be 'opponent', the only attribute to set")
        if isinstance(values, (list, tuple)):
            if len(values) != self.num_envs or any(value is not values[0] for value in values):
                raise ConfigError(
                    "values",
                    values,
                    f"all games share their opponent: pass it once, or {self.num_envs} times",
                )
            values = values[0]
        self._games.set_opponent(values)


class GameVectorEnv(
    GamesMixin, OpponentMixin, VectorEnv[NDArray[Any], NDArray[np.int64], NDArray[Any]]
):
    """Many games at once: ``gymnasium.make_vec("tkm_env/TKM-v0", num_envs=…, …)``.

    Against an opponent, the learner plays one side, and everything is seen from that side: rewards
    are 1 for a win, -1 for a loss, else 0. In self-play, the learner acts for the player to act:
    the reward is for the player who acted, and the observation is for the player who acts next. So
    that no sign has to be guessed, ``info["to_act"]`` holds the index of the player to act (int8 of
    shape (n,)), and ``info["rewards"]`` what each player earned (float64 of shape (n, players)).

    ``info["action_mask"]`` is int8 of shape (n, actions): 1 for each legal action of the player to
    act. Against an opponent, ``info["side"]`` is the learner's index among the players (int8 of
    shape (n,)); against a `tkm_env.OpponentPool`, ``info["opponent"]`` is the opponent's index in
    the pool's ``names`` (int64 of shape (n,)). An illegal action loses the game for the player who
    made it.

    In the step in which games end, ``info`` also holds "result" (text) and, for games lost by an
    illegal action, "illegal_action" (its index). With ``AutoresetMode.SAME_STEP``, these are in
    ``info["final_info"]``, next to ``info["final_obs"]``. As Gymnasium's wrappers expect, each key
    comes with a bool mask of shape (n,), under the same name with a leading underscore, which says
    for which games it holds. Ten games lost by illegal actions bring a warning.

    `call`, `get_attr` and `set_attr` reach the single games, as in Gymnasium's own vector
    environments.

    Returned arrays never change afterwards.

    Args:
        game: the name of the game in the registry.
        num_envs: the number of games, n.
        opponent: ``"self"``, so that the learner plays both sides; or as for
            `tkm_env.envs.single.GameEnv`. A function is called once for all k games in which it is
            to act, with observations of shape ``(k, *observation)`` and an ``info`` of
            "action_mask" (int8, (k, actions)), "to_act" (int8, (k,)) and "game" (int64, (k,):
            indices from 0 to n - 1); it returns k actions.
        side: the learner's side: a player's name, or ``"random"`` to draw it for each game; ignored
            in self-play.
        autoreset_mode: when finished games are reset: a `gymnasium.vector.AutoresetMode` or its
            value.
        num_threads: the maximum number of cores; results do not depend on it.
        render_mode: None, ``"ansi"``, or ``"rgb_array"``, which needs the extra ``[render]``.
        opening_turns: the number of random turns that begin each game.
        positions: the texts of positions to begin from, ``"shipped"`` or None, as for
            `tkm_env.envs.single.GameEnv`.
        observation: ``"planes"`` or ``"compact"``, as for `tkm_env.envs.single.GameEnv`.
        canonical: whether the second player sees the game as if it were the first, with actions
            numbered accordingly.
        max_episode_steps: the number of steps after which a game is truncated, as Gymnasium's
            ``TimeLimit`` does it for one game; None for no limit besides the game's own.
        constant_info: whether every ``info`` has the same keys, with arrays of numbers only, as
            wrappers that turn arrays into tensors expect: "results" instead of "result", int8 of
            shape (n,), 0 in games in progress, else a key of the game's ``results``; and
            "illegal_action", -1 if there is none. Refused with ``AutoresetMode.SAME_STEP``, whose
            "final_obs" holds objects.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.
        MissingExtraError: if the render mode needs the extra ``[render]``.

    >>> import gymnasium
    >>> envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=500, opponent="self")
    >>> observations, info = envs.reset(seed=1)
    >>> actions = info["action_mask"].argmax(1)
    >>> observations, rewards, terminations, truncations, info = envs.step(actions)
    >>> observations.shape, info["action_mask"].shape, info["rewards"].shape
    ((500, 84, 4, 4), (500, 79), (500, 2))
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 as Gymnasium has it
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponent: OpponentLike = "random",
        side: str = RANDOM_SIDE,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        render_mode: str | None = None,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        observation: str = PLANES,
        canonical: bool = False,
        max_episode_steps: int | None = None,
        constant_info: bool = False,
        **settings: Any,
    ) -> None:
        self._spec = spec = game_spec(game)
        self.config = spec.config(settings, GameVectorEnv)
        self._max_steps = (
            None
            if max_episode_steps is None
            else checked_integer("max_episode_steps", max_episode_steps, 1, _MAX_STEPS)
        )
        batch = make_batch(
            spec,
            checked_integer("num_envs", num_envs, 1, MAX_GAMES),
            self.config,
            num_threads=num_threads,
        )
        self._encoder = ObservationEncoder(spec.game_class, self.config, observation, canonical)
        batch.set_initial_positions(opening_turns, positions, self._encoder)
        if not isinstance(autoreset_mode, (str, AutoresetMode)) or autoreset_mode not in (
            *AutoresetMode,
            *_MODES,
        ):
            modes = ", ".join(mode.name for mode in AutoresetMode)
            raise ConfigError(
                "autoreset_mode",
                autoreset_mode,
                f"it must be a gymnasium.vector.AutoresetMode: {modes}",
            )
        #: When finished games are reset; some libraries look for it here, others in ``metadata``.
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self._constant_info = checked_flag("constant_info", constant_info)
        if constant_info and self.autoreset_mode == AutoresetMode.SAME_STEP:
            reason = "with AutoresetMode.SAME_STEP an info holds objects at the end of a game"
            raise ConfigError("constant_info", constant_info, reason)
        self._rendering = EnvRenderer(render_mode, self.metadata)
        self.render_mode = render_mode
        self.metadata = self.metadata | {"autoreset_mode": self.autoreset_mode}
        self.num_envs = batch.num_games
        self.single_observation_space = observation_space(self._encoder)
        self.single_action_space = action_space(spec)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        #: The games being played, to inspect and copy. Play through `step`, not on the batch.
        self.batch: BaseBatch[Any] = batch
        self.shown_as = {"observation": observation, "canonical": canonical}
        self._given_opponent = opponent
        self._opponent = (
            None
            if is_self_play(opponent)
            else opponent_in_many_games(opponent, spec.name, observation, canonical)
        )
        self.wanted_side = checked_choice("side", side, (*batch.players, RANDOM_SIDE))
        self._players = np.zeros(self.num_envs, np.int64)
        #: Before the first reset, and after an opponent failed to reply, nothing can be played.
        self._reset_needed = True
        #: The mask of the keys in ``info`` that hold for every game.
        self._all = read_only(np.ones(self.num_envs, np.bool_))
        #: The games that ended and have not been reset.
        self._done = np.zeros(self.num_envs, np.bool_)
        #: The number of steps since each game began; counted under a limit only.
        self._steps = np.zeros(self.num_envs, np.int64)
        self.illegal_actions = IllegalActionCounter()

    @property
    def _games(self) -> GameVectorEnv:
        return self

    def set_opponent(self, opponent: OpponentLike) -> None:
        if self._opponent is None or is_self_play(opponent):
            reason = (
                "self-play is chosen when an environment is made; "
                "it can neither be started nor ended later"
            )
            raise ConfigError("opponent", opponent, reason)
        made = opponent_in_many_games(opponent, self._spec.name, **self.shown_as)
        if not self._reset_needed:
            made.begin_all(self.batch, self._all)
        self._opponent, self._given_opponent = made, opponent

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin new games; where the opponent goes first, it has already moved.

        If an argument is invalid, nothing changes.

        Args:
            seed: an integer from 0, to which game i adds i, or one integer for each game; None
                continues with the current streams.
            options: may hold "reset_mask", bool of shape (n,): which games to reset; by default
                all.

        Returns:
            The observations and the ``info``.

        Raises:
            ArrayError: if the mask or the seeds are invalid.
            ConfigError: if there is another option.
            gymnasium.error.ResetNeeded: if only some games are to be reset, although the
                environment is new or an opponent failed to reply.
            gymnasium.error.ClosedEnvironmentError: after `close`.
        """
        check_open(self)
        mask = self._reset_mask(checked_options(options, "reset_mask"))
        if self._reset_needed and not mask.all():
            raise ResetNeeded(
                "the first reset(), and one after an opponent failed, must reset all games"
            )
        self.batch.reset(seed, mask)
        self._reset_needed = True
        self._answer(mask)
        self._reset_needed = False
        self._done[mask] = False
        self._steps[mask] = 0
        viewers = self.viewers()
        observations, masks = self.batch.show(viewers, self._encoder)
        return observations, self._info(masks, viewers, {})

    def step(self, actions: Any) -> StepResult:
        """Play an action in each game, and the opponent's replies.

        Args:
            actions: integers of shape (n,). With ``AutoresetMode.NEXT_STEP``, games that ended in
                the previous step are reset, and their actions are ignored.

        Returns:
            Observations, rewards, terminations, truncations and the ``info``.

        Raises:
            ArrayError: if the shape is wrong, or an element is not the index of an action; nothing
                changes.
            gymnasium.error.ResetNeeded: before the first reset, after an opponent failed to reply,
                and with ``AutoresetMode.DISABLED`` while a game that ended has not been reset.
            gymnasium.error.ClosedEnvironmentError: after `close`.
        """
        num_actions = self.batch.num_actions
        if not self._plays_in_one_call:
            step = self.begin_step(actions, num_actions)
            played = self._encoder.renumber(step.actions, step.actors)
            self.follow(played)
            self.batch.play_checked(played)
            return self.end_step(step)
        given, begun = self._begin(actions, num_actions)
        played = (
            self._encoder.renumber(given, self.viewers())
            if self._encoder.renumbers_actions
            else given
        )
        self._draw_sides(begun)
        until = None if self._opponent is None else self._players
        shown = self.batch.play_and_show(played, until, self._encoder)
        details = self._conclude(given, begun, shown.outcomes, self.batch.illegal.copy())
        return self._result(shown, details)

    @property
    def _plays_in_one_call(self) -> bool:
        """Whether the batch can play a step, and the replies to it, and show the games at once."""
        opponent = self._opponent
        return self.autoreset_mode != AutoresetMode.SAME_STEP and (
            opponent is None or opponent.plays_at_random
        )

    def begin_step(self, actions: Any, num_actions: int) -> BegunStep:
        """Begin a `step`, maybe one with actions of another kind: check its actions.

        The caller then passes the games' own actions to `follow`, plays them in `batch`, and calls
        `end_step`.

        Args:
            actions: integers of shape (n,), as for `step`.
            num_actions: the number of actions of that kind.

        Returns:
            The checked actions, who acts, and which games begin.

        Raises:
            ArrayError: as in `step`; so are the other errors.
        """
        played, begun = self._begin(actions, num_actions)
        return BegunStep(played, self.viewers(), begun)

    def _begin(self, actions: Any, num_actions: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Check actions as `begin_step` does; return them, and which games begin."""
        check_open(self)
        begun = self._done
        some_begin = np.count_nonzero(begun) > 0
        played = self.batch.checked_actions(actions, begun if some_begin else None, num_actions)
        if self._reset_needed:
            raise ResetNeeded("call reset() before step()")
        if some_begin and self.autoreset_mode == AutoresetMode.DISABLED:
            raise ResetNeeded(
                f"game {int(begun.argmax())} is over: reset() it before the next step()"
            )
        self._reset_needed = True  # unless `_result` is reached
        return played, begun

    def follow(self, actions: NDArray[np.int64]) -> None:
        """Tell the opponent the actions that are about to be played.

        Args:
            actions: the games' own actions, as `BaseBatch.play` takes them: int64 of shape (n,).
        """
        if self._opponent is not None:
            self._opponent.follow(actions)

    def end_step(self, step: BegunStep) -> StepResult:
        """End a `step`: let the opponent reply, and return what `step` returns."""
        illegal = self.batch.illegal.copy()
        self._answer(step.begun)
        outcomes = self.batch.outcomes(step.actions, step.actors)
        details = self._conclude(step.actions, step.begun, outcomes, illegal)
        viewers = self.viewers()
        return self._result(
            Shown(*self.batch.show(viewers, self._encoder), viewers, outcomes), details
        )

    def _conclude(
        self,
        actions: NDArray[np.int64],
        begun: NDArray[np.bool_],
        outcomes: Outcomes,
        illegal: NDArray[np.bool_],
    ) -> dict[str, Any]:
        """Note what a step has brought, and truncate games at the limit of steps.

        A game that the opponent ended during its reset is reported in the next step, as in
        Gymnasium's own vector environments.

        Args:
            actions: the actions of the step, as they were given.
            begun: the games that began in it.
            outcomes: what it brought; ``truncated`` is changed.
            illegal: which games an illegal action lost.

        Returns:
            The ``info`` about what it brought.
        """
        ended, _, truncations, earned, rewards = outcomes
        if self._max_steps is not None:
            truncations |= self._reach_limit(begun, self._max_steps)
        done = ended | truncations
        details: dict[str, Any] = (
            {} if self._opponent is not None else {"rewards": earned, "_rewards": self._all}
        )
        indices = ended.nonzero()[0]
        if len(indices):
            if self._opponent is not None:
                self._opponent.count(indices, rewards[indices])
            self.illegal_actions.count(len(indices), int(np.count_nonzero(illegal)))
        if np.count_nonzero(done):
            details |= self._end(ended, done, illegal, actions)
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            self._done = done
        return details

    def _result(self, shown: Shown, details: dict[str, Any]) -> StepResult:
        """What a `step` returns that brought these details."""
        outcomes = shown.outcomes
        info = self._info(shown.masks, shown.viewers, details)
        self._reset_needed = False
        return (shown.observations, outcomes.rewards, outcomes.terminated, outcomes.truncated, info)

    def _reach_limit(self, begun: NDArray[np.bool_], most: int) -> NDArray[np.bool_]:
        """Count a step, and return which games have reached the limit.

        Args:
            begun: the games that began in this step, which does not count for them.
            most: the limit.

        Returns:
            bool of shape (n,); a new array.
        """
        self._steps += 1
        self._steps[begun] = 0
        reached: NDArray[np.bool_] = self._steps >= most
        return reached

    def _end(
        self,
        ended: NDArray[np.bool_],
        done: NDArray[np.bool_],
        illegal: NDArray[np.bool_],
        actions: NDArray[np.int64],
    ) -> dict[str, Any]:
        """Return the ``info`` about games that are done.

        With ``AutoresetMode.SAME_STEP``, these games are also reset.

        Args:
            ended: which games are over.
            done: these and the games that have reached the limit of steps.
            illegal: which games an illegal action lost.
            actions: the actions that were played.
        """
        if self._constant_info:
            return {
                "results": np.where(ended, self.batch.results, 0),
                "illegal_action": np.where(illegal, actions, -1),
            }
        indices = done.nonzero()[0]
        results = self.batch.ends.texts[np.where(ended, self.batch.results, 0)]
        ending = {
            "result": results,
            "_result": ended.copy(),
            "illegal_action": np.where(illegal, actions, 0),
            "_illegal_action": illegal,
        }
        if self.autoreset_mode != AutoresetMode.SAME_STEP:
            return ending
        viewers = self.viewers()
        ending |= self._player_info(viewers, done.copy())
        final = np.full(self.num_envs, None, object)
        observations = self.batch.observations_of(indices, viewers[indices], self._encoder)
        for number, observation in zip(indices.tolist(), observations, strict=True):
            final[number] = observation.copy()
        self.batch.begin(done)
        self._answer(done)
        self._steps[done] = 0
        return {
            "final_obs": final,
            "_final_obs": done.copy(),
            "final_info": ending,
            "_final_info": done.copy(),
        }

    def _answer(self, begun: NDArray[np.bool_]) -> None:
        """Begin the games that ``begun`` selects, and let the opponent move wherever it is to act.

        A game begins by drawing the learner's side, and the opponent from a pool.
        """
        if self._opponent is None:
            return
        self._draw_sides(begun)
        self._opponent.begin_all(self.batch, begun)
        self._opponent.answer_all(self.batch, self._players)

    def _draw_sides(self, begun: NDArray[np.bool_]) -> None:
        """Draw the learner's side in the games that ``begun`` selects."""
        players = self.batch.players
        if self._opponent is None:
            return
        if self.wanted_side != RANDOM_SIDE:
            self._players[begun] = players.index(self.wanted_side)
        elif np.count_nonzero(begun):
            self._players[begun] = self.batch.draw(begun, len(players), SIDE)

    def viewers(self) -> NDArray[np.int64]:
        """The player from whose side each game is seen: int64 of shape (n,).

        The learner; in self-play the player to act, in a new array.
        """
        return self.batch.to_act.copy() if self._opponent is None else self._players

    def _info(
        self, masks: NDArray[np.int8], viewers: NDArray[np.int64], details: dict[str, Any]
    ) -> dict[str, Any]:
        """The ``info`` of a step or a reset, with these details."""
        info = {"action_mask": masks, "_action_mask": self._all}
        info |= self._player_info(viewers, self._all)
        return info | (self._blank() if self._constant_info else {}) | details

    def _blank(self) -> dict[str, Any]:
        """What a constant ``info`` says of a step in which no game ends."""
        blank: dict[str, NDArray[Any]] = {
            "results": np.zeros(self.num_envs, np.int8),
            "illegal_action": np.full(self.num_envs, -1),
        }
        if self._opponent is None:
            blank["rewards"] = np.zeros((self.num_envs, len(self.batch.players)))
        return blank | {f"_{key}": self._all for key in blank}

    def _player_info(self, viewers: NDArray[np.int64], mask: NDArray[np.bool_]) -> dict[str, Any]:
        """The ``info`` about the players of the games that a mask selects.

        From whose side they are seen, and against which opponent from a pool.
        """
        side = "to_act" if self._opponent is None else "side"
        info = {side: viewers.astype(np.int8), f"_{side}": mask}
        member = None if self._opponent is None else self._opponent.member
        return info if member is None else info | {"opponent": member, "_opponent": mask}

    def _reset_mask(self, options: Mapping[str, Any]) -> NDArray[np.bool_]:
        if "reset_mask" not in options:
            return np.ones(self.num_envs, np.bool_)
        given = options["reset_mask"]
        wanted = f"bool of shape ({self.num_envs},), with at least one True"
        if (
            not isinstance(given, np.ndarray)
            or given.shape != (self.num_envs,)
            or given.dtype != np.bool_
            or not given.any()
        ):
            raise ArrayError("reset_mask", repr_of(given), wanted)
        return given

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal: bool of shape (n, actions)."""
        masks = np.empty_like(self.batch.masks)
        self._encoder.write_masks(self.batch.masks, self.viewers(), masks)
        return masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """Return a picture of each game.

        Returns:
            Text in the mode ``"ansi"``; uint8 of shape (480, 960, 3) in the mode ``"rgb_array"``;
            None without a mode.
        """
        if self.render_mode is None:
            return None
        return tuple(self._rendering.of(self.batch.game(number)) for number in range(self.num_envs))
