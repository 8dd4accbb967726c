"""Players: the `Agent` protocol, and a base class for agents that plan whole turns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import new_stream
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.errors import IllegalActionError


def game_over_error() -> IllegalActionError:
    """The error to raise when an agent is asked to act in a finished game."""
    return IllegalActionError("the game is over: there is nothing to play")


def agent_name(kind: str, **options: tuple[object, object]) -> str:
    """A name for tables: the kind of agent, then the options that differ from their defaults.

    Args:
        kind: the kind of agent, such as ``"mcts"``.
        **options: for each option, its value and its default.

    Returns:
        The name, such as ``"mcts iterations=200"``.
    """
    return " ".join(
        [
            kind,
            *(f"{name}={given}" for name, (given, default) in options.items() if given != default),
        ]
    )


class Thought(NamedTuple):
    """A line of play that an agent considered.

    Attributes:
        actions: the indices of its actions, from the position in which the agent planned; a line
            may go on over several turns.
        expectation: the result that the agent expects of it for its side, from -1 (a loss) to 1 (a
            win); None if it cannot tell.
        visits: the number of times that a tree search visited its beginning; None for others.
        depth: the number of turns that the search looked ahead; None if it has no such number.
    """

    actions: tuple[int, ...]
    expectation: float | None
    visits: int | None = None
    depth: int | None = None


@runtime_checkable
class Agent(Protocol):
    """A player with a forward model: given a game, it returns an action.

    Everything else is optional. The protocols `Resettable`, `DrawsFromStreams`, `AnswersOneGame`,
    `AnswersAllGames` and `ActsInAllGames` describe what else an agent can do in an environment.
    With either of the last two, one player plays all games of a vector environment, which otherwise
    gives each game its own copy of the player. In matches, the package's own players need not be
    asked for each action if they have `PlansTurns`. Further attributes are

    - ``time_budget``, a `tkm_env.foundations.time_budget.TimeBudget`: lets others end an `act`
      early;
    - ``page_limits``, of the class: maps the options that visitors of the page may choose to their
      highest values, such as ``{"seconds": 60}``;
    - ``probabilities(game)``: returns the probability of each action that it may play, by index, if
      these follow from the position alone and it can compute them;
    - ``expectation``: the result that it expected for its side when it last planned, from -1 (a
      loss) to 1 (a win), or None if it cannot tell;
    - ``thoughts()``: returns the lines that it considered in its last `act`, each as a `Thought`,
      the one that it plays first; none if it followed an earlier plan.

    Attributes:
        name: what tables call the player; the same for the same settings.
    """

    name: str

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Forget the last game and start a new stream of random numbers.

        Args:
            seed: where the numbers come from; None draws a seed from the system.
        """

    def act(self, game: Any) -> int:
        """Choose a legal action for the side to act.

        Args:
            game: the game, a `tkm_env.core.game.BaseGame`, which must not be changed.

        Returns:
            The index of the action.
        """


@runtime_checkable
class Resettable(Protocol):
    """An opponent that has a memory or draws random numbers.

    `Agent` requires it of players in matches; opponents in environments may lack it.
    """

    def reset(self, seed: Any = None) -> None:
        """As `Agent.reset`."""


@runtime_checkable
class DrawsFromStreams(Protocol):
    """An agent that draws its random numbers from the streams of a batch.

    They are the streams `OPPONENT` of `tkm_env.compiled.random_numbers`; its `reset` also takes one
    of them.
    """

    draws_from_streams: bool  # True, as an attribute of the class


@runtime_checkable
class PlansTurns(Protocol):
    """An agent that can choose all actions of a turn in one call."""

    def plan_turn(self, game: Any) -> Sequence[int]:
        """Choose the actions that `Agent.act` would choose, one by one, until the turn ends.

        Args:
            game: the game, a `tkm_env.core.game.BaseGame`, which must not be changed.

        Returns:
            The indices of the actions, at least one.
        """


@runtime_checkable
class AnswersOneGame(Protocol):
    """An agent that can play several actions of a single game in one call."""

    def answer_one(self, game: Any, player: str) -> None:
        """Play until the game is over or a given player is to act.

        Args:
            game: a `tkm_env.core.game.BaseGame`.
            player: the name of the player to stop for.
        """


@runtime_checkable
class AnswersAllGames(Protocol):
    """An agent that can play in all games of a batch in one call."""

    def answer_all(self, batch: Any, players: NDArray[np.int64]) -> None:
        """Play in each game of a batch until it is over or a given player is to act.

        Args:
            batch: a `tkm_env.core.batch.BaseBatch` of n games.
            players: the index of the player to stop for in each game, 0 or 1: int64 of shape (n,).
        """


@runtime_checkable
class ActsInAllGames(Protocol):
    """An agent that can choose one action each for several games of a batch."""

    def act_all(self, batch: Any, indices: NDArray[np.int64]) -> Any:
        """Choose legal actions.

        Args:
            batch: a `tkm_env.core.batch.BaseBatch`, which must not be changed.
            indices: for which of its games: int64 of shape (k,).

        Returns:
            The actions, as indices: integers of shape (k,).
        """


class TurnAgent(ABC):
    """An agent that plans a whole turn, and follows the plan while the game stays on it.

    Only one thread at a time may use it.

    Args:
        name: what tables call the agent.
        seed: where its random numbers come from; None draws a seed from the system.

    Attributes:
        expectation: as for `Agent`.
    """

    expectation: float | None = None

    def __init__(self, name: str, seed: int | np.random.Generator | None) -> None:
        self.name = name
        self._users: dict[int, int] = {}
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        self._stream = new_stream(seed)
        self.expectation = None
        #: The position in which the plan continues, and the actions left. It is empty while the
        #: plan changes, since an interrupt may come during any call.
        self._plan: tuple[Any, Sequence[int]] = None, ()
        #: The turn that the last `act` planned; empty if it followed an earlier plan.
        self._planned: Sequence[int] = ()

    @no_concurrent_use
    def act(self, game: Any) -> int:
        """The next planned action.

        A new turn is planned if there is no plan, or if the game has left it.

        Raises:
            IllegalActionError: if the game is over.
        """
        (expected, actions), self._plan = self._plan, (None, ())
        self._planned = ()
        if not actions or game != expected:
            actions = self.plan_turn(game)
            expected = game.copy()
        expected.play(actions[0])
        self._plan = expected, actions[1:]
        return actions[0]

    @no_concurrent_use
    def plan_turn(self, game: Any) -> Sequence[int]:
        """The actions of a whole turn, or of the rest of one, planned anew.

        Raises:
            IllegalActionError: if the game is over.
        """
        self._plan, self._planned = (None, ()), ()
        if game.result is not None:
            raise game_over_error()
        self._planned = self._plan_turn(game)
        return self._planned

    def thoughts(self) -> list[Thought]:
        """The turn that the last `act` planned; nothing if it followed an earlier plan."""
        planned = tuple(map(int, self._planned))
        return [Thought(planned, self.expectation)] if planned else []

    @abstractmethod
    def _plan_turn(self, game: Any) -> Sequence[int]:
        """The actions of a whole turn, or of the rest of one."""
