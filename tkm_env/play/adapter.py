"""How people play a game: its choices, its drawing with places to point at, what each player has, its log, advice.

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
    from tkm_env.play.match import Match


class Choice(NamedTuple):
    """A legal action.

    Attributes:
        name: its name, by which it is played.
        group: the heading under which it is listed.
        help: what it does, in a few words.
        place: the name of the place on the drawing that it leads to, or None.
        label: what its button says; its name if it is empty.
        card: the name of the place of the card that it moves there, or None.
        question: what is asked before it is played; nothing if it is empty.
        preview: the drawing of what it would lead to, laid over the drawing while its button is pointed at.
    """

    name: str
    group: str
    help: str
    place: str | None
    label: str = ""
    card: str | None = None
    question: str = ""
    preview: str = ""


class Cell(NamedTuple):
    """A place on a board: its name, what is there, what that means, and its rectangle in units of the drawing."""

    name: str
    label: str
    tip: str
    x: float
    y: float
    width: float
    height: float


class Board(NamedTuple):
    """A part of the drawing with places in rows; on a narrow screen each is shown by itself.

    Attributes:
        name: the name by which it is itself a place.
        label: what it is called.
        tip: what it is, in a sentence or two.
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


class Picture(NamedTuple):
    """The drawing of a game, as contents of its canvas's slots, and its boards."""

    parts: Mapping[str, str]
    boards: Sequence[Board]


class Thing(NamedTuple):
    """Something that is explained: its label, what it means, its symbol, drawn with the canvas's glyphs, and how many there are."""

    label: str
    tip: str
    icon: str = ""
    amount: int | None = None


class Side(NamedTuple):
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
        label: what the log calls it; its name if it is empty.
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


class Evaluation(NamedTuple):
    """The value of a position: the first player's chance of winning, from 0 to 1, and the same in words."""

    chance: float
    words: str


class PlayAdapter(Generic[Played]):
    """How people play a game; this one works for every game, with buttons only.

    Attributes:
        rules: the game in a few sentences, for a newcomer.
        goal: the one of them that says how it is won; before the first action it is shown.
        marks: the marks of the drawing, each with its meaning.
        editor: how people put together a position; None if they cannot.
        matches: by name, what makes several games in a row, with the keyword ``seed`` and those of the config.

    >>> from tkm_env import Game
    >>> PLAIN.choices(Game())[0].group
    'Choose'
    """

    rules: tuple[str, ...] = ()
    goal: str = ""
    marks: tuple[Thing, ...] = ()
    editor: Editor | None = None
    matches: Mapping[str, Callable[..., Match]] = MappingProxyType({})
    #: In a terminal, how parts of a game's text look: a style of rich's for what a regular expression finds.
    styles: Mapping[str, str] = MappingProxyType({})

    def view(self, game: Played) -> Any:
        """What the other methods need from a game; made once for all actions. By default the game itself."""
        return game

    def heading(self, action: str, view: Any) -> str:
        """The heading under which an action is listed; by default its first word."""
        return action.split(" ")[0].capitalize()

    def help(self, action: str, view: Any) -> str:
        """What an action does, in a few words; by default empty."""
        return ""

    def place(self, action: str, view: Any) -> str | None:
        """The name of the cell or the board that an action leads to; by default None."""
        return None

    def card(self, action: str, view: Any) -> str | None:
        """The name of the place of the card that an action moves; by default None."""
        return None

    def label(self, action: str, view: Any) -> str:
        """What an action's button says; by default its name."""
        return action

    def question(self, action: str) -> str:
        """What a person is asked before an action is played; by default nothing."""
        return ""

    def preview(self, action: str, view: Any) -> str:
        """What an action would lead to, drawn over the position; by default nothing."""
        return ""

    def choices(self, game: Played) -> list[Choice]:
        """The legal actions, grouped by heading."""
        view = self.view(game)
        found = [
            Choice(
                name,
                self.heading(name, view),
                self.help(name, view),
                self.place(name, view),
                self.label(name, view),
                self.card(name, view),
                self.question(name),
                self.preview(name, view),
            )
            for name in game.legal_names()
        ]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def parts(self, game: Played, *, hints: bool) -> Mapping[str, str]:
        """The drawing, as contents of slots; ``hints`` marks where legal actions lead."""
        return game.drawing(legal=hints)

    def boards(self, game: Played) -> Sequence[Board]:
        """The parts of the drawing; by default all of it, without places."""
        return [Board("", "the board", "", 0, 0, game.canvas.width, game.canvas.height)]

    def picture(self, game: Played, *, hints: bool) -> Picture:
        """The drawing and its boards."""
        return Picture(self.parts(game, hints=hints), self.boards(game))

    def sides(self, game: Played) -> Sequence[Side]:
        """What the players have beside the boards; by default nothing."""
        return [Side(player, ()) for player in game.players]

    def ending(self, game: Played) -> str:
        """Why a finished game ended as it did, in a sentence; by default empty."""
        return ""

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

    def given_up(self, game: Played) -> Played:
        """The game as it ends where the player to act gives it up; by default, and where the game forbids that, the game itself."""
        return game

    def is_final(self, game: Played) -> bool:
        """Whether the last action cannot be undone by itself, even if the same player continues in the same turn; by default False."""
        return False

    def advice(self, game: Played) -> list[Advice]:
        """The best lines of play, best first, after about a second's thought; by default empty."""
        return []

    def evaluation(self, game: Played, **limits: Any) -> Evaluation | None:
        """The value of a position, by default None.

        Args:
            game: the game.
            **limits: the keywords of the game's analysis that limit it; by default a fraction of a second.
        """
        return None


#: The adapter of games without their own.
PLAIN: Final[PlayAdapter[Any]] = PlayAdapter()
