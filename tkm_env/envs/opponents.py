"""Opponents in the Gymnasium environments: agents, names, functions and trained models."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.compiled.random_numbers import OPPONENT, Streams, draw_from, draw_seed
from tkm_env.core.agent import (
    ActsInAllGames,
    AnswersAllGames,
    AnswersOneGame,
    DrawsFromStreams,
    Resettable,
)
from tkm_env.core.batch import BaseBatch
from tkm_env.core.function_agent import FunctionAgent
from tkm_env.core.game import BaseGame
from tkm_env.core.named_player import named_player
from tkm_env.core.observation_encoder import PLANES
from tkm_env.core.random_agent import RandomAgent
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import as_array
from tkm_env.foundations.errors import ConfigError, IllegalActionError, UnknownActionError

#: What may be given as an opponent: a name, an agent, a function of an observation and an info, or
#: a model with ``predict``.
OpponentLike: TypeAlias = "str | Any | Callable[[Any, dict[str, Any]], Any]"

#: The opponent's name for self-play: the learner plays both sides.
SELF_PLAY: Final = "self"

#: The bound of draws from a batch's streams: integers from 0 to below this.
DRAWS: Final = 2**32


def name_of(player: OpponentLike) -> str:
    """The name of a player: its line of text, its ``name`` or ``__name__``, or its class."""
    if isinstance(player, str):
        return player
    name = getattr(player, "name", None) or getattr(player, "__name__", None)
    return name if isinstance(name, str) else type(player).__name__


class Opponent(ABC):  # noqa: B024 its subclasses have the abstract methods
    """The other side in a Gymnasium environment.

    It draws only from the games' own random streams, and plays each of many games as it would play
    that game alone.
    """

    def count(  # noqa: B027 a single player keeps no count
        self, indices: NDArray[np.int64], rewards: NDArray[np.float64]
    ) -> None:
        """Note the learner's rewards in games that ended.

        Args:
            indices: the indices of the games, of shape (k,); the index of a single game is 0.
            rewards: the learner's reward in each of them, of shape (k,).
        """

    @property
    def member(self) -> NDArray[np.int64] | None:
        """The index of each game's opponent in a pool, in a new array; None without a pool."""
        return None


class OpponentInOneGame(Opponent):
    """An opponent in one game at a time."""

    @abstractmethod
    def begin(self, streams: Streams) -> None:
        """Begin a game with these streams."""

    @abstractmethod
    def answer(self, game: BaseGame, player: str) -> None:
        """Play until the game is over or ``player`` is to act.

        Args:
            game: the game, which is changed.
            player: the learner's side, one of the game's ``players``.

        Raises:
            IllegalActionError: if the opponent returns an action that is not legal.
        """


