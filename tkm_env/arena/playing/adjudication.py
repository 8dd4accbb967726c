"""When the referee ends a game early: once both players agree how it will end."""

import dataclasses
from collections import deque
from collections.abc import Mapping
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.outcome import Outcome
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.factory import options_of

_MOST_TURNS: Final = 1000


@dataclasses.dataclass(frozen=True)
class Adjudication:
    """When both players' scores decide a game.

    A score is what a player reports about its position, from -1 (a loss) to 1 (a win).

    Raises:
        ConfigError: naming the invalid number.
    """

    #: One player reports at least this, and the other at most its negative: above 0, up to 1.
    score: float = 0.95
    turns: int = 3  # in this number of its own turns in a row, 1 to 1,000
    #: A game is drawn if both players report at most this, in size; None if scores draw no game.
    draw: float | None = None

    def __post_init__(self) -> None:
        checked_number("score", self.score, 0, 1)
        checked_integer("turns", self.turns, 1, _MOST_TURNS)
        if self.draw is not None and checked_number("draw", self.draw, 0, from_low=True) >= (
            self.score
        ):
            raise ConfigError("draw", self.draw, f"it must be below the score, {self.score}")

    @classmethod
    def from_text(cls, text: str) -> "Adjudication":
        """Parse conditions from text such as ``"score=0.9,turns=4,draw=0.02"``.

        Raises:
            ConfigError: if the text does not describe them.
        """
        _, given = options_of(f"adjudicate:{text.replace(' ', '')}", "adjudicate")
        try:
            return cls(**given)
        except TypeError:
            raise ConfigError(
                "adjudicate",
                text,
                "it must be written score=0.95,turns=3, optionally followed by ,draw=0.02",
            ) from None


class Agreement:
    """What both players of a game have said about it, turn by turn.

    Args:
        rule: when their scores decide the game.
        game: the game, which is played on in place.
    """

    def __init__(self, rule: Adjudication, game: BaseGame) -> None:
        self._rule, self._game = rule, game
        self._turn = game.turn_id
        self._score: float | None = None  # the last one of this turn
        self._scores: dict[str, deque[float | None]] = {
            player: deque(maxlen=rule.turns) for player in game.players
        }

    def after(
        self, player: str, report: Mapping[str, float] | None
    ) -> tuple[Outcome, dict[str, Any]] | None:
        """Note an answer that was played.

        Args:
            player: the player that gave it.
            report: what the player reported with it; None for nothing.

        Returns:
            The outcome, and how records hold it, if the turn is over and the players agree; None if
            the game goes on.
        """
        score = None if report is None else report.get("score")
        self._score = self._score if score is None else score
        if self._game.result is not None or self._game.turn_id == self._turn:
            return None
        self._scores[player].append(self._score)
        self._turn, self._score = self._game.turn_id, None
        outcome = self._agreed()
        if outcome is None:
            return None
        winner = None if outcome.winner is None else self._game.players[outcome.winner]
        said = "; ".join(
            f"{name} reported {', '.join(f'{each:g}' for each in scores)}"
            for name, scores in self._scores.items()
        )
        return outcome, {"winner": winner, "seen": said}

    def _agreed(self) -> Outcome | None:
        """How the game ends by the players' last scores; None if it goes on."""
        rule, (first, second) = self._rule, self._scores.values()
        known = [[score for score in scores if score is not None] for scores in (first, second)]
        if any(len(scores) < rule.turns for scores in known):
            return None
        for index in range(2):
            if min(known[index]) >= rule.score and max(known[1 - index]) <= -rule.score:
                return Outcome.won_by(index)
        if (
            rule.draw is not None
            and max(abs(score) for scores in known for score in scores) <= rule.draw
            and Outcome.DRAWN.value in self._game.results.values()
        ):
            return Outcome.DRAWN
        return None
