"""Players: the `Agent` protocol, and a base class for agents that plan whole turns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

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


@runtime_checkable
class Agent(Protocol):
    """A player with a forward model: given a game, it returns an action.

    Some attributes and methods are optional:

    - ``time_budget``, a `tkm_env.foundations.time_budget.TimeBudget`, lets others end an `act`
      early.
    - ``page_limits``, on the class, maps the options that visitors of the page may choose to their
      highest values, such as ``{"seconds": 60}``.
    - ``act_all(batch, indices)`` returns the actions for several games of a
      `tkm_env.core.batch.BaseBatch`, as indices.
    - ``answer_all(batch, players)`` plays each game until it is over or ``players[i]`` is to act.
      With it, one player plays all games of a vector environment; without it, each game has its own
      copy of the player.
    - ``answer_one(game, player)`` does the same in a single game.
    - ``draws_from_streams``, on the class, says that in a batch the player draws from the
      `OPPONENT` streams (`tkm_env.compiled.random_numbers`), and that `reset` accepts such a stream
      as well.
    - ``probabilities(game)`` returns the probability of each action, by index, for players that can
      state it from the position alone.

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


class TurnAgent(ABC):
    """An agent that plans a turn and follows the plan for as long as the game does.

    Only one thread at a time may use it.

    Args:
        name: what tables call the agent.
        seed: where its random numbers come from; None draws a seed from the system.
    """

    def __init__(self, name: str, seed: int | np.random.Generator | None) -> None:
        self.name = name
        self._users: dict[int, int] = {}
        self.reset(seed)

    @no_concurrent_use
    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        self._stream = new_stream(seed)
        #: The position in which the plan continues, and the actions left. It is empty while the
        #: plan changes, since an interrupt may come during any call.
        self._plan: tuple[Any, Sequence[int]] = None, ()

    @no_concurrent_use
    def act(self, game: Any) -> int:
        """The next planned action.

        A new turn is planned if there is no plan, or if the game has left it.

        Raises:
            IllegalActionError: if the game is over.
        """
        if game.result is not None:
            raise game_over_error()
        (expected, actions), self._plan = self._plan, (None, ())
        if not actions or game != expected:
            actions = self._plan_turn(game)
            expected = game.copy()
        expected.play(actions[0])
        self._plan = expected, actions[1:]
        return actions[0]

    @abstractmethod
    def _plan_turn(self, game: Any) -> Sequence[int]:
        """The actions of a whole turn, or of the rest of one."""
