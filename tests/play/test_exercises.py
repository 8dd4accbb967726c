"""Lessons of every game, and puzzles with one best answer.

A lesson is open until its answer has been played, and says something at each point.
"""

from __future__ import annotations

from typing import Any

import pytest

from tkm_env.core.registry import GameSpec, registered_games
from tkm_env.core.turns import walk_turns
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.engine.state import COPY
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.exercises import OPEN, SOLVED, WRONG
from tkm_env.play.session import Session

GAMES = [spec for spec in registered_games().values() if ADAPTERS.of(spec).exercises()]


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.name)
def test_the_answers_of_a_lesson_solve_it_and_nothing_before_does(spec: GameSpec) -> None:
    for lesson in ADAPTERS.of(spec).exercises()["first steps"]:
        assert all((lesson.title, lesson.before, lesson.after, lesson.wrong))
        for answer in lesson.answers:
            game = spec.game_class(position=lesson.position)
            for action in answer:
                assert lesson.judge(game) == OPEN, lesson.title
                game.play(action)
            assert lesson.judge(game) == SOLVED, lesson.title


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.name)
def test_a_lesson_can_be_done_wrong_and_is_over_then(spec: GameSpec) -> None:
    for index, lesson in enumerate(ADAPTERS.of(spec).exercises()["first steps"]):
        judgements = set()
        for reverse in (False, True):
            session = Session.of_exercise(spec, "first steps", index)
            while session.waits_for_person:
                names = session.game.legal_names()
                session.play(names[-1 if reverse else 0])
            judgements.add(lesson.judge(session.game))
        assert WRONG in judgements, lesson.title


PUZZLES = [
    puzzle
    for name, exercises in ADAPTERS.of(TKM).exercises().items()
    if name.startswith("puzzles: ")
    for puzzle in exercises
]


def test_every_set_of_chapters_has_fifty_puzzles_that_win() -> None:
    sets = {
        name: [puzzle.title for puzzle in exercises]
        for name, exercises in ADAPTERS.of(TKM).exercises().items()
        if name.startswith("puzzles: ")
    }
    assert {name: titles.count("Win this turn") for name, titles in sets.items()} == dict.fromkeys(
        sets, 50
    )
    assert len(sets) == 8


@pytest.mark.nightly
@pytest.mark.parametrize("title", sorted({puzzle.title for puzzle in PUZZLES}))
def test_each_puzzle_has_one_best_answer(title: str) -> None:
    """Play every turn, and where it matters every reply, one action after another.

    The compiled list of turns is not used.
    """
    for puzzle in (puzzle for puzzle in PUZZLES if puzzle.title == title):
        start = TKM.game_class(position=puzzle.position)
        turns = list(walk_turns(start))
        wins = [turn.after for turn in turns if turn.after.winner == "white"]
        open_ends = [turn.after for turn in turns if turn.result is None]
        if title == "Win this turn":
            best = wins
        elif title == "Strike":
            fewest = min(_black_copies(turn.after) for turn in turns)
            best = [turn.after for turn in turns if _black_copies(turn.after) == fewest]
            assert fewest <= _black_copies(start) - 2, puzzle.position
        else:
            best = [
                after
                for after in open_ends
                if not any(reply.after.winner == "black" for reply in walk_turns(after))
            ]
        assert title == "Win this turn" or all(after.result is None for after in best), (
            puzzle.position
        )
        assert bool(wins) == (title == "Win this turn"), puzzle.position
        assert len({_boards(after) for after in best}) == 1, puzzle.position
        for turn in turns:
            game = start.copy()
            for action in turn.actions:
                game.play(action)
            assert (puzzle.judge(game) == SOLVED) == (turn.after in best), (
                puzzle.position,
                turn.after.position,
            )


def _black_copies(game: Any) -> int:
    return int((game.state["cell"] == COPY + 1).sum())


def _boards(game: Any) -> bytes:
    """What stands on the boards, whatever the focus."""
    return b"".join(game.state[field].tobytes() for field in ("cell", "seed", "hat"))
