"""The endgame tasks: what an agent played is judged by the truth, and reported as it was."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tkm_env import ConfigError, Game
from tkm_env.arena.benchmark.endgame_report import EndgameResult, Mean, PlayedTurn, Row, Values
from tkm_env.arena.benchmark.endgame_tasks import ENDGAME_TASKS, EndgameBenchmark
from tkm_env.arena.benchmark.report import tables_of
from tkm_env.arena.playing.referee import Conditions
from tkm_env.cli.root_command import tkm
from tkm_env.compiled.decorators import COMPILES
from tkm_env.players import make_agent
from tkm_env.players.solved_positions import SolvedPosition, preference
from tkm_env.players.tkm.endgame_positions import endgame_split, solve
from tkm_env.players.tkm.search.endgames import FOLDER_VARIABLE, known_outcome

TRUSTED = Conditions(trust=True)
TASK = ENDGAME_TASKS["endgames-2"]
COUNT = 60 if COMPILES else 6

SCRIPTED = '''
"""Plays a best turn in a known share of the positions, and otherwise a worst one."""

from tkm_env.players.solved_positions import preference
from tkm_env.players.tkm.search.endgames import known_outcome


def worth(turn):
    if turn.after.result is not None:
        return preference(1)
    outcome = known_outcome(turn.after.state)
    return preference(outcome + 1 if outcome else 0)


class Scripted:
    name = "scripted"
    expectation = 0.5

    def __init__(self, share: float = 1.0) -> None:
        self.share, self.asked, self.turn = share, 0, None

    def act(self, game):
        if self.turn is None or self.turn[0] != game.turn or not self.turn[1]:
            self.asked += 1
            is_right = self.asked * self.share % 1 < self.share - 1e-9 or self.share == 1
            chosen = (max if is_right else min)(game.turns(), key=worth)
            self.turn = [game.turn, [*chosen.actions]]
        return self.turn[1].pop(0)
'''


@pytest.fixture
def scripted(tmp_path: Path) -> str:
    file = tmp_path / "scripted.py"
    file.write_text(SCRIPTED, "utf-8")
    return f"{file}:Scripted"


def result_of(agent: str, positions: int = COUNT) -> EndgameResult:
    benchmark = EndgameBenchmark(agent, positions, TRUSTED)
    result, _ = benchmark.schedule().results([*benchmark.play()])
    return result


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["benchmark", *map(str, arguments)], env={"COLUMNS": "200"})


# The positions.


@pytest.mark.parametrize("name", ENDGAME_TASKS)
def test_the_positions_are_of_the_test_split_and_no_two_are_the_same(name: str) -> None:
    task = ENDGAME_TASKS[name]
    assert len(task.positions) == 10_000
    assert len({solved.position for solved in task.positions}) == 10_000
    for solved in task.positions[:COUNT]:
        game = Game(position=solved.position)
        assert endgame_split(game) == "test"
        assert max(copies_of(solved.position)) == task.copies


def copies_of(position: str) -> list[int]:
    """The copies of each side, on the boards and in supply."""
    fields = position.split(" ")
    left = map(int, fields[6].split("/"))
    return [fields[0].count(letter) + more for letter, more in zip("WB", left, strict=True)]


def test_the_shipped_outcomes_are_those_of_the_table() -> None:
    for solved in TASK.positions[:: 10_000 // COUNT]:
        assert solve(Game(position=solved.position)) == solved


def test_outcomes_with_three_copies_agree_with_the_smaller_table_where_copies_die() -> None:
    compared = 0
    for solved in ENDGAME_TASKS["endgames-3"].positions[: 200 * COUNT]:
        assert max(solved.turns, key=preference) == solved.outcome, solved.position
        if min(copies_of(solved.position)) == 3:  # after one turn, a side still has three
            continue
        game = Game(position=solved.position)
        ends = {turn.after.position: turn.after for turn in game.turns()}
        for (_, after), outcome in zip(sorted(ends.items()), solved.turns, strict=True):
            if after.result is None and max(copies_of(after.position)) == 2:
                known = known_outcome(after.state)
                assert outcome == (known + 1 if known else 0), after.position
                compared += 1
    assert compared > COUNT // 3


@pytest.mark.nightly
@pytest.mark.skipif(
    FOLDER_VARIABLE not in os.environ,
    reason="needs the table of three copies a side, whose folder TKM_TABLES names",
)
def test_the_shipped_outcomes_with_three_copies_are_those_of_the_table() -> None:
    for solved in ENDGAME_TASKS["endgames-3"].positions:
        assert solve(Game(position=solved.position)) == solved


def test_every_agent_meets_the_same_positions_and_random_numbers() -> None:
    met = [
        [
            (fixture.seed, fixture.secret, fixture.opening, fixture.turns)
            for fixture in EndgameBenchmark(agent, 20).schedule().fixtures()
        ]
        for agent in ("random", "greedy")
    ]
    assert met[0] == met[1]
    assert Counter(turns for *_, turns in met[0]) == {1: 40, 60: 1}


# Judging.


@pytest.mark.parametrize("share", [1.0, 0.5, 0.0])
def test_a_player_with_a_known_share_of_best_turns_gets_that_share(
    scripted: str, share: float
) -> None:
    row = result_of(f"{scripted}:share={share}").rows[-1]
    assert row.positions == COUNT
    assert row.best.share == pytest.approx(share, abs=1 / COUNT)
    assert row.best.low <= share <= row.best.high


def test_a_perfect_player_keeps_everything_and_wins_as_soon_as_it_can(scripted: str) -> None:
    result = result_of(scripted)
    for row in result.rows:
        assert row.best.share == 1
        assert row.kept is None or row.kept.share == 1
        assert row.lost_turns is None or row.lost_turns == (0, 0, 0)
    (*_, whole) = result.as_json()["played_out"]
    assert (whole["won"]["share"], whole["lost_turns"]["mean"]) == (1, 0)


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_the_defender_holds_out_as_long_as_the_table_says() -> None:
    """Otherwise wins would come too early, or turns lost would be negative."""
    benchmark = EndgameBenchmark("alphabeta:depth=1,net=None", 400, TRUSTED)
    result, _ = benchmark.schedule().results([*benchmark.play()])
    for solved, turns in result.won:
        assert turns == solved.outcome, solved.position


def test_random_turns_are_as_right_as_chance_says() -> None:
    (*_, row) = result_of("random", 400 if COMPILES else 20).rows
    assert row.best.low <= row.best_by_chance <= row.best.high
    assert row.kept is not None
    assert row.kept_by_chance is not None
    assert row.kept.low <= row.kept_by_chance <= row.kept.high


def test_a_fault_is_neither_best_nor_keeps_anything(tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("class Broken:\n    def act(self, game):\n        return 78\n", "utf-8")
    result = result_of(f"{file}:Broken", 10)
    (*_, row) = result.rows
    assert (row.best.share, row.kept and row.kept.share, row.lost_turns) == (0, 0, None)
    assert result.as_json()["faults"] == 10


def turns(outcome: int, *played: int | None) -> list[PlayedTurn]:
    solved = SolvedPosition("", outcome, (outcome, 0, 2))
    return [PlayedTurn(solved, each, None) for each in played]


def test_turns_lost_count_wins_that_were_kept_alone() -> None:
    row = Row.of("won", turns(5, 5, 9, 0, 2, None))
    assert row.lost_turns is not None
    assert row.lost_turns.mean == 2
    assert (row.best.share, row.kept and row.kept.share) == (0.2, 0.4)


def test_losses_cannot_be_kept() -> None:
    row = Row.of("lost", turns(8, 8, 2))
    assert (row.best.share, row.kept, row.lost_turns, row.kept_by_chance) == (0.5, None, None, None)


def test_a_mean_has_the_interval_of_the_normal_distribution() -> None:
    generator = np.random.default_rng(1)
    means = [Mean.of([*generator.normal(3, 2, 200)]) for _ in range(300)]
    covered = sum(mean is not None and mean.low <= 3 <= mean.high for mean in means)
    assert covered / 300 == pytest.approx(0.95, abs=0.04)


# Values.


def test_the_error_of_values_is_their_distance_from_the_truth() -> None:
    lost, drawn, won = (SolvedPosition("", outcome, ()) for outcome in (2, 0, 3))
    told = [(won, 0.5), (won, 1.0), (drawn, 0.5), (lost, -0.25)]
    found = Values.of(PlayedTurn(solved, None, value) for solved, value in told)
    assert found is not None
    assert found.positions == 4
    assert found.error.mean == pytest.approx((0.5 + 0 + 0.5 + 0.75) / 4)
    assert found.bias.mean == pytest.approx((-0.5 + 0 + 0.5 + 0.75) / 4)
    assert found.root_mean_square == pytest.approx(((0.25 + 0 + 0.25 + 0.5625) / 4) ** 0.5)
    assert found.bins == [(1, -0.25, -1.0), (2, 0.5, 0.5), (1, 1.0, 1.0)]
    assert found.calibration == pytest.approx(0.75 / 4)
    assert Values.of(turns(5, 5)) is None


def test_what_a_player_expects_is_in_the_report(scripted: str) -> None:
    values = result_of(scripted, 12).as_json()["values"]
    assert values["positions"] == 12
    assert [told for _, told, _ in values["bins"]] == [0.5]


@pytest.mark.parametrize(
    "player",
    [
        "net",
        "greedy",
        "alphabeta:depth=1",
        "alphabeta:depth=2,endgames=False",
        "mcts:iterations=30",
        "mcts:iterations=30,endgames=False",
        "gumbel:iterations=20",
        "gumbel:iterations=20,endgames=False",
    ],
)
def test_players_expect_to_win_what_is_won_soon_and_to_lose_what_is_lost(player: str) -> None:
    agent = make_agent(player)
    expected: dict[int, list[float]] = {1: [], -1: []}
    for solved in TASK.positions[: 20 * COUNT]:
        if solved.outcome in (1, 4) and len(expected[solved.expected_result]) < 8:
            game = Game(position=solved.position)
            agent.reset(1)
            side = game.to_act
            while game.result is None and game.to_act == side:
                game.play(agent.act(game))
            assert agent.expectation is not None
            assert -1 <= agent.expectation <= 1
            expected[solved.expected_result].append(agent.expectation)
    assert np.mean(expected[1]) > 0.9, "these win at once"
    assert np.mean(expected[-1]) < np.mean(expected[1]) - 0.5


def test_full_games_do_not_record_what_players_expect() -> None:
    from tkm_env.arena.match import Match

    (record, _) = Match("net", "greedy", 2, seed=1).play()
    assert "expected" not in record


# The command.


def test_the_command_shows_and_writes_the_result(tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    options = ("--tasks", "endgames", "--positions", COUNT, "--processes", 1)
    shown = run("greedy", *options, "--json", report, "--markdown", "-")
    assert shown.exit_code == 0, shown.output
    found = json.loads(report.read_text("utf-8"))
    assert [task["task"] for task in found["tasks"]] == [*ENDGAME_TASKS]
    tables = tables_of([found])
    assert [table.rows[-1][:2] for table in tables] == 2 * [["all", str(COUNT)]]
    lines = [line for line in shown.stdout.splitlines() if line.startswith("|")]
    assert len(lines) == sum(2 + len(table.rows) for table in tables)


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_reports_of_several_agents_stand_side_by_side(tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    options = ("--tasks", "endgames", "--positions", 20, "--processes", 1)
    assert run("random", *options, "--json", one).exit_code == 0
    assert run("greedy", *options, "--json", two, "--name", "mine").exit_code == 0
    both = run("--beside", one, "--beside", two, "--markdown", "-")
    rows = [line.split("|")[1].strip() for line in both.stdout.splitlines() if line[:1] == "|"]
    assert rows == 2 * ["agent", "---", "random", "mine"]


@pytest.mark.filterwarnings("ignore:.*its last record was incomplete:RuntimeWarning")
def test_a_killed_run_goes_on_to_the_same_report(tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    command = ("random", "--tasks", "endgames", "--positions", 10, "--processes", 1)
    command = (*command, "--save", saved, "--json", "-")
    whole_report, whole = run(*command).stdout, saved.read_bytes()
    saved.write_bytes(whole[: len(whole) // 2])
    assert run(*command).stdout == whole_report
    assert len(saved.read_bytes().splitlines()) == 21


@pytest.mark.slow
def test_the_number_of_processes_does_not_matter() -> None:
    options = ("--tasks", "endgames", "--positions", 40, "--json", "-")
    one, two = (run("greedy", *options, "--processes", processes) for processes in (1, 2))
    assert one.stdout == two.stdout
    assert json.loads(one.stdout)["tasks"][0]["rows"][-1]["positions"] == 40


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--tasks", "endgames,standard"), "--tasks endgames stands alone"),
        (("--tasks", "standard", "--positions", "10"), "--positions needs --tasks endgames"),
        (("--tasks", "endgames", "--positions", "0"), "Invalid value for '--positions'"),
    ],
)
def test_options_that_do_not_fit_are_refused(options: tuple[str, ...], said: str) -> None:
    refused = run("random", *options)
    assert refused.exit_code == 2
    assert said in refused.output


def test_an_agent_that_cannot_play_is_refused() -> None:
    with pytest.raises(ConfigError, match="agent, task endgames-2"):
        EndgameBenchmark("chess")
