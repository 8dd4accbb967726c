"""The page about teaching: its commands run, and submissions get the expected points.

Its example of the protocol is valid.
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env.cli.root_command import tkm
from tkm_env.course.question_protocol import (
    format_children,
    parse_ask,
    parse_children,
    parse_reply,
    parse_response,
)

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "teaching.md").read_text("utf-8")
GRADING = (DOCS / "grading-file.md").read_text("utf-8")
COMMANDS = [
    line.strip()
    for line in PAGE.partition("1. **New.**")[0].splitlines()
    if line.startswith("    tkm ")
]
#: The points of each submission for all questions but the last, which takes longest.
EXPECTED = {
    "search/student": [0, 0, 0, 0, 0, 0],
    "half": [2, 0, 4, 0, 0, 0],
    "search/staff/solution": [2, 3, 4, 5, 3, 3],
}


def run(command: str, *more: str) -> None:
    result = CliRunner().invoke(tkm, [*shlex.split(command)[1:], *more], catch_exceptions=False)
    assert result.exit_code == 0, f"{command}: {result.output}"


def scores(path: Path) -> list[float]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return [question["score"] for question in content["questions"]]


def half_solved(solution: str, untouched: str) -> str:
    """The untouched file with two functions of the solution."""
    for name in ("count", "minimax"):
        pattern = re.compile(rf"^def {name}\(.*?(?=\n\n\n)", re.DOTALL | re.MULTILINE)
        solved = pattern.search(solution)
        assert solved is not None
        text = solved[0]
        untouched = pattern.sub(lambda _, text=text: text, untouched)
    return untouched


@pytest.mark.nightly
def test_the_commands_give_the_expected_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    new, *grading = COMMANDS[:3]
    run(new, "--seed", "1")
    Path("half").mkdir()
    solution, untouched = (
        Path("search", name, "agent.py").read_text("utf-8")
        for name in ("staff/solution", "student")
    )
    Path("half/agent.py").write_text(half_solved(solution, untouched), "utf-8")
    grading.append(grading[1].replace("search/student", "half"))
    asked = [word for number in range(1, 7) for word in ("--question", f"q{number}")]
    for command in grading:
        run(command, *asked, "--json", "grade.json", "--isolation", "process")
        assert scores(Path("grade.json")) == EXPECTED[shlex.split(command)[3]], command


def test_all_commands_exist() -> None:
    assert len(COMMANDS) == 7
    subcommands = ("course", "tournament", "report", "new", "grade", "bundle", "grade-all")
    for command in COMMANDS:
        words = [word for word in shlex.split(command)[1:3] if word in subcommands]
        assert CliRunner().invoke(tkm, [*words, "--help"]).exit_code == 0, command


def test_the_example_of_the_protocol_is_valid() -> None:
    block = re.search(r"```text\n(> tkm 1 .*?)```", GRADING, re.DOTALL)
    assert block is not None
    _, _, ask, look, children, value, worth, answer = block[1].strip().splitlines()
    assert str(parse_ask(ask[2:])) == ask[2:]
    assert [str(parse_response(line[2:])) for line in (look, value, answer)] == [
        look[2:],
        value[2:],
        answer[2:],
    ]
    assert format_children(parse_children(parse_reply(children[2:], "children"))) == children[2:]
    assert int(parse_reply(worth[2:], "value")) == 137
