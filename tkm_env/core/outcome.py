"""How a game ended, as one value for what positions, records and the protocol write."""

from __future__ import annotations

from enum import Enum


class Outcome(Enum):
    """How a game ended; each value is the text that positions and records write.

    >>> Outcome("0-1") is Outcome.SECOND_WON
    True
    >>> Outcome.won_by(1).points, Outcome.DRAWN.rewards, Outcome.TRUNCATED.winner
    ((0.0, 1.0), (0, 0), None)
    """

    FIRST_WON = "1-0"
    SECOND_WON = "0-1"
    DRAWN = "1/2"
    #: The game ended for a reason outside its rules, such as a limit on turns.
    TRUNCATED = "*"

    @classmethod
    def won_by(cls, index: int) -> Outcome:
        """The outcome of a game won by the player of this index, 0 or 1."""
        return (cls.FIRST_WON, cls.SECOND_WON)[index]

    @property
    def winner(self) -> int | None:
        """The index of the player who won, 0 or 1; None if neither did."""
        return {Outcome.FIRST_WON: 0, Outcome.SECOND_WON: 1}.get(self)

    @property
    def points(self) -> tuple[float, float]:
        """The points of both players: 1 for a win, 0 for a loss, 0.5 each without a winner."""
        return (0.5, 0.5) if self.winner is None else (1.0 - self.winner, float(self.winner))

    @property
    def rewards(self) -> tuple[int, int]:
        """The rewards of both players: 1 for a win, -1 for a loss, 0 each without a winner."""
        return (0, 0) if self.winner is None else (1 - 2 * self.winner, 2 * self.winner - 1)