class OpponentInManyGames(Opponent):
    """An opponent in the games of a batch.

    Attributes:
        plays_at_random: whether it does no more than what `BaseBatch.play_at_random` does.
    """

    plays_at_random = False

    @abstractmethod
    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        """Begin games of a batch.

        Args:
            batch: the batch, of n games.
            mask: the games that begin: bool of shape (n,).
        """

    def follow(self, actions: NDArray[np.int64]) -> None:
        """Note the actions that are about to be played in the games.

        Args:
            actions: as `BaseBatch.play` takes them: int64 of shape (n,).
        """

    @abstractmethod
    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or the learner is to act.

        Args:
            batch: the batch, of n games.
            players: the learner's index among the players in each game: int64 of shape (n,).

        Raises:
            IllegalActionError: if the opponent returns an action that is not legal.
        """


class SingleOpponent(OpponentInOneGame, OpponentInManyGames):
    """One player with a forward model: an object with ``act(game)``.

    It may offer more of what the protocols in `tkm_env.core.agent` describe.

    Args:
        agent: the player.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        # The same agent under each of its optional abilities; None where it lacks one.
        self._resettable = agent if isinstance(agent, Resettable) else None
        self._answers_one = agent if isinstance(agent, AnswersOneGame) else None
        self._answers_all = agent if isinstance(agent, AnswersAllGames) else None
        self._acts_in_all = agent if isinstance(agent, ActsInAllGames) else None
        self.plays_at_random = type(agent) is RandomAgent
        self._draws_from_streams = (
            isinstance(agent, DrawsFromStreams) and agent.draws_from_streams is True
        )

    @property
    def plays_batches(self) -> bool:
        """Whether one player can play all games of a batch."""
        return self._answers_all is not None or self._acts_in_all is not None

    def reset(self, generator: np.random.Generator) -> None:
        """Forget all games, and draw from ``generator`` whatever no stream of a batch supplies."""
        if self._resettable is not None:
            self._resettable.reset(generator)

    def begin(self, streams: Streams) -> None:
        if self._draws_from_streams:
            self._agent.reset(streams[OPPONENT])
        else:
            self.reset(np.random.default_rng(draw_seed(streams[OPPONENT])))

    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        """Reset the player from the first game's stream, if all games begin.

        A player that plays batches knows without this which games begin.

        Args:
            batch: the batch, of n games.
            mask: the games that begin: bool of shape (n,).
        """
        if not self._draws_from_streams and mask.all():
            self.reset(np.random.default_rng(seeds_of(batch, np.arange(batch.num_games) == 0)[0]))

    def act(self, game: BaseGame) -> int | str:
        """The player's action in one game, unchecked."""
        action: int | str = self._agent.act(game)
        return action

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        """The player's actions in several games of a batch, unchecked.

        Args:
            batch: the batch.
            indices: the indices of these games: int64 of shape (k,).

        Returns:
            Whatever the player returned.
        """
        assert self._acts_in_all is not None
        return self._acts_in_all.act_all(batch, indices)

    def choose(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        """The player's actions in several games of a batch, checked to be indices of actions.

        Args:
            who: what error messages call the player.
            batch: the batch.
            indices: the indices of these games: int64 of shape (k,).

        Returns:
            An action for each of them, as the game numbers actions: integers of shape (k,), not
            necessarily legal.

        Raises:
            UnknownActionError: if the player returned anything else.
        """
        wanted = f"{len(indices)} integers from 0 to {batch.num_actions - 1}"
        answer = as_array(self.act_all(batch, indices))
        if answer.shape != (len(indices),) or answer.dtype.kind not in "iu":
            raise UnknownActionError(
                f"the {who} returned shape {answer.shape} and dtype {answer.dtype}, not {wanted}"
            )
        unknown = (answer < 0) | (answer >= batch.num_actions)
        if unknown.any():
            raise UnknownActionError(f"the {who} returned {answer[unknown.argmax()]}, not {wanted}")
        return answer

    def answer(self, game: BaseGame, player: str) -> None:
        if self._answers_one is not None:
            self._answers_one.answer_one(game, player)
        while game.result is None and game.to_act != player:
            action = self.act(game)
            try:
                game.play(action)
            except IllegalActionError as error:
                raise type(error)(f"the opponent's action: {error}") from None

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        if self._answers_all is not None:
            self._answers_all.answer_all(batch, players)
        elif self.plays_batches:
            self._answer_together(batch, players)
        else:
            play_replies(
                batch, players, lambda number, player: self.reply(batch.game(number), player)
            )

    def _answer_together(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        """Let the player choose for all waiting games at once, until none waits."""
        while len(indices := (~batch.over & (batch.to_act != players)).nonzero()[0]):
            actions = np.full(batch.num_games, NO_ACTION)
            actions[indices] = self.choose("opponent", batch, indices)
            refused = batch.masks[indices, actions[indices]] == 0
            if refused.any():
                game = int(indices[refused.argmax()])
                raise IllegalActionError(
                    f"the opponent played {actions[game]} in game {game}, where that is illegal"
                )
            batch.play(actions)

    def reply(self, game: BaseGame, player: str) -> list[int]:
        """Play until the game is over or ``player`` is to act.

        Args:
            game: the game, which is changed.
            player: the learner's side, one of the game's ``players``.

        Returns:
            The actions played, in order.

        Raises:
            IllegalActionError: if the opponent returns an action that is not legal.
        """
        before = len(game.history)
        self.answer(game, player)
        return game.history[before:]


class OwnPlayers(OpponentInManyGames):
    """One player for each game of a batch, for agents that play one game at a time.

    Args:
        given: the player as it was given, which plays one of the games; copies of it play the
            others.
        make: makes an opponent of what was given.
        keyword: the argument's name in error messages.
    """

    def __init__(
        self, given: OpponentLike, make: Callable[[OpponentLike], SingleOpponent], keyword: str
    ) -> None:
        self._given, self._make, self._keyword = given, make, keyword
        #: The player of each game, and the game, by the game's index in the batch.
        self._players: dict[int, SingleOpponent] = {}
        self._games: dict[int, BaseGame] = {}

    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        numbers = mask.nonzero()[0].tolist()
        for number, seed in zip(numbers, seeds_of(batch, mask), strict=True):
            if number not in self._players:
                self._players[number] = self._new_player()
            self._players[number].reset(np.random.default_rng(seed))
            self._games[number] = batch.game(number)

    def _new_player(self) -> SingleOpponent:
        try:
            return self._make(copy.deepcopy(self._given) if self._players else self._given)
        except (
            TypeError,
            ValueError,
            NotImplementedError,
            RecursionError,
        ) as error:  # what cannot be copied
            reason = (
                f"each game needs a player of its own, and this one cannot be copied ({error}): "
                "name it by a line of text"
            )
            raise ConfigError(self._keyword, self._given, reason) from error

    def follow(self, actions: NDArray[np.int64]) -> None:
        for number, game in self._games.items():
            action = int(actions[number])
            if action >= 0 and game.result is None:
                # An illegal action ends the game in the batch, so that this one is not played on.
                with suppress(IllegalActionError):
                    game.play(action)

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        play_replies(
            batch,
            players,
            lambda number, player: self._players[number].reply(self._games[number], player),
        )


def seeds_of(batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> list[int]:
    """Draw a seed from the stream `OPPONENT` of each selected game, as `draw_seed` does.

    Args:
        batch: the batch, of n games.
        mask: the games to draw for: bool of shape (n,).

    Returns:
        A seed for each selected game, from 0 to below 2**64.
    """
    upper, lower = (batch.draw(mask, DRAWS, OPPONENT).tolist() for _ in range(2))
    return [first * DRAWS + second for first, second in zip(upper, lower, strict=True)]


def play_replies(
    batch: BaseBatch[Any], players: NDArray[np.int64], reply: Callable[[int, str], list[int]]
) -> None:
    """Play a player's replies, one game at a time.

    Args:
        batch: the batch, of n games.
        players: the learner's index among the players in each game: int64 of shape (n,).
        reply: called with the index of a game and the learner's side there; returns the actions to
            play until the game is over or the learner is to act.
    """
    waiting = (~batch.over & (batch.to_act != players)).nonzero()[0].tolist()
    replies = {number: reply(number, batch.players[players[number]]) for number in waiting}
    for step in range(max(map(len, replies.values()), default=0)):
        actions = np.full(batch.num_games, NO_ACTION)
        for number, played in replies.items():
            if step < len(played):
                actions[number] = played[step]
        batch.play(actions)


class _FunctionOpponent(SingleOpponent):
    """A function of an observation.

    In a batch, it is called with the observations of all games in which it is to act.
    """

    def __init__(
        self, function: Callable[[Any, dict[str, Any]], Any], observation: str, canonical: bool
    ) -> None:
        self._player = FunctionAgent(function, observation, canonical)
        super().__init__(self._player)
        self._function = function

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        to_act, masks = batch.to_act[indices], batch.masks[indices]
        encoder = self._player.encoders.on(batch.game_class, batch.config)
        observations = batch.observations_of(indices, to_act, encoder)
        shown = np.empty_like(masks)
        encoder.write_masks(masks, to_act, shown)
        return self._function(
            observations,
            {"action_mask": shown, "to_act": to_act.astype(np.int8), "game": indices.copy()},
        )

    @property
    def plays_batches(self) -> bool:
        return True

    def begin(self, streams: Streams) -> None:
        """Do nothing: a function leaves nothing to chance."""

    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        """Do nothing, as in `begin`."""

    def choose(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        encoder = self._player.encoders.on(batch.game_class, batch.config)
        return encoder.own_actions(super().choose(who, batch, indices), batch.to_act[indices])


def predicting(predict: Callable[..., Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """Turn a model's ``predict`` into a function of an observation and an info.

    The function passes ``action_masks`` and ``deterministic=True`` if ``predict`` takes these
    keywords.
    """
    takes = _accepts(predict)
    names = tuple(name for name in ("action_masks", "deterministic") if takes(name))
    return partial(_predicted, predict, names)  # unlike a local function, it can be pickled


def _predicted(
    predict: Callable[..., Any], names: Sequence[str], observation: Any, info: dict[str, Any]
) -> Any:
    """The actions of a model whose ``predict`` takes keywords of these names."""
    given = {"action_masks": info["action_mask"].astype(np.bool_), "deterministic": True}
    answer = predict(observation, **{name: given[name] for name in names})
    return answer[0] if isinstance(answer, tuple) else answer


def _accepts(function: Callable[..., Any]) -> Callable[[str], bool]:
    """Return a function that says whether ``function`` takes a keyword."""
    taken = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values())
    return lambda name: takes_all or name in taken


class _UnmaskedModelOpponent(_FunctionOpponent):
    """A model that takes no masks: its illegal actions are replaced by random legal ones."""

    def begin(self, streams: Streams) -> None:
        self._stream = streams[OPPONENT]

    def act(self, game: BaseGame) -> int | str:
        action, legal = super().act(game), game.legal_actions()
        return action if action in legal else legal[draw_from(self._stream, len(legal))]

    def choose(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        actions: NDArray[Any] = super().choose(who, batch, indices).copy()
        illegal = (batch.masks[indices, actions] == 0).nonzero()[0]
        drawing = np.zeros(batch.num_games, np.bool_)
        drawing[indices[illegal]] = True
        for place, drawn in zip(
            illegal.tolist(), batch.draw(drawing, DRAWS, OPPONENT).tolist(), strict=True
        ):
            legal = batch.masks[indices[place]].nonzero()[0]
            # As `draw_from` draws from a stream.
            actions[place] = legal[drawn * len(legal) // DRAWS]
        return actions


def make_opponent_in_many_games(
    given: OpponentLike, game: str, observation: str = PLANES, canonical: bool = False
) -> OpponentInManyGames:
    """Make the opponent in a batch of games, or one for each game if one cannot play them all.

    Args:
        given: the player; a function or a model is called for many games at once.
        game: the name of the game in the registry.
        observation: how a function or a model sees the games: ``"planes"`` or ``"compact"``.
        canonical: whether a function or a model sees every game as if it were the first player.

    Returns:
        The opponent.

    Raises:
        ConfigError: if ``given`` is not a player.
    """

    def make(player: OpponentLike) -> Any:
        return make_opponent(player, game, observation, canonical)

    made: SingleOpponent = make(given)
    return made if made.plays_batches else OwnPlayers(given, make, "opponent")


def make_opponent(
    given: OpponentLike,
    game: str,
    observation: str = PLANES,
    canonical: bool = False,
    keyword: str = "opponent",
) -> SingleOpponent:
    """Make the opponent in one game.

    Args:
        given: a player's name, an agent, a model or a function.
        game: the name of the game in the registry; only a player's name needs it.
        observation: how a function or a model sees the game: ``"planes"`` or ``"compact"``.
        canonical: whether a function or a model sees the game as if it were the first player.
        keyword: the argument's name in error messages.

    Returns:
        The opponent.

    Raises:
        ConfigError: if ``given`` is not a player.
    """
    if isinstance(given, str):
        if given == SELF_PLAY:
            reason = (
                "self-play is for gymnasium.make_vec(…, opponent='self') and for PettingZoo's "
                "env(): there a learner plays both sides"
            )
            raise ConfigError(keyword, given, reason)
        return SingleOpponent(named_player(given, keyword, game))
    if not isinstance(given, type):
        if callable(getattr(given, "act", None)):
            return SingleOpponent(given)
        predict = getattr(given, "predict", None)
        if callable(predict):
            kind = (
                _FunctionOpponent if _accepts(predict)("action_masks") else _UnmaskedModelOpponent
            )
            return kind(predicting(predict), observation, canonical)
        if callable(given):
            return _FunctionOpponent(given, observation, canonical)
    players = (
        "a player's name, an agent with act(game), a model with predict(observation), "
        "or a function (observation, info)"
    )
    raise ConfigError(keyword, given, f"it must be {players}")


class OpponentMixin(ABC):
    """An environment with an opponent."""

    #: The ``side`` that was given: a player's name or ``"random"``.
    wanted_side: str
    #: How players see games: the keywords ``observation`` and ``canonical`` as they were given.
    shown_as: dict[str, Any]
    _spec: GameSpec
    _given_opponent: OpponentLike

    @property
    def game_name(self) -> str:
        """The game's name in the registry."""
        return self._spec.name

    @property
    def opponent(self) -> OpponentLike:
        """The opponent, as it was given; setting it calls `set_opponent`."""
        return self._given_opponent

    @opponent.setter
    def opponent(self, opponent: OpponentLike) -> None:
        self.set_opponent(opponent)

    @abstractmethod
    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against another opponent from the next step on, also in games in progress.

        For games in progress, new members are drawn from a pool. If it raises, nothing changes.

        Raises:
            ConfigError: if the opponent cannot play, or, with many games, if self-play would begin
                or end.
        """
