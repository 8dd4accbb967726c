"""A rare fault costs what it touches, not the question; a fault every time costs all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.course.small import HONEST, assignment, program, python
from tests.course.test_learning_questions import SOLUTION, TRAINING
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.grading.local_submission import LocalSubmission, RareFaults
from tkm_env.course.questions.marks import Mark

#: Fails at its calls of these numbers; a file counts them, since a crash ends the program.
FAILING = """
from pathlib import Path

COUNTED = Path(__file__).with_name("calls")

def fail():
    calls = 1 + (len(COUNTED.read_text()) if COUNTED.exists() else 0)
    COUNTED.write_text("x" * calls)
    if calls in {times}:
        raise ValueError("now and then")
"""
COUNTS = f"""
{FAILING}
{HONEST.replace("def count(", "def count_lines(").replace("sum(count(", "sum(count_lines(")}
def count(node, depth):
    fail()
    return count_lines(node, depth)
"""
PLAYS = f"""
{FAILING}
class Bot:
    def act(self, game):
        fail()
        return max(game.turns(), key=lambda turn: turn.after.winner == game.to_act).actions[0]
"""
CRASH = "it crashed: agent.py, line 11: ValueError: now and then"


def mark_of(submission: Path, **question: Any) -> Mark:
    *_, last = grade_submission(submission, assignment(question))
    return last.marks[0]


def test_a_position_in_which_a_function_crashes_is_wrong_and_the_others_count(
    tmp_path: Path,
) -> None:
    submission = python(tmp_path / "ann", COUNTS.format(times="{2}"))
    mark = mark_of(submission, kind="count", depth=3, positions=4)
    assert mark.words == (f"3 of 4 positions right; {CRASH}")
    assert (mark.score, mark.fault) == (1.5, "crash")
    assert len(mark.findings) == 1
    assert mark.findings[0].positions
    assert mark.advice == [], "nothing is wrong but the crash"


def test_the_hint_is_about_wrong_answers_alone(tmp_path: Path) -> None:
    source = COUNTS.format(times="{2}").replace("return count_lines(node, depth)", "return -1")
    mark = mark_of(python(tmp_path / "ann", source), kind="count", depth=3, positions=3)
    assert mark.findings[0].words.startswith(CRASH)
    assert mark.findings[1].words.startswith("the answer -1 is wrong; there are ")
    assert "Count two actions deep by hand" in mark.advice[0]


def test_a_call_that_crashes_is_wrong_and_the_others_count(tmp_path: Path) -> None:
    source = """
import math

def draw_chances(deck, wanted, draws):
    if wanted == 1:
        raise ValueError("only one")
    ways = [math.comb(wanted, n) * math.comb(deck - wanted, draws - n) for n in range(draws + 1)]
    return [number / math.comb(deck, draws) for number in ways]
"""
    mark = mark_of(
        python(tmp_path / "ann", source), kind="function", function="draw_chances", cases=12
    )
    assert 0 < mark.share < 1
    assert "ValueError: only one" in mark.words
    assert mark.findings[0].words.startswith("it crashed: agent.py, line 6: ValueError: only one; ")
    assert "draw_chances(" in mark.findings[0].words


def test_after_three_faults_in_a_row_nothing_more_is_asked(tmp_path: Path) -> None:
    submission = python(tmp_path / "ann", COUNTS.format(times="range(100)"))
    mark = mark_of(submission, kind="count", depth=3, positions=9)
    assert mark.share == 0
    assert mark.words.endswith(", and 2 more faults; 6 positions not asked any more")


def test_answers_before_the_time_is_up_count(tmp_path: Path) -> None:
    before = "n = globals().get('n', 0) + 1; n > 1 and time.sleep(600)"
    submission = program(tmp_path / "ann", before)
    mark = mark_of(submission, kind="count", depth=3, positions=3, seconds=3)
    assert mark.words == (
        "1 of 3 positions right; no answer in time (3 s); 1 position not asked any more"
    )


def test_a_crash_in_a_game_costs_the_rest_of_a_turn(tmp_path: Path) -> None:
    submission = python(tmp_path / "ann", PLAYS.format(times="{3, 30}"))
    mark = mark_of(submission, kind="match", opponent="random", games=4, seconds=60)
    assert "lost by a fault" not in mark.words
    assert f"2 turns finished at random after a fault: {CRASH}" in mark.words
    assert mark.fault == "crash"
    first = mark.findings[0]
    assert first.words.startswith("game 1, turn ")
    assert first.words.endswith("the rest of the turn was played at random")
    assert first.positions


def local_mark(folder: Path, source: str, **question: Any) -> Mark:
    """The mark of a file that runs in this process, which is quick."""
    given = assignment({"kind": "match", "opponent": "random", "seconds": 300, **question})
    return given.questions[0].mark(LocalSubmission(python(folder, source), 1), given)


def test_no_more_faults_are_forgiven_in_a_match_than_half_its_games(tmp_path: Path) -> None:
    """A bot that crashes in its first two actions of each game is forgiven one of the four."""
    source = """
