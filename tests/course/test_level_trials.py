"""Calibration: luck brings nothing, levels are told apart, and trials are kept."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom

from tests.course.small import HONEST, assignment
from tkm_env.core.registry import game_spec
from tkm_env.course.assignment import read_assignment
from tkm_env.course.grading import mark_files
from tkm_env.course.grading.level_report import NOTHING, chance_of_points, report_of
from tkm_env.course.grading.level_trials import Level, LevelTrials, Trial, levels_in
from tkm_env.course.materials import teaching_material
from tkm_env.course.questions.position_questions import PositionQuestion
from tkm_env.course.scaffold import write_assignment
from tkm_env.foundations.errors import ConfigError

COUNTING = {"kind": "count", "depth": 3, "positions": 3}


def staff(folder: Path) -> Path:
    """The staff's files of an assignment about counting: three levels and the solution."""
    for name, source in {
        "levels/0-coin.py": "def count(node, depth):\n    return 0.5\n",
        "levels/1-half.py": "def count(node, depth):\n    return None\n",
        "solution/agent.py": HONEST,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source, "utf-8")
    return folder


def test_levels_are_ordered_by_what_they_know(tmp_path: Path) -> None:
    levels = levels_in(staff(tmp_path))
    assert [level[:2] for level in levels] == [(0, "coin"), (1, "half"), (2, "the solution")]
    (tmp_path / "levels/coin.py").write_text("", "utf-8")
    with pytest.raises(ConfigError, match=r"levels='coin\.py'.*NUMBER-NAME\.py"):
        levels_in(tmp_path)


@pytest.mark.parametrize("name", ["2-half", "02-half", "1-the-solution"])
def test_levels_of_the_same_name_are_refused(tmp_path: Path, name: str) -> None:
    """Results are kept by name, so that one would count as the other."""
    (staff(tmp_path) / f"levels/{name}.py").write_text("", "utf-8")
    with pytest.raises(ConfigError, match=r"another level is called"):
        levels_in(tmp_path)


def test_trials_are_kept_and_repeated_only_if_something_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    levels, kept = levels_in(staff(tmp_path)), tmp_path / "trials.jsonl"

    def work(**changes: Any) -> LevelTrials:
        return LevelTrials(assignment({**COUNTING, **changes}), levels, kept, 2)

    first = work()
    assert first.missing == 9, "three levels under two seeds, and with faults under the first"
    made = next(first.run())
    resumed = work()
    assert resumed.done == [made]
    assert len([*resumed.run()]) == 8
    shares = {(trial.level, trial.share) for trial in resumed.done if not trial.is_faulty}
    assert shares == {("coin", 0), ("half", 0), ("the solution", 1)}
    assert work(thresholds=[{"share": 1, "points": 2}]).missing == 0
    assert work(depth=2).missing == 9
    levels[1].file.write_text("", "utf-8")
    assert work().missing == 3
    kept.write_bytes(kept.read_bytes()[:-20])
    levels[1].file.write_text("def count(node, depth):\n    return None\n", "utf-8")
    assert work().missing == 1
    monkeypatch.setattr(mark_files, "package_digest", lambda: "another")
    assert work().missing == 9


def test_answers_that_are_partly_right_are_not_counted() -> None:
    """Half of each of eight answers is no luck, though four of eight might be."""
    tiers = [{"share": 0.75, "points": 1}, {"share": 1, "points": 2}]
    (question,) = assignment({**COUNTING, "positions": 8, "thresholds": tiers}).questions
    assert chance_of_points(question, [0.5, 0.5]) > 0.1
    assert chance_of_points(question, [0.55, 0.45]) < 0.001


def test_a_report_says_which_promises_do_not_hold() -> None:
    given = assignment(
        {
            **COUNTING,
            "positions": 4,
            "thresholds": [{"share": 0.5, "points": 1}, {"share": 1, "points": 2}],
        }
    )
    levels = [Level(rank, name, Path()) for rank, name in enumerate(("coin", "low", "high"))]
    shares = {"coin": [0.5, 0.5], "low": [0.5, 0.5], "high": [1.0, 0.0]}
    trials = [
        Trial(seed, level, False, "q1", share)
        for level, by_seed in shares.items()
        for seed, share in enumerate(by_seed, 1)
    ] + [Trial(1, "high", True, "q1", 0.5)]
    report = report_of(given, levels, trials)
    assert report["broken"] == [
        "q1: those who know nothing get points with probability 0.69",
        "coin and low are told apart under 0% of the seeds",
        "low and high are told apart under 50% of the seeds",
        "q1: the points of high differ by 2 steps between seeds",
    ]
    assert report["levels"][2]["fault"] == {"mean": 1, "most": 1}
    assert report["luck"][0]["tries"] == 1


