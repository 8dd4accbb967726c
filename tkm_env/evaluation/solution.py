"""The exact values of a small game: every position that can be reached is visited."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from typing import Final

from tkm_env.core.chance import Chance, ChanceState
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.foundations.errors import ConfigError

#: The largest number of positions to visit.
_MOST_POSITIONS: Final = 200_000


class Solution:
    """The value of best play from every position that can be reached; `solve` makes it.

    Args:
        chance: the game as a sequence of moments.
        values: the values of all moments, by `Chance.key`.
    """

    def __init__(self, chance: Chance, values: Mapping[Hashable, float]) -> None:
        self._chance = chance
        self._values = values

    def __len__(self) -> int:
        """The number of positions, including those at the end, and those in which a draw is due."""
        return len(self._values)

    def value(self, game: BaseGame) -> float:
        """Return what the first player earns with best play of both sides.

        Args:
            game: a position that can be reached, with any history.

        Returns:
            1 if the first player wins, -1 if it loses, 0 if neither wins; with chance, the mean.

        Raises:
            ConfigError: if the position cannot be reached.
        """
        return self._value(ChanceState(game))

    def action_values(self, game: BaseGame) -> dict[int, float]:
        """Return the value of every legal action, by its index: see `value`."""
        moment = ChanceState(game)
        return {
            action: self._value(self._chance.play(moment, action))
            for action in game.legal_actions()
        }

    def optimal_actions(self, game: BaseGame) -> list[int]:
        """Return all actions that are best for the player to act, by index, ascending."""
        values = self.action_values(game)
        best = _best(game, values.values()) if values else 0
        return [action for action, value in values.items() if math.isclose(value, best)]

    def _value(self, moment: ChanceState) -> float:
        try:
            return self._values[self._chance.key(moment)]
        except KeyError:
            raise ConfigError(
                "game", moment.game.position, "it cannot be reached from where the solution begins"
            ) from None


def solve(game: BaseGame, most_positions: int = _MOST_POSITIONS) -> Solution:
    """Solve a game from a position on, by visiting everything that can be reached.

    It takes seconds for a game such as ``tkm_env/TKM-Small-v0``; whole games are too large.

    Args:
        game: where to begin, with the settings, such as the turn limit; unchanged. Whatever is yet
            to be drawn counts as unknown.
        most_positions: the largest number of positions to visit.

    Returns:
        The values of all positions, steps inside a turn included.

    Raises:
        ConfigError: if there are more positions.

    >>> from tkm_env import Game
    >>> end = "W.../..../..../....|W.../..../..../...B|B.../..../..../...."
    >>> start = Game(position=f"{end} - w c PP - 0/0 - ---/--- -/- 1", max_turns=1)
    >>> solution = solve(start)
    >>> len(solution), solution.value(start)
    (22, 0.0)
    """
    chance = game_spec(game.name).chance(game.config)
    values: dict[Hashable, float] = {}
    too_large = ConfigError(
        "game", game.name, f"it is too large to be solved: more than {most_positions:,} positions"
    )

    def visit(moment: ChanceState) -> float:
        key = chance.key(moment)
        if key in values:
            return values[key]
        if len(values) >= most_positions:
            raise too_large
        values[key] = 0.0  # counted now; games never return to a position
        now = moment.game
        if moment.undrawn:
            value = sum(
                probability * visit(chance.draw(moment, outcome))
                for outcome, probability in chance.outcomes(moment)
            )
        elif now.outcome is not None:
            value = float(now.outcome.rewards[0])
        else:
            value = _best(
                now, [visit(chance.play(moment, action)) for action in now.legal_actions()]
            )
        values[key] = value
        return value

    try:
        visit(ChanceState(game.copy()))
    except RecursionError:
        raise too_large from None
    return Solution(chance, values)


def _best(game: BaseGame, values: Iterable[float]) -> float:
    """The best of some values to the first player, for the player to act."""
    return max(values) if game.to_act == game.players[0] else min(values)
