"""Opponents in the Gymnasium environments: agents, functions, or agents by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tkm_env.agents.function import FunctionAgent
from tkm_env.agents.specs import make_agent
from tkm_env.checks import as_array
from tkm_env.core.batch import BaseBatch
from tkm_env.core.game import BaseGame
from tkm_env.core.kernels import NO_ACTION
from tkm_env.errors import ConfigError, IllegalActionError, UnknownActionError

__all__ = ["Opponent", "OpponentLike", "make_opponent"]

#: What may be given as an opponent: a name, an agent, or a function of an observation and an info.
OpponentLike: TypeAlias = "str | Any | Callable[[Any, dict[str, Any]], Any]"


class Opponent(ABC):
    """A player as the Gymnasium environments use it."""

    @abstractmethod
    def reset(self, generator: np.random.Generator) -> None:
        """Forget the last game (in a batch, all games) and draw from ``generator`` from now on."""

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
        """Play until the game is over or ``player`` is to act.

        Raises:
            IllegalActionError: if the opponent plays an illegal action; the game stays as it was before that.
            UnknownActionError: if it returns anything but an action.
        """
        while game.result is None and game.to_act != player:
            action = self.act(game)
            try:
                game.play(action)
            except IllegalActionError as error:
                raise type(error)(f"the opponent's action: {error}") from None

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        Raises:
            IllegalActionError: if the opponent plays an illegal action; the batch stays as it was before that.
            UnknownActionError: if it returns anything but one action for each game in which it is to act.
        """
        while len(indices := (~batch.over & (batch.to_act != players)).nonzero()[0]):
            actions = np.full(batch.num_games, NO_ACTION)
            actions[indices] = self.chosen("opponent", batch, indices)
            refused = batch.masks[indices, actions[indices]] == 0
            if refused.any():
                game = int(indices[refused.argmax()])
                raise IllegalActionError(f"the opponent played {actions[game]} in game {game}, where that is illegal")
            batch.play(actions)


class _Agent(Opponent):
    """A player with a forward model."""

    def __init__(self, agent: Any) -> None:
        self._agent = agent

    def reset(self, generator: np.random.Generator) -> None:
        if hasattr(self._agent, "reset"):
            self._agent.reset(generator)

    def act(self, game: BaseGame) -> int | str:
        action: int | str = self._agent.act(game)
        return action

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> list[int]:
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


class _Function(_Agent):
    """An opponent that is a function of what a player sees; in a batch, of what all players see who are to act."""

    def __init__(self, function: Callable[[Any, dict[str, Any]], Any], observation: str, canonical: bool) -> None:
        self._player = FunctionAgent(function, observation, canonical)
        super().__init__(self._player)
        self._function = function

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        perspective = self._player.perspective_on(batch.game_class, batch.config)
        to_act, masks = batch.to_act[indices], batch.masks[indices]
        shown = np.empty_like(masks)
        perspective.write_masks(masks, to_act, shown)
        info = {"action_mask": shown, "to_act": to_act.astype(np.int8), "game": indices.copy()}
        return self._function(batch.observations_of(indices, to_act, perspective), info)

    def chosen(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        perspective = self._player.perspective_on(batch.game_class, batch.config)
        return perspective.own_actions(super().chosen(who, batch, indices), batch.to_act[indices])


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


def make_opponent(given: OpponentLike, game: str, observation: str, canonical: bool) -> Opponent:
    """An opponent from a name (of one of the game's agents), an agent or a function, which is shown the games in that way.

    Raises:
        ConfigError: if it is none of these.
    """
    if isinstance(given, str):
        return _Agent(make_agent(given, "opponent", game))
    if not isinstance(given, type):
        if callable(getattr(given, "act", None)):
            return _Agent(given)
        if callable(given):
            return _Function(given, observation, canonical)
    raise ConfigError("opponent", given, "it must be a player's name, an agent with act(game), or a function (observation, info)")
