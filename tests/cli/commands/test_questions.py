"""`tkm questions`: data sets of questions, and their check."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env.cli.root_command import tkm


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["questions", *map(str, arguments), "--processes", "1"])


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_it_writes_questions_and_checks_them(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    asked = ("--kind", "win", "--difficulty", 6, "--chapters", "growth", "--count", 5)
    result = run(path, *asked, "--number", 3, "--rename", 1)
    assert result.exit_code == 0, result.output
    assert result.output == f"wrote 6 questions to {path}, and {path}.card.json\n"
    assert {line["id"] for line in lines(path)} == {
        f"win/tkm/chapters=growth/6/{3 * 2**20 + number}/rename=1" for number in range(6)
    }
    checked = run(path, "--check")
    assert checked.exit_code == 0
    assert checked.output == "6 questions: both paths agree on every answer\n"


def test_flaws_are_shown_by_line(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    run(path, "--game", "terminus", "--kind", "victories", "--difficulty", 1, "--count", 3)
    first, second, third = lines(path)
    changed = [first, second | {"answer": "red 0; blue 0"}, third | {"prompt": ""}]
    path.write_text("".join(json.dumps(line) + "\n" for line in changed), "utf-8")
    result = run(path, "--check")
    assert result.exit_code == 1
    shown = [line.partition(": ")[0] for line in result.output.splitlines()]
    assert shown == ["line 0", "line 2", "line 3", "Error"]
    assert "3 flaws in 3 questions" in result.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--kind", "riddle"), "it must be 'legal'"),
        (("--kind", "win", "--difficulty", 2000), "an integer from 1 to 1000"),
        (("--concede",), "no kind of question fits these settings"),
        (("--everything", "--difficulty", 2), "--everything takes no difficulties"),
        (("--everything", "--chapters", "growth"), "--everything takes no difficulties"),
    ],
)
def test_what_does_not_fit_is_refused(
    arguments: tuple[object, ...], reason: str, tmp_path: Path
) -> None:
    result = run(tmp_path / "questions.jsonl", *arguments)
    assert result.exit_code != 0
    assert reason in result.output
    assert not [*tmp_path.iterdir()]
