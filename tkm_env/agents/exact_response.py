"""The exact value of a best response to an agent, in games small enough to be searched to their ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tkm_env.checks import checked_choice
from tkm_env.errors import ConfigError
from tkm_env.game.base import BaseGame

#: How many positions are searched at most.
_MOST_POSITIONS: Final = 200_000


def best_response_value(
    game: BaseGame, player: str, probabilities: Callable[[Any], Mapping[int, float]], most_positions: int = _MOST_POSITIONS
) -> float:
    """The points, 0 to 1, that a player expects who knows the other's probabilities and plays best from here on; a draw is half a point.

    Args:
        game: the position; it is not changed.
        player: one of the game's players.
        probabilities: of the other player's actions in a game, by index, as `tkm_env.agents.base.Agent` describes them; they may depend
            on the position alone.
        most_positions: how many positions may be searched.

    Raises a `ConfigError` if there is no such player, something is hidden, or there are more positions.
    """
    checked_choice("player", player, game.players)
    if game.hides():
        raise ConfigError("game", game.name, "what it hides is left to chance: there is no exact value")
    known: dict[str, float] = {}

    def value(now: Any) -> float:
        if now.result is not None:
            return 0.5 if now.winner is None else float(now.winner == player)
        position = now.position
        if position not in known:
            if len(known) >= most_positions:
                raise too_large
            if now.to_act == player:
                known[position] = max(value(_after(now, action)) for action in now.legal_actions())
            else:
                shares = probabilities(now).items()
                known[position] = sum(share * value(_after(now, action)) for action, share in shares if share)
        return known[position]

    too_large = ConfigError("game", game.name, f"it is too large for an exact value: more than {most_positions:,} positions")
    try:
        return value(game)
    except RecursionError:
        raise too_large from None


def _after(game: BaseGame, action: int) -> BaseGame:
    after = game.copy()
    after.play(action)
    return after
