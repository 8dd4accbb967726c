"""Lessons and puzzles: positions with something to find, told before and after.

They are data beside a game.
"""

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple

from tkm_env.core.turns import played
from tkm_env.foundations.files import packaged_json

#: What a task's game can be.
OPEN: Final = "open"
SOLVED: Final = "solved"
WRONG: Final = "wrong"


class Task(NamedTuple):
    """A position with something to find."""

    title: str  # what it is called
    position: str  # the text of the position
    #: The actions that solve it, in ways that end differently; others solve it too if they lead to
    #: one of these ends, or win as these do.
    answers: tuple[tuple[str, ...], ...]
    before: str  # what there is to do, in a sentence or two
    after: str  # said when it is solved
    wrong: str  # said when it is not
    grade: str = ""  # how many find it, in words

    def judge(self, game: Any) -> str:
        """Whether a game played from the position is `OPEN`, `SOLVED` or `WRONG`."""
        start = game.at(0)
        ends = [played(start, answer) for answer in self.answers]
        if game.is_in_turn(start.turn_id) and not (
            ends[0].is_in_turn(start.turn_id) and len(game.history) >= len(self.answers[0])
        ):
            return OPEN
        is_won = game.winner is not None and game.winner == ends[0].winner
        return SOLVED if is_won or game.position in [end.position for end in ends] else WRONG

    def text(self, judgement: str) -> str:
        """What is said then."""
        return {OPEN: self.before, SOLVED: self.after, WRONG: self.wrong}[judgement]


@functools.cache
def read_tasks(package: str) -> Mapping[str, Sequence[Task]]:
    """The tasks beside a game, by the names of their sets.

    They are in ``lessons.json`` and, if there is one, in ``puzzles.json``.

    Puzzles are ordered from easy to hard, and those of a kind are told in the same words. A row is
    a puzzle: its set, its grade, its kind, its position, its answers.
    """
    lessons = packaged_json(package, "lessons.json")
    found = {
        "first steps": [
            Task(**row | {"answers": tuple(map(tuple, row["answers"]))}) for row in lessons
        ]
    }
    if (files(package) / "puzzles.json").is_file():
        puzzles = packaged_json(package, "puzzles.json")
        for name, grade, kind, position, *answers in puzzles["puzzles"]:
            ways = tuple(tuple(answer.split(", ")) for answer in answers)
            task = Task(
                position=position,
                answers=ways,
                grade=puzzles["grades"][grade],
                **puzzles["kinds"][kind],
            )
            found.setdefault(f"puzzles: {name}", []).append(task)
    return found
