"""`benchmarks/speed`: its rows, its rounds, and the page that is made from its figures."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.speed.__main__ import main, measure
from benchmarks.speed.rows import Row, all_rows
from benchmarks.speed.start_up import seconds_of
from benchmarks.speed.work import rate
from tkm_env.compiled.decorators import COMPILES

ROOT = Path(__file__).parents[3]


def rows_of(figures: dict[str, list[float]], **changes: Any) -> list[Row]:
    """Rows that measure these figures, one per round."""

    def figures_of(name: str) -> Any:
        remaining = iter(figures[name])
        return lambda: lambda seconds: next(remaining)

    return [
        Row("batch", name, f"what {name} is", figures_of(name), **changes.get(name, {}))
        for name in figures
    ]


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the page of an outcome."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    from performance_page import page

    return page


def test_rows_have_names_of_their_own_and_are_compared_with_rows_of_their_unit() -> None:
    units = {row.name: row.unit for row in all_rows()}
    assert len(units) == len(all_rows())
    for row in all_rows():
        assert all(units[other] == row.unit for other in row.beside), row.name


def test_rounds_go_in_turn_and_rows_without_a_library_are_named() -> None:
    def without_library() -> Any:
        raise ImportError("no such library")

    rows = rows_of(
        {"a": [1, 2, 3], "b": [4]}, a={"beside": {"b": 0.5, "c": None}}, b={"most_rounds": 1}
    )
    outcome = measure([*rows, Row("batch", "c", "", without_library)], rounds=3, seconds=1)
    assert [(row["rounds"], row["beside"]) for row in outcome["rows"]] == [
        ([1, 2, 3], {"b": 0.5}),
        ([4], {}),
    ]
    assert outcome["missing"] == {"c": "no such library"}


def test_rate_leaves_preparations_out(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    def take(seconds: float) -> int:
        clock[0] += seconds
        return 10

    assert rate(lambda: take(0.5))(2) == 20
    assert rate(lambda _: take(0.5), lambda: (take(100),))(2) == 20


def test_the_page_shows_medians_ratios_within_rounds_and_targets(page: Any) -> None:
    changes = {
        "fast": {"target": 20, "beside": {"slow": 0.75}},
        "slow": {"target": 31, "beside": {"fast": 2}},
    }
    changes |= {"soon": {"target": 2, "unit": "s"}, "late": {"target": 2, "unit": "s"}}
    rows = rows_of(
        {"fast": [10, 30, 80], "slow": [20e3, 30, 40], "soon": [1] * 3, "late": [3] * 3}, **changes
    )
    lines = page(measure(rows, rounds=3, seconds=1)).splitlines()
    assert [line for line in lines if line.startswith("| `")] == [
        "| `fast`: what fast is | 30.0 steps/s (10.0 to 80.0) | 1.00 (0.001 to 2.00) times slow "
        "| at least 20.0 steps/s: met<br>at least 0.750 times slow: met |",
        "| `slow`: what slow is | 40.0 steps/s (30.0 to 20.0 k) |"
        " 1.00 (0.500 to 2.00 k) times fast "
        "| at least 31.0 steps/s: met<br>at least 2.00 times fast: not met |",
        "| `soon`: what soon is | 1.00 s (1.00 to 1.00) |  | at most 2.00 s: met |",
        "| `late`: what late is | 3.00 s (3.00 to 3.00) |  | at most 2.00 s: not met |",
    ]


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="measures compiled code")
def test_every_row_of_ours_runs(page: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figures.json"
    names = (
        "batch/",
        "bound/",
        "vector/",
        "sync/",
        "game/",
        "gymnasium",
        "aec/",
    )  # no peers, no other processes
    patterns = [argument for name in names for argument in ("--only", name)]
    monkeypatch.setattr(sys, "argv", ["speed", "--quick", "--json", str(file), *patterns])
    main()
    outcome = json.loads(file.read_text("utf-8"))
    assert len(outcome["rows"]) > 30
    assert all(row["rounds"][0] > 0 for row in outcome["rows"])
    assert all(f"| `{row['name']}`: " in page(outcome) for row in outcome["rows"])


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="measures compiled code")
def test_a_fresh_program_finds_nothing_compiled_before_each_time_it_runs() -> None:
    program = """
import numpy as np
from tkm_env.compiled.random_numbers import draw_all
draw_all(np.ones(1, np.uint64), np.zeros(1, np.int64), 6, np.zeros(1, np.int64))
assert sum(draw_all.stats.cache_misses.values()) == 1
"""
    run = seconds_of(program, fresh=True)
    assert run(0) > 0
    assert run(0) > 0
