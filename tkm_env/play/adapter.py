"""How people play a game: its choices, drawing, panels, log and analysis.

The session, the terminal and the browser contain no rules; they use a `PlayAdapter`. The plain one
works for every game; a game that needs headings, sentences, explanations or places to click on
derives from it.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from tkm_env.core.batch import Played
from tkm_env.core.per_game import PerGame
from tkm_env.play.exercises import Task
from tkm_env.text.words import GameWords


class Choice(NamedTuple):
    """A legal action."""

    name: str  # its name, by which it is played
    group: str  # the heading under which it is listed
    help: str = ""  # what it does, in a few words
    place: str | None = None  # the name of the place on the drawing that it leads to, or None
    label: str = ""  # the text of its button; its name if empty
    card: str | None = None  # the name of the place of the card that it moves there, or None
    question: str = ""  # asked for confirmation before it is played; empty for none
    preview: str = ""  # a drawing of its result, laid over the board while its button is pointed at


class Cell(NamedTuple):
    """A place on a board.

    Attributes:
        name: its name.
        label: what is there.
        tip: an explanation.
        x: the left edge of its rectangle, in units of the drawing.
        y: the top edge.
        width: how wide it is.
        height: how high it is.
    """

    name: str
    label: str
    tip: str
    x: float
    y: float
    width: float
    height: float


class Board(NamedTuple):
    """A part of the drawing with places in rows; a narrow screen shows each board by itself."""

    name: str  # its name as a place
    label: str  # what it is called
    tip: str  # an explanation, in a sentence or two
    x: float  # the left edge of its rectangle, in units of the drawing
    y: float  # the top edge
    width: float
    height: float
    rows: Sequence[Sequence[Cell]] = ()  # its places, from top to bottom and from left to right
    cards: bool = (
        False  # whether its places are cards, which can be dragged to places of other boards
    )


class Thing(NamedTuple):
    """Something with an explanation.

    Attributes:
        label: what it is called.
        tip: what it means.
        icon: its symbol, drawn with the canvas's glyphs; empty for none.
        amount: how many there are; None if it is not counted.
    """

    label: str
    tip: str
    icon: str = ""
    amount: int | None = None


class SidePanel(NamedTuple):
    """What a player has beside the boards; the name is empty for what belongs to nobody."""

    name: str
    things: Sequence[Thing]


class Advice(NamedTuple):
    """A line of play.

    Attributes:
        worth: its value, in words.
        turns: its turns, each as the names of its actions.
        why: what its first turn does, in a sentence.
    """

    worth: str
    turns: Sequence[Sequence[str]]
    why: str = ""


class PositionValue(NamedTuple):
    """What a position is worth.

    Attributes:
        chance: the first player's chance of winning, from 0 to 1.
        words: a text that says so.
    """

    chance: float
    words: str


class EditorTool(NamedTuple):
    """Something to place: its value in requests, its name, an explanation, and its symbol."""

    value: str
    label: str
    tip: str
    icon: str


class EditorField(NamedTuple):
    """Something to choose: its name, its possible values and the current one."""

    name: str
    choices: Sequence[str]
    value: str


class EditorState(NamedTuple):
    """A position while it is being edited."""

    position: str  # its text, from which the next change starts
    problem: str  # why no game can begin from it; empty if one can
    parts: Mapping[str, str]  # its drawing, as contents of slots
    labels: Mapping[str, str]  # what stands on each place of the boards, by the place's name
    tools: Sequence[EditorTool]  # what can be placed
    fields: Sequence[EditorField]  # what can be chosen


class Editor(Protocol):
    """Changes texts of positions, step by step."""

    def edit(self, position: str, field: str, value: str, *, config: Any) -> EditorState:
        """A position after a change.

        Args:
            position: the text of the position before it.
            field: where to place or choose the value; a place's name, or empty for no change.
            value: what is placed or chosen.
            config: the settings of the game that is to begin from the position.

        Returns:
            The position after the change.

        Raises:
            PositionError: if the text cannot be read.
            ConfigError: if there is no such field or value.
        """


class MatchStep(NamedTuple):
    """Something that the players can say before a game.

    Attributes:
        name: its name.
        label: the label of its button.
        tip: what it means.
    """

    name: str
    label: str
    tip: str


class MatchStatus(NamedTuple):
    """The score of a match: a heading, and lines of text."""

    title: str
    lines: Sequence[str]


class SessionMatch(Protocol):
    """Games in a row; what was played and said determines the next one.

    The players keep their sides.

    An adapter's function makes it from the keywords ``seed`` and ``played``, and those of the
    game's config: ``played`` is what `to_dict` returned, to continue the match from there, or None
    for a new one.
    """

    decides: ClassVar[
        Sequence[str]
    ]  # the keywords of the game's config that the match decides on, and nobody may give

    def __init__(
        self, *, seed: int, played: Mapping[str, Any] | None = None, **settings: Any
    ) -> None: ...

    def next_game(self) -> Any:
        """The next game at its start, unchanged until the players finish it or say something."""

    def finish(self, game: Any) -> None:
        """Record a finished game. Raises a `ConfigError` if it is not over."""

    def status(self, game: Any) -> MatchStatus:
        """The score while this game is played, or is over but not recorded."""

    def steps(self) -> Sequence[MatchStep]:
        """What the players can say before the next game."""

    def say(self, step: str) -> None:
        """Say one of `steps`. Raises a `ConfigError` if it is none of them."""

    def to_dict(self) -> dict[str, Any]:
        """What has been played and said so far, as JSON types."""


class PlayAdapter(GameWords[Played]):
    """How people play a game; this one works for every game, with buttons only.

    An entry point of the group ``tkm_env.play_adapters``, named after the game, names an instance of a class derived from this one.
    """

    goal: str = ""  # how the game is won, shown before the first action
    marks: tuple[Thing, ...] = ()  # the marks of the drawing, each with its meaning
    editor: Editor | None = None  # changes positions by hand
    matches: Mapping[str, type[SessionMatch]] = MappingProxyType(
        {}
    )  # makes several games in a row, by name
    #: In a terminal, rich's style for what a regular expression finds in the game's text.
    styles: Mapping[str, str] = MappingProxyType({})

    def view(self, game: Played) -> Any:
        """What `choice` needs from a game, computed once for all actions.

        By default it is the game itself.
        """
        return game

    def choice(self, action: str, view: Any) -> Choice:
        """A legal action as people choose it; by default a button under its first word.

        Args:
            action: the name of the action.
            view: the game's `view`.

        Returns:
            The choice.
        """
        return Choice(action, action.split(" ")[0].capitalize(), label=action)

    def choices(self, game: Played) -> list[Choice]:
        """The legal actions, grouped by heading."""
        view = self.view(game)
        found = [self.choice(name, view) for name in game.legal_names()]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def parts(self, game: Played, *, hints: bool) -> Mapping[str, str]:
        """The drawing, as contents of slots.

        Args:
            game: the game.
            hints: whether to mark where legal actions lead.

        Returns:
            The contents, by the name of the slot.
        """
        return game.renderer().parts(game, legal=hints)

    def boards(self, game: Played) -> Sequence[Board]:
        """The parts of the drawing; by default all of it, without places."""
        canvas = game.renderer().canvas
        return [Board("", "the board", "", 0, 0, canvas.width, canvas.height)]

    def sides(self, game: Played) -> Sequence[SidePanel]:
        """What the players have beside the boards; by default nothing."""
        return [SidePanel(player, ()) for player in game.players]

    def settings_between(self, persons: int) -> Mapping[str, Any]:
        """Settings that suit 1 or 2 people unless they choose others; by default none."""
        return {}

    def for_agent(self, game: Played) -> Played:
        """The game as the agent to act is to see it; by default the game itself."""
        return game

    def concede(self, game: Played) -> Played:
        """The game after the player to act concedes.

        It is the game itself by default, and where conceding is not allowed.
        """
        return game

    def obvious(self, game: Played) -> str | None:
        """The action that goes without saying at the beginning of a turn; by default None.

        The page plays it for a person.
        """
        return None

    def is_final(self, game: Played) -> bool:
        """Whether the last action cannot be undone even within its turn; by default False."""
        return False

    def tasks(self) -> Mapping[str, Sequence[Task]]:
        """Lessons and puzzles, by the names of their sets, the lessons first; by default none."""
        return {}

    def what_next(self, game: Played) -> str:
        """What the person to act does next, in a line for a newcomer; by default empty."""
        return ""

    def marks_of(self, game: Played, actions: Sequence[str]) -> Mapping[str, str]:
        """The marks of what these actions would do, as contents of slots; by default none.

        Args:
            game: the game before them.
            actions: the names of the actions.

        Returns:
            The contents, by the name of the slot.
        """
        return {}

    def advice(self, game: Played) -> list[Advice]:
        """The best lines of play, best first, after about a second's thought; by default empty."""
        return []

    def evaluation(self, game: Played, **limits: Any) -> PositionValue | None:
        """What a position is worth, within limits such as ``seconds``; by default None."""
        return None


#: How people play each game.
ADAPTERS: Final[PerGame[PlayAdapter[Any]]] = PerGame(
    "tkm_env.play_adapters", PlayAdapter, PlayAdapter()
)