class Bot:
    def reset(self, seed):
        Bot.calls = 0

    def act(self, game):
        Bot.calls = getattr(Bot, "calls", 0) + 1
        if len(game.turns()) > 1:
            raise ValueError("again and again")
        return game.legal_actions()[0]
"""
    mark = local_mark(tmp_path / "ann", source, games=2)
    assert "2 games lost by a fault" in mark.words
    assert "1 turn finished at random" in mark.words


def test_a_bot_that_always_crashes_loses(tmp_path: Path) -> None:
    mark = local_mark(tmp_path / "ann", PLAYS.format(times="range(100)"), games=20)
    assert mark.share == 0
    assert "after 3 faults in a row the remaining games were not played" in mark.words
    assert mark.findings[-1].words.startswith("game 1: lost, since it crashed: ")
    assert mark.advice == [], "a hint about play would not help"


@pytest.mark.parametrize("action", ["'jump'", "10**6", "None", "[]"])
def test_what_is_no_action_costs_as_much_as_a_crash(tmp_path: Path, action: str) -> None:
    source = PLAYS.replace(
        "        fail()\n",
        f"""        try:
            fail()
        except ValueError:
            return {action}
""",
    ).format(times="{2}")
    mark = local_mark(tmp_path / "ann", source, games=2)
    assert "1 turn finished at random after a fault: illegal action" in mark.words
    assert "lost by a fault" not in mark.words


def test_a_bot_that_crashes_in_one_of_250_actions_keeps_its_points(tmp_path: Path) -> None:
    given = assignment({"kind": "match", "opponent": "random", "games": 40, "seconds": 300})
    submission = python(tmp_path / "ann", PLAYS.format(times="()")) / "agent.py"
    marks = [
        given.questions[0].mark(LocalSubmission(submission, 1, faults), given)
        for faults in (None, RareFaults(0.0, 1 / 250, 1))
    ]
    assert marks[0].fault is None
    assert marks[1].fault == "crash"
    assert marks[1].share >= marks[0].share - 0.1


#: Learns from self-play; one in `every` calls of the function of this name fails.
LEARNS = f"""
{SOLUTION}
calls = 0
solved = {{name}}

def {{name}}(*arguments):
    global calls
    calls += 1
    if calls % {{every}} == 0:
        raise ValueError("now and then")
    return solved(*arguments)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "every"), [("turn_chances", 1000), ("lambda_returns", 500), ("update", 20)]
)
def test_a_training_goes_on_without_the_calls_that_crash(
    tmp_path: Path, name: str, every: int
) -> None:
    table = {**TRAINING, "training_games": 1_100}
    mark = local_mark(tmp_path / "ann", LEARNS.format(name=name, every=every), **table)
    assert mark.share > 0.8
    assert mark.fault == "crash"
    crash = "of the training failed and decided nothing: it crashed: agent.py, line "
    assert crash in mark.words
    assert crash in mark.findings[0].words


def test_a_training_ends_after_three_faults_in_a_row_or_without_a_plan(tmp_path: Path) -> None:
    for name in ("update", "plan"):
        mark = local_mark(tmp_path / name, LEARNS.format(name=name, every=1), **TRAINING)
        assert (mark.share, mark.fault) == (0, "crash"), name
        assert mark.words.endswith("ValueError: now and then")