def sizes(game: str) -> list[PositionQuestion]:
    """The questions of the first week that ask about several positions and have tiers."""
    from tempfile import TemporaryDirectory

    spec = game_spec(game)
    with TemporaryDirectory() as place:
        write_assignment(place, spec, spec.config({}), seed=5)
        questions = read_assignment(Path(place) / "staff/grading.toml").questions
    return [each for each in questions if isinstance(each, PositionQuestion) and each.thresholds]


def test_a_coin_or_a_hash_gets_nothing_and_twenty_tries_change_little() -> None:
    """For which of two positions is better it is right half of the time, for tactics rarely."""
    chances = {"evaluate": 0.5, "tactics": teaching_material(game_spec("tkm")).rare}
    questions = {question.kind: question for question in sizes("tkm")}
    for kind, right in chances.items():
        count = questions[kind].positions
        assert isinstance(count, int)
        chance = chance_of_points(questions[kind], [math.ceil(right * count) / count])
        assert chance < 1 - NOTHING, kind
        assert 1 - (1 - chance) ** 20 < 0.15, kind


def test_a_program_that_is_nearly_right_changes_by_one_step_at_most() -> None:
    """In two gradings, whatever its true share, it rarely gets first no points and then all."""
    for question in sizes("tkm"):
        count = question.positions
        assert isinstance(count, int)
        (low, _), (high, _) = question.thresholds
        for share in (0.6, 0.7, 0.75, 0.8, 0.9):
            none = binom.cdf(low * count - 1e-9, count, share)
            every = binom.sf(high * count - 1e-9, count, share)
            assert 2 * none * every < 0.05, (question.id, share)


#: The questions of each other assignment that are about functions, and the points of its levels.
FUNCTIONS = {
    "chance": ("terminus", ("q1",), (0, 0, 0, 2, 2, 2, 2)),
    "learning": ("tkm", ("q1", "q2", "q3", "q4"), (0, 0, 0, 2, 4, 7, 9)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_assignment_has_levels_from_those_who_know_nothing_to_the_solution(
    tmp_path: Path, name: str
) -> None:
    game, ids, points = FUNCTIONS[name]
    spec = game_spec(game)
    write_assignment(tmp_path / "week", spec, spec.config({}), assignment=name, seed=5)
    given = read_assignment(tmp_path / "week/staff/grading.toml").with_questions(ids)
    levels = levels_in(tmp_path / "week/staff")
    assert [level.rank for level in levels] == [0, 0, 0, 1, 2, 3, 4]
    work = LevelTrials(given.with_isolation("process"), levels, tmp_path / "trials.jsonl", 1)
    assert len([*work.run()]) == 2 * len(levels) * len(ids)
    rows = report_of(given, levels, work.done)["levels"]
    assert tuple(row["total"][0] for row in rows) == points


@pytest.mark.nightly
def test_a_digest_of_the_position_gets_nothing_for_comparing_positions(tmp_path: Path) -> None:
    spec = game_spec("tkm")
    write_assignment(tmp_path / "week", spec, spec.config({}), seed=5)
    folder = tmp_path / "week/staff"
    given = read_assignment(folder / "grading.toml").with_isolation("process")
    given = given.with_questions(("q2", "q5"))
    guesses = [level for level in levels_in(folder) if level.rank == 0]
    work = LevelTrials(given, guesses, tmp_path / "trials.jsonl", 4)
    shares = {trial.question: 0.0 for trial in work.run()}
    for trial in work.done:
        shares[trial.question] = max(shares[trial.question], trial.share)
    assert {question: share > 0 for question, share in shares.items()} == {"q2": True, "q5": True}
    for question in given.questions:
        assert shares[question.id] < question.thresholds[0][0], question.id
