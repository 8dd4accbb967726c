"""Matches with language models, as the command plays them."""

from __future__ import annotations

import itertools
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.text.chat_server import FIRST, KEY, ChatServer, Handler, says, serving
from tkm_env.cli.root_command import tkm

pytest.importorskip("openai", reason="needs the extra [llm]")

pytestmark = pytest.mark.usefixtures("chat_key")


def kills(path: Path, server: ChatServer, times: int) -> Iterator[int]:
    """Play a match as the command does, killed a number of times, and then to its end.

    Returns the number of questions asked each time.
    """
    command = [
        sys.executable,
        "-m",
        "tkm_env",
        "match",
        f"llm:scripted:base_url={server.url}",
        "random",
        "--games",
        "4",
    ]
    command += ["--save", str(path), "--max-turns", "60", "--turn-seconds", "60"]
    for number in itertools.count():
        resume = ["--resume"] if number else []
        before = len(server.asked)
        process = subprocess.Popen(
            [*command, *resume],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        while number < times and process.poll() is None and len(server.asked) < before + 3:
            time.sleep(0.01)
        if number < times and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        output = process.communicate()[0].decode()
        assert process.returncode == (-signal.SIGKILL if number < times else 0), output
        yield len(server.asked) - before
        if number == times:
            return


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_a_match_killed_again_and_again_asks_nothing_again_that_was_answered(
    tmp_path: Path,
) -> None:
    path = tmp_path / "games.jsonl"

    def model(asked: dict[str, Any], handler: Handler) -> str:
        time.sleep(0.02)
        return "TURN: 1"

    with serving(model) as server:
        asked = [*kills(path, server, 5)]
    assert len(asked) == 6
    questions = Counter(json.dumps(each["messages"]) for each in server.asked)
    # Only the question that was on its way when the match was killed is asked again: at most one
    # each time.
    assert sum(questions.values()) - len(questions) <= 5
    lines = Path(f"{path}.answers").read_text("utf-8").splitlines()
    keys = Counter(json.loads(line)["key"] for line in lines if line.endswith("}"))
    assert max(keys.values()) == 1, "an answer that was kept was asked for again"
    assert not any(KEY in file.read_text("utf-8") for file in tmp_path.iterdir())


@pytest.mark.filterwarnings("default:no more games begin:RuntimeWarning")
def test_the_command_says_what_was_spent_and_stops_at_the_limit(tmp_path: Path) -> None:
    with serving(says(FIRST)) as server:
        line = f"llm:scripted:base_url={server.url}"
        save = ["--save", str(tmp_path / "games.jsonl"), "--max-turns", "9", "--processes", "1"]
        limits = ["--price", "scripted", "1", "4", "--max-cost", "0.02"]
        result = CliRunner().invoke(tkm, ["match", line, "random", "--games", "6", *save, *limits])
    assert "no more games begin: answers have cost 0.02, of 0.02" in result.output
    assert re.search(
        r"language models: [\d,]+ tokens in, \d+ out, cost 0.02$", result.output, re.MULTILINE
    ), result.output
    assert "add --resume to the same command" in result.output


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("game", "settings"), [("tkm", ["--max-turns", "16", "--chapters", "growth"]), ("terminus", [])]
)
def test_many_games_make_a_report_that_says_how_much_was_illegal(
    game: str, settings: list[str], tmp_path: Path
) -> None:
    """Of five answers one is illegal and one is no turn."""
    numbers = itertools.count()
    replies = ["TURN: 1", "TURN: fly", "TURN: 1", "I pass.", "TURN: 1"]
    with serving(
        lambda asked, handler: f"{KEY} {replies[next(numbers) % 5]}".replace(f"{KEY} TURN", "TURN")
    ) as server:
        line = f"llm:scripted:base_url={server.url}"
        save = tmp_path / "games.jsonl"
        played = CliRunner().invoke(
            tkm,
            [
                "match",
                line,
                "random",
                "--game",
                game,
                "--games",
                "30",
                "--save",
                str(save),
                "--processes",
                "1",
                *settings,
            ],
        )
        assert played.exit_code == 0, played.output
        outputs = [
            f"--{kind}={tmp_path / f'report.{kind}'}"
            for kind in ("html", "json", "markdown", "csv")
        ]
        reported = CliRunner().invoke(tkm, ["report", str(save), *outputs])
        assert reported.exit_code == 0, reported.output
    (model,) = json.loads((tmp_path / "report.json").read_text("utf-8"))["sections"][0]["models"]
    asked = len(server.asked)
    assert asked > 150
    assert model["illegal"]["share"] == pytest.approx(0.2, abs=1 / asked)
    assert model["no_turn"]["share"] == pytest.approx(0.2, abs=1 / asked)
    assert model["illegal"]["low"] < 0.2 < model["illegal"]["high"]
    assert model["turns"] * (1 + model["retries"]) == pytest.approx(asked)
    assert "Language models" in (tmp_path / "report.html").read_text("utf-8")
    holding = [file.name for file in tmp_path.iterdir() if KEY in file.read_text("utf-8")]
    assert not holding
