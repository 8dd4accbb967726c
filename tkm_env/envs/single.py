"""Gymnasium for one game: the learner plays one side, an opponent the other."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import SIDE, Streams, draw_from
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import InitialPositions
from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import game_spec
from tkm_env.envs.interface import (
    IllegalActionCounter,
    action_number,
    action_space,
    checked_options,
    checked_reset_seed,
    constant_info,
    next_streams,
    observation_space,
)
from tkm_env.envs.opponent_pool import opponent_in_one_game
from tkm_env.envs.opponents import OpponentLike, OpponentMixin
from tkm_env.envs.rendering import EnvRenderer, RenderingMixin
from tkm_env.foundations.checks import checked_choice, checked_flag
from tkm_env.foundations.errors import IllegalActionError, UnknownActionError

RANDOM_SIDE: Final = "random"
_ONLY: Final = np.zeros(1, np.int64)


class GameEnv(RenderingMixin, OpponentMixin, gymnasium.Env[NDArray[Any], int]):
    """One game against an opponent, for the learner on one side.

    ``gymnasium.make("tkm_env/TKM-v0", opponent="greedy")`` makes one; so do the ids of all
    registered games.

    The opponent moves inside `reset` and `step`, so the learner is to act in every observation
    except the final one. The reward is 1 for a win, -1 for a loss, else 0; it comes with the
    learner's last transition. A game that ends for a reason outside its rules is truncated. If the
    opponent ends the game inside `reset`, no action is legal, and the first `step` reports how the
    game ended.

    Observations are int8, from 0 to ``game.observation_high``, unless they are compact; actions are
    indices of ``game.action_names``. ``info`` holds

    - "action_mask": int8 of shape (actions,), 1 for each legal action;
    - "side": the learner's index among the game's players;
    - "opponent", against a pool only: the opponent's index in `tkm_env.OpponentPool.names`;
    - after a reset and at the end, the game's own ``info``; at the end also "result".

    An illegal action loses the game; ``info`` then holds "illegal_action" (its index) and "reason"
    (a sentence). Ten games lost so bring a warning.

    Args:
        game: the name of the game in the registry.
        opponent: an agent's name such as ``"random"``; an agent, which is an object with
            ``act(game) -> action``; a function ``(observation, info) -> action`` (see
            `tkm_env.players.FunctionAgent`); a trained model, which is an object with
            ``predict(observation)``; or a `tkm_env.OpponentPool` of these. A model is called with
            ``action_masks`` and ``deterministic=True`` if it takes them; illegal actions of a model
            that takes no masks are replaced by random legal ones.
        side: the learner's side: a player's name, or ``"random"`` to draw it for each game.
        render_mode: None; ``"ansi"``: `render` returns text; ``"rgb_array"``: it returns pixels; or
            ``"human"``: each step is shown in a window. The last two need the extra ``[render]``.
        opening_turns: the number of random turns that begin each game.
        positions: the texts of positions, one of which is drawn for each game to begin from;
            ``"shipped"`` for the openings that come with the package; None for the usual start.
        observation: ``"planes"``, the game's own observations; or ``"compact"``, one-dimensional
            float32, from 0 to 1, without what is constant under the settings (see
            `tkm_env.compact_layout`). A function or a model used as the opponent sees the same.
        canonical: whether the second player sees the game as if it were the first, with actions
            numbered accordingly (see `tkm_env.ObservationEncoder`); refused for games without such
            a view.
        constant_info: whether every ``info`` has the same keys, with numbers and arrays of numbers
            only, as replay buffers and recorders of infos expect: the game's own in every step,
            with zeros until they are known; "illegal_action", -1 if there is none; neither
            "result" nor "reason".
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.
        MissingExtraError: if the render mode needs the extra ``[render]``.

    >>> import gymnasium
    >>> env = gymnasium.make("tkm_env/TKM-v0", opponent="random", side="black", chapters="memory")
    >>> observation, info = env.reset(seed=1)
    >>> action = int(info["action_mask"].argmax())
    >>> observation, reward, terminated, truncated, info = env.step(action)
    >>> observation.shape, reward, info["side"]
    ((84, 4, 4), 0.0, 1)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 as Gymnasium has it
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 2,
    }

    def __init__(
        self,
        game: str,
        *,
        opponent: OpponentLike = "random",
        side: str = RANDOM_SIDE,
        render_mode: str | None = None,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        observation: str = PLANES,
        canonical: bool = False,
        constant_info: bool = False,
        **settings: Any,
    ) -> None:
        self._spec = spec = game_spec(game)
        self._constant_info = checked_flag("constant_info", constant_info)
        self._rendering = EnvRenderer(render_mode, self.metadata)
        self.render_mode = render_mode
        self.config = spec.config(settings, GameEnv)
        self._encoder = ObservationEncoder(spec.game_class, self.config, observation, canonical)
        self.observation_space = observation_space(self._encoder)
        self.action_space = action_space(spec)  # type: ignore[assignment]
        self.shown_as = {"observation": observation, "canonical": canonical}
        self._given_opponent = opponent
        self._opponent = opponent_in_one_game(opponent, spec.name, observation, canonical)
        self.wanted_side = checked_choice("side", side, (*spec.players, RANDOM_SIDE))
        self._starts = InitialPositions(
            spec.game_class, self.config, opening_turns, positions, self._encoder
        )
        #: The random streams of everything left to chance; None before the first reset.
        self._streams: Streams | None = None
        self._illegal_actions = IllegalActionCounter()
        self._game: BaseGame | None = None
        self._done = True

    @property
    def game(self) -> BaseGame:
        """The game being played: a forward model to copy and search in.

        Play through `step`, not on this game.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self._game is None:
            raise ResetNeeded("call reset() before game")
        return self._game

    @property
    def side(self) -> str:
        """The side that the learner plays in this game."""
        return self._side

    def set_opponent(self, opponent: OpponentLike) -> None:
        made = opponent_in_one_game(opponent, self._spec.name, **self.shown_as)
        if self._streams is not None and not self._done:
            made.begin(self._streams)
        self._opponent, self._given_opponent = made, opponent

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Begin a new game; if the opponent goes first, it has already moved.

        If an argument is invalid, the current episode and its random streams are unchanged.

        Args:
            seed: seeds everything left to chance, which is the game, the opponent and a random
                side; an integer from 0, or None to continue with the streams of the last game.
            options: may hold "side", the side to play in this game, and "position", the text of a
                position to start from, which replaces ``positions`` and ``opening_turns``.

        Returns:
            The observation and the ``info``.

        Raises:
            TKMError: if the seed or an option is invalid.
        """
        given = checked_options(options, "position", "side")
        wanted = checked_choice(
            "side", given.get("side", self.wanted_side), (*self._spec.players, RANDOM_SIDE)
        )
        number = checked_reset_seed(seed)
        streams = next_streams(self._streams, number)
        game = self._starts.begin(streams, given.get("position"))
        super().reset(seed=number)
        self._streams, players = streams, self._spec.players
        self._side = (
            players[draw_from(streams[SIDE], len(players))] if wanted == RANDOM_SIDE else wanted
        )
        self._opponent.begin(streams)
        self._game = game
        self._answer(game)
        return self._observe(game.info())

    def step(self, action: int) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Play an action, and the opponent's reply to it.

        If the opponent ended the game before the learner's first action, the action is not played,
        and `step` reports how the game ended.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset, after the game is over, and after
                the opponent failed to reply.
            UnknownActionError: if there is no such action; the game is unchanged.
        """
        return self.advance(action, self._encoder.play_and_observe)

    def advance(
        self, action: int, play: Callable[[BaseGame, int], NDArray[Any] | None]
    ) -> tuple[NDArray[Any], float, bool, bool, dict[str, Any]]:
        """Take a `step` whose action ``play`` carries out, for actions of another kind.

        Args:
            action: an integer, which ``play`` gives a meaning to.
            play: called with the game and the action; carries it out, or raises an
                `IllegalActionError`. It may return what the next player to act sees, so that it is
                not computed again.

        Returns:
            What `step` returns.

        Raises:
            gymnasium.error.ResetNeeded: as in `step`.
            UnknownActionError: if the action is not an integer, or if ``play`` raises it.
        """
        game = self._game
        if self._done or game is None:
            raise ResetNeeded(
                "call reset() before step()"
                if game is None
                else "the episode is over: call reset() before step()"
            )
        number = action if type(action) is int else action_number(action, len(game.action_names))
        result, seen = game.result, None
        if result is None:
            try:
                seen = play(game, number)
            except UnknownActionError:
                raise
            except IllegalActionError as error:
                self._done = True
                self._opponent.count(_ONLY, np.array([-1.0]))
                self._illegal_actions.count(1, 1)
                observation, info = self._observe({"illegal_action": number, "reason": str(error)})
                info["action_mask"][:] = 0
                return observation, -1.0, True, False, info
            result = game.result
            if result is None and game.to_act != self._side:
                self._answer(game)
                seen, result = None, game.result
        if result is None:
            observation, info = self._observe({}, seen)
            return observation, 0.0, False, False, info
        self._done = True
        observation, info = self._observe(game.info() | {"result": result})
        reward = float(Outcome(result).rewards[self._spec.players.index(self._side)])
        self._opponent.count(_ONLY, np.array([reward]))
        self._illegal_actions.count(1, 0)
        return observation, reward, not game.is_truncated, game.is_truncated, info

    def _answer(self, game: BaseGame) -> None:
        """Let the opponent play; after an error, the episode cannot continue."""
        self._done = True
        self._opponent.answer(game, self._side)
        self._done = False

    def _observe(
        self, details: dict[str, Any], seen: NDArray[Any] | None = None
    ) -> tuple[NDArray[Any], dict[str, Any]]:
        """Return what the learner sees and the info.

        Args:
            details: entries to add to the info.
            seen: the observation, if it is known already.
        """
        game = self.game
        observation = self._encoder.observation(game, self._side) if seen is None else seen
        if self.render_mode == "human":
            self.render()
        info = {
            "action_mask": self._encoder.action_mask(game),
            "side": self._spec.players.index(self._side),
        }
        member = self._opponent.member
        if member is not None:
            info["opponent"] = int(member[0])
        if self._constant_info:
            return observation, constant_info(game, info, details)
        if details:
            info |= details
        return observation, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal: bool of shape (actions,).

        sb3-contrib looks for a method of this name.
        """
        return self._encoder.action_mask(self.game).astype(np.bool_)
