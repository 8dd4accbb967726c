"""Every kind of question has one answer, and two paths lead to it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.questions.rows import named, rows
from tkm_env import ConfigError, TerminusGame
from tkm_env.core.registry import game_spec, registered_games
from tkm_env.core.turns import played
from tkm_env.questions import (
    PlanRow,
    Question,
    QuestionPlan,
    Verdict,
    kinds_of,
    make_question,
    usual_rows,
)
from tkm_env.questions.forced_wins import fewest_turns
from tkm_env.questions.generator import SPAN, block, block_size
from tkm_env.questions.kinds import kind_of
from tkm_env.text import TextOptions

ROWS = pytest.mark.parametrize("row", rows(), ids=named)
#: What takes the place of the right answer, by kind, where both paths must notice it.
WRONG = {"yes": "no", "no": "yes", "neither": "white 1"}


def questions(row: PlanRow, count: int = 8) -> list[Question]:
    """Some questions of a row."""
    return [*QuestionPlan((row,), count).questions()]


def wrong_answer(question: Question) -> str:
    """An answer like the right one that is not right."""
    right = question.correct
    if right in WRONG:
        return WRONG[right]
    if question.kind.name in ("position", "power-position"):
        return question.game.visible_position
    if question.kind.name in ("forced-win", "endgame"):
        return "neither"
    if question.kind.name == "victories":
        return f"{right}0"
    if question.kind.name == "winning-turn":
        game = question.game
        others = (way for way in game.turns() if way.after.winner != game.to_act)
        turns = ("; ".join(game.action_names[action] for action in way.actions) for way in others)
        return next(turn for turn in turns if question.mark(turn) is Verdict.WRONG)
    if question.kind.name == "deaths":
        return f"{right}; 1 white past"
    names = [name for name in question.game.action_names if name not in right.split("; ")]
    return f"{right}; {names[0]}"


@ROWS
def test_the_second_path_confirms_every_answer_and_no_other(row: PlanRow) -> None:
    for question in questions(row):
        assert question.objection() == "", question.id
        assert question.kind.objection(question.task, wrong_answer(question)), question.id


@ROWS
def test_the_answer_is_right_and_another_is_wrong_in_any_words(row: PlanRow) -> None:
    for question in questions(row, 4):
        for options in (TextOptions(), TextOptions(style="terse"), TextOptions(rename=3)):
            asked = question.reworded(options)
            assert asked.mark(f"So be it.\n\nANSWER: {asked.answer}") is Verdict.RIGHT, asked.id
            rename = asked.kind.form(asked.task).write
            wrong = rename(wrong_answer(question), asked._rename)
            assert asked.mark(f"ANSWER: {wrong}") is Verdict.WRONG, asked.id
            assert asked.mark("ANSWER: I do not know") is Verdict.UNREADABLE, asked.id
            assert Question.from_line(asked.line()).line() == asked.line()


@pytest.mark.parametrize("row", rows("legal", "position", "win", "victories"), ids=named)
def test_answers_do_not_depend_on_what_is_hidden(row: PlanRow) -> None:
    if row.game != "terminus":
        return
    for question in questions(row):
        for seed in range(6):
            twin = TerminusGame(row.config, seed=seed, position=question.game.visible_position)
            task = type(question.task)(twin, question.difficulty, question.task.actions)
            assert question.kind.answer(task) == question.correct, question.id


@pytest.mark.parametrize("row", rows("win", "safety", "forced-win", "endgame"), ids=named)
def test_balanced_answers_are_equally_frequent(row: PlanRow) -> None:
    kind = kind_of(game_spec(row.game), row.kind)
    answers = kind.balanced_answers(row.difficulty)
    found = Counter(
        kind.answer_class(question.task, question.correct)
        for question in questions(row, 2 * answers)
    )
    assert found == dict.fromkeys(range(answers), 2)


@ROWS
def test_a_question_depends_on_its_seed_alone(row: PlanRow) -> None:
    made = [question.line() for question in questions(row, 4)]
    block.cache_clear()
    last = make_question(row.kind, row.difficulty, 3, game=row.game, config=row.config)
    assert last.line() == made[3]
    assert len({f"{line['position']} {line['actions']}" for line in made}) == len(made)


def test_data_sets_of_different_numbers_share_no_seeds() -> None:
    (row,) = rows("deaths")[:1]
    seeds = [
        {question.seed for question in QuestionPlan((row,), 5, number).questions()}
        for number in range(3)
    ]
    assert [min(those) for those in seeds] == [0, SPAN, 2 * SPAN]
    kind = kind_of(game_spec("tkm"), "forced-win")
    assert [block_size(kind, difficulty) for difficulty in (2, 3, 5, 9)] == [6, 8, 6, 10]


def test_a_forced_win_that_is_found_by_trying_every_turn_is_the_proven_one() -> None:
    for row in rows("forced-win"):
        for question in questions(row):
            found = fewest_turns(question.game, row.difficulty)
            told = "neither" if found is None else f"{found[0]} {found[1]}"
            assert told == question.correct, question.id


def test_a_longer_win_is_confirmed_by_its_strategy() -> None:
    question = make_question("winning-turn", 3, 0)
    assert question.objection() == ""
    assert question.mark(f"ANSWER: {question.answer}") is Verdict.RIGHT
    game = played(question.game, question.correct.split("; "))
    assert game.result is None


@pytest.mark.parametrize(
    ("arguments", "settings", "reason"),
    [
        (("walls", 1, 0), {}, "kind='walls' is invalid: it must be 'legal'"),
        (("legal", 0, 0), {}, "an integer from 1 to 100"),
        (("forced-win", 1, 0), {}, "an integer from 2 to 9"),
        (("legal", 1, -1), {}, "seed"),
        (("legal", 1, 0), {"concede": True}, "questions are about games without it"),
        (("power-actions", 1, 0), {"powers": ("overtime", None)}, "needs a player with one of"),
        (("power-position", 1, 0), {}, "needs a player with a power"),
        (("endgame", 3, 0), {"chapters": "growth"}, "endgames are of the standard game"),
        (("winning-turn", 2, 0), {"game": "terminus"}, "Terminus has no proofs"),
        (("safety", 14, 0), {"handicap": (3, 3)}, "too few positions were found"),
        (("deaths", 1, 0), {"game": "terminus"}, "it must be 'legal'"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    arguments: tuple[str, int, int], settings: dict[str, object], reason: str
) -> None:
    with pytest.raises(ConfigError, match=reason):
        make_question(*arguments, **settings)


def test_every_game_has_usual_questions_of_all_its_kinds() -> None:
    for spec in registered_games().values():
        asked = {row.kind for row in usual_rows([spec.name])}
        assert asked == {*kinds_of(spec)}


PLAIN = """
import json, sys
from tkm_env.compiled.decorators import COMPILES
from tkm_env.questions.data_set import flaw_in
assert not COMPILES
for line in sys.stdin:
    flaw = flaw_in(json.loads(line))
    assert not flaw, flaw
"""


@pytest.mark.slow
def test_the_rules_as_plain_python_give_the_same_answers(tmp_path: Path) -> None:
    import json

    kinds = ("legal", "position", "deaths", "power-actions", "power-position", "victories")
    lines = [json.dumps(question.line()) for row in rows(*kinds) for question in questions(row, 4)]
    result = subprocess.run(
        [sys.executable, "-c", PLAIN],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        input="\n".join(lines),
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-2000:]
