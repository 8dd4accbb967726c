"""How people play a game: its choices, its drawing with places to click on, its log, advice.

The session, the terminal and the browser contain no rules; they use a `PlayAdapter`. The plain one works for every game; a game that
needs headings, sentences or places to click on derives from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple

from tkm_env.core.batch import Played
from tkm_env.core.rules import Section

__all__ = ["PLAIN", "Advice", "Choice", "LogEntry", "Picture", "Place", "PlayAdapter"]


class Choice(NamedTuple):
    """A legal action.

    Attributes:
        name: its name, by which it is played.
        group: the heading under which it is listed.
        help: what it does, in a few words.
        place: the name of the place on the drawing that it leads to, or None.
    """

    name: str
    group: str
    help: str
    place: str | None


class Place(NamedTuple):
    """A clickable part of the drawing: its name, its label, and its rectangle, in units of the drawing."""

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float


class Picture(NamedTuple):
    """The drawing of a game as an SVG document, and the places that legal actions lead to."""

    svg: str
    places: Sequence[Place]


class LogEntry(NamedTuple):
    """An action that was played: its turn, its player, its name, and what it did, in words."""

    turn: int
    player: str
    action: str
    text: str


class Advice(NamedTuple):
    """A line of play: its value, in words, and its turns, each as the names of its actions."""

    worth: str
    turns: Sequence[Sequence[str]]


class PlayAdapter(Generic[Played]):
    """How people play a game; this one works for every game, with buttons only.

    Attributes:
        rules: the game in a few sentences, for a newcomer.

    >>> from tkm_env import Game
    >>> PLAIN.choices(Game())
    [Choice(name='choose 1', group='Choose', help='', place=None)]
    """

    rules: tuple[str, ...] = ()
    #: In a terminal, how parts of a game's text look: a style of rich's for what a regular expression finds.
    styles: Mapping[str, str] = MappingProxyType({})

    def view(self, game: Played) -> Any:
        """What `heading`, `help`, `place` and `box` need from a game; made once for all actions. By default the game itself."""
        return game

    def heading(self, action: str, view: Any) -> str:
        """The heading under which an action is listed; by default its first word."""
        return action.split(" ")[0].capitalize()

    def help(self, action: str, view: Any) -> str:
        """What an action does, in a few words; by default empty."""
        return ""

    def place(self, action: str, view: Any) -> str | None:
        """The name of the place on the drawing that an action leads to; by default None."""
        return None

    def box(self, place: str, view: Any) -> tuple[float, float, float, float]:
        """The rectangle of a place on the drawing: left, top, width and height."""
        raise NotImplementedError(f"{type(self).__name__} has places but does not define box()")

    def label(self, place: str) -> str:
        """The label of a place; by default its name."""
        return place

    def choices(self, game: Played) -> list[Choice]:
        """The legal actions, grouped by heading."""
        view = self.view(game)
        found = [
            Choice(name, self.heading(name, view), self.help(name, view), self.place(name, view)) for name in game.legal_names()
        ]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def picture(self, game: Played, *, theme: str, hints: bool) -> Picture:
        """The drawing in a theme, "light" or "dark"; ``hints`` marks where legal actions lead."""
        view = self.view(game)
        places = dict.fromkeys(self.place(name, view) for name in game.legal_names())
        return Picture(
            game.svg(theme=theme, legal=hints),
            [Place(name, self.label(name), *self.box(name, view)) for name in places if name is not None],
        )

    def position(self, game: Played) -> str:
        """The text of the position without anything hidden from the players."""
        return game.visible_position

    def log(self, game: Played) -> list[LogEntry]:
        """All actions so far."""
        return [
            LogEntry(frame.turn, game.players[frame.side], frame.action, "; ".join(frame.events))
            for frame in game.frames()
            if frame.side is not None and frame.action is not None
        ]

    def rules_for(self, game: Played) -> list[Section]:
        """The sections of the rules that matter in this game as it stands: no chapter and no power that is not in play.

        By default empty: `rules` are all that there is.
        """
        return []

    def settings_between(self, persons: int) -> Mapping[str, Any]:
        """Settings that suit a game between so many persons, 1 or 2, where they ask for nothing else. By default none."""
        return {}

    def asked_of_agent(self, game: Played) -> Played:
        """The game as an agent that is to act is asked about it; by default the game itself."""
        return game

    def is_final(self, game: Played) -> bool:
        """Whether the last action cannot be undone, even if the same player continues in the same turn; by default False."""
        return False

    def advice(self, game: Played) -> list[Advice]:
        """The best lines of play, best first, after about a second's thought; by default empty."""
        return []


#: The adapter of games without their own.
PLAIN: Final[PlayAdapter[Any]] = PlayAdapter()
