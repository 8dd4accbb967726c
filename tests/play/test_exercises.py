"""Lessons of every game, and puzzles with one best answer.

A lesson is open until its answer has been played, and says something at each point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tkm_env.core.registry import GameSpec, registered_games
from tkm_env.core.turns import played, walk_turns
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.engine.state import COPY
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.exercises import OPEN, SOLVED, WRONG, Exercise
from tkm_env.play.session import Session
from tkm_env.players.tkm.proofs import prove

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


COMBINATIONS = [
    (name, puzzle)
    for name, exercises in ADAPTERS.of(TKM).exercises().items()
    if name.startswith("win in ")
    for puzzle in exercises
]


def turns_of(puzzle: Exercise) -> int:
    """The number of White's turns."""
    return 1 + len(puzzle.line) // 2


def test_combinations_of_two_and_three_turns_have_themes() -> None:
    themes = ("sacrifice", "first strike", "a new copy", "quiet turn")
    wanted = {f"win in {number} turns: {theme}" for number in ("two", "three") for theme in themes}
    # No sacrifice that wins in three turns was found.
    assert {name for name, _ in COMBINATIONS} == wanted - {"win in three turns: sacrifice"}
    for name, puzzle in COMBINATIONS:
        assert f"win in {('two', 'three')[turns_of(puzzle) - 2]} turns" in name
        start = TKM.game_class(position=puzzle.position)
        after = played(start, puzzle.answers[0])
        killed = _black_copies(start) - _black_copies(after)
        gained = _white_copies(after) - _white_copies(start)
        theme = (
            "sacrifice"
            if gained < 0
            else "first strike"
            if killed > 0
            else "a new copy"
            if gained > 0
            else "quiet turn"
        )
        assert name.endswith(theme), puzzle.position


@pytest.mark.slow
@pytest.mark.parametrize("number", [2, 3])
def test_a_combination_is_proved_to_begin_with_one_turn(number: int) -> None:
    """The prover finds a win after the answer, none sooner and none after any other turn."""
    for _, puzzle in COMBINATIONS:
        if turns_of(puzzle) != number:
            continue
        start = TKM.game_class(position=puzzle.position)
        proof = prove(start, 2 * number - 1, table_bits=12)
        assert (proof.turns, proof.winner) == (2 * number - 1, "white")
        answer = played(start, puzzle.answers[0]).position
        wins = [
            turn.after.position
            for turn in start.turns()
            if prove(turn.after, 2 * number - 2, table_bits=12).winner == "white"
        ]
        assert wins == [answer]


def test_the_defence_replies_and_each_turn_is_judged() -> None:
    name, puzzle = COMBINATIONS[0]
    session = Session.of_exercise(TKM, name, 0)
    for number, turn in enumerate((puzzle.answers[0], *puzzle.line)):
        for action in turn:
            assert puzzle.judge(session.game) == OPEN
            assert session.waits_for_agent == bool(number % 2)
            if number % 2:
                session.let_agent_play()
            else:
                session.play(action)
    assert puzzle.judge(session.game) == SOLVED

    session = Session.of_exercise(TKM, name, 0)
    other = next(
        turn for turn in session.game.turns() if puzzle.judge(_after(session, turn)) == WRONG
    )
    for played_action in other.actions:
        session.play(played_action)
    assert not session.waits_for_agent
    assert not session.waits_for_person


def _after(session: Session[Any], turn: Any) -> Any:
    return played(session.game, turn.actions)


def forced_wins(game: Any, number: int, turns: Callable[[Any], Iterable[Any]]) -> list[Any]:
    """The games after each of White's turns with which it wins within that many of its turns."""
    found = []
    for turn in turns(game):
        after = turn.after
        if after.winner == "white" or (
            number > 1
            and after.result is None
            and all(
                reply.after.result is None and _can_force(reply.after, number - 1, turns)
                for reply in turns(after)
            )
        ):
            found.append(after)
    return found


def _can_force(game: Any, number: int, turns: Callable[[Any], Iterable[Any]]) -> bool:
    if number == 1:
        return any(turn.after.winner == "white" for turn in turns(game))
    return bool(forced_wins(game, number, turns))


def check_by_enumeration(puzzle: Exercise, turns: Callable[[Any], Iterable[Any]]) -> None:
    """Play every turn and every reply; no search is used."""
    start = TKM.game_class(position=puzzle.position)
    number = turns_of(puzzle)
    assert not forced_wins(start, number - 1, turns), puzzle.position
    (after,) = forced_wins(start, number, turns)
    assert after.position == played(start, puzzle.answers[0]).position


def test_the_shortest_combination_is_right_by_enumeration_of_all_actions() -> None:
    shortest = min(
        (puzzle for _, puzzle in COMBINATIONS if turns_of(puzzle) == 2),
        key=lambda puzzle: len(TKM.game_class(position=puzzle.position).turns()),
    )
    check_by_enumeration(shortest, walk_turns)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if "three" in name else ())
        for name in sorted({name for name, _ in COMBINATIONS})
    ],
)
def test_each_combination_is_right_by_enumeration_of_all_turns(name: str) -> None:
    for puzzle in (puzzle for found, puzzle in COMBINATIONS if found == name):
        check_by_enumeration(puzzle, lambda game: game.turns())


def _white_copies(game: Any) -> int:
    return int((game.state["cell"] == COPY).sum())


def _black_copies(game: Any) -> int:
    return int((game.state["cell"] == COPY + 1).sum())


def _boards(game: Any) -> bytes:
    """What stands on the boards, whatever the focus."""
    return b"".join(game.state[field].tobytes() for field in ("cell", "seed", "hat"))
