"""No question is answered by its wording: a bag of words guesses no better than chance."""

from __future__ import annotations

import re

import pytest

from benchmarks.questions import Guesses, NaiveBayes, characters_of, guesses, words_of
from tests.questions.rows import named, rows
from tkm_env.evaluation.score import Interval
from tkm_env.questions import PlanRow, Question, QuestionPlan

#: What has few answers, so that guessing could pay.
FEW = ("win", "safety", "forced-win", "deaths", "endgame", "victories")


@pytest.mark.parametrize(
    "row",
    [
        row
        for row in rows(*FEW)
        if row.game == "terminus" or getattr(row.config, "chapters", None) is None
    ],
    ids=named,
)
def test_the_words_of_prompts_tell_nothing_about_the_answers(row: PlanRow) -> None:
    questions = [*QuestionPlan((row,), 200, number=5).questions()]
    found = guesses(questions, words_of)
    assert found.questions >= 30
    assert found.is_chance, found


def test_words_that_tell_the_answer_are_noticed() -> None:
    (row, *_) = rows("win")
    questions = [*QuestionPlan((row,), 200, number=5).questions()]

    def leaking(question: Question) -> list[str]:
        return [*words_of(question), f"surely {question.correct}"]

    found = guesses(questions, leaking)
    assert found.guessed.share == 1
    assert not found.is_chance


def test_the_words_do_not_contain_the_position_and_the_actions() -> None:
    (row, *_) = rows("position")
    (question, *_) = QuestionPlan((row,), 1).questions()
    asked = "From this position, these actions are played: What is the position after them?"
    assert words_of(question) == re.findall(r"\w+", f"{asked} {question.kind.answers}".lower())
    assert len(characters_of(question)) > 2 * len(question.game.visible_position)


def test_a_classifier_learns_what_can_be_learned() -> None:
    model = NaiveBayes([(["cold", "snow"], "no"), (["warm", "sun"], "yes"), (["sun"], "yes")])
    assert [model.guess(words) for words in (["snow"], ["sun", "rain"], [])] == ["no", "yes", "yes"]


@pytest.mark.parametrize(("share", "is_chance"), [(0.5, True), (0.6, True), (0.75, False)])
def test_chance_is_within_three_deviations(share: float, is_chance: bool) -> None:
    found = Guesses(100, 0.5, Interval(share, 0.0, 1.0))
    assert found.is_chance is is_chance
