"""A data set is the same however it is made, can be resumed, and is checked line by line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.questions.rows import rows
from tkm_env import FileError, RecordError, __version__
from tkm_env.questions import (
    Question,
    QuestionPlan,
    check_questions,
    make_question,
    read_questions,
    write_questions,
)
from tkm_env.questions.data_set import card_of, digest_of
from tkm_env.questions.question import LINE_KEYS, VERSION
from tkm_env.text import TextOptions

PLAN = QuestionPlan(rows("legal", "win", "victories"), 60, number=2)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "questions.jsonl"
    write_questions(PLAN, path)
    return path


def test_the_card_says_what_the_file_holds(written: Path) -> None:
    card = json.loads(card_of(written).read_text("utf-8"))
    lines = [json.loads(line) for line in written.read_text("utf-8").splitlines()]
    assert card["count"] == len(lines) == sum(row["questions"] for row in card["counts"])
    assert (card["number"], card["digest"]) == (2, digest_of(written))
    assert card["made"] == f"tkm questions, version {VERSION}, tkm_env {__version__}"
    assert {*card["systems"]} == {line["system"] for line in lines}
    assert all({*line} == {*LINE_KEYS} for line in lines)
    wins = [row for row in card["counts"] if row["kind"] == "win"]
    assert [row["most_frequent"] for row in wins] == [0.5] * len(wins)
    assert len({line["id"] for line in lines}) == len(lines)


def test_the_file_is_the_same_on_two_processes(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.jsonl"
    done: list[int] = []
    write_questions(PLAN, path, processes=2, on_progress=done.append)
    assert path.read_bytes() == written.read_bytes()
    assert card_of(path).read_bytes() == card_of(written).read_bytes()
    assert done == sorted(done)


@pytest.mark.parametrize("kept", [0, 1, 5_000, 20_001])
def test_an_interrupted_file_is_resumed(written: Path, tmp_path: Path, kept: int) -> None:
    path = tmp_path / "resumed.jsonl"
    path.write_bytes(written.read_bytes()[:kept])
    assert write_questions(PLAN, path, is_stopped=lambda: True) is None
    assert not card_of(path).exists()
    write_questions(PLAN, path)
    assert path.read_bytes() == written.read_bytes()


def test_another_data_set_is_not_continued(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "other.jsonl"
    path.write_bytes(written.read_bytes()[:20_000])
    for plan in (
        QuestionPlan(PLAN.rows, 60, number=3),
        QuestionPlan(PLAN.rows, 60, number=2, options=TextOptions(rename=1)),
    ):
        with pytest.raises(FileError, match="line 1 is of another data set"):
            write_questions(plan, path)
    assert path.read_bytes() == written.read_bytes()[:20_000]


def test_every_line_is_checked(written: Path) -> None:
    done: list[int] = []
    assert not [*check_questions(written, on_progress=done.append)]
    assert done[-1] == len(written.read_text("utf-8").splitlines())
    assert [question.line() for question in read_questions(written)] == [
        json.loads(line) for line in written.read_text("utf-8").splitlines()
    ]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("answer", "yes, of course", "answer"),
        ("prompt", "Which actions are legal?", "prompt"),
        ("seed", 1_000, "id"),
        ("position", "nowhere", "11 fields"),
        ("actions", ["fly"], "fly"),
        ("kind", "riddle", "kind"),
        ("settings", {"walls": 3}, "walls"),
        ("difficulty", "hard", "difficulty"),
        ("rename", -1, "rename"),
    ],
)
def test_a_changed_line_is_found(
    written: Path, tmp_path: Path, key: str, value: Any, reason: str
) -> None:
    lines = written.read_text("utf-8").splitlines()
    line = json.loads(lines[3])
    lines[3] = json.dumps(line | {key: value})
    path = tmp_path / "changed.jsonl"
    path.write_text("\n".join(lines[:8]) + "\n", "utf-8")
    (flaw,) = check_questions(path)
    assert flaw.line == 4
    assert reason in flaw.reason, flaw
    path.write_text("\n".join([*lines[:3], "{}", "[1", *lines[4:8]]) + "\n", "utf-8")
    assert [flaw.line for flaw in check_questions(path)] == [4, 5]


def test_a_file_that_is_not_its_cards_is_found(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "shorter.jsonl"
    path.write_bytes(b"".join(written.read_bytes().splitlines(keepends=True)[:4]))
    card_of(path).write_bytes(card_of(written).read_bytes())
    assert [flaw.line for flaw in check_questions(path)] == [0]


def test_a_line_makes_nobody_read_a_file(tmp_path: Path) -> None:
    line = make_question("legal", 1, 0, game="terminus").line()
    with pytest.raises(RecordError, match="a line names no files"):
        Question.from_line(line | {"settings": {"deck": str(tmp_path / "deck.json")}})


@pytest.mark.slow
def test_a_killed_run_leaves_a_file_that_is_resumed(written: Path, tmp_path: Path) -> None:
    path = tmp_path / "killed.jsonl"
    program = (
        "import sys; from tests.questions.test_data_set import PLAN; "
        "from tkm_env.questions import write_questions; write_questions(PLAN, sys.argv[1])"
    )
    root = Path(__file__).parents[2]
    process = subprocess.Popen([sys.executable, "-c", program, str(path)], cwd=root)
    while process.poll() is None and (not path.exists() or path.stat().st_size < 3_000):
        time.sleep(0.01)
    process.send_signal(signal.SIGTERM)
    process.wait()
    write_questions(PLAN, path)
    assert path.read_bytes() == written.read_bytes()
