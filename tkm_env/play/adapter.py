"""How people play a game: its choices, drawing, panels, log and analysis.

The session, the terminal and the browser contain no rules; they use a `PlayAdapter`. The base class
works for every game. A game that needs headings, sentences, explanations or places to click on
derives from it.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Final, NamedTuple, Protocol

from tkm_env.core.batch import Played
from tkm_env.core.per_game import PerGame
from tkm_env.core.turns import played
from tkm_env.foundations.message import Message, joined
from tkm_env.play.exercises import Exercise
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
    preview: str = ""  # a drawing of its result, shown over the board while its button is hovered


class Cell(NamedTuple):
    """A place on a board.

    Attributes:
        name: its name.
        label: what is there.
        tip: an explanation.
        x: the left edge of its rectangle, in units of the drawing.
        y: the top edge.
        width: the width.
        height: the height.
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
    label: str  # its name for people
    tip: str  # an explanation, in a sentence or two
    x: float  # the left edge of its rectangle, in units of the drawing
    y: float  # the top edge
    width: float
    height: float
    rows: Sequence[Sequence[Cell]] = ()  # its places, from top to bottom and from left to right
    cards: bool = False  # whether its places are cards, to drag to places of other boards


class Thing(NamedTuple):
    """Something with an explanation.

    Attributes:
        label: its name for people.
        tip: what it means.
        icon: its symbol, drawn with the canvas's glyphs; empty for none.
        amount: how many there are; None if it is not counted.
    """

    label: str
    tip: str
    icon: str = ""
    amount: int | None = None


class SidePanel(NamedTuple):
    """What a player has beside the boards; the name is empty for what belongs to neither."""

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
    """The value of a position.

    Attributes:
        chance: the first player's chance of winning, from 0 to 1.
        words: the same in words.
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
    problem: str  # why no game can start from it; empty if one can
    parts: Mapping[str, str]  # its drawing, as contents of slots
    labels: Mapping[str, str]  # what stands on each place of the boards, by the place's name
    tools: Sequence[EditorTool]  # what can be placed
    fields: Sequence[EditorField]  # what can be chosen


class Editor(Protocol):
    """Changes positions, step by step."""

    def edit(self, position: str, field: str, value: str, *, config: Any) -> EditorState:
        """Return a position after a change.

        Args:
            position: the text of the position before the change.
            field: the place to put the value on, or the name of the field to set; empty for no
                change.
            value: the value to place or to choose.
            config: the settings of the game that is to start from the position.

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
    """Several games in a row; what was played and said so far determines the next one.

    The players keep their sides.

    Args:
        seed: seeds everything left to chance.
        played: what `to_dict` returned, to continue the match from there; None for a new match.
        **settings: the keywords of the game's config.
    """

    #: The keywords of the game's config that the match sets itself, and that nobody may give.
    decides: ClassVar[Sequence[str]]

    def __init__(
        self, *, seed: int, played: Mapping[str, Any] | None = None, **settings: Any
    ) -> None: ...

    def next_game(self) -> Any:
        """Return the next game at its start, the same until it is finished or a step is said."""

    def finish(self, game: Any) -> None:
        """Record a finished game.

        Raises:
            ConfigError: if it is not over.
        """

    def status(self, game: Any) -> MatchStatus:
        """Return the score while this game is played, or is over but not recorded."""

    def steps(self) -> Sequence[MatchStep]:
        """Return what the players can say before the next game."""

    def say(self, step: str) -> None:
        """Say one of `steps`.

        Raises:
            ConfigError: if it is none of them.
        """

    def to_dict(self) -> dict[str, Any]:
        """Return what has been played and said so far, as JSON types."""


