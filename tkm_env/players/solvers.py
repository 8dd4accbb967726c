"""What searches tell about a game's positions: best lines, counts, proofs, endgames."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.core.per_game import PerGame
from tkm_env.core.proofs import Proof
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.solved_positions import SolvedPosition


@dataclass(frozen=True)
class Solvers:
    """The questions that a game's searches answer; None for those that they do not.

    An entry point of the group ``tkm_env.solvers``, named after the game, names an instance.

    Attributes:
        analyse: finds the best lines from ``game.state``, given ``lines=``, ``depth=``,
            ``seconds=`` and ``on_depth=``, as `tkm analyse` shows them.
        perft: counts the lines of play from ``game.state`` up to a depth.
        prove: ``(game, turns, table_bits=…, on_progress=…)`` finds out whether a side can force a
            win within that many turns.
        tables: the class of tables of solved endgames, as `tkm tables` makes and proves them.
        outcome: given ``game.state`` at the beginning of a turn, returns in how many turns,
            counting both sides, best play decides the game: odd if the side to act wins, even if
            it loses, 0 if neither can win, None if unknown.
        endgames: ``(copies, split, count, seed)`` draws solved endgames for learners and tests, as
            an iterator of `tkm_env.players.solved_positions.SolvedPosition`.
    """

    analyse: Callable[..., list[Any]] | None = None
    perft: Callable[[Any, int], list[int]] | None = None
    prove: Callable[..., Proof] | None = None
    tables: Callable[..., Any] | None = None
    outcome: Callable[[Any], int | None] | None = None
    endgames: Callable[..., Iterator[SolvedPosition]] | None = None


#: The searches of each game; by default there are none.
SOLVERS: Final = PerGame("tkm_env.solvers", Solvers, Solvers())


def solver(game: str, question: str, what: str) -> Any:
    """Return the search that answers a question about a game.

    Args:
        game: the game's name.
        question: an attribute of `Solvers`.
        what: the subject and verb of the error message, such as ``"proofs are"``.

    Returns:
        The attribute.

    Raises:
        ConfigError: if no search of this game answers the question.
    """
    found = getattr(SOLVERS.of(game), question)
    if found is None:
        raise ConfigError("game", game, f"{what} not available for this game")
    return found


def winning_chance(game: BaseGame, **limits: Any) -> float | None:
    """Estimate the first player's chance of winning, by the game's analysis.

    Args:
        game: a game, in progress or over.
        **limits: limits of the analysis, such as ``depth=1`` or ``seconds=0.5``.

    Returns:
        The chance, from 0 to 1; None if the game has no analysis.
    """
    analyse = SOLVERS.of(game.name).analyse
    if analyse is None:
        return None
    if game.outcome is not None:
        return game.outcome.points[0]
    state: Any = game
    chance: float = analyse(state.state, lines=1, **limits)[0].chance
    return chance if game.to_act == game.players[0] else 1 - chance
