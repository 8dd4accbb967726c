"""Lessons of every game: each is open until its answer has been played, and says something at each point."""

from __future__ import annotations

import pytest

from tkm_env.game.registry import GameSpec, load, registered_games
from tkm_env.play.session import Session
from tkm_env.play.tasks import OPEN, SOLVED, WRONG

GAMES = [spec for spec in registered_games().values() if load(spec.adapter).tasks()]


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.name)
def test_the_answers_of_a_lesson_solve_it_and_nothing_before_does(spec: GameSpec) -> None:
    for lesson in load(spec.adapter).tasks()["first steps"]:
        assert all((lesson.title, lesson.before, lesson.after, lesson.wrong))
        for answer in lesson.answers:
            game = spec.game_class(position=lesson.position)
            for action in answer:
                assert lesson.judge(game) == OPEN, lesson.title
                game.play(action)
            assert lesson.judge(game) == SOLVED, lesson.title


@pytest.mark.parametrize("spec", GAMES, ids=lambda spec: spec.name)
def test_a_lesson_can_be_done_wrong_and_is_over_then(spec: GameSpec) -> None:
    for lesson in load(spec.adapter).tasks()["first steps"]:
        judgements = set()
        for reverse in (False, True):
            session = Session.of_task(spec, lesson)
            while session.waits_for_person:
                names = session.game.legal_names()
                session.play(names[-1 if reverse else 0])
            judgements.add(lesson.judge(session.game))
        assert WRONG in judgements, lesson.title
