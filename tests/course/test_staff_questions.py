"""Questions and opponents of the staff's own: a file beside the assignment is all they need."""

from __future__ import annotations

import pickle
import re
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.course.small import python
from tests.isolation.programs import NO_SANDBOX
from tkm_env.course.assignment import Assignment, parse_assignment, read_assignment
from tkm_env.course.bundles import write_bundle
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.grading.local_submission import LocalSubmission
from tkm_env.course.grading.mark_files import key_of
from tkm_env.course.questions.marks import Mark
from tkm_env.course.questions.question import QuestionError
from tkm_env.course.questions.staff_questions import Student
from tkm_env.foundations.errors import ConfigError, PlayerError

EXAMPLE = Path(__file__).with_name("staff_example.py")
RIGHT = """
def mobility(game):
    return len(game.legal_actions())

def halves(numbers):
    return [number / 2 for number in numbers]

def nodes(node, depth):
    return len(node.children())

class Bot:
    def act(self, game):
        return game.legal_actions()[0]
"""
WRONG = """
def mobility(game):
    return 1000

def halves(numbers):
    return numbers

def nodes(node, depth):
    return None

class Bot:
    def act(self, game):
        return game.legal_actions()[-1]
"""


def staff(folder: Path) -> Path:
    """A folder of the staff's, with the example."""
    folder.mkdir()
    shutil.copyfile(EXAMPLE, folder / "mine.py")
    return folder


def given(folder: Path, isolation: str = "process", **question: Any) -> Assignment:
    table = {"id": "q1", "points": 2, "seconds": 30, **question}
    conditions = {"isolation": isolation, "start_seconds": 40}
    return parse_assignment(
        {"seed": 3, "questions": [table], "conditions": conditions}, str(folder)
    )


def mark_of(submission: Path, assignment: Assignment) -> Mark:
    *_, last = grade_submission(submission, assignment)
    return last.marks[0]


@pytest.mark.parametrize(
    ("name", "right", "wrong"),
    [("Mobility", 1, 0), ("Halves", 0.5, 0), ("Nodes", 1, 0), ("Tidy", 1, 0)],
)
def test_a_class_in_a_file_judges_answers(
    tmp_path: Path, name: str, right: float, wrong: float
) -> None:
    assignment = given(staff(tmp_path / "staff"), kind=f"mine.py:{name}")
    shares = [
        mark_of(python(tmp_path / word, source), assignment).share
        for word, source in (("right", RIGHT), ("wrong", WRONG))
    ]
    assert shares == [right, wrong]


