"""The task of turns: credit falls with regret, and every answer is worth what was promised."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.text.chat_server import completion, serving
from tkm_env import Game
from tkm_env.arena.benchmark import turn_tasks
from tkm_env.arena.benchmark.report import read_report, tables_of
from tkm_env.arena.benchmark.turn_report import ALL, mean_credit
from tkm_env.arena.benchmark.turn_tasks import TurnBenchmark
from tkm_env.arena.benchmark.valued_positions import positions_digest, valued_positions
from tkm_env.cli.root_command import tkm
from tkm_env.questions.valued_position import ValuedPosition
from tkm_env.text import TextOptions, digest
from tkm_env.text.prompt import listed_turns

#: Benchmarks quote it.
DIGEST = "cc3e3653ddff8a5c89df7e6f22ca614325aa9759b6ee03ff17fb2ee1d3eb1a1a"


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["benchmark", *map(str, arguments)], env={"COLUMNS": "200"})


def task_of(path: Path) -> dict[str, Any]:
    (task,) = read_report(path)["tasks"]
    return task


def best_of(position: ValuedPosition) -> tuple[str, ...]:
    return max(position.values, key=lambda turn: position.values[turn])


@pytest.fixture
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    few = valued_positions()[::20]
    monkeypatch.setattr(turn_tasks, "valued_positions", lambda: few)


def test_the_positions_are_the_fixed_ones() -> None:
    assert positions_digest() == DIGEST
    positions = valued_positions()
    assert len(positions) == len({position.position for position in positions}) == 100


def test_every_turn_of_every_position_has_a_value_and_a_credit() -> None:
    for position in valued_positions()[::4]:
        turns = position.game.turns()
        assert len(position.values) == len(turns)
        earned = [position.credit(turn.actions) for turn in turns]
        assert (min(earned), max(earned)) == (0, 1)
        assert sum(earned) / len(earned) == pytest.approx(position.credit_at_random)
        best = tuple(map(position.game.action_index, best_of(position)))
        assert position.credit(best) == 1


def test_the_credit_falls_with_the_regret() -> None:
    position = ValuedPosition("x", "tkm", {}, valued_positions()[0].position, {})
    turns = [
        tuple(position.game.action_names[action] for action in turn.actions)
        for turn in position.game.turns()
    ]
    values = {turn: number / (len(turns) - 1) for number, turn in enumerate(turns)}
    valued = ValuedPosition("x", "tkm", {}, position.position, values)
    earned = [valued.credit(turn.actions) for turn in position.game.turns()]
    assert earned == pytest.approx([*values.values()])


@pytest.mark.usefixtures("_few")
def test_agents_of_all_kinds_get_a_row_the_best_one_first(tmp_path: Path) -> None:
    reports = []
    for agent in ("turn:first", "random", "alphabeta:depth=3"):
        path = tmp_path / f"{len(reports)}.json"
        shown = run(agent, "--tasks", "turns", "--json", path)
        assert shown.exit_code == 0, shown.output
        assert "credit in percent" in shown.output
        reports.append(read_report(path))
    (table,) = tables_of(reports)
    assert table.rows[0][0] == "alphabeta:depth=3"
    assert table.head[-5:] == [ALL, "best turn", "refused", "tokens in", "out"]
    assert table.rows[0][-2:] == ["", ""]
    assert positions_digest()[:12] in table.caption


@pytest.mark.usefixtures("_few", "chat_key")
def test_a_model_is_asked_once_in_each_position(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    first, *_ = few = turn_tasks.valued_positions()
    best = {position.position: best_of(position) for position in few}

    def model(asked: dict[str, Any], handler: Any) -> dict[str, Any]:
        user = asked["messages"][-1]["content"]
        position = next(position for position in best if position in user)
        turn = "nonsense" if position == first.position else "; ".join(best[position])
        return completion(f"TURN: {turn}", asked)

    with serving(model) as server:
        line = f"llm:scripted:base_url={server.url}"
        path, save = tmp_path / "report.json", tmp_path / "answers"
        for _ in range(2):
            shown = run(line, "--tasks", "turns", "--json", path, "--save", save)
            assert shown.exit_code == 0, shown.output
        assert len(server.asked) == len(few), "a run that is repeated asks nothing twice"
    task = task_of(path)
    assert task["flaws"] == {"unknown name": 1}
    assert task["prompt"] == digest(Game, TextOptions())
    read, written = task["tokens"]
    assert read > 1000 > written > 1
    assert tables_of([read_report(path)])[0].rows[0][-2:] == [f"{read:.0f}", f"{written:.0f}"]
    every = task["turns"][-1]
    assert every["credit"]["share"] == pytest.approx(1 - 1 / len(few))
    assert (every["refused"], every["best"]) == (1 / len(few), 1 - 1 / len(few))
    assert json.loads(path.read_text("utf-8"))["name"] == line


@pytest.mark.usefixtures("_few")
def test_an_agent_that_brings_no_turn_gets_nothing(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(
        "class Bot:\n    def act(self, game):\n        return 'fly'\n", "utf-8"
    )
    turns = [*TurnBenchmark(f"{tmp_path}/bad.py:Bot").play()]
    assert {(turn.credit, turn.flaw) for turn in turns} == {(0.0, "illegal")}


@pytest.mark.usefixtures("_few")
def test_the_first_of_the_list_is_worth_what_the_position_says() -> None:
    turns = [*TurnBenchmark("turn:first").play()]
    for turn in turns:
        actions = listed_turns(turn.position.game)[0].actions
        assert turn.credit == turn.position.credit(actions)


def test_means_have_intervals_within_bounds() -> None:
    assert mean_credit([1.0] * 5) == (1, 1, 1)
    share, low, high = mean_credit([0, 1, 0, 1])
    assert (share, low) == (0.5, 0)
    assert high == 1
    assert mean_credit([0.5]) == (0.5, 0, 1)
    narrow = mean_credit([0.4, 0.6] * 50)
    assert narrow.low == pytest.approx(0.5 - 1.96 * 0.1005 / 10, abs=1e-4)
