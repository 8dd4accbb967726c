"""What chance decides in a game, draw by draw, with the probability of every outcome."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any, NamedTuple

from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import ConfigError, IllegalActionError, repr_of


class ChanceState(NamedTuple):
    """A point in a game: a draw is due, a player is to decide, or the game is over.

    Attributes:
        game: the position, an instance of the game's class. It is copied and never played on;
            whatever is still to be drawn is arbitrary in it.
        undrawn: the draws due before a player decides, in order, as numbers that the game defines;
            often empty.
    """

    game: Any
    undrawn: tuple[int, ...] = ()


class Chance(ABC):
    """A game as a sequence of moments, linked by actions and draws.

    A draw takes place when its outcome becomes visible.

    Args:
        game_class: the class of the game.
        config: its settings.

    Attributes:
        most_draws: the largest number of draws in one game.
        outcome_names: the names of all outcomes of draws, in index order.
    """

    most_draws: int
    outcome_names: tuple[str, ...]

    def __init__(self, game_class: type[BaseGame], config: Any) -> None:
        self._game_class: Any = game_class
        self._config = config

    @abstractmethod
    def begin(self) -> ChanceState:
        """The first moment."""

    def play(self, moment: ChanceState, action: int) -> ChanceState:
        """The moment after an action; by default nothing is drawn during a game.

        Args:
            moment: a moment in which a player is to decide; unchanged.
            action: the index of the action.

        Returns:
            The moment that follows.

        Raises:
            IllegalActionError: if the action is not legal at this moment.
        """
        after = moment.game.copy()
        after.play(action)
        return ChanceState(after)

    @abstractmethod
    def outcomes(self, moment: ChanceState) -> list[tuple[int, float]]:
        """The outcomes of the next draw, in index order, and their probabilities.

        The probabilities add up to 1; the list is empty if no draw is due.
        """

    def draw(self, moment: ChanceState, outcome: int) -> ChanceState:
        """The moment after the next draw had a given outcome.

        Args:
            moment: a moment in which a draw is due; unchanged.
            outcome: the index of the outcome, one of those that `outcomes` returns.

        Returns:
            The moment that follows.

        Raises:
            IllegalActionError: if the draw cannot have this outcome.
        """
        possible = [number for number, _ in self.outcomes(moment)]
        if outcome not in possible:
            raise IllegalActionError(
                f"{repr_of(outcome)} cannot be drawn; "
                f"outcomes: {', '.join(map(str, possible)) or 'none'}"
            )
        return self._after_draw(moment, outcome)

    def key(self, moment: ChanceState) -> Hashable:
        """What tells a moment from all others, whatever is arbitrary in its game.

        Equal moments have equal keys; by default it is the text of the position, and the draws due.
        """
        return moment.game.position, moment.undrawn

    @abstractmethod
    def _after_draw(self, moment: ChanceState, outcome: int) -> ChanceState:
        """The moment after the next draw had one of its outcomes."""


class NoChance(Chance):
    """A game without draws.

    Args:
        game_class: the class of the game.
        config: its settings.

    Raises:
        ConfigError: if the game begins by chance or hides something.

    >>> from tkm_env.core.registry import game_spec
    >>> spec = game_spec("terminus")
    >>> NoChance(spec.game_class, spec.config({}))
    Traceback (most recent call last):
        ...
    tkm_env.foundations.errors.ConfigError: game='terminus' is invalid: it leaves something to \
chance, and its row in the registry does not say what
    """

    most_draws = 0
    outcome_names = ()

    def __init__(self, game_class: type[BaseGame], config: Any) -> None:
        super().__init__(game_class, config)
        if config.begins_by_chance or game_class.hides():
            reason = "it leaves something to chance, and its row in the registry does not say what"
            raise ConfigError("game", game_class.name, reason)

    def begin(self) -> ChanceState:
        return ChanceState(self._game_class(self._config))

    def outcomes(self, moment: ChanceState) -> list[tuple[int, float]]:
        return []

    def _after_draw(self, moment: ChanceState, outcome: int) -> ChanceState:
        raise NotImplementedError
