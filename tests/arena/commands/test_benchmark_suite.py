"""The suite: frozen prompts, anchors, costs and intervals, and a leaderboard of several files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.text.chat_server import completion, serving
from tkm_env import ConfigError, FileError, Game
from tkm_env.arena.benchmark import suite, suite_report
from tkm_env.arena.benchmark.leaderboard_page import chart_of, leaderboard_page
from tkm_env.arena.benchmark.report import read_report, tables_of
from tkm_env.arena.benchmark.suite import ANCHORS, PLAIN, TIERS, TRIALS, Tier, frozen
from tkm_env.arena.benchmark.suite_report import Standing, SuiteResult, TriedTurn, standings
from tkm_env.arena.benchmark.suite_tasks import SuiteBenchmark
from tkm_env.arena.benchmark.turn_report import CreditedTurn
from tkm_env.arena.benchmark.turn_tasks import TurnBenchmark
from tkm_env.arena.benchmark.valued_positions import positions_digest, valued_positions
from tkm_env.cli.root_command import tkm
from tkm_env.text import digest


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["benchmark", *map(str, arguments)], env={"COLUMNS": "200"})


@pytest.fixture
def tiny(monkeypatch: pytest.MonkeyPatch) -> Tier:
    """A tier of one position of each group, instead of the small one."""
    tier = Tier((PLAIN, "renamed"), 1)
    for module in (suite, suite_report):
        monkeypatch.setattr(module, "TIERS", {**suite.TIERS, "small": tier})
    return tier


@pytest.fixture
def reports(chat_key: None, tiny: Tier, tmp_path: Path) -> Iterator[list[Path]]:
    """The reports of a model that always takes the first turn, with and without much thought."""
    pytest.importorskip("openai", reason="needs the extra [llm]")
    made = []

    def model(asked: dict[str, Any], handler: Any) -> dict[str, Any]:
        thoughts = "I wonder. " * (400 if asked.get("reasoning_effort") == "high" else 4)
        return completion(f"{thoughts}\nTURN: 1", asked)

    with serving(model) as server:
        for effort in ("low", "high"):
            line = f"llm:thinker:reasoning_effort={effort},base_url={server.url}"
            path = tmp_path / f"{effort}.json"
            for _ in range(2):
                shown = run(
                    *(line, "--suite", "small", "--name", effort, "--json", path),
                    *("--save", tmp_path / effort, "--price", "thinker", "1", "10"),
                )
                assert shown.exit_code == 0, shown.output
            made.append(path)
        asked = 2 * len(tiny.trials) * len(tiny.indices)
        assert len(server.asked) == asked, "a run that is repeated asks nothing twice"
        yield made


@pytest.mark.parametrize("trial", TRIALS)
def test_the_prompts_are_frozen(trial: str) -> None:
    """After a change, raise the version of the suite and run `python -m benchmarks.suite`."""
    assert digest(Game, TRIALS[trial].text_options) == frozen()["prompts"][trial]


def test_the_positions_and_the_anchors_are_frozen() -> None:
    assert frozen()["positions"] == positions_digest()
    assert tuple(frozen()["anchors"]) == ANCHORS
    for earned in frozen()["anchors"].values():
        assert len(earned) == len(valued_positions())
    for anchor in ("turn:first", "greedy"):
        first = [turn.credit for turn in TurnBenchmark(anchor, positions=_few()).play()]
        assert first == pytest.approx([frozen()["anchors"][anchor][place] for place in _FEW], 1e-3)


_FEW = TIERS["small"].indices[::5]


def _few() -> tuple[Any, ...]:
    return tuple(valued_positions()[place] for place in _FEW)


def test_larger_tiers_hold_smaller_ones() -> None:
    tiers = [TIERS[name] for name in ("small", "medium", "large")]
    assert [tier.answers for tier in tiers] == [25, 150, 500]
    for smaller, larger in pairwise(tiers):
        assert {*smaller.indices} < {*larger.indices}
        assert {*smaller.trials} < {*larger.trials}


def test_stronger_anchors_have_more_credit() -> None:
    means = {anchor: sum(earned) for anchor, earned in frozen()["anchors"].items()}
    assert max(means, key=means.__getitem__) == ANCHORS[-1]
    assert means["turn:first"] < means["greedy"]
    assert means["random"] < means["greedy"]


def test_a_report_holds_credits_tokens_and_prices(reports: list[Path], tiny: Tier) -> None:
    (task,) = read_report(reports[0])["tasks"]
    assert (task["tier"], task["price"]) == ("small", [1, 10])
    plain, renamed = task["trials"]
    assert plain["prompt"] == frozen()["prompts"][PLAIN]
    assert renamed["prompt"] == frozen()["prompts"]["renamed"]
    first = [frozen()["anchors"]["turn:first"][place] for place in tiny.indices]
    assert plain["credits"] == pytest.approx(first, abs=1e-4)
    assert plain["credits"] == renamed["credits"], "the order of the list does not change"
    assert (plain["flaws"], plain["estimated"]) == ({}, 0)


def test_several_reports_are_one_table_with_the_anchors(reports: list[Path], tiny: Tier) -> None:
    (table,) = tables_of([read_report(path) for path in reports])
    assert table.head == [
        *("player", "tier", PLAIN, "renamed", "refused", "tokens in", "out", "cost")
    ]
    rows = {row[0]: row for row in table.rows}
    assert {*rows} == {"low", "high", *ANCHORS}
    assert rows["low"][2] == rows["high"][2] == rows["turn:first"][2]
    assert float(rows["high"][-1]) > float(rows["low"][-1]) > 0
    assert rows["greedy"][-4:] == [""] * 4
    tokens_in, tokens_out, cost = (float(cell) for cell in rows["high"][-3:])
    answers = 2 * len(tiny.indices)
    assert cost == pytest.approx(answers * (tokens_in + 10 * tokens_out) / 1e6, abs=0.01)


def test_the_leaderboard_is_a_page_with_a_curve_over_effort(
    reports: list[Path], tmp_path: Path
) -> None:
    pytest.importorskip("jinja2", reason="needs the extra [arena]")
    page = tmp_path / "page.html"
    beside = [word for path in reports for word in ("--beside", path)]
    shown = run(*beside, "--page", page)
    assert shown.exit_code == 0, shown.output
    text = page.read_text("utf-8")
    for words in ("What the prompt changes", "Credit by effort", *ANCHORS, "low", "high"):
        assert words in text, words
    found = standings([read_report(path) for path in reports])
    chart = chart_of(found, {"low": "thinker", "high": "thinker"})
    assert chart is not None
    (curve,) = chart.curves
    assert [point.name for point in curve] == ["low", "high"]
    assert 0 <= curve[0].across < curve[1].across <= chart.width
    assert {line.name for line in chart.lines} == {*ANCHORS}
    labels = [line.label for line in chart.lines]
    assert all(lower - upper >= 12 for upper, lower in pairwise(labels)), "no name hides another"
    refused = run("--beside", reports[0], "--page", reports[0])
    assert refused.exit_code == 2
    assert "it holds results" in refused.output


def test_names_are_escaped_on_the_page(reports: list[Path]) -> None:
    pytest.importorskip("jinja2", reason="needs the extra [arena]")
    nasty = read_report(reports[0]) | {"name": "<script>alert(1)</script>"}
    assert "<script>" not in leaderboard_page([nasty])


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"task": "suite",\n   "version": 1', '"task": "suite",\n   "version": 9', "of version 9"),
        ('"prompt": "', '"prompt": "0', "its prompts of the trial 'plain' are others"),
        ('"tier": "small"', '"tier": "large"', "is not complete"),
        ('"tier": "small"', '"tier": "huge"', "it is damaged"),
        ('"credits"', '"credit"', "it is damaged"),
    ],
)
def test_what_cannot_be_compared_is_refused(
    reports: list[Path], old: str, new: str, reason: str
) -> None:
    text = reports[0].read_text("utf-8")
    assert old in text
    reports[0].write_text(text.replace(old, new), "utf-8")
    with pytest.raises(FileError, match=reason):
        read_report(reports[0])


@pytest.mark.parametrize("kept", [0, 1])
def test_a_result_without_all_trials_of_its_tier_is_refused(reports: list[Path], kept: int) -> None:
    report = json.loads(reports[0].read_text("utf-8"))
    del report["tasks"][0]["trials"][kept:]
    reports[0].write_text(json.dumps(report), "utf-8")
    with pytest.raises(FileError, match=r"a complete result has \['plain'"):
        read_report(reports[0])


def test_mean_tokens_are_those_of_the_answers_whose_tokens_were_counted(tiny: Tier) -> None:
    (first, *others) = tiny.positions
    turns = [
        CreditedTurn(first, 1.0, tokens=(100, 30)),
        *(CreditedTurn(position, 0.0, "time") for position in others),
    ]
    prompts = frozen()["prompts"]
    tried = [TriedTurn(name, prompts[name], turn) for name in tiny.trials for turn in turns]
    task = SuiteResult("small", tried).as_json()
    assert suite_report.objection_to(task) == ""
    (standing,) = (
        each for each in standings([{"name": "slow", "tasks": [task]}]) if each.name == "slow"
    )
    assert standing.tokens == (100, 30)


@pytest.mark.usefixtures("tiny")
def test_another_player_has_the_plain_trial_alone(tmp_path: Path) -> None:
    path = tmp_path / "first.json"
    assert run("turn:first", "--suite", "small", "--json", path).exit_code == 0
    (task,) = read_report(path)["tasks"]
    (trial,) = task["trials"]
    assert (trial["trial"], trial["prompt"], trial["tokens"]) == (PLAIN, "", None)
    (table,) = tables_of([read_report(path)])
    ranked = {row[0]: row[1] for row in table.rows}
    assert ranked["turn:first"] in ("small", "anchor")


@pytest.mark.usefixtures("chat_key")
def test_options_that_the_trials_set_are_refused() -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    with pytest.raises(ConfigError, match="the suite sets legal, rename itself"):
        SuiteBenchmark("llm:any:legal=none,rename=3,temperature=0", "small")
    with pytest.raises(ConfigError, match="it must be 'small', 'medium', 'large' or 'seeing'"):
        SuiteBenchmark("greedy", "tiny")
    assert run("greedy", "--suite", "small", "--tasks", "turns").exit_code == 2
    refused = run("turn:first", "--tasks", "turns", "--page", "x.html")
    assert refused.exit_code == 2
    assert "--page needs --suite" in refused.output


def test_a_stopped_run_yields_no_more() -> None:
    benchmark = SuiteBenchmark("turn:first", "small")
    turns = benchmark.play()
    next(turns)
    benchmark.stop()
    assert [*turns] == []


def test_the_interval_of_a_change_is_that_of_the_pairs() -> None:
    plain = [0.1, 0.9, 0.4, 0.6] * 5
    standing = Standing(
        "x",
        "small",
        {PLAIN: plain, "renamed": [each + 0.1 for each in plain]},
        0,
        None,
        False,
        None,
    )
    change = standing.change("renamed")
    assert change is not None
    assert change == pytest.approx((0.1, 0.1, 0.1))
    assert standing.change("turned") is None
    own = suite_report.percent(standing.credit(PLAIN) or change)
    assert own == "50 ± 13"
