"""What questions need to know about a game, with defaults that work for every game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Generic, NamedTuple

from tkm_env.core.batch import Played
from tkm_env.core.game import BaseGame
from tkm_env.core.per_game import PerGame
from tkm_env.questions.kind import QuestionKind
from tkm_env.questions.random_positions import LATEST_TURN


class Image(NamedTuple):
    """A position that the rules treat like another one, such as its mirror image.

    Second paths to answers lead through it, so that they do not repeat the first.

    Attributes:
        game: the game at the image.
        action: the name of an action there, given its name in the original.
        player: the name of a player there.
        position: the text of a position there, given the visible text of one in the original.
    """

    game: BaseGame
    action: Callable[[str], str]
    player: Callable[[str], str]
    position: Callable[[str], str]


class GameQuestions(Generic[Played]):
    """What questions need to know about a game; this class works for every game.

    An entry point of the group ``tkm_env.questions``, named after the game, names an instance of a
    derived class.

    Attributes:
        kinds: the kinds of questions that this game adds to those for every game.
        usual_settings: the settings of games that stand for all others, as keywords of the config.
        size_measure: what `size` counts, as a plural.
        usual_sizes: sizes of which positions are found easily.
        turns: the smallest and the largest number of random turns that lead to a position.
    """

    kinds: tuple[QuestionKind, ...] = ()
    usual_settings: tuple[Mapping[str, Any], ...] = ({},)
    size_measure: str = "ways to play the turn"
    usual_sizes: tuple[int, ...] = (2, 3, 4)
    turns: tuple[int, int] = (0, LATEST_TURN)

    def check(self, config: Any) -> None:
        """Check that questions can be asked under some settings; by default always.

        Raises:
            ConfigError: naming the setting that does not fit.
        """

    def size(self, game: Played) -> int:
        """How large a position is; by default the number of ways to play the turn."""
        return len(game.turns())

    def is_close(self, game: Played) -> bool:
        """Whether a win in this turn is in question; by default always.

        Positions in which nobody would expect one make questions that are too easy.
        """
        return True

    def is_determined(self, before: Played, after: Played) -> bool:
        """Whether what is visible after an action follows from what was visible before.

        Args:
            before: the game before the action.
            after: the game after it.

        Returns:
            By default, whether the game hides nothing.
        """
        return not type(before).hides()

    def image(self, game: Played) -> Image:
        """An image of a position under a symmetry; by default the position itself, read again."""
        again = type(game)(game.config, seed=0, position=game.visible_position)
        return Image(again, str, str, str)


#: What questions need to know about each game.
QUESTIONS: Final[PerGame[GameQuestions[Any]]] = PerGame(
    "tkm_env.questions", GameQuestions, GameQuestions()
)


def questions_of(game: BaseGame) -> GameQuestions[Any]:
    """What questions need to know about a game."""
    return QUESTIONS.of(game.name)