@pytest.mark.parametrize(
    "answer", [[float("nan")], 5, {"a": 1}, "12", ["1", 2], [[1], [2]], [True], [10**400]], ids=repr
)
def test_an_answer_that_is_no_list_of_finite_numbers_is_a_fault(
    answer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assignment = given(Path(), kind="count", depth=2, positions=1)
    client = LocalSubmission(EXAMPLE, 1).client(
        assignment.conditions.limits, 1, np.random.default_rng(0)
    )
    monkeypatch.setattr(client, "call", lambda *_: [answer])
    with pytest.raises(PlayerError, match="halves returned") as raised:
        Student(client, assignment, b"").numbers("halves", [2, 4])
    assert raised.value.kind == "protocol"


def test_an_answer_of_nans_costs_its_item_alone(tmp_path: Path) -> None:
    (tmp_path / "near.py").write_text(
        "from tkm_env.course.questions.staff_questions import StaffQuestion\n\n"
        "class Near(StaffQuestion):\n"
        "    positions = 2\n\n"
        "    def judge(self, game, student):\n"
        "        found = student.numbers('halves', [2, 4])\n"
        "        return not any(abs(a - b) > 1e-6 for a, b in zip(found, [1, 2]))\n",
        "utf-8",
    )
    source = (
        "CALLS = []\ndef halves(numbers):\n    CALLS.append(1)\n"
        "    return [float('nan')] * 2 if len(CALLS) == 2 else [1, 2]\n"
    )
    assignment = given(tmp_path, kind="near.py:Near")
    submission = python(tmp_path / "ann", source) / "agent.py"
    question = assignment.questions[0]
    mark = question.mark(LocalSubmission(submission, 1), assignment)
    assert (mark.share, mark.fault) == (0.5, "protocol")
    assert mark.findings[0].words.startswith("unexpected line: halves returned ")


@pytest.mark.skipif(bool(NO_SANDBOX), reason=str(NO_SANDBOX))
def test_a_submission_in_the_sandbox_answers_but_cannot_read_the_class(tmp_path: Path) -> None:
    folder = staff(tmp_path / "staff")
    assignment = given(folder, "sandbox", kind="mine.py:Mobility", positions=2)
    thief = f"def mobility(game):\n    return len(open({str(folder / 'mine.py')!r}).read())\n"
    marks = [
        mark_of(python(tmp_path / word, source), assignment)
        for word, source in (("right", RIGHT), ("thief", thief))
    ]
    assert [mark.share for mark in marks] == [1, 0]
    assert "FileNotFoundError" in marks[1].words


def test_what_is_wrong_is_said_in_the_words_of_the_class(tmp_path: Path) -> None:
    assignment = given(staff(tmp_path / "staff"), kind="mine.py:Mobility", at_least=3, positions=3)
    (question,) = assignment.questions
    assert question.instruction == "`mobility(game)` returns how many legal actions there are"
    mark = mark_of(python(tmp_path / "wrong", WRONG), assignment)
    assert mark.words == "0 of 3 positions right"
    assert mark.kind == "Mobility"
    assert mark.advice == ["Count the legal actions, not the turns."]
    counts = [
        int(re.fullmatch(r"it has (\d+) legal actions, not 1000", finding.words)[1])  # type: ignore[index]
        for finding in mark.findings
    ]
    assert min(counts) >= 3


def test_a_class_judges_games_against_an_opponent_of_the_staffs(tmp_path: Path) -> None:
    folder = staff(tmp_path / "staff")
    table = {"kind": "mine.py:Short", "opponent": "mine.py:Opponent", "games": 2}
    bot = python(tmp_path / "bot", RIGHT)
    every = mark_of(bot, given(folder, **table))
    assert every.words.startswith("2 of 2 points against mine.py:Opponent: 100%")
    none = mark_of(bot, given(folder, **table, most=1))
    assert none.share == 0
    assert re.fullmatch(r"game 1: it took \d+ turns", none.findings[0].words)


def test_shares_of_a_point_have_no_interval(tmp_path: Path) -> None:
    (tmp_path / "part.py").write_text(
        "from tkm_env.course.questions.staff_questions import StaffMatch\n\n"
        "class Part(StaffMatch):\n"
        "    share: float = 1.0\n\n"
        "    def judge(self, game, side):\n"
        "        return self.share\n",
        "utf-8",
    )
    submission = python(tmp_path / "ann", RIGHT) / "agent.py"
    words = {}
    for share in (0.5, 0.9):
        table = {"kind": "part.py:Part", "opponent": "random", "games": 2, "share": share}
        assignment = given(tmp_path, **table)
        words[share] = (
            assignment.questions[0].mark(LocalSubmission(submission, 1), assignment).words
        )
    assert "1 of 2 points against random: 50% (95% interval " in words[0.5]
    assert words[0.9] == "1.8 of 2 points against random: 90%"


def test_a_match_against_an_opponent_of_the_staffs_is_like_any_other(tmp_path: Path) -> None:
    folder = staff(tmp_path / "staff")
    bot = python(tmp_path / "bot", RIGHT)
    mark = mark_of(bot, given(folder, kind="match", opponent="mine.py:Opponent", games=2))
    assert "of 2 points against mine.py:Opponent" in mark.words
    assert mark.fault is None
    broken = given(folder, kind="match", opponent="mine.py:Opponent:fails=1", games=2)
    with pytest.raises(QuestionError, match=r"opponent=.*it does not play: .*mistake"):
        mark_of(bot, broken)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("return 1 / 0", r"own\.py, line 5: ZeroDivisionError: division by zero"),
        ("import halves; return halves.half('x')", r"halves\.py, line 2: TypeError: "),
        ("return 2", "it returned 2; it must return True, False, a share"),
    ],
)
def test_a_class_that_fails_is_named_with_its_line_and_blames_no_submission(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, words: str
) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "halves.py").write_text("def half(number):\n    return number / 2\n", "utf-8")
    (tmp_path / "own.py").write_text(
        "from tkm_env.course.questions.staff_questions import StaffQuestion\n"
        f"class Own(StaffQuestion):\n\n    def judge(self, game, student):\n        {body}\n",
        "utf-8",
    )
    assignment = given(tmp_path, kind="own.py:Own", positions=1)
    submission = LocalSubmission(python(tmp_path / "ann", RIGHT) / "agent.py", 1)
    with pytest.raises(QuestionError, match=f"^question q1 failed, not the submission: .*{words}"):
        assignment.questions[0].mark(submission, assignment)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"kind": "mine.py:Nobody"}, "kind='mine.py:Nobody'.*'Nobody' must be a class"),
        ({"kind": "mine.py:NotAQuestion"}, "must be a class that is derived from StaffQuestion"),
        ({"kind": "mine.py:Unfinished"}, "it lacks judge"),
        ({"kind": "other.py:Mobility"}, "kind='other.py:Mobility'.*there is no file"),
        (
            {"kind": "no_such_module.questions:Mobility"},
            "it cannot be imported: ModuleNotFoundError: No module named",
        ),
        ({"kind": "mine.py:Mobility", "most": 1}, "most=1.*question 'q1'.*at_least"),
        ({"kind": ":Mobility"}, r"it must be FILE\.py:CLASS, or MODULE:CLASS"),
        ({"kind": "..mine:Mobility"}, r"it must be FILE\.py:CLASS, or MODULE:CLASS"),
        ({"kind": "mine.py:Mobility", "most": 1}, r"question 'q1'.* id, kind, title, "),
        ({"kind": "mobility"}, "kind='mobility'.*or FILE.py:CLASS, a question of your own"),
        ({"kind": "match", "opponent": "mine.py:Nobody"}, "opponent=.*holds .*not 'Nobody'"),
        ({"kind": "match", "opponent": "no.py:Bot"}, "opponent=.*there is no file"),
    ],
)
def test_what_is_invalid_is_named(tmp_path: Path, table: dict[str, Any], words: str) -> None:
    folder = staff(tmp_path / "staff")
    with pytest.raises(ConfigError, match=words):
        given(folder, **table)


