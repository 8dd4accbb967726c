"""Opponents in the Gymnasium environments: agents, agents by name, functions, trained models."""

from __future__ import annotations

import copy
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
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
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import as_array
from tkm_env.foundations.errors import ConfigError, IllegalActionError, UnknownActionError

#: What may be given as an opponent: a name, an agent, a function of an observation and an info, or a model with ``predict``.
OpponentLike: TypeAlias = "str | Any | Callable[[Any, dict[str, Any]], Any]"

#: The opponent's name for self-play: the learner plays both sides.
SELF_PLAY: Final = "self"

#: Draws of a batch are whole numbers below this.
DRAWS: Final = 2**32


def name_of(player: OpponentLike) -> str:
    """A player's name: its line of text, its ``name`` or ``__name__``, or its class."""
    if isinstance(player, str):
        return player
    name = getattr(player, "name", None) or getattr(player, "__name__", None)
    return name if isinstance(name, str) else type(player).__name__


class Opponent(ABC):  # noqa: B024 what it does is said of one game and of many
    """The other side in a Gymnasium environment. It draws from the games' own streams alone, and plays each of many as it would play that
    one.
    """

    def count(self, indices: NDArray[np.int64], rewards: NDArray[np.float64]) -> None:  # noqa: B027 one player keeps no count
        """Note the learner's reward in each game that ended; a single game has the index 0."""

    @property
    def member(self) -> NDArray[np.int64] | None:
        """Who plays each game, as an index into a pool, a new array; None where there is one player."""
        return None


class OpponentInOneGame(Opponent):
    """An opponent in one game at a time."""

    @abstractmethod
    def begin(self, streams: Streams) -> None:
        """Begin a game with these streams."""

    @abstractmethod
    def answer(self, game: BaseGame, player: str) -> None:
        """Play until the game is over or ``player`` is to act. Raises an `IllegalActionError` if the opponent returns no legal action."""


class OpponentInManyGames(Opponent):
    """An opponent in the games of a batch."""

    @abstractmethod
    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        """Begin the games of a batch that ``mask`` selects."""

    def follow(self, actions: NDArray[np.int64]) -> None:
        """Note what is about to be played in the games, as `BaseBatch.play` takes it."""

    @abstractmethod
    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        """Play in each game until it is over or ``players[i]`` is to act; errors as in one game."""


