"""A game in words, for prompts, logs and pages.

The words are its rules, what was played, and how it ended.
"""

from collections.abc import Sequence
from typing import Any, Final, Generic, NamedTuple

from tkm_env.core.batch import Played
from tkm_env.core.per_game import PerGame
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions


class LogEntry(NamedTuple):
    """An action that was played.

    Attributes:
        turn: the number of its turn.
        player: the player who played it.
        action: its name.
        text: what it did, in words.
        moves: what moved, each from one slot of the drawing to another.
        label: what the log calls it; if empty, its name.
        is_quiet: whether it does nothing by itself, as when it chooses the copy that acts.
    """

    turn: int
    player: str
    action: str
    text: str
    moves: Sequence[tuple[str, str]] = ()
    label: str = ""
    is_quiet: bool = False


class GameImage(NamedTuple):
    """A game as it is told: the image of another one under a symmetry of the rules.

    Attributes:
        game: the image, with the image of its history.
        actions: the index in the image of each action of the other game.
    """

    game: Any
    actions: Sequence[int]


class GameWords(Generic[Played]):
    """A game in words; this class works for every game.

    An entry point of the group ``tkm_env.words``, named after the game, names an instance of a
    derived class.

    Attributes:
        rules: the game in a few sentences, for a newcomer.
        terms: the words of the game, each in all its forms, that a prompt for language models may
            replace with invented ones; if empty, the names of the game, its players and its
            actions.
    """

    rules: tuple[str, ...] = ()
    terms: tuple[tuple[str, ...], ...] = ()

    def rules_for(self, game: Played) -> list[RulesSection]:
        """The sections of the rules that this game needs: only chapters and powers in play.

        By default they are those for its settings.
        """
        return game.rules_for(game.config)

    def notation_for(
        self, game: Played | None, options: TextOptions = DEFAULT_OPTIONS
    ) -> Sequence[RulesSection]:
        """How positions and actions are written, as far as this game needs it; in full for None.

        By default it is empty, and a list of the actions' names has to do.

        Args:
            game: the game, or None.
            options: the options of the prompt, of which ``eras``, ``layout`` and ``numbers``
                count.

        Returns:
            The sections.
        """
        return []

    def position(self, text: str, options: TextOptions) -> str:
        """The text of a position in the form that options ask for; by default as it is.

        Args:
            text: the text, as the game writes it.
            options: the options of the prompt, of which ``eras``, ``layout`` and ``numbers``
                count.

        Returns:
            The text.
        """
        return text

    def action(self, name: str, options: TextOptions) -> str:
        """The name of an action in the form that options ask for; by default as it is.

        Args:
            name: the name, as the game writes it.
            options: the options of the prompt, of which ``numbers`` counts.

        Returns:
            The name.
        """
        return name

    def drawing(self, game: Played, options: TextOptions) -> str:
        """A position drawn with letters, in the form that options ask for; by default as it is.

        Args:
            game: the game at the position.
            options: the options of the prompt, of which ``eras`` and ``layout`` count.

        Returns:
            The drawing.
        """
        return str(game)

    def ending(self, game: Played) -> str:
        """Why a finished game ended as it did, in a sentence; by default empty."""
        return ""

    def obstacle(self, game: Played, action: str, options: TextOptions = DEFAULT_OPTIONS) -> str:
        """Why an action may not be played, as the end of a sentence; empty if there is no more.

        It must not give away what else is legal. By default it says what the position asks for.

        Args:
            game: the game, at the position.
            action: the action's name.
            options: the options of the prompt, of which ``numbers`` counts.

        Returns:
            The reason, without a capital or a period.
        """
        if game.result is not None:
            return "the game is over"
        return game.situation.replace(" to ", " is to ", 1)

    def image(self, game: Played, seed: int) -> GameImage:
        """The image of a game under a symmetry of the board that a seed chooses.

        By default it is the game itself.

        Args:
            game: the game; unchanged.
            seed: the seed, from 0.

        Returns:
            The image.
        """
        return GameImage(game, range(len(game.action_names)))

    def log(self, game: Played, options: TextOptions = DEFAULT_OPTIONS) -> list[LogEntry]:
        """All actions so far.

        Args:
            game: the game.
            options: the options of the prompt, of which ``numbers`` counts.

        Returns:
            The entries; the actions' names are the game's.
        """
        return [
            LogEntry(frame.turn, game.players[frame.side], frame.action, "; ".join(frame.events))
            for frame in game.renderer().frames(game)
            if frame.side is not None and frame.action is not None
        ]


#: Each game in words.
WORDS: Final[PerGame[GameWords[Any]]] = PerGame("tkm_env.words", GameWords, GameWords())
