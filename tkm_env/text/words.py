"""What can be said of a game in words, for prompts, logs and pages: its rules, what was played, how it ended."""

from collections.abc import Sequence
from typing import Any, Final, Generic, NamedTuple

from tkm_env.core.batch import Played
from tkm_env.core.per_game import PerGame
from tkm_env.core.rulebook_text import RulesSection


class LogEntry(NamedTuple):
    """An action that was played."""

    turn: int  # its turn
    player: str  # who played it
    action: str  # its name
    text: str  # what it did, in words
    moves: Sequence[tuple[str, str]] = ()  # what moved, each from slot to slot of the drawing
    label: str = ""  # what the log calls it; its name if empty
    is_quiet: bool = False  # whether it does nothing by itself, such as the choice of who acts


class GameWords(Generic[Played]):
    """A game in words; this one works for every game.

    An entry point of the group ``tkm_env.words``, named after the game, names an instance of a class derived from this one.
    """

    rules: tuple[str, ...] = ()  # the game in a few sentences, for a newcomer
    #: The words of the game, each in all its forms, that a prompt for language models may exchange for invented ones; the names of the
    #: game, its players and its actions if empty.
    terms: tuple[tuple[str, ...], ...] = ()

    def rules_for(self, game: Played) -> list[RulesSection]:
        """The sections of the rules that this game needs: only chapters and powers in play. By default those of its settings."""
        return game.rules_for(game.config)

    def notation_for(self, game: Played | None) -> Sequence[RulesSection]:
        """How positions and actions are written, as far as this game needs it; for None all of it. By default empty: a list of the
        actions' names has to do.
        """
        return []

    def ending(self, game: Played) -> str:
        """Why a finished game ended as it did, in a sentence; by default empty."""
        return ""

    def log(self, game: Played) -> list[LogEntry]:
        """All actions so far."""
        return [
            LogEntry(frame.turn, game.players[frame.side], frame.action, "; ".join(frame.events))
            for frame in game.renderer().frames(game)
            if frame.side is not None and frame.action is not None
        ]


#: Each game in words.
WORDS: Final[PerGame[GameWords[Any]]] = PerGame("tkm_env.words", GameWords, GameWords())
