"""The benchmark: the same games for everyone, none twice, and tables that follow from them."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tkm_env import ConfigError
from tkm_env.arena.benchmark import tasks
from tkm_env.arena.benchmark.report import TaskResult, rating_at
from tkm_env.arena.benchmark.run import Benchmark
from tkm_env.arena.benchmark.tasks import TASKS, Task, tasks_of
from tkm_env.arena.playing.schedule import has_swapped_sides
from tkm_env.cli.root_command import tkm
from tkm_env.evaluation.score import PairResults


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two starts for each opponent, in the standard game and in Terminus, against quick ones."""
    few = {
        name: TASKS[name]._replace(panel={"random": "random", "greedy": "greedy"})
        for name in ("standard", "terminus")
    }
    monkeypatch.setattr(tasks, "STARTS", 2)
    for module in ("tasks", "run", "report"):
        monkeypatch.setattr(f"tkm_env.arena.benchmark.{module}.TASKS", few)
    monkeypatch.setattr("tkm_env.arena.commands.benchmark.TASKS", few)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["benchmark", *map(str, arguments)], env={"COLUMNS": "200"})


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS.values())
def test_no_start_comes_twice_against_an_opponent(task: Task) -> None:
    starts: dict[str, set[str]] = {line: set() for line in task.panel}
    for fixture in Benchmark("random", (task,)).schedule().fixtures():
        if not has_swapped_sides(fixture.seed):
            starts[fixture.contestants[1].name].add(fixture.begin().position)
    assert {len(positions) for positions in starts.values()} == {100}


def test_every_agent_meets_the_same_starts_and_random_numbers() -> None:
    met = [
        [
            (fixture.seed, fixture.secret, fixture.opening)
            for fixture in Benchmark(agent).schedule().fixtures()
        ]
        for agent in ("random", "greedy")
    ]
    assert met[0] == met[1]


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_the_number_of_processes_does_not_matter() -> None:
    one, two = (run("greedy", "--processes", processes, "--json", "-") for processes in (1, 2))
    assert one.stdout == two.stdout
    assert [task["games"] for task in json.loads(one.stdout)["tasks"]] == [8, 8]


@pytest.mark.usefixtures("short")
@pytest.mark.filterwarnings("ignore:.*its last record was incomplete:RuntimeWarning")
def test_a_killed_run_goes_on_to_the_same_report(tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    command = ("greedy", "--save", saved, "--processes", 1, "--json", "-")
    whole_report, whole = run(*command).stdout, saved.read_bytes()
    saved.write_bytes(whole[: len(whole) // 2])
    assert run(*command).stdout == whole_report
    assert len(saved.read_bytes().splitlines()) == 16


@pytest.mark.usefixtures("short")
def test_tasks_can_be_added_to_a_file_but_not_another_agents_games(tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    assert run("random", "--save", saved, "--tasks", "terminus", "--processes", 1).exit_code == 0
    assert run("random", "--save", saved, "--tasks", "standard", "--processes", 1).exit_code == 0
    assert len(saved.read_text("utf-8").splitlines()) == 16
    refused = run("greedy", "--save", saved, "--processes", 1)
    assert refused.exit_code == 2
    assert "does not hold a game of this benchmark" in refused.output


@pytest.mark.usefixtures("short")
def test_reports_of_several_agents_are_one_table(tmp_path: Path) -> None:
    one, both = tmp_path / "random.json", tmp_path / "both.md"
    assert (
        run(
            "random", "--json", one, "--tasks", "standard", "--name", "nobody", "--processes", 1
        ).exit_code
        == 0
    )
    assert run("greedy", "--beside", one, "--markdown", both, "--processes", 1).exit_code == 0
    rows = [
        [cell.strip() for cell in line.split("|")[1:-1]]
        for line in both.read_text("utf-8").splitlines()
        if line.startswith("|")
    ]
    assert rows[0] == ["agent", "standard", "terminus", "tkm_env"]
    assert [row[0] for row in rows[2:]] == ["nobody", "greedy"]
    assert rows[2][2] == "", "nobody did not play Terminus"
    one.write_text(one.read_text("utf-8").replace('"v1"', '"v0"'), "utf-8")
    refused = run("--beside", one)
    assert refused.exit_code == 2
    assert "it reports on the benchmark v0; this one is v1" in refused.output


def test_what_cannot_be_played_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"tasks.*'chess'.*standard, growth, influence, memory, powers, terminus"
    ):
        tasks_of(["standard", "chess"])
    refused = run("alphabeta", "--tasks", "terminus")
    assert refused.exit_code == 2
    assert "agent, task terminus" in refused.output
    assert run().exit_code == 2


def test_the_interval_of_a_score_contains_the_truth() -> None:
    generator = np.random.default_rng(1)
    chances, hits = (0.95, 0.6, 0.3, 0.5), 0
    for _ in range(400):
        won = {chance: generator.random(200) < chance for chance in chances}
        opponents = {
            str(chance): PairResults.of(
                (game // 2, float(each)) for game, each in enumerate(won[chance])
            )
            for chance in chances
        }
        score = TaskResult("standard", opponents).score
        hits += score.low <= statistics.mean(chances) <= score.high
    assert hits / 400 > 0.92, hits


@pytest.mark.parametrize("task", TASKS.values())
def test_the_games_of_each_task_are_enough_for_3_percent_whatever_the_agents_strength(
    task: Task,
) -> None:
    ratings = np.array([*task.ratings.values()])
    chances = 1 / (1 + 10 ** ((ratings - np.arange(-1000, 3000, 10)[:, None]) / 400))
    half_widths = 1.96 * np.sqrt((chances * (1 - chances)).mean(1) / task.games)
    assert half_widths.max() < 0.03


def test_a_rating_is_that_at_which_the_score_is_expected() -> None:
    assert rating_at(0, [1000]) == -math.inf
    assert rating_at(1, [1000]) == math.inf
    assert round(rating_at(10 / 11, [1000, 1000])) == 1400


@pytest.mark.parametrize("task", TASKS.values())
def test_the_opponents_of_each_task_are_rated_and_greedy_has_1000(task: Task) -> None:
    assert set(task.ratings) == set(task.panel)
    assert task.ratings["greedy"] == 1000
