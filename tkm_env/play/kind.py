"""What a kind of game tells so that people can play it. Imports `settings` and `render.story`, for their types.

The session, the terminal and the browser know nothing of any rules: settings, choices, drawings and sentences all come through
`GameKind`, which every game can fill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

from tkm_env.render.story import Story
from tkm_env.settings import Setting

__all__ = ["Advice", "Choice", "GameKind", "Picture", "Place", "PlayedGame", "Told"]


class PlayedGame(Protocol):
    """What is needed of a game itself; its `str` shows it as text. the games of this package have it all."""

    @property
    def to_act(self) -> str:
        """Whose decision is next."""

    @property
    def turn(self) -> int:
        """The number of the turn."""

    @property
    def result(self) -> str | None:
        """None while the game goes on."""

    @property
    def history(self) -> list[int]:
        """The actions so far."""

    def play(self, action: int | str) -> None:
        """Carry out a legal action; raise `IllegalActionError`, and change nothing, if it is not legal."""

    def copy(self) -> Any:
        """An independent game in the same position, with the same history."""

    def to_record(self, **told: Any) -> dict[str, Any]:
        """The game record; ``players``, ``seed`` and ``seconds`` may be told."""


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


class Told(NamedTuple):
    """An action that was played: in which turn, by whom, its name, and in words what it did."""

    turn: int
    player: str
    action: str
    text: str


class Advice(NamedTuple):
    """A way to go on: what it is worth, in words, and its turns, each as the names of its actions."""

    worth: str
    turns: Sequence[Sequence[str]]


Played = TypeVar("Played", bound=PlayedGame)


class GameKind(Protocol[Played]):
    """A kind of game.

    Attributes:
        title: its name.
        rules: the game in a few sentences, for somebody who has never played it.
        players: the names of the two sides.
        opponents: lines that describe agents, as `agent` reads them; the weakest first.
        settings: what can be chosen before a game.
    """

    title: str
    rules: tuple[str, ...]
    players: tuple[str, str]
    opponents: tuple[str, ...]
    settings: tuple[Setting, ...]

    def new_game(self, settings: Mapping[str, Any], *, seed: int, position: str | None = None) -> Played:
        """A game under these settings, given as text; raise `TKMError` for what cannot be."""

    def agent(self, line: str, player: str) -> Any:
        """The agent that a line describes, with ``act(game)``; raise `ConfigError` if there is none."""

    def position(self, game: Played) -> str:
        """The position's text, without what the players do not see."""

    def situation(self, game: Played) -> str:
        """Who is to do what, or how the game ended."""

    def choices(self, game: Played) -> list[Choice]:
        """The legal actions; those of a group stand together."""

    def picture(self, game: Played, *, theme: str, hints: bool) -> Picture:
        """The drawing in a theme, "light" or "dark"; with hints it marks to where legal actions lead."""

    def told(self, game: Played) -> list[Told]:
        """All actions so far."""

    def story(self, game: Played, players: Mapping[str, str]) -> Story:
        """The game to be replayed, with the names of the players by side."""

    def is_final(self, game: Played) -> bool:
        """Whether the last action cannot be taken back, though the same player goes on in the same turn."""

    def advice(self, game: Played) -> list[Advice]:
        """The best ways to go on, the best first, after about a second's thought; none where there is nothing to advise."""
