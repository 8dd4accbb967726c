"""Find the combinations of the page: positions in which exactly one turn forces a win.

    python benchmarks/combinations.py tkm_env/play/tkm/combinations.json

The positions come from random games of every set of chapters. White plays, and wins in two or
three of its own turns whatever Black replies, but no sooner; after any other turn Black has a
defence. The search of ``tkm prove`` proves both. The puzzle shows one line: Black's reply is the
one after which the fewest turns still win; where two turns are left then, exactly one of them does.

The theme of a puzzle is what the first turn does to the copies on the boards. Each number of turns
and theme gets at most one puzzle of each set of chapters. Puzzles are graded as those of
``benchmarks/puzzles.py`` are.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import Progress

from tkm_env import ACTIONS, Batch, Game
from tkm_env.foundations.files import write_file
from tkm_env.games.tkm.engine.state import CHAPTERS, COPY
from tkm_env.play.exercises import Exercise
from tkm_env.players.tkm.search.proof_search import ProofSearcher

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, Figures
from benchmarks.puzzles import BLACK, GOES_ON, GRADES, SETS, WHITE, WON, grade, play_randomly

#: The kinds, by the number of White's turns.
KINDS = {
    number: {
        "title": f"Win in {word} turns",
        "before": (
            f"You are White. Win in {word} turns, whatever Black replies. "
            "Only one turn begins such a win."
        ),
        "after": "Whatever Black had replied, you would have won in time.",
        "wrong": f"Black can stop that. There is a turn that wins in {word}.",
    }
    for number, word in ((2, "two"), (3, "three"))
}
#: What the first turn does: the change in the number of Black's and of White's copies on the
#: boards, as signs; None for any.
THEMES = {
    "sacrifice": (None, -1),
    "first strike": (-1, None),
    "a new copy": (0, 1),
    "quiet turn": (0, 0),
}
#: Longer lists of turns are hard to oversee, and to check by enumeration.
_MOST_TURNS = 40
_FEWEST_TURNS = 8
#: How many rounds of how many random games are searched in each set, and after how many turns.
_ROUNDS = 24
_GAMES = 64
_OPENING = 8
_SEARCHES = 12
_TABLE_BITS = 20


class Line(NamedTuple):
    """A forced win: how many turns begin it, and the turns of both sides, one after the other."""

    ways: int
    turns: list[str]


class Finder:
    """Finds forced wins in games with some settings."""

    def __init__(self, config: Any) -> None:
        self._config = config
        self._searcher = ProofSearcher(2 * max(KINDS) - 1, _TABLE_BITS)

    def wins(self, states: Any, within: int) -> bool:
        """Whether White can force a win within that many turns, counting both sides."""
        return self._searcher.winning_turn(states, WHITE, within) is not None

    def puzzle(self, states: Any, number: int) -> Exercise | None:
        """The puzzle, without its texts, from ``states[0]``; None if there is none."""
        line = self.line(states, number)
        if line is None:
            return None
        first, *rest = (tuple(turn.split(", ")) for turn in line.turns)
        position = Game.from_state(states).position
        return Exercise("", position, (first,), "", "", "", line=tuple(rest))

    def line(self, states: Any, number: int) -> Line | None:
        """The forced win from ``states[0]`` in exactly that many of White's turns."""
        if not self.wins(states, 2 * number - 1) or (
            number > 1 and self.wins(states, 2 * number - 3)
        ):
            return None
        turns = Batch.from_states(states, self._config).turns()
        if number > 1 and not _FEWEST_TURNS <= len(turns.results) <= _MOST_TURNS:
            return None
        if number == 1:
            won = (turns.results == WON).nonzero()[0]
            return Line(len(won), [_words(turns.actions[won[0]])])
        rows = [
            row
            for row in (turns.results == GOES_ON).nonzero()[0]
            if self.wins(turns.states[row : row + 1], 2 * number - 2)
        ]
        if len(rows) != 1:
            return None
        replies = Batch.from_states(turns.states[rows], self._config).turns()
        lines = [
            (found, reply)
            for reply in range(len(replies.results))
            if (found := self.line(replies.states[reply : reply + 1], number - 1)) is not None
        ]
        if not lines:
            return None
        rest, reply = min(lines, key=lambda one: one[0].ways)
        first = [_words(turns.actions[rows[0]]), _words(replies.actions[reply])]
        return Line(1, first + rest.turns)


def _words(actions: Any) -> str:
    return ", ".join(ACTIONS[action] for action in actions if action >= 0)


def theme_of(exercise: Exercise) -> str:
    """The theme of a puzzle."""
    game = Game(position=exercise.position)
    before = _copies(game)
    for action in exercise.answers[0]:
        game.play(action)
    change = np.sign(_copies(game) - before)
    return next(
        name
        for name, signs in THEMES.items()
        if all(sign in (None, found) for sign, found in zip(signs, change, strict=True))
    )


def _copies(game: Game) -> Any:
    """How many copies of Black and of White are on the boards."""
    cells = game.state["cell"]
    return np.array([(cells == COPY + player).sum() for player in (BLACK, WHITE)])


def find(names: tuple[str, ...], progress: Progress) -> dict[tuple[int, str], Exercise]:
    """For each number of turns and theme, the first puzzle of a set of chapters."""
    found: dict[tuple[int, str], Exercise] = {}
    rounds = [(seed, search) for seed in range(_ROUNDS) for search in range(_SEARCHES)]
    batch = Batch(_GAMES, chapters=names)
    finder = Finder(batch.config)
    generator = np.random.default_rng([CHAPTERS.index(name) for name in names])
    for seed, search in progress.track(rounds, description=" and ".join(names) or "standard"):
        if search == 0:
            batch = Batch(_GAMES, chapters=names)
        turns, fierce = 2 if search else _OPENING, seed % 2 == 1
        batch = play_randomly(batch, turns, fierce=fierce, generator=generator)
        for index in range(len(batch.states)):
            for number in KINDS:
                exercise = finder.puzzle(batch.states[index : index + 1], number)
                if exercise is not None:
                    found.setdefault((number, theme_of(exercise)), exercise)
        if len(found) == len(KINDS) * len(THEMES):
            break
    return found


def main() -> None:
    """Write the combinations of all sets of chapters."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, help="what to write")
    path = parser.parse_args().file
    figures = Figures()
    published = ROOT / figures.files["combinations"].file
    measured = {"": figures.now("combinations")} if path.resolve() == published else {}
    rows = []
    with Progress() as progress:
        for names in SETS:
            for (number, theme), exercise in find(names, progress).items():
                turns = [", ".join(turn) for turn in (*exercise.answers, *exercise.line)]
                set_name = f"{KINDS[number]['title'].lower()}: {theme}"
                level = grade(exercise, len(rows))
                order = (number, list(THEMES).index(theme), level)
                rows.append((order, [set_name, level, str(number), exercise.position, *turns]))
    rows.sort(key=lambda one: one[0])
    kinds, grades = json.dumps(KINDS, indent=2), json.dumps(GRADES)
    head = f'{{"kinds": {kinds},\n"grades": {grades},\n"puzzles": [\n'
    text = head + ",\n".join(json.dumps(row) for _, row in rows) + "\n]}\n"
    write_file(path, text.encode())
    figures.keep("combinations", measured)


if __name__ == "__main__":
    main()
