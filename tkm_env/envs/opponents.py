"""Opponents in the Gymnasium environments: agents, agents by name, functions, trained models."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.function import FunctionAgent
from tkm_env.agents.specs import make_agent
from tkm_env.batch.base import BaseBatch
from tkm_env.checks import as_array
from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.errors import ConfigError, IllegalActionError, UnknownActionError
from tkm_env.game.base import BaseGame
from tkm_env.game.observation_encoder import PLANES

#: What may be given as an opponent: a name, an agent, a function of an observation and an info, or a model with ``predict``.
OpponentLike: TypeAlias = "str | Any | Callable[[Any, dict[str, Any]], Any]"

_SEEDS: Final = 2**63


class Opponent(ABC):
    """Who plays the other side in a Gymnasium environment: one player, or several, one of which plays each game."""

    @abstractmethod
    def reset(self, generator: np.random.Generator) -> None:
        """Forget the last game (in a batch, all games) and draw from ``generator`` from now on."""

    def begin(self, generator: np.random.Generator) -> None:
        """Begin one game, with randomness of its own that is drawn from ``generator``."""
        self.reset(np.random.default_rng(generator.integers(_SEEDS)))

    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:  # noqa: B027 one player begins each game alike
        """Begin the games of a batch that ``mask`` selects."""

    def count(self, indices: NDArray[np.int64], rewards: NDArray[np.float64]) -> None:  # noqa: B027 one player keeps no count
        """Take note of games that ended, the number 0 where there is one game, and of what the learner earned in each."""

    @property
    def member(self) -> NDArray[np.int64] | None:
        """Who plays each game, as a number in a pool of several players; None where there is one player. A new array."""
        return None

    @abstractmethod
    def answer(self, game: BaseGame, player: str) -> None:
        """Play until the game is over or ``player`` is to act.

        Raises:
            IllegalActionError: if the opponent plays an illegal action; the game stays as it was before that.
            UnknownActionError: if it returns anything but an action.
        """

    @abstractmethod
    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        Raises:
            IllegalActionError: if the opponent plays an illegal action; the batch stays as it was before that.
            UnknownActionError: if it returns anything but one action for each game in which it is to act.
        """


class SingleOpponent(Opponent):
    """One player."""

    @abstractmethod
    def act(self, game: BaseGame) -> int | str:
        """An action in one game; what a player returned is not checked."""

    @abstractmethod
    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        """Actions for the games of a batch with these indices; what a player returned is not checked."""

    def chosen(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        """Actions, numbered as the games have them, for the games of a batch with these indices.

        Raises:
            UnknownActionError: naming who returned anything but one action for each.
        """
        return _checked_answer(who, self.act_all(batch, indices), len(indices), batch.num_actions)

    def answer(self, game: BaseGame, player: str) -> None:
        while game.result is None and game.to_act != player:
            action = self.act(game)
            try:
                game.play(action)
            except IllegalActionError as error:
                raise type(error)(f"the opponent's action: {error}") from None

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        while len(indices := (~batch.over & (batch.to_act != players)).nonzero()[0]):
            actions = np.full(batch.num_games, NO_ACTION)
            actions[indices] = self.chosen("opponent", batch, indices)
            refused = batch.masks[indices, actions[indices]] == 0
            if refused.any():
                game = int(indices[refused.argmax()])
                raise IllegalActionError(f"the opponent played {actions[game]} in game {game}, where that is illegal")
            batch.play(actions)


class _AgentOpponent(SingleOpponent):
    """A player with a forward model."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    def reset(self, generator: np.random.Generator) -> None:
        if hasattr(self._agent, "reset"):
            self._agent.reset(generator)

    def act(self, game: BaseGame) -> int | str:
        action: int | str = self._agent.act(game)
        return action

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        if hasattr(self._agent, "act_all"):
            return self._agent.act_all(batch, indices)
        actions = [self._agent.act(batch.game(number)) for number in indices.tolist()]
        try:
            return [batch.game_class.index_of(action) for action in actions]
        except UnknownActionError as error:
            raise UnknownActionError(f"the opponent's action: {error}") from None

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        if hasattr(self._agent, "answer_all"):
            self._agent.answer_all(batch, players)
        else:
            super().answer_all(batch, players)


class _FunctionOpponent(_AgentOpponent):
    """An opponent that is a function of what a player sees; in a batch, of what all players see who are to act."""

    def __init__(self, function: Callable[[Any, dict[str, Any]], Any], observation: str, canonical: bool) -> None:
        self._player = FunctionAgent(function, observation, canonical)
        super().__init__(self._player)
        self._function = function

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        to_act = batch.to_act[indices]
        observations = batch.observations_of(indices, to_act, self._player.encoders.on(batch.game_class, batch.config))
        info = {"action_mask": self._masks(batch, indices), "to_act": to_act.astype(np.int8), "game": indices.copy()}
        return self._function(observations, info)

    def _masks(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[np.int8]:
        """The masks of games as it sees them; a new array."""
        masks = batch.masks[indices]
        shown = np.empty_like(masks)
        self._player.encoders.on(batch.game_class, batch.config).write_masks(masks, batch.to_act[indices], shown)
        return shown

    def chosen(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        encoder = self._player.encoders.on(batch.game_class, batch.config)
        return encoder.own_actions(super().chosen(who, batch, indices), batch.to_act[indices])


def predicting(predict: Callable[..., Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """A model's choice, without chance if it takes ``deterministic``, as a function of an observation and an info."""
    takes = _taken_by(predict)

    def choose(observation: Any, info: dict[str, Any]) -> Any:
        given = {"action_masks": info["action_mask"].astype(np.bool_), "deterministic": True}
        answer = predict(observation, **{name: value for name, value in given.items() if takes(name)})
        return answer[0] if isinstance(answer, tuple) else answer

    return choose


def _taken_by(function: Callable[..., Any]) -> Callable[[str], bool]:
    """Whether a function takes a keyword."""
    taken = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values())
    return lambda name: takes_all or name in taken


