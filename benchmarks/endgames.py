"""Count the won endgames that alpha-beta wins: ``python benchmarks/endgames.py``.

It plays them against the longest defence, with the table of endgames and without. The positions
are drawn from the table, by the number of turns until the win, counted over both sides. Where
``TKM_TABLES`` names the folder of the table with three copies a side, they are drawn from that one.
"""

from __future__ import annotations

import argparse

import numpy as np

from tkm_env import Game
from tkm_env.foundations.errors import PositionError
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES, WIDTH
from tkm_env.players.tkm.search.alphabeta import Searcher
from tkm_env.players.tkm.search.endgames import FOCI, SUPPLY, endgames, known_outcome, no_endgames
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.repetition import history_keys

BANDS = ((1, 8), (9, 14), (15, 28), (29, 60), (61, 100))


def position_of(number: int) -> Game:
    """The position with that number, with white to act."""
    numbering = endgames().numbering
    board, foci = divmod(number, FOCI)
    white, black = (
        numbering.images[board // len(numbering.sides)],
        numbering.sides[board % len(numbering.sides)],
    )
    cells = [
        "W" if white >> space & 1 else "B" if black >> space & 1 else "."
        for space in range(NUM_ERAS * NUM_SPACES)
    ]
    rows = ["".join(cells[first : first + WIDTH]) for first in range(0, len(cells), WIDTH)]
    eras = "|".join("/".join(rows[first : first + WIDTH]) for first in range(0, len(rows), WIDTH))
    supplies = f"{white >> SUPPLY}/{black >> SUPPLY}"
    focus = "PNF"[foci // NUM_ERAS] + "PNF"[foci % NUM_ERAS]
    text = f"{eras} - w {{}} {focus} - {supplies} - ---/--- -/- 1"
    try:
        return Game(position=text.format("c"))
    except PositionError:  # no copy can be chosen
        return Game(position=text.format("f"))


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
        won = [
            sum(
                wins(position_of(number), Searcher(evaluator=evaluator), args.depth)
                for number in drawn
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