class PlayAdapter(GameWords[Played]):
    """How people play a game; the base class works for every game, with buttons only.

    An entry point of the group ``tkm_env.play_adapters``, named after the game, names an instance
    of a subclass.
    """

    goal: str = ""  # how to win the game, shown before the first action
    marks: tuple[Thing, ...] = ()  # the marks of the drawing, each with its meaning
    editor: Editor | None = None  # changes positions by hand
    #: The kinds of matches that the game has, by name.
    matches: Mapping[str, type[SessionMatch]] = MappingProxyType({})
    #: The words that vary in names of actions, such as "north", and what they are, "direction".
    variables: Mapping[str, str] = MappingProxyType({})
    #: In a terminal, rich's style for what a regular expression finds in the game's text.
    styles: Mapping[str, str] = MappingProxyType({})

    def view(self, game: Played) -> Any:
        """Return what `choice` needs from a game, computed once for all actions.

        By default, it is the game itself.
        """
        return game

    def choice(self, action: str, view: Any) -> Choice:
        """Return a legal action as people choose it; by default a button under its first word.

        Args:
            action: the name of the action.
            view: the game's `view`.

        Returns:
            The choice.
        """
        heading = Message(action.split(" ")[0].capitalize())
        return Choice(action, heading, label=self.action_words(action))

    def action_words(self, action: str) -> Message:
        """Return the name of an action as people read it: a message such as "move {direction}"."""
        filling: dict[str, str] = {}
        words = []
        for word in action.split(" "):
            name = "number" if word.isdigit() else self.variables.get(word, "")
            if name:
                name += "2" * (name in filling)
                filling[name] = word
            words.append(f"{{{name}}}" if name else word)
        return Message(" ".join(words), **filling)

    def choices(self, game: Played) -> list[Choice]:
        """Return the legal actions, grouped by heading."""
        view = self.view(game)
        found = [self.choice(name, view) for name in game.legal_names()]
        headings = list(dict.fromkeys(choice.group for choice in found))
        return sorted(found, key=lambda choice: headings.index(choice.group))

    def parts(self, game: Played, *, hints: bool) -> Mapping[str, str]:
        """Return the drawing, as contents of slots.

        Args:
            game: the game.
            hints: whether to mark where legal actions lead.

        Returns:
            The contents, by the name of the slot.
        """
        return game.renderer().parts(game, legal=hints)

    def numbered_drawing(self, game: Played) -> str:
        """Return the game as lines of text, for a terminal; by default as `str` does."""
        return str(game)

    def boards(self, game: Played) -> Sequence[Board]:
        """Return the boards of the drawing; by default one of its size, without places."""
        canvas = game.renderer().canvas
        return [Board("", Message("the board"), "", 0, 0, canvas.width, canvas.height)]

    def sides(self, game: Played) -> Sequence[SidePanel]:
        """Return what the players have beside the boards; by default nothing."""
        return [SidePanel(player, ()) for player in game.players]

    def settings_between(self, persons: int) -> Mapping[str, Any]:
        """Return settings that suit 1 or 2 people unless they choose others; by default none."""
        return {}

    def for_agent(self, game: Played) -> Played:
        """Return the game that the agent to act should see; by default the game itself."""
        return game

    def concede(self, game: Played) -> Played:
        """Return the game after the player to act concedes.

        It is the game itself by default, and if conceding is not allowed.
        """
        return game

    def obvious(self, game: Played) -> str | None:
        """Return the obvious action at the start of a turn, if there is one; by default None.

        The page plays it for a person.
        """
        return None

    def is_final(self, game: Played) -> bool:
        """Whether the last action cannot be undone even within its turn; by default False."""
        return False

    def exercises(self) -> Mapping[str, Sequence[Exercise]]:
        """Return lessons and puzzles by the names of their sets, lessons first; default: none."""
        return {}

    def what_next(self, game: Played) -> str:
        """Tell a newcomer, in a line, what to do next; by default empty."""
        return ""

    def marks_of(self, game: Played, actions: Sequence[str]) -> Mapping[str, str]:
        """Return the marks of what these actions would do, as contents of slots; by default none.

        Args:
            game: the game before them.
            actions: the names of the actions.

        Returns:
            The contents, by the name of the slot.
        """
        return {}

    def directions(self, game: Played, actions: Sequence[str]) -> Sequence[str]:
        """Describe what actions do, a few words each; by default in the words of the log.

        Args:
            game: the game before them.
            actions: the names of the actions.

        Returns:
            The words, for each action that is worth mentioning.
        """
        log = self.log(played(game, actions))[len(game.history) :]
        return [
            entry.text or entry.label or self.action_words(entry.action)
            for entry in log
            if not entry.is_quiet
        ]

    def short(self, game: Played, actions: Sequence[str]) -> str:
        """Write a turn in short notation; by default the names of its actions.

        Args:
            game: the game before it.
            actions: the names of its actions.

        Returns:
            The notation, in a line.
        """
        return joined(", ", map(self.action_words, actions))

    def verdict(self, game: Played) -> str:
        """Return what a table of solved positions says of this one; by default nothing."""
        return ""

    def position_key(self, game: Played) -> str:
        """Return what is the same for positions that records may share, at the start of a turn.

        By default it is the position as the players see it.
        """
        return game.visible_position

    def advice(self, game: Played) -> list[Advice]:
        """Return the best lines of play, best first, after about a second; by default none."""
        return []

    def evaluation(self, game: Played, **limits: Any) -> PositionValue | None:
        """Return the value of a position; by default None.

        Args:
            game: the game at this position.
            **limits: limits of the search, such as ``seconds``.

        Returns:
            The value; None if the game has no evaluation.
        """
        return None


#: How people play each game.
ADAPTERS: Final[PerGame[PlayAdapter[Any]]] = PerGame(
    "tkm_env.play_adapters", PlayAdapter, PlayAdapter()
)
