"""Lessons and puzzles: positions with something to find, and texts before and after.

They are data beside a game.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
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
    #: How it goes on after the answer, in a puzzle of several turns: the opponent's reply, then
    #: one's next turn, and so on. Another last turn solves it too if it wins.
    line: tuple[tuple[str, ...], ...] = ()

    def judge(self, game: Any) -> str:
        """Judge a game played from the position: `OPEN`, `SOLVED` or `WRONG`."""
        start = game.at(0)
        if self.line:
            return self._judge_line(game, start)
        ends = [played(start, answer) for answer in self.answers]
        if game.is_in_turn(start.turn_id) and not (
            ends[0].is_in_turn(start.turn_id) and len(game.history) >= len(self.answers[0])
        ):
            return OPEN
        is_won = game.winner is not None and game.winner == ends[0].winner
        return SOLVED if is_won or game.position in [end.position for end in ends] else WRONG

    def _judge_line(self, game: Any, start: Any) -> str:
        if game.result is not None:
            return SOLVED if game.winner == start.to_act else WRONG
        is_on_line = game.to_act == start.to_act or game.position in self.replies(start)
        return OPEN if is_on_line else WRONG

    def replies(self, start: Any) -> dict[str, str]:
        """Return the opponent's action in each position of the line, by its text.

        Args:
            start: a game at the position; unchanged.

        Returns:
            The names of the actions; none for an exercise of one turn.
        """
        found, game = {}, played(start, self.answers[0])
        for number, turn in enumerate(self.line):
            for action in turn:
                if number % 2 == 0:
                    found[game.position] = action
                game.play(action)
        return found

    def text(self, judgement: str) -> str:
        """Return what to show with this judgement."""
        return {OPEN: self.before, SOLVED: self.after, WRONG: self.wrong}[judgement]


class Defender:
    """Plays the opponent's replies in an exercise.

    Args:
        exercise: a puzzle of several turns.
        start: a game at its position.
    """

    #: Its name among the players.
    NAME: Final = "the defence"

    def __init__(self, exercise: Exercise, start: Any) -> None:
        self._replies = exercise.replies(start)

    def act(self, game: Any) -> str:
        """Return the reply's next action."""
        return self._replies[game.position]


@functools.cache
def read_exercises(package: str) -> Mapping[str, Sequence[Exercise]]:
    """Read the exercises beside a game, by the names of their sets.

    They are in ``lessons.json`` and, if there are such files, in ``puzzles.json`` and
    ``combinations.json``, whose puzzles take several turns. Puzzles are ordered from easy to hard,
    and those of a kind share their texts. A row is a puzzle: its set, its grade, its kind, its
    position, and its answers or, in ``combinations.json``, the turns of both sides.
    """
    lessons = packaged_json(package, "lessons.json")
    found = {
        "first steps": [
            Exercise(**row | {"answers": tuple(map(tuple, row["answers"]))}) for row in lessons
        ]
    }
    for name, puzzle in _read_puzzles(package, "puzzles.json"):
        found.setdefault(f"puzzles: {name}", []).append(puzzle)
    for name, puzzle in _read_puzzles(package, "combinations.json"):
        whole = puzzle._replace(answers=puzzle.answers[:1], line=puzzle.answers[1:])
        found.setdefault(name, []).append(whole)
    return found


def _read_puzzles(package: str, file: str) -> Iterator[tuple[str, Exercise]]:
    """Yield the puzzles of a file beside a game, if any, each with the name of its set."""
    if not (files(package) / file).is_file():
        return
    content = packaged_json(package, file)
    for name, grade, kind, position, *answers in content["puzzles"]:
        yield (
            name,
            Exercise(
                position=position,
                answers=tuple(tuple(answer.split(", ")) for answer in answers),
                grade=content["grades"][grade],
                difficulty=grade,
                **content["kinds"][kind],
            ),
        )
