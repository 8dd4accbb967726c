"""``tkm train``: a network from nothing, which then plays by name."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.learn.test_value_training import arrays_of
from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.cli.root_command import tkm
from tkm_env.learn.value_training import ValueTraining
from tkm_env.players.model_file import card_of, read_model

SHORT = [
    "--games",
    "60",
    "--round-games",
    "20",
    "--width",
    "8",
    "--narrow",
    "4",
    "--rating-games",
    "4",
    "--ratings",
    "2",
]


def run(*arguments: str) -> Any:
    return CliRunner().invoke(tkm, ["train", *arguments])


@pytest.mark.slow
def test_a_network_is_learned_rated_and_plays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["tkm", "train", "net.npz", "--chapters", "memory"])
    net, curve = tmp_path / "net.npz", tmp_path / "curve.json"
    result = run(
        str(net),
        "--chapters",
        "memory",
        *SHORT,
        "--against",
        "random",
        "--against",
        "greedy",
        "--json",
        str(curve),
    )
    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["40", "40", "60", "60"]
    assert [row["games"] for row in json.loads(curve.read_text())["curve"]] == [40, 60]
    card = card_of(net)
    assert (card.kind, card.game, card.games, card.seed) == ("values", "tkm", 60, 0)
    assert card.command == "tkm train net.npz --chapters memory"
    assert [rating.opponent for rating in card.ratings] == ["random", "greedy"]
    match = [
        "match",
        f"net:file={net}",
        "random",
        "--chapters",
        "memory",
        "--games",
        "2",
        "--processes",
        "1",
    ]
    assert CliRunner().invoke(tkm, match).exit_code == 0


@pytest.mark.slow
def test_the_same_command_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    net, whole = tmp_path / "net.npz", tmp_path / "whole.npz"
    once = ValueTraining._run_round

    def stop_after_one(training: ValueTraining, pool: Any) -> Any:
        training.stop()
        return once(training, pool)

    with monkeypatch.context() as patched:
        patched.setattr(ValueTraining, "_run_round", stop_after_one)
        stopped = run(str(net), *SHORT)
    assert stopped.exit_code == INTERRUPTED
    assert "stopped after 1 of 3 rounds: the same command resumes it" in stopped.output
    assert run(str(net), *SHORT).exit_code == 0
    assert run(str(whole), *SHORT).exit_code == 0
    first, second = (read_model(file).arrays for file in (net, whole))
    assert all(np.array_equal(first[name], second[name]) for name in second)


def test_what_is_invalid_is_refused_before_anything_is_learned(tmp_path: Path) -> None:
    for options, reason in (
        (["--game", "terminus"], "does not support value training"),
        (["--all-kinds", "--timeline", "draft"], "timeline='draft' is invalid"),
        (["--complexity-factor", "0"], "complexity_factor=0 is invalid"),
        (["--complexity-factor", "11"], "complexity_factor=11 is invalid"),
        (["--complexity-factor", "2"], "it must be 1 unless all_kinds is set"),
        (["--inputs", "turns-9"], "inputs='turns-9' is invalid: it must be 'turns-2' or 'turns-3'"),
        (["--width", "0"], "width=0 is invalid"),
        (["--trace", "2"], "trace=2.0 is invalid"),
        (["--against", "clever"], "clever"),
        (["--chapters", "seven"], "chapters"),
        (["--rating-games", "0"], "rating_games=0 is invalid"),
        (["--threads", "-1"], "num_threads=-1 is invalid"),
    ):
        result = run(str(tmp_path / "net.npz"), *SHORT, *options)
        assert result.exit_code == 2, (options, reason)
        assert reason in result.output, (options, reason)
        assert not list(tmp_path.iterdir()), (options, reason)


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    result = run(str(tmp_path / "none" / "net.npz"), *SHORT)
    assert result.exit_code == 2
    assert "there is no folder" in result.output


@pytest.mark.slow
def test_the_example_learns_and_rates(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "train_value.py"
    command = [
        sys.executable,
        str(example),
        str(tmp_path / "net.npz"),
        "--games",
        "50",
        "--rating-games",
        "4",
    ]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert "50 games" in output
    assert "against greedy: 4 games" in output


@pytest.mark.slow
def test_a_killed_training_resumes_to_the_same_network(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tkm_env",
        "train",
        "killed.npz",
        "--games",
        "600",
        "--round-games",
        "100",
        "--width",
        "8",
    ]
    command += ["--rating-games", "2", "--ratings", "6", "--threads", "1"]
    for _ in range(2):
        running = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
        assert running.stdout is not None
        running.stdout.readline()  # so it is in the middle of a later round
        time.sleep(0.05)
        running.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
        running.communicate()
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    subprocess.run(
        [*command[:4], "whole.npz", *command[5:]], cwd=tmp_path, check=True, capture_output=True
    )
    assert arrays_of(tmp_path / "killed.npz") == arrays_of(tmp_path / "whole.npz")
