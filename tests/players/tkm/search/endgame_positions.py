"""Random endgames, and what their table must say, read from the rules in plain Python."""

from __future__ import annotations

from typing import Any

import numpy as np

from tkm_env import Game
from tkm_env.foundations.errors import PositionError
from tkm_env.players.tkm.search.endgames import known_outcome


def random_endgame(generator: np.random.Generator, turn: int = 9, **settings: Any) -> Game:
    """A random position between two turns, with two copies a side in two eras."""
    while True:
        cells = np.full((3, 16), ".")
        for piece in "WB":
            for era in generator.choice(3, 2, replace=False):
                cells[era, generator.integers(16)] = piece
        if (cells != ".").sum() == 4:
            break
    boards = "|".join("/".join("".join(row) for row in era.reshape(4, 4)) for era in cells)
    focus = "".join(generator.choice(list("PNF"), 2))
    side = generator.choice(list("wb"))
    text = f"{boards} - {side} {{}} {focus} - 0/0 - ---/--- -/- {turn}"
    try:
        return Game(position=text.format("c"), **settings)
    except PositionError:  # no copy can be chosen: the turn begins with the focus
        return Game(position=text.format("f"), **settings)


def follows_from_neighbours(game: Game) -> int:
    """The value that a position must have in the table.

    It follows from the rules and from the table's values of the positions that one turn leads to.
    """
    outcomes = []
    for _, after in game.turns():
        if after.result is not None:
            return 1  # nobody loses in their own turn
        outcome = known_outcome(after.state)
        assert outcome is not None
        outcomes.append(outcome)
    lost = [outcome for outcome in outcomes if outcome and outcome % 2 == 0]
    if lost:
        return min(lost) + 1
    return 0 if 0 in outcomes else max(outcomes) + 1


def play_out(game: Game, player: Any) -> int:
    """Let a player play one side of an endgame against the table's longest defence.

    Returns the number of turns after which it won, or 0.
    """
    began, side = game.turn, game.to_act
    while game.result is None:
        if game.to_act == side:
            game.play(player.act(game))
        else:
            worth = {turn.actions: known_outcome(turn.after.state) for turn in game.turns()}
            # The attacker's shortest wins are odd; a draw, or better, shows that it has gone wrong.
            best = max(
                worth, key=lambda turn: (worth[turn] or 0) if (worth[turn] or 0) % 2 else 1000
            )
            for action in best:
                game.play(action)
    won = {"white": "1-0", "black": "0-1"}[side]
    return game.turn - began + 1 if game.result == won else 0
