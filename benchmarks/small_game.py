"""Solve the small game and the starts it was chosen from: ``python benchmarks/small_game.py``.

It prints the tables of ``docs/small-game.md``. With ``--open-spiel`` it also runs OpenSpiel's
algorithms on the small game, and prints what they find and how many CPU seconds they take.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from tkm_env import Game
from tkm_env.evaluation import Solution, solve
from tkm_env.games.registry import TKM

_REST = "- 0/0 - ---/--- -/- 1"
#: Starts with two copies a side, of which "c" became the small game.
STARTS = {
    "a": f"W.../..../..../....|...B/..../..../....|W..B/..../..../.... - w c FP {_REST}",
    "b": f"W..B/..../..../....|W.../..../..../....|...B/..../..../.... - w c PN {_REST}",
    "c": TKM.presets["Small"].position,
    "d": f"W.../..../..../....|W.../..../..../...B|..../..../..../...B - w c PF {_REST}",
}
TURN_LIMITS = (5, 6)
RESULTS = {1: "white", 0: "neither", -1: "black"}

#: A late position of Terminus, with three cards in the deck; all cards not shown are covered.
LATE_IN_TERMINUS = "6:A|1:I|11:A|16:BA r p 3,14/10,13 T,17,7 -/- 1 0123456789abcdef"
#: The parameters of the small game with which each of OpenSpiel's algorithms is run.
AFTER_TWO_TURNS = (
    "position=..W./..../..../....|W..B/..../..../....|...B/..../..../.... - w c NN - 0/0 - "
    "---/--- -/- 3,max_turns=5"
)


def positions_from(start: Game) -> Iterator[Game]:
    """Every position that can be reached, once."""
    seen, left = {start.position}, [start]
    while left:
        game = left.pop()
        yield game
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            if after.position not in seen:
                seen.add(after.position)
                left.append(after)


def histories(game: Game, known: dict[str, int]) -> int:
    """The number of ways to play the game to its end."""
    position = game.position
    if position not in known:
        total = int(game.result is not None)
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            total += histories(after, known)
        known[position] = total
    return known[position]


def first_turns(start: Game, solution: Solution) -> Mapping[float, int]:
    """How many first turns are worth what; turns with the same end count once."""
    return Counter(solution.value(after) for _, after in start.turns())


def candidate_rows() -> Iterator[str]:
    """The table of starts."""
    yield "| start | turns | positions | histories | best play | first turns: won, neither, lost |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for name, position in STARTS.items():
        for limit in TURN_LIMITS:
            start = Game(position=position, max_turns=limit)
            solution = solve(start)
            counts = first_turns(start, solution)
            cells = (
                name,
                str(limit),
                f"{len(solution):,}",
                f"{histories(start, {}):,}",
                RESULTS[int(solution.value(start))],
                ", ".join(str(counts[value]) for value in (1, 0, -1)),
            )
            yield f"| {' | '.join(cells)} |"


def solution_rows() -> Iterator[str]:
    """The table of the small game."""
    small = TKM.presets["Small"]
    start = Game(position=small.position, **small.settings)
    solution = solve(start)
    values: Counter[int] = Counter()
    ends: Counter[str] = Counter()
    choices = matter = 0
    for game in positions_from(start):
        values[int(solution.value(game))] += 1
        if game.result is not None:
            ends[game.result] += 1
        elif len(game.legal_actions()) > 1:
            choices += 1
            matter += len(solution.optimal_actions(game)) < len(game.legal_actions())
    rows = {
        "positions, steps inside a turn included": len(solution),
        "of these, white wins with best play": values[1],
        "of these, neither wins": values[0],
        "of these, black wins": values[-1],
        "positions in which white has won": ends["1-0"],
        "positions at which the game is cut off": ends["*"],
        "positions in which black has won": ends["0-1"],
        "positions with two legal actions or more": choices,
        "of these, some action is a mistake": matter,
    }
    yield "| what | how many |"
    yield "| --- | --- |"
    for what, count in rows.items():
        yield f"| {what} | {count:,} |"


#: How the parameters of the small game are shown.
_SHOWN = {
    "": "all of it",
    **{f"max_turns={turns}": f"`max_turns={turns}`" for turns in (3, 4, 5)},
    AFTER_TWO_TURNS: "turns 3 to 5 of White's win, by `position` and `max_turns=5`",
}


class Run(NamedTuple):
    """One of OpenSpiel's algorithms.

    Attributes:
        name: what it is.
        parameters: those of the small game.
        run: finds a number, given the game.
    """

    name: str
    parameters: str
    run: Callable[[Any], float]


def value_iteration(game: Any) -> float:
    from open_spiel.python.algorithms.value_iteration import value_iteration

    # With `cyclic_game`, a position that was seen before is not entered again.
    values = value_iteration(game, depth_limit=-1, threshold=0.01, cyclic_game=True)
    return float(values[str(game.new_initial_state())])


def alpha_beta(game: Any) -> float:
    from open_spiel.python.algorithms.minimax import alpha_beta_search

    return float(alpha_beta_search(game)[0])


def uniform_nash_conv(game: Any) -> float:
    from open_spiel.python.algorithms.exploitability import nash_conv
    from open_spiel.python.policy import UniformRandomPolicy

    return float(nash_conv(game, UniformRandomPolicy(game)))


def cfr_plus_nash_conv(game: Any, iterations: int = 10) -> float:
    from open_spiel.python.algorithms.cfr import CFRPlusSolver
    from open_spiel.python.algorithms.exploitability import nash_conv

    solver = CFRPlusSolver(game)
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    return float(nash_conv(game, solver.average_policy()))


def mcts_value(game: Any, simulations: int = 2000) -> float:
    """What the game is worth after each side has searched before every action."""
    from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

    random = np.random.RandomState(1)
    bot = MCTSBot(game, 2, simulations, RandomRolloutEvaluator(1, random), random_state=random)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(bot.step(state))
    return float(state.returns()[0])


RUNS = (
    Run("alpha-beta: value of the start", "", alpha_beta),
    Run("value iteration: value of the start", "max_turns=5", value_iteration),
    Run("MCTS, 2,000 simulations an action, against itself: white's return", "", mcts_value),
    Run("NashConv of uniform play", "max_turns=4", uniform_nash_conv),
    Run("NashConv of uniform play", AFTER_TWO_TURNS, uniform_nash_conv),
    Run("NashConv after 10 iterations of CFR+", "max_turns=3", cfr_plus_nash_conv),
)


def small_game(parameters: str = "") -> Any:
    """The small game as OpenSpiel loads it."""
    import pyspiel

    import tkm_env.adapters.open_spiel  # noqa: F401

    return pyspiel.load_game(f"{TKM.id_of('Small').lower()}({parameters})")


def open_spiel_rows() -> Iterator[str]:
    """The table of OpenSpiel's algorithms."""
    yield "| algorithm | on | finds | CPU seconds |"
    yield "| --- | --- | --- | --- |"
    for name, parameters, run in RUNS:
        game, began = small_game(parameters), time.process_time()
        found = run(game)
        seconds = time.process_time() - began
        yield f"| {name} | {_SHOWN[parameters]} | {found:.4g} | {seconds:.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--open-spiel", action="store_true")
    rows = [candidate_rows, solution_rows]
    if parser.parse_args().open_spiel:
        rows = [open_spiel_rows]
    for table in rows:
        for row in table():
            print(row, flush=True)
        print()


if __name__ == "__main__":
    main()