def test_an_error_in_the_file_is_named_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import math\nmath.nothing\n", "utf-8")
    with pytest.raises(ConfigError, match=r"broken\.py, line 2: AttributeError"):
        given(tmp_path, kind="broken.py:Mobility")


def test_an_installed_module_that_raises_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tkm_broken_module.py").write_text("1 / 0\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigError, match="cannot be imported: ZeroDivisionError"):
        given(tmp_path, kind="tkm_broken_module:Mobility")


#: A question with a base and a mixin of the staff's; its answer is of NumPy's kind.
DERIVED = """
import numpy as np
from tkm_env.course.questions.staff_questions import StaffQuestion

class Mixin:
    mixed: int = 1

class Base(StaffQuestion):
    least: int = 2
    positions = 1

class Derived(Mixin, Base):
    most: int = 3

    def judge(self, game, student):
        return np.bool_(self.mixed + self.least + self.most == 15)

class Listed(Derived):
    weights: list = []
"""


def test_annotated_attributes_of_bases_are_keys(tmp_path: Path) -> None:
    (tmp_path / "derived.py").write_text(DERIVED, "utf-8")
    assignment = given(tmp_path, kind="derived.py:Derived", mixed=4, least=5, most=6)
    submission = python(tmp_path / "ann", RIGHT) / "agent.py"
    assert assignment.questions[0].mark(LocalSubmission(submission, 1), assignment).share == 1
    with pytest.raises(ConfigError, match="its attributes cannot be keys: mutable default"):
        given(tmp_path, kind="derived.py:Listed")


def test_another_process_can_grade_with_it_and_other_code_is_asked_again(tmp_path: Path) -> None:
    folder = staff(tmp_path / "staff")

    def key(**table: Any) -> str:
        assignment = given(folder, **table)
        return key_of(assignment.questions[0], assignment, "the submission")

    assignment = given(folder, kind="mine.py:Mobility", at_least=3)
    copied = pickle.loads(pickle.dumps(assignment))
    assert copied.questions == assignment.questions
    tables = {"kind": "mine.py:Mobility"}, {"kind": "match", "opponent": "greedy"}
    before = [key(**table) for table in tables]
    assert [key(**table) for table in tables] == before
    (folder / "helper.py").write_text("HELP = 1\n", "utf-8")
    after = [key(**table) for table in tables]
    assert (after[0] != before[0], after[1] == before[1]) == (True, True)
    for name in ("solution", "levels", ".hidden", "__pycache__"):
        (folder / name).mkdir()
        (folder / name / "agent.py").write_text("", "utf-8")
    assert [key(**table) for table in tables] == after
    (folder / "parts").mkdir()
    (folder / "parts/helper.py").write_text("HELP = 1\n", "utf-8")
    below = key(**tables[0])
    assert below != after[0]
    (folder / "parts/helper.py").rename(folder / "parts/other.py")
    assert key(**tables[0]) != below


def test_the_file_travels_with_the_autograder(tmp_path: Path) -> None:
    course = tmp_path / "course"
    course.mkdir()
    folder = staff(course / "staff")
    (folder / "parts").mkdir()
    (folder / "parts/helper.py").write_text("HELP = 1\n", "utf-8")
    (folder / "grading.toml").write_text(
        'seed = 3\n[[questions]]\nid = "q1"\npoints = 2\nkind = "mine.py:Mobility"\n', "utf-8"
    )
    write_bundle("gradescope", course, tmp_path / "autograder.zip")
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        for name in ("grading.toml", "mine.py", "parts/helper.py"):
            archive.extract(name, tmp_path / "unpacked")
    assert read_assignment(tmp_path / "unpacked/grading.toml").questions[0].kind == "Mobility"