class _UnmaskedModelOpponent(_FunctionOpponent):
    """A model that is not told what is legal: where it chooses an illegal action, it plays a random legal one."""

    def __init__(self, function: Callable[[Any, dict[str, Any]], Any], observation: str, canonical: bool) -> None:
        super().__init__(function, observation, canonical)
        self._generator = np.random.default_rng()

    def reset(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def act(self, game: BaseGame) -> int | str:
        action = super().act(game)
        return action if action in game.legal_actions() else int(self._legal(game.action_mask()[None])[0])

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        masks = self._masks(batch, indices)
        actions = _checked_answer("opponent", super().act_all(batch, indices), len(indices), batch.num_actions).copy()
        illegal = masks[np.arange(len(indices)), actions] == 0
        actions[illegal] = self._legal(masks[illegal])
        return actions

    def _legal(self, masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """A random legal action for each mask."""
        actions: NDArray[np.int64] = (masks * (1 - self._generator.random(masks.shape))).argmax(1)
        return actions


def _checked_answer(who: str, given: object, games: int, num_actions: int) -> NDArray[Any]:
    """An action of a player for each of so many games.

    Raises:
        UnknownActionError: naming who returned anything else.
    """
    wanted = f"{games} whole numbers from 0 to {num_actions - 1}"
    answer = as_array(given)
    if answer.shape != (games,) or answer.dtype.kind not in "iu":
        raise UnknownActionError(f"the {who} returned shape {answer.shape} and dtype {answer.dtype}, not {wanted}")
    unknown = (answer < 0) | (answer >= num_actions)
    if unknown.any():
        raise UnknownActionError(f"the {who} returned {answer[unknown.argmax()]}, not {wanted}")
    return answer


def make_opponent(
    given: OpponentLike, game: str, observation: str = PLANES, canonical: bool = False, keyword: str = "opponent"
) -> SingleOpponent:
    """A player from a name (of one of the game's agents), an agent, a model or a function; the latter two are shown the games in that way.

    Raises:
        ConfigError: if it is none of these; the message calls it ``keyword``.
    """
    if isinstance(given, str):
        return _AgentOpponent(make_agent(given, keyword, game))
    if not isinstance(given, type):
        if callable(getattr(given, "act", None)):
            return _AgentOpponent(given)
        predict = getattr(given, "predict", None)
        if callable(predict):
            return (_FunctionOpponent if _taken_by(predict)("action_masks") else _UnmaskedModelOpponent)(
                predicting(predict), observation, canonical
            )
        if callable(given):
            return _FunctionOpponent(given, observation, canonical)
    players = "a player's name, an agent with act(game), a model with predict(observation), or a function (observation, info)"
    raise ConfigError(keyword, given, f"it must be {players}")
