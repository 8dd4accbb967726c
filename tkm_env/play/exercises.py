"""Lessons and puzzles: positions with something to find, and texts before and after.

They are data beside a game.
"""

import functools
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, NamedTuple

from tkm_env.core.turns import played
from tkm_env.foundations.files import packaged_json

#: The judgements of a game played from an exercise.
OPEN: Final = "open"
SOLVED: Final = "solved"
WRONG: Final = "wrong"


class Exercise(NamedTuple):
    """A position with something to find."""

    title: str  # its title
    position: str  # the text of the position
    #: The actions that solve it, one way for each end that they can lead to. Other actions solve it
    #: too if they lead to one of these ends, or win as these do.
    answers: tuple[tuple[str, ...], ...]
    before: str  # what there is to do, in a sentence or two
    after: str  # shown when it is solved
    wrong: str  # shown when it is not
    grade: str = ""  # how hard it is, in a word or two
    difficulty: int | None = None  # the same of a puzzle, from 0; None for a lesson

    def judge(self, game: Any) -> str:
        """Judge a game played from the position: `OPEN`, `SOLVED` or `WRONG`."""
        start = game.at(0)
        ends = [played(start, answer) for answer in self.answers]
        if game.is_in_turn(start.turn_id) and not (
            ends[0].is_in_turn(start.turn_id) and len(game.history) >= len(self.answers[0])
        ):
            return OPEN
        is_won = game.winner is not None and game.winner == ends[0].winner
        return SOLVED if is_won or game.position in [end.position for end in ends] else WRONG

    def text(self, judgement: str) -> str:
        """Return what to show with this judgement."""
        return {OPEN: self.before, SOLVED: self.after, WRONG: self.wrong}[judgement]


@functools.cache
def read_exercises(package: str) -> Mapping[str, Sequence[Exercise]]:
    """Read the exercises beside a game, by the names of their sets.

    They are in ``lessons.json`` and, if there is one, in ``puzzles.json``. Puzzles are ordered from
    easy to hard, and those of a kind share their texts. A row is a puzzle: its set, its grade, its
    kind, its position, its answers.
    """
    lessons = packaged_json(package, "lessons.json")
    found = {
        "first steps": [
            Exercise(**row | {"answers": tuple(map(tuple, row["answers"]))}) for row in lessons
        ]
    }
    if (files(package) / "puzzles.json").is_file():
        puzzles = packaged_json(package, "puzzles.json")
        for name, grade, kind, position, *answers in puzzles["puzzles"]:
            ways = tuple(tuple(answer.split(", ")) for answer in answers)
            exercise = Exercise(
                position=position,
                answers=ways,
                grade=puzzles["grades"][grade],
                difficulty=grade,
                **puzzles["kinds"][kind],
            )
            found.setdefault(f"puzzles: {name}", []).append(exercise)
    return found
