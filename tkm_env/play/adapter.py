"""How people play a game: its choices, its drawing with places to point at, what each player has, its log, its analysis.

The session, the terminal and the browser contain no rules; they use a `PlayAdapter`. The plain one works for every game; a game that
needs headings, sentences, explanations or places to click on derives from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple

from tkm_env.batch.base import Played
from tkm_env.game.rulebook_text import Section

if TYPE_CHECKING:
    from tkm_env.play.editor import Editor
    from tkm_env.play.match import SessionMatch


class Choice(NamedTuple):
    """A legal action.

    Attributes:
        name: its name, by which it is played.
        group: the heading under which it is listed.
        help: what it does, in a few words.
        place: the name of the place on the drawing that it leads to, or None.
        label: the text of its button; its name if empty.
        card: the name of the place of the card that it moves there, or None.
        question: asked for confirmation before it is played; empty for none.
        preview: a drawing of its result, laid over the board while its button is pointed at.
    """

    name: str
    group: str
    help: str = ""
    place: str | None = None
    label: str = ""
    card: str | None = None
    question: str = ""
    preview: str = ""


class Cell(NamedTuple):
    """A place on a board: its name, what is there, an explanation, and its rectangle in units of the drawing."""

    name: str
    label: str
    tip: str
    x: float
    y: float
    width: float
    height: float


class Board(NamedTuple):
    """A part of the drawing with places in rows; a narrow screen shows each board by itself.

    Attributes:
        name: its name as a place.
        label: what it is called.
        tip: an explanation, in a sentence or two.
        x, y, width, height: its rectangle, in units of the drawing.
        rows: its places, from top to bottom and from left to right.
        cards: whether its places are cards, which can be dragged to places of other boards.
    """

    name: str
    label: str
    tip: str
    x: float
    y: float
    width: float
    height: float
    rows: Sequence[Sequence[Cell]] = ()
    cards: bool = False


class Thing(NamedTuple):
    """Something with an explanation: its label, what it means, its symbol, drawn with the canvas's glyphs, and how many there are."""

    label: str
    tip: str
    icon: str = ""
    amount: int | None = None


class SidePanel(NamedTuple):
    """What a player has beside the boards; the name is empty for what belongs to nobody."""

    name: str
    things: Sequence[Thing]


class LogEntry(NamedTuple):
    """An action that was played.

    Attributes:
        turn: its turn.
        player: who played it.
        action: its name.
        text: what it did, in words.
        moves: what moved, each from slot to slot.
        label: what the log calls it; its name if empty.
    """

    turn: int
    player: str
    action: str
    text: str
    moves: Sequence[tuple[str, str]] = ()
    label: str = ""


class Advice(NamedTuple):
    """A line of play: its value, in words, and its turns, each as the names of its actions."""

    worth: str
    turns: Sequence[Sequence[str]]


class PositionValue(NamedTuple):
    """What a position is worth: the first player's chance of winning, from 0 to 1, and a text that says so."""

    chance: float
    words: str


class PlayAdapter(Generic[Played]):
    """How people play a game; this one works for every game, with buttons only.

    Attributes:
        rules: the game in a few sentences, for a newcomer.
        goal: how the game is won, shown before the first action.
        marks: the marks of the drawing, each with its meaning.
        editor: changes positions by hand; None if the game has no editor.
        matches: makes several games in a row, by name: see `SessionMatch`.
        styles: in a terminal, a style of rich's for whatever a regular expression finds in the game's text.

    >>> from tkm_env import Game
    >>> PLAIN.choices(Game())[0].group
    'Choose'
    """

    rules: tuple[str, ...] = ()
    goal: str = ""
    marks: tuple[Thing, ...] = ()
    editor: Editor | None = None
    matches: Mapping[str, Callable[..., SessionMatch]] = MappingProxyType({})
    styles: Mapping[str, str] = MappingProxyType({})

    def view(self, game: Played) -> Any:
        """What `choice` needs from a game, computed once for all actions; by default the game itself."""
        return game

    def choice(self, action: str, view: Any) -> Choice:
        """A legal action as people choose it; by default a button under its first word."""
        return Choice(action, action.split(" ")[0].capitalize(), label=action)

    def choices(self, game: Played) -> list[Choice]:
        """The legal actions, grouped by heading."""
        view = self.view(game)
        found = [self.choice(name, view) for name in game.legal_names()]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def parts(self, game: Played, *, hints: bool) -> Mapping[str, str]:
        """The drawing, as contents of slots; ``hints`` marks where legal actions lead."""
        return game.drawing(legal=hints)

    def boards(self, game: Played) -> Sequence[Board]:
        """The parts of the drawing; by default all of it, without places."""
        return [Board("", "the board", "", 0, 0, game.canvas.width, game.canvas.height)]

    def sides(self, game: Played) -> Sequence[SidePanel]:
        """What the players have beside the boards; by default nothing."""
        return [SidePanel(player, ()) for player in game.players]

    def ending(self, game: Played) -> str:
        """Why a finished game ended as it did, in a sentence; by default empty."""
        return ""

    def log(self, game: Played) -> list[LogEntry]:
        """All actions so far."""
        return [
            LogEntry(frame.turn, game.players[frame.side], frame.action, "; ".join(frame.events))
            for frame in game.frames()
            if frame.side is not None and frame.action is not None
        ]

    def rules_for(self, game: Played) -> list[Section]:
        """The sections of the rules that this game needs: only chapters and powers in play. By default empty: `rules` say it all."""
        return []

    def settings_between(self, persons: int) -> Mapping[str, Any]:
        """Settings that suit a game with 1 or 2 persons unless they choose others; by default none."""
        return {}

    def for_agent(self, game: Played) -> Played:
        """The game as the agent to act is to see it; by default the game itself."""
        return game

    def conceded(self, game: Played) -> Played:
        """The game after the player to act concedes; the game itself by default, and where conceding is not allowed."""
        return game

    def is_final(self, game: Played) -> bool:
        """Whether the last action cannot be undone even within its turn; by default False."""
        return False

    def advice(self, game: Played) -> list[Advice]:
        """The best lines of play, best first, after about a second's thought; by default empty."""
        return []

    def evaluation(self, game: Played, **limits: Any) -> PositionValue | None:
        """What a position is worth; by default None.

        Args:
            game: the game.
            **limits: limits of the game's analysis, such as ``seconds``; by default a fraction of a second.
        """
        return None


#: The adapter of games without their own.
PLAIN: Final[PlayAdapter[Any]] = PlayAdapter()
