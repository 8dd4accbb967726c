"""A clock for two players, each with their own time."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.message import Message

_MOST_MINUTES: Final = 24 * 60
_MOST_INCREMENT: Final = 3600
_SECONDS: Final = 60


def checked_clock(clock: object) -> tuple[float, float]:
    """Read the times of a clock.

    Args:
        clock: a string such as "10+5": minutes for each player, seconds added after each turn.

    Returns:
        The seconds that each player has, and those added after each turn.

    Raises:
        ConfigError: if it is anything else.
    """
    minutes, _, seconds = clock.partition("+") if isinstance(clock, str) else ("", "", "")
    try:
        given, added = float(minutes), float(seconds or "0")
    except ValueError:
        given = added = math.nan
    if not (0 < given <= _MOST_MINUTES and 0 <= added <= _MOST_INCREMENT):  # also if it is NaN
        raise ConfigError(
            "clock",
            clock,
            Message(
                "it must be minutes for each player and seconds added after each turn, as in "
                "'10+5': more than 0 and at most {minutes} minutes, and 0 to {seconds} seconds",
                minutes=_MOST_MINUTES,
                seconds=_MOST_INCREMENT,
            ),
        )
    return given * _SECONDS, added


class Clock:
    """The time that two players have left.

    It stands still until it is pressed: in a session, until the first player has acted.

    Args:
        players: the names of the players.
        seconds: the time that each player has.
        added: the seconds added after each turn.
        now: returns the current time, in seconds.

    Attributes:
        running: the player whose time passes; None if the clock stands still.
    """

    def __init__(
        self,
        players: Sequence[str],
        seconds: float,
        added: float,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._left = dict.fromkeys(players, seconds)
        self._added = added
        self._now = now
        self._since = 0.0
        self.running: str | None = None

    def press(self, player: str | None) -> None:
        """Stop the clock of the player who acted, and start this player's; None stops both."""
        now = self._now()
        if self.running is not None:
            self._left[self.running] -= now - self._since
            if player is not None and player != self.running:
                self._left[self.running] += self._added
        self.running, self._since = player, now

    def resume(self, left: Mapping[str, float], player: str | None) -> None:
        """Continue where another clock stood.

        Args:
            left: the seconds that each player has left.
            player: the player whose time passes from now on; None for neither.

        Raises:
            ConfigError: if ``left`` is not of these players.
        """
        if {*left} != {*self._left}:
            raise ConfigError("left", left, f"it must have {' and '.join(self._left)}")
        self._left = dict(left)
        self.running, self._since = player, self._now()

    def left(self) -> dict[str, float]:
        """Return the seconds that each player has left, at least 0."""
        left = dict(self._left)
        if self.running is not None:
            left[self.running] -= self._now() - self._since
        return {player: max(seconds, 0.0) for player, seconds in left.items()}

    @property
    def out_of_time(self) -> str | None:
        """The player who has run out of time; None if neither has."""
        return next((player for player, seconds in self.left().items() if seconds <= 0), None)