class SingleOpponent(OpponentInOneGame, OpponentInManyGames):
    """One player, with a forward model: what has ``act(game)``, and maybe more of what the protocols
    of `tkm_env.core.agent` describe.
    """

    def __init__(self, agent: Any) -> None:
        self._agent = agent
        # The same agent by what it can do besides; None where it cannot.
        self._resettable = agent if isinstance(agent, Resettable) else None
        self._answers_one = agent if isinstance(agent, AnswersOneGame) else None
        self._answers_all = agent if isinstance(agent, AnswersAllGames) else None
        self._acts_in_all = agent if isinstance(agent, ActsInAllGames) else None
        self._draws_from_streams = (
            isinstance(agent, DrawsFromStreams) and agent.draws_from_streams is True
        )

    @property
    def plays_batches(self) -> bool:
        """Whether one player plays all games of a batch."""
        return self._answers_all is not None or self._acts_in_all is not None

    def reset(self, generator: np.random.Generator) -> None:
        """Forget all games, and draw what no stream of a batch gives from ``generator`` from now on."""
        if self._resettable is not None:
            self._resettable.reset(generator)

    def begin(self, streams: Streams) -> None:
        if self._draws_from_streams:
            self._agent.reset(streams[OPPONENT])
        else:
            self.reset(np.random.default_rng(draw_seed(streams[OPPONENT])))

    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        """Begin all games, from the first one's stream; a player that plays batches otherwise knows by itself which games begin."""
        if not self._draws_from_streams and mask.all():
            self.reset(np.random.default_rng(seeds_of(batch, np.arange(batch.num_games) == 0)[0]))

    def act(self, game: BaseGame) -> int | str:
        """An action in one game, as the player returned it."""
        action: int | str = self._agent.act(game)
        return action

    def act_all(self, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> Any:
        """Actions for the games of a batch with these indices, as the player returned them."""
        assert self._acts_in_all is not None
        return self._acts_in_all.act_all(batch, indices)

    def choose(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        """Actions, as the games number them, for these games of a batch. Raises an `UnknownActionError` about ``who`` returned others."""
        wanted = f"{len(indices)} whole numbers from 0 to {batch.num_actions - 1}"
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
        """Play with one choice for all games that wait, again and again."""
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
        """Play until the game is over or ``player`` is to act; returns the actions."""
        before = len(game.history)
        self.answer(game, player)
        return game.history[before:]


class OwnPlayers(OpponentInManyGames):
    """A player for each game of a batch: an agent that plays one game at a time, and copies, which ``make`` makes of what was given."""

    def __init__(
        self, given: OpponentLike, make: Callable[[OpponentLike], SingleOpponent], keyword: str
    ) -> None:
        self._given, self._make, self._keyword = given, make, keyword
        #: The player and the game of each number in which it plays.
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
            reason = f"each game needs a player of its own, and this one cannot be copied ({error}): name it by a line of text"
            raise ConfigError(self._keyword, self._given, reason) from error

    def follow(self, actions: NDArray[np.int64]) -> None:
        for number, game in self._games.items():
            action = int(actions[number])
            if action >= 0 and game.result is None:
                with suppress(
                    IllegalActionError
                ):  # which loses the game in the batch, so that nobody plays on here
                    game.play(action)

    def answer_all(self, batch: BaseBatch[Any], players: NDArray[np.int64]) -> None:
        play_replies(
            batch,
            players,
            lambda number, player: self._players[number].reply(self._games[number], player),
        )


def seeds_of(batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> list[int]:
    """What `draw_seed` draws from the stream `OPPONENT` of each selected game."""
    upper, lower = (batch.draw(mask, DRAWS, OPPONENT).tolist() for _ in range(2))
    return [first * DRAWS + second for first, second in zip(upper, lower, strict=True)]


def play_replies(
    batch: BaseBatch[Any], players: NDArray[np.int64], reply: Callable[[int, str], list[int]]
) -> None:
    """Play in each game, by its number, what ``reply`` answers there until it is over or ``players[i]`` is to act."""
    waiting = (~batch.over & (batch.to_act != players)).nonzero()[0].tolist()
    replies = {number: reply(number, batch.players[players[number]]) for number in waiting}
    for step in range(max(map(len, replies.values()), default=0)):
        actions = np.full(batch.num_games, NO_ACTION)
        for number, played in replies.items():
            if step < len(played):
                actions[number] = played[step]
        batch.play(actions)


class _FunctionOpponent(SingleOpponent):
    """A function of an observation; in a batch, of the observations of all games in which it is to act."""

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
        """Nothing: a function leaves nothing to chance."""

    def begin_all(self, batch: BaseBatch[Any], mask: NDArray[np.bool_]) -> None:
        """As `begin`."""

    def choose(self, who: str, batch: BaseBatch[Any], indices: NDArray[np.int64]) -> NDArray[Any]:
        encoder = self._player.encoders.on(batch.game_class, batch.config)
        return encoder.own_actions(super().choose(who, batch, indices), batch.to_act[indices])


def predicting(predict: Callable[..., Any]) -> Callable[[Any, dict[str, Any]], Any]:
    """A model's ``predict``, deterministic if it takes that keyword, as a function of an observation and an info."""
    takes = _accepts(predict)

    def choose(observation: Any, info: dict[str, Any]) -> Any:
        given = {"action_masks": info["action_mask"].astype(np.bool_), "deterministic": True}
        answer = predict(
            observation, **{name: value for name, value in given.items() if takes(name)}
        )
        return answer[0] if isinstance(answer, tuple) else answer

    return choose


def _accepts(function: Callable[..., Any]) -> Callable[[str], bool]:
    """Whether a function takes a keyword."""
    taken = inspect.signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in taken.values())
    return lambda name: takes_all or name in taken


class _UnmaskedModelOpponent(_FunctionOpponent):
    """A model that takes no masks: in place of an illegal action, it plays a random legal one."""

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
            actions[place] = legal[
                drawn * len(legal) // DRAWS
            ]  # as a stream draws a number below that
        return actions


def make_opponent_in_many_games(
    given: OpponentLike, game: str, observation: str = PLANES, canonical: bool = False
) -> OpponentInManyGames:
    """A player as `make_opponent` makes it, or one for each game of a batch where one cannot play them all."""

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
    """A player from an agent's name, an agent, a model or a function; else a `ConfigError` is raised, which calls it ``keyword``."""
    if isinstance(given, str):
        if given == SELF_PLAY:
            reason = "self-play is for gymnasium.make_vec(…, opponent='self') and for PettingZoo's env(): there a learner plays both"
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
    players = "a player's name, an agent with act(game), a model with predict(observation), or a function (observation, info)"
    raise ConfigError(keyword, given, f"it must be {players}")


class OpponentMixin(ABC):
    """An environment with an opponent."""

    #: The side that was asked for: a player's name or ``"random"``.
    wanted_side: str
    #: How games are shown to players: the keywords ``observation`` and ``canonical`` as they were given.
    shown_as: dict[str, Any]
    _spec: GameSpec
    _given_opponent: OpponentLike

    @property
    def game_name(self) -> str:
        """The game's name in the registry."""
        return self._spec.name

    @property
    def opponent(self) -> OpponentLike:
        """The opponent, as it was given; setting it is `set_opponent`."""
        return self._given_opponent

    @opponent.setter
    def opponent(self, opponent: OpponentLike) -> None:
        self.set_opponent(opponent)

    @abstractmethod
    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against another opponent from the next step on, also in games in progress; from a pool, new members are drawn for them.

        A `ConfigError` is raised if it cannot play, or, with many games, if self-play would begin or end; nothing has changed then.
        """
