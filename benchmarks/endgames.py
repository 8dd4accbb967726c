"""Count the won endgames that alpha-beta wins: ``python benchmarks/endgames.py``.

It plays them against the longest defence, with the table of endgames and without. The positions
are drawn from the table, by the number of turns until the win, counted over both sides. Where
``TKM_TABLES`` names the folder of the table with three copies a side, they are drawn from that one.
"""

from __future__ import annotations

import argparse

import numpy as np

from tkm_env import Game
from tkm_env.players.tkm.endgame_positions import position_of
from tkm_env.players.tkm.search.alphabeta import Searcher
from tkm_env.players.tkm.search.endgames import endgames, known_outcome, no_endgames
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.repetition import history_keys

BANDS = ((1, 8), (9, 14), (15, 28), (29, 60), (61, 100))


def wins(game: Game, searcher: Searcher, depth: int) -> bool:
    """Whether white wins by this search before the turn limit."""
    while game.result is None:
        if game.to_act == "white":
            turn = searcher.search(game.state, depth=depth, history=history_keys(game)).turn
        else:
            left = {turn.actions: known_outcome(turn.after.state) or 0 for turn in game.turns()}
            # White to act loses or draws where that is even.
            turn = max(left, key=lambda actions: left[actions] if left[actions] % 2 else 1000)
        for action in turn:
            game.play(action)
    return game.result == "1-0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--positions", type=int, default=60, help="in each band")
    parser.add_argument("--depth", type=int, default=4)
    args = parser.parse_args()
    known, generator = new_evaluator(), np.random.default_rng(args.seed)
    values = known.endgames.values
    for shortest, longest in BANDS:
        numbers = np.flatnonzero((values % 2 == 1) & (values >= shortest) & (values <= longest))
        if not len(numbers):
            continue
        drawn = generator.choice(numbers, args.positions, replace=False).tolist()
        games = [position_of(endgames().numbering, number) for number in drawn]
        won = [
            sum(
                wins(game.copy(), Searcher(evaluator=evaluator), args.depth)
                for game in games
                if game
            )
            for evaluator in (known._replace(endgames=no_endgames()), known)
        ]
        print(
            f"wins in {shortest} to {longest}: "
            f"{won[0]} of {len(drawn)} without the table, {won[1]} with it",
            flush=True,
        )


if __name__ == "__main__":
    main()
