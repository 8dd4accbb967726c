"""Forced wins without a proof search: every turn is tried, by the rules alone."""

from __future__ import annotations

from tkm_env.core.game import BaseGame


def wins_within(game: BaseGame, side: str, turns: int) -> bool:
    """Whether a side can force a win, found by trying every turn of both sides.

    Args:
        game: the game, between two turns.
        side: the side that is to win.
        turns: the number of turns, counting both sides.

    Returns:
        Whether it wins within them, whatever the other side plays.

    >>> from tkm_env import Game
    >>> wins_within(Game(), "white", 1)
    False
    """
    if game.result is not None or turns == 0:
        return game.winner == side
    ends = (wins_within(way.after, side, turns - 1) for way in game.turns())
    return any(ends) if game.to_act == side else all(ends)


def fewest_turns(game: BaseGame, most: int) -> tuple[str, int] | None:
    """The side that can force a win, and in how few turns, found by trying every turn.

    Args:
        game: the game, between two turns.
        most: the largest number of turns to try, counting both sides.

    Returns:
        The side and the number of turns; None if neither side can force a win within ``most``.
    """
    for turns in range(1, most + 1):
        for side in game.players:
            if wins_within(game, side, turns):
                return side, turns
    return None
