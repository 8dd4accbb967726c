"""Find the puzzles of the page: positions whose turn has exactly one best answer.

    python benchmarks/puzzles.py tkm_env/play/tkm/puzzles.json

The positions come from random games, and the answers from exhaustive search. White plays. There
are three kinds. *win*: exactly one turn wins. *strike*: nothing wins, and exactly one turn kills
more than any other, at least two. *hold*: nothing wins, and after exactly one turn Black has no
turn that wins. Turns that differ only in the focus at their end count as one. Each set of chapters
gets 50 of the first kind, 25 of the second and, since they are rare, as many of the third as turn
up meanwhile. Puzzles that more of these players find come first: random play in one of twenty
turns, the greedy agent, and alpha-beta looking one and two turns ahead.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import Progress

from tkm_env import ACTIONS, Batch, Game
from tkm_env.foundations.files import write_file
from tkm_env.games.tkm.engine.state import CHAPTERS, COPY, PLAYERS
from tkm_env.play.exercises import OPEN, SOLVED, Defender, Exercise
from tkm_env.players import AlphaBetaAgent, GreedyAgent, RandomAgent

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, Figures

#: Every set of chapters.
SETS = [
    names for size in range(len(CHAPTERS) + 1) for names in itertools.combinations(CHAPTERS, size)
]
#: How many of a kind each set gets; the last kind is not waited for.
HOW_MANY = {"win": 50, "strike": 25, "hold": 25}
KINDS = {
    "win": {
        "title": "Win this turn",
        "before": "You are White. Win this turn: end it with Black in at most one era.",
        "after": "That was the only turn that wins.",
        "wrong": "That does not win. There is a turn that does.",
    },
    "strike": {
        "title": "Strike",
        "before": (
            "You are White. Kill as many of Black's copies as you can this turn: "
            "one turn kills more than any other."
        ),
        "after": "No other turn kills as many.",
        "wrong": "There is a turn that kills more.",
    },
    "hold": {
        "title": "Hold out",
        "before": "You are White, and Black threatens to win. Find the only turn that prevents it.",
        "after": "After any other turn, Black would have won.",
        "wrong": "That loses: Black wins now, or on the next turn. One turn prevents it.",
    },
}
#: The grades in words, by the number of agents, of four, that fail to solve a puzzle.
GRADES = ["Easy", "Fairly easy", "Medium", "Hard", "Very hard"]
_RANDOM_TRIES = 20
_LEAST_TURNS = 8
_AT_ONCE = 12  # replies are listed after this many turns at once
_MOST_WAYS = 2  # the focus at the end goes to one of two eras
_LEAST_KILLS = 2
WHITE, BLACK = 0, 1
GOES_ON, WON, LOST = 0, 1, 2  # results of games: not over, won by white, won by black
_BOARDS = (
    "cell",
    "seed",
    "hat",
)  # what stands there; the rest is supplies, the focus and whose turn it is


class Found(NamedTuple):
    """A puzzle: its kind, its position, and the turns that solve it."""

    kind: str
    position: str
    answers: list[str]

    @property
    def exercise(self) -> Exercise:
        """The puzzle without its texts."""
        ways = tuple(tuple(way.split(", ")) for way in self.answers)
        return Exercise("", self.position, ways, "", "", "")


def grade(exercise: Exercise, seed: int) -> int:
    """How many of random, greedy and alpha-beta fail to solve a puzzle, from 0 to 4."""
    tries = [
        [RandomAgent(seed=_RANDOM_TRIES * seed + number) for number in range(_RANDOM_TRIES)],
        [GreedyAgent(seed=seed)],
        [AlphaBetaAgent(depth=1)],
        [AlphaBetaAgent(depth=2)],
    ]
    return sum(not any(_solves(agent, exercise) for agent in agents) for agents in tries)


def _solves(agent: Any, exercise: Exercise) -> bool:
    game = Game(position=exercise.position)
    defender = Defender(exercise, game)
    while exercise.judge(game) == OPEN:
        game.play((agent if game.to_act == PLAYERS[WHITE] else defender).act(game))
    return exercise.judge(game) == SOLVED


def puzzles(batch: Batch) -> Iterator[Found]:
    """The puzzles among positions in which White is to play."""
    turns = batch.turns()
    for number, (first, last) in enumerate(itertools.pairwise(turns.offsets.tolist())):
        if last - first < _LEAST_TURNS:
            continue
        results, states = turns.results[first:last], turns.states[first:last]
        goes_on = (results == GOES_ON).nonzero()[0]
        left = (states["cell"] == COPY + BLACK).sum(axis=(1, 2))
        before = (batch.states[number]["cell"] == COPY + BLACK).sum()
        if (results == WON).any():
            kind, best = "win", (results == WON).nonzero()[0]
        elif len(goes_on) and left[goes_on].min() <= before - _LEAST_KILLS:
            kind, best = "strike", (left <= left[goes_on].min()).nonzero()[0]
        else:
            kind, best = "hold", goes_on[_holding(states[goes_on], batch.config)]
        if len({b"".join(states[row][field].tobytes() for field in _BOARDS) for row in best}) == 1:
            ways = [
                ", ".join(ACTIONS[action] for action in turns.actions[first + row] if action >= 0)
                for row in best
            ]
            position = Game.from_state(batch.states[number : number + 1]).position
            yield Found(kind, position, ways[:1] if kind == "win" else ways)


def _holding(states: NDArray[np.void], config: Any) -> NDArray[np.int64]:
    """The indices of the states after which Black, to play, has no turn that wins.

    The search stops early once there are too many for a puzzle.
    """
    held = np.zeros(0, np.int64)
    for first in range(0, len(states), _AT_ONCE):
        replies = Batch.from_states(states[first : first + _AT_ONCE], config).turns()
        loses = np.logical_or.reduceat(replies.results == LOST, replies.offsets[:-1])
        held = np.concatenate((held, first + (~loses).nonzero()[0]))
        if len(held) > _MOST_WAYS:
            break
    return held


def play_randomly(
    batch: Batch, turns: int, *, fierce: bool, generator: np.random.Generator
) -> Batch:
    """The games that are not over after the given number of random turns.

    A fierce Black plays those turns after which White has the fewest copies.
    """
    for number in range(turns):
        found = batch.turns()
        values = generator.random(len(found.keys))
        if fierce and number % 2:
            values -= (found.states["cell"] == COPY + WHITE).sum(axis=(1, 2))
        rows = found.best(values)
        batch = Batch.from_states(found.states[rows[found.results[rows] == GOES_ON]], batch.config)
    return batch


def find(names: tuple[str, ...], advance: Callable[[], object]) -> list[tuple[int, Found]]:
    """The puzzles of a set of chapters and their grades, those first that most find."""
    found: dict[str, list[tuple[int, Found]]] = {kind: [] for kind in HOW_MANY}
    for seed in itertools.count():
        generator = np.random.default_rng([seed, *(CHAPTERS.index(name) for name in names)])
        batch = play_randomly(
            Batch(256, chapters=names),
            6 + 2 * (seed // 2 % 8),
            fierce=seed % 2 == 1,
            generator=generator,
        )
        for puzzle in puzzles(batch):
            kind = found[puzzle.kind]
            if len(kind) < HOW_MANY[puzzle.kind]:
                kind.append((grade(puzzle.exercise, seed), puzzle))
                advance()
        if all(len(found[kind]) == HOW_MANY[kind] for kind in ("win", "strike")):
            return sorted((one for rows in found.values() for one in rows), key=lambda one: one[0])
    raise AssertionError


def main() -> None:
    """Write the puzzles of every set."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="what to write")
    path = parser.parse_args().file
    lines, figures = [], Figures()
    published = ROOT / figures.files["puzzles"].file
    measured = {"": figures.now("puzzles")} if path.resolve() == published else {}
    with Progress() as progress:
        task = progress.add_task("puzzles", total=sum(HOW_MANY.values()) * len(SETS))
        for names in SETS:
            name = " and ".join(names) or "standard"
            found = find(names, lambda: progress.advance(task))
            lines += [
                json.dumps([name, grade, puzzle.kind, puzzle.position, *puzzle.answers])
                for grade, puzzle in found
            ]
    kinds, grades = json.dumps(KINDS, indent=2), json.dumps(GRADES)
    head = f'{{"kinds": {kinds},\n"grades": {grades},\n"puzzles": [\n'
    text = head + ",\n".join(lines) + "\n]}\n"
    write_file(path, text.encode())
    figures.keep("puzzles", measured)


if __name__ == "__main__":
    main()
