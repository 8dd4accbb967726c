"""How people play a game: its choices, its drawing with what can be clicked on, what happened, advice.

The session, the terminal and the browser know nothing of any rules; they ask a `PlayAdapter`. The plain one serves every game, and a game
that wants headings, sentences or places to click on derives from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Generic, NamedTuple

from tkm_env.core.batch import Played

__all__ = ["PLAIN", "Advice", "Choice", "LogEntry", "Picture", "Place", "PlayAdapter"]


class Choice(NamedTuple):
    """A legal action.

    Attributes:
        name: its name, by which it is played.
        group: the heading under which it belongs.
        help: what it does, in a few words.
        place: the name of the place on the drawing to which it leads; None if it leads nowhere.
    """

    name: str
    group: str
    help: str
    place: str | None


class Place(NamedTuple):
    """A part of the drawing that can be pointed at: its name, what to call it, and its rectangle, in units of the drawing."""

    name: str
    label: str
    x: float
    y: float
    width: float
    height: float


class Picture(NamedTuple):
    """The drawing of a game as an SVG document, and the places to which legal actions lead."""

    svg: str
    places: Sequence[Place]


class LogEntry(NamedTuple):
    """An action that was played: in which turn, by whom, its name, and in words what it did."""

    turn: int
    player: str
    action: str
    text: str


class Advice(NamedTuple):
    """A way to go on: what it is worth, in words, and its turns, each as the names of its actions."""

    worth: str
    turns: Sequence[Sequence[str]]


class PlayAdapter(Generic[Played]):
    """How people play a game; this one works for every game, with buttons alone.

    Attributes:
        rules: the game in a few sentences, for somebody who has never played it.

    >>> from tkm_env import Game
    >>> PLAIN.choices(Game())
    [Choice(name='choose 1', group='Choose', help='', place=None)]
    """

    rules: tuple[str, ...] = ()

    def view(self, game: Played) -> Any:
        """What `heading`, `help`, `place` and `box` need of a game; made once for all its actions. By default the game."""
        return game

    def heading(self, action: str, view: Any) -> str:
        """The heading under which an action stands; by default its first word."""
        return action.split(" ")[0].capitalize()

    def help(self, action: str, view: Any) -> str:
        """What an action does, in a few words; by default nothing is said."""
        return ""

    def place(self, action: str, view: Any) -> str | None:
        """The name of the place on the drawing to which an action leads; by default it leads nowhere."""
        return None

    def box(self, place: str, view: Any) -> tuple[float, float, float, float]:
        """Where a place lies on the drawing: left, top, width and height."""
        raise NotImplementedError(f"{type(self).__name__} has places and does not say where they lie")

    def label(self, place: str) -> str:
        """What to call a place; by default its name."""
        return place

    def choices(self, game: Played) -> list[Choice]:
        """The legal actions; those under one heading stand together."""
        view = self.view(game)
        found = [
            Choice(name, self.heading(name, view), self.help(name, view), self.place(name, view)) for name in game.legal_names()
        ]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def picture(self, game: Played, *, theme: str, hints: bool) -> Picture:
        """The drawing in a theme, "light" or "dark"; with hints it marks where legal actions lead."""
        view = self.view(game)
        places = dict.fromkeys(self.place(name, view) for name in game.legal_names())
        return Picture(
            game.svg(theme=theme, legal=hints),
            [Place(name, self.label(name), *self.box(name, view)) for name in places if name is not None],
        )

    def position(self, game: Played) -> str:
        """The position's text, without what the players do not see."""
        return game.visible_position

    def log(self, game: Played) -> list[LogEntry]:
        """All actions so far."""
        return [
            LogEntry(frame.turn, game.players[frame.side], frame.action, "; ".join(frame.events))
            for frame in game.frames()
            if frame.side is not None and frame.action is not None
        ]

    def is_final(self, game: Played) -> bool:
        """Whether the last action stands, though the same player goes on in the same turn; by default it can be taken back."""
        return False

    def advice(self, game: Played) -> list[Advice]:
        """The best ways to go on, the best first, after about a second's thought; by default there is no advice."""
        return []


#: The adapter of games that have none of their own.
PLAIN: Final[PlayAdapter[Any]] = PlayAdapter()
