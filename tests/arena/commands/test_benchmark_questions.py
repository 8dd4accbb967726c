"""The task of questions: a scripted model gets its rates, in both wordings, and is asked once."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.text.chat_server import serving
from tkm_env import ConfigError
from tkm_env.arena.benchmark import question_tasks
from tkm_env.arena.benchmark.question_report import WORDINGS
from tkm_env.arena.benchmark.question_tasks import QuestionBenchmark
from tkm_env.arena.benchmark.report import tables_of
from tkm_env.cli.root_command import tkm
from tkm_env.questions import Question, make_question, usual_rows
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions

SEEDS = range(12)
#: A usual difficulty of the kind in each game.
DIFFICULTIES = {row.game: row.difficulty for row in usual_rows(["tkm", "terminus"], ["win"])}


def few(game: str, options: TextOptions = DEFAULT_OPTIONS) -> tuple[Question, ...]:
    """Some questions of one kind instead of all."""
    made = (make_question("win", DIFFICULTIES[game], seed, game=game) for seed in SEEDS)
    return tuple(question.reworded(options) for question in made)


@pytest.fixture(autouse=True)
def _few_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(question_tasks, "questions_for_benchmark", few)


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A model that knows all answers in plain words, and says nothing in invented ones."""
    known = {
        question.prompt.user: f"ANSWER: {question.answer}"
        for game in ("tkm", "terminus")
        for question in few(game)
    }

    def answer(asked: Any, _: Any) -> str:
        return known.get(asked["messages"][-1]["content"], "I pass.")

    with serving(answer) as server:
        yield server


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["benchmark", *map(str, arguments)], env={"COLUMNS": "200"})


def test_what_is_remembered_is_told_from_what_is_understood(model: Any, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    line = f"llm:scripted:base_url={model.url}"
    shown = run(line, "--tasks", "questions", "--json", report)
    assert shown.exit_code == 0, shown.output
    found = json.loads(report.read_text("utf-8"))
    (task,) = found["tasks"]
    rows = {
        (row["game"], row["wording"]): row for row in task["questions"] if not row["difficulty"]
    }
    assert {*rows} == {(game, wording) for game in ("tkm", "terminus") for wording in WORDINGS}
    for (_, wording), row in rows.items():
        is_plain = wording == "plain"
        assert row["questions"] == len(SEEDS)
        assert row["right"]["share"] == is_plain
        assert row["unreadable"]["share"] == (not is_plain)
    (table,) = tables_of([found])
    assert {tuple(row[:4]) for row in table.rows} == {
        (game, "win", shown_as, "12")
        for game, difficulty in DIFFICULTIES.items()
        for shown_as in (str(difficulty), "all")
    }
    assert {row[4].split(" ")[0] for row in table.rows} == {"100"}
    assert "100 (" in shown.output


def test_no_question_is_asked_twice_when_a_run_is_resumed(model: Any, tmp_path: Path) -> None:
    save = tmp_path / "answers"
    command = (f"llm:scripted:base_url={model.url}", "--tasks", "questions", "--save", save)
    first = run(*command, "--json", "-").stdout
    asked = len(model.asked)
    assert asked == 2 * 2 * len(SEEDS)
    assert run(*command, "--json", "-").stdout == first
    assert len(model.asked) == asked


def test_an_answer_that_does_not_come_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    from tkm_env.foundations.errors import PlayerError

    def silent(*_: Any) -> Any:
        def answer(prompt: Any) -> str:
            raise PlayerError("llm", "no answer in time", "timeout")

        return answer

    monkeypatch.setattr(question_tasks, "answerer_of", silent)
    replies = [*QuestionBenchmark("llm:any", games=("tkm",)).play()]
    assert Counter(reply.marked.verdict.name for reply in replies) == {"UNREADABLE": 2 * len(SEEDS)}


def test_only_language_models_answer_questions() -> None:
    with pytest.raises(ConfigError, match="only language models answer questions"):
        QuestionBenchmark("greedy")
    refused = run("greedy", "--tasks", "questions,standard")
    assert refused.exit_code == 2
    assert "--tasks questions stands alone" in refused.output


def test_a_stopped_run_says_how_to_go_on(model: Any) -> None:
    benchmark = QuestionBenchmark(f"llm:scripted:base_url={model.url}")
    replies = benchmark.play()
    next(replies)
    benchmark.stop()
    assert len([*replies]) <= 1
