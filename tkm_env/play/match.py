"""Several games in a row between the same two players, such as a series or a campaign."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class MatchStep(NamedTuple):
    """Something that the players can say before a game: its name, the label of its button, and what it means."""

    name: str
    label: str
    tip: str


class MatchStatus(NamedTuple):
    """The score of a match: a heading, and lines of text."""

    title: str
    lines: Sequence[str]


class SessionMatch(Protocol):
    """Games in a row; what was played and said determines the next one. The players keep their sides.

    An adapter's function makes it from the keywords ``seed`` and ``played``, and those of the game's config: ``played`` is what `to_dict`
    returned, to continue the match from there, or None for a new one.
    """

    def next_game(self) -> Any:
        """The next game at its start, unchanged until the players finish it or say something."""
        ...

    def finish(self, game: Any) -> None:
        """Record a finished game.

        Raises:
            ConfigError: if it is not over.
        """
        ...

    def status(self, game: Any) -> MatchStatus:
        """The score while this game is played, or is over but not recorded."""
        ...

    def steps(self) -> Sequence[MatchStep]:
        """What the players can say before the next game."""
        ...

    def say(self, step: str) -> None:
        """Say one of `steps`.

        Raises:
            ConfigError: if it is none of them.
        """
        ...

    def to_dict(self) -> dict[str, Any]:
        """What has been played and said so far, as JSON types."""
        ...
