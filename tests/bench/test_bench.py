"""`tkm bench`: its table, its runs, what it writes, and the document made from it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env import FileError
from tkm_env.bench import start_up
from tkm_env.bench.report import cells, markdown, short
from tkm_env.bench.running import KEYS, measure, memory_per_game, read_outcome, write_outcome
from tkm_env.bench.table import Measurement, all_measurements, chosen
from tkm_env.bench.work import prepared_rate, rate
from tkm_env.cli.commands import tkm
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.state import STATE

compiled_only = pytest.mark.skipif(not COMPILES, reason="measures compiled code")


def bench(*arguments: str | Path) -> Any:
    return CliRunner().invoke(tkm, ["bench", *map(str, arguments)])


def of(figures: dict[str, list[float]], **changes: Any) -> list[Measurement]:
    """Measurements that return these figures, one per round."""

    def figures_of(name: str) -> Any:
        remaining = iter(figures[name])
        return lambda: lambda seconds: next(remaining)

    return [Measurement(name=name, what=f"what {name} is", make=figures_of(name), **changes.get(name, {})) for name in figures]


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path, Path]:
    """A quick run of everything but what waits for the compiler or needs peers, and what it wrote."""
    folder = tmp_path_factory.mktemp("bench")
    outcome, document = folder / "outcome.json", folder / "document.md"
    quickly = lambda program, fresh=False: lambda seconds: 0.25  # noqa: E731
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tkm_env.bench.table.GROUPS", without_peers_and(quickly))
        result = bench("--quick", "--json", outcome, "--markdown", document)
    return result, outcome, document


def without_peers_and(quickly: Any) -> Any:
    from tkm_env.bench.table import GROUPS

    def lightened(measurement: Measurement) -> Measurement:
        if measurement.needs:
            return replace(measurement, needs=("no_such_module",))
        if measurement.unit == "s":
            return replace(measurement, make=lambda: quickly(""))
        return measurement

    return tuple(replace(group, measurements=tuple(map(lightened, group.measurements))) for group in GROUPS)


class TestTable:
    def test_names_are_unique(self) -> None:
        names = [measurement.name for measurement in all_measurements()]
        assert len(set(names)) == len(names)

    def test_each_row_is_compared_with_rows_there_are(self) -> None:
        rows = {measurement.name: measurement for measurement in all_measurements()}
        for row in rows.values():
            for other in row.beside:
                assert rows[other].unit == row.unit, f"{row.name} beside {other}"

    def test_patterns_choose(self) -> None:
        assert [row.name for row in chosen(("aec/r", "start*lib"))] == ["aec/raw", "start/import-libraries"]
        assert chosen(()) == all_measurements()

    def test_list_reports_what_is_missing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tkm_env.bench.table.find_spec", lambda name: None)
        output = bench("--list", "--only", "pgx").output
        assert "pgx/connect_four/1024" in output
        assert "jax (missing), pgx (missing)" in output


class TestMeasuring:
    def test_rounds_go_in_turn(self) -> None:
        names: list[str] = []
        measure(of({"a": [1, 2], "b": [3, 4]}), rounds=2, seconds=1, progress=names.append)
        assert names == ["a", "b"] * 3

    def test_medians_and_ratios_within_rounds(self) -> None:
        measurements = of({"a": [10, 30, 80], "b": [20, 30, 40]}, a={"beside": {"b": 0.75}, "target": 20})
        row = measure(measurements, rounds=3, seconds=1)["measurements"][0]
        assert row["rounds"] == [10, 30, 80]
        assert (row["median"], row["least"], row["most"], row["target"]) == (30, 10, 80, 20)
        assert row["beside"] == {"b": {"median": 1, "least": 0.5, "most": 2, "target": 0.75}}

    def test_some_are_measured_in_fewer_rounds(self) -> None:
        outcome = measure(of({"a": [1, 2, 3], "b": [4]}, b={"most_rounds": 1}), rounds=3, seconds=1)
        assert [row["rounds"] for row in outcome["measurements"]] == [[1, 2, 3], [4]]

    def test_missing_peers_are_reported(self) -> None:
        def unimportable() -> Any:
            raise ImportError("no such symbol")

        measurements = of(
            {"a": [1], "peer": [1]}, a={"beside": {"peer": None, "broken": None}}, peer={"needs": ("no_such_module",)}
        )
        outcome = measure([*measurements, Measurement(name="broken", what="", make=unimportable)], rounds=1, seconds=1)
        assert [row["name"] for row in outcome["measurements"]] == ["a"]
        assert outcome["measurements"][0]["beside"] == {}
        assert outcome["missing"] == {"peer": "not installed: no_such_module", "broken": "cannot be imported: no such symbol"}
        assert "- `peer`: not installed: no_such_module" in markdown(outcome)

    def test_games_side_by_side_can_be_bounded(self) -> None:
        given: list[int] = []

        def make(games: int) -> Any:
            given.append(games)
            return lambda seconds: 1.0

        for games in (2, 1000):
            Measurement(name="a", what="", make=make, games=games).set_up(8)
        assert given == [2, 8]

    def test_rate_counts_steps_and_leaves_preparations_out(self, monkeypatch: pytest.MonkeyPatch) -> None:
        clock = [0.0]
        monkeypatch.setattr("time.perf_counter", lambda: clock[0])

        def take(seconds: float) -> int:
            clock[0] += seconds
            return 10

        assert rate(lambda: take(0.5))(2) == 20
        assert prepared_rate(lambda: take(100), lambda ten: take(0.5))(2) == 20

    def test_memory_is_that_of_the_arrays(self) -> None:
        memory = memory_per_game()
        assert memory["state"] == STATE.itemsize
        assert memory["observation"] == 84 * 16
        assert memory["action mask"] == 79


@compiled_only
@pytest.mark.slow
class TestQuickRun:
    def test_every_row_has_a_figure_or_is_missing(self, quick: Any) -> None:
        result, outcome, _ = quick
        assert result.exit_code == 0, result.output
        content = read_outcome(outcome)
        measured = [row["name"] for row in content["measurements"]]
        assert measured == [row.name for row in all_measurements() if not row.needs]
        assert list(content["missing"]) == [row.name for row in all_measurements() if row.needs]
        assert all(row["median"] > 0 for row in content["measurements"])

    def test_json_has_these_keys(self, quick: Any) -> None:
        content = json.loads(quick[1].read_text())
        assert tuple(content) == ("kind", "version", *KEYS)
        rows = {row["name"]: row for row in content["measurements"]}
        assert all(
            set(row) == {"name", "what", "unit", "target", "rounds", "median", "least", "most", "beside"} for row in rows.values()
        )
        assert rows["batch/standard"]["beside"]["bound/write/1024"].keys() == {"median", "least", "most", "target"}
        assert rows["start/import"]["unit"] == "s"
        assert content["machine"]["numba"]

    def test_document_and_output_hold_every_row(self, quick: Any) -> None:
        result, outcome, document = quick
        for row in json.loads(outcome.read_text())["measurements"]:
            assert row["name"] in result.output
            assert f"| `{row['name']}`: {row['what']} | {cells(row)[0]} |" in document.read_text("utf-8")

    def test_reads_what_was_written(self, quick: Any, tmp_path: Path) -> None:
        result, outcome, document = quick
        again = tmp_path / "again.md"
        assert bench("--read", outcome, "--markdown", again).output == result.output
        assert again.read_text("utf-8") == document.read_text("utf-8")


#: Compiles little, and fails unless it compiles as many functions anew as it is told.
DRAW = """
import numpy as np
from tkm_env.compiled.kernels import draw_all
draw_all(np.ones(1, np.uint64), np.zeros(1, np.int64), 6, np.zeros(1, np.int64))
assert sum(draw_all.stats.cache_misses.values()) == {}
"""


@compiled_only
@pytest.mark.slow
def test_a_fresh_program_finds_nothing_compiled_before_each_time_it_runs() -> None:
    run = start_up.seconds_of(DRAW.format(1), fresh=True)
    assert run(0) > 0
    assert run(0) > 0


@compiled_only
@pytest.mark.slow
def test_another_program_finds_what_was_compiled_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    with pytest.raises(CalledProcessError):
        start_up.seconds_of(DRAW.format(0))
    assert start_up.seconds_of(DRAW.format(0))(0) > 0


@compiled_only
@pytest.mark.slow
@pytest.mark.parametrize("program", ["import tkm_env", start_up.FIRST_GAME, start_up.FIRST_BATCH], ids=["import", "game", "batch"])
def test_programs_run_and_tell_their_seconds(program: str) -> None:
    assert start_up.seconds_of(program)(0) > 0


class TestTelling:
    @pytest.mark.parametrize(
        ("figure", "text"),
        [
            (5_812_345, "5.81 M"),
            (999_999, "1000 k"),
            (48_010, "48.0 k"),
            (640, "640"),
            (12, "12.0"),
            (1.5, "1.50"),
            (0.0421, "0.042"),
        ],
    )
    def test_three_digits(self, figure: float, text: str) -> None:
        assert short(figure) == text

    def test_targets_are_reported_as_reached_or_not(self) -> None:
        figures: dict[str, list[float]] = {"fast": [10], "slow": [10], "soon": [1], "late": [3]}
        changes = {
            "fast": {"target": 10, "beside": {"slow": 0.5}},
            "slow": {"target": 11, "beside": {"fast": 2}},
            "soon": {"target": 2, "unit": "s"},
            "late": {"target": 2, "unit": "s"},
        }
        rows = measure(of(figures, **changes), rounds=1, seconds=1)["measurements"]
        assert [cells(row)[2] for row in rows] == [
            ["at least 10.0: reached", "at least 0.500 times slow: reached"],
            ["at least 11.0: not reached", "at least 2.00 times fast: not reached"],
            ["at most 2.00: reached"],
            ["at most 2.00: not reached"],
        ]


class TestRefusals:
    def test_pattern_that_fits_nothing(self) -> None:
        result = bench("--only", "batch", "--only", "nothing at all")
        assert result.exit_code == 2
        assert result.output.startswith("Error: only='nothing at all' is invalid")
        assert result.output.count("\n") == 1

    @pytest.mark.parametrize("content", ["{", "[]", '{"kind": "tkm-bench", "version": 1, "rows": []}'])
    def test_file_that_is_no_outcome(self, content: str, tmp_path: Path) -> None:
        file = tmp_path / "file.json"
        file.write_text(content)
        result = bench("--read", file)
        assert result.exit_code == 2
        assert result.output.startswith(f"Error: {file}: ")
        assert result.output.count("\n") == 1

    @pytest.mark.parametrize("key", ["name", "median", "beside", "target"])
    def test_outcome_with_damaged_rows(self, key: str, tmp_path: Path) -> None:
        outcome = measure(of({"a": [1]}), rounds=1, seconds=1)
        del outcome["measurements"][0][key]
        write_outcome(tmp_path / "file.json", outcome)
        with pytest.raises(FileError, match=key):
            read_outcome(tmp_path / "file.json")

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"name": 5}, "measurements, number 1, name=5 is invalid: it must be text"),
            ({"unit": "m"}, "unit='m' is invalid: it must be 'steps/s' or 's'"),
            ({"unit": []}, "unit="),
            ({"median": "1"}, "median='1' is invalid: it must be a number"),
            ({"least": True}, "least=True"),
            ({"most": None}, "most=None"),
            ({"most": 10**400}, "most="),
            ({"target": "x"}, "target='x' is invalid: it must be a number or null"),
            ({"rounds": 5}, "rounds=5 is invalid: it must be a list"),
            ({"rounds": [1, "2"]}, "rounds, number 2='2'"),
            ({"beside": []}, r"beside=\[\] is invalid: it must be an object"),
            ({"beside": {"b": {"median": 1}}}, "beside, b=.*least is missing"),
            ({"more": 1}, "there is no 'more'"),
        ],
        ids=str,
    )
    def test_outcome_with_a_value_that_cannot_be(self, change: dict[str, Any], message: str, tmp_path: Path) -> None:
        outcome = measure(of({"a": [1]}), rounds=1, seconds=1)
        outcome["measurements"][0] |= change
        write_outcome(tmp_path / "file.json", outcome)
        with pytest.raises(FileError, match=message):
            read_outcome(tmp_path / "file.json")

    @pytest.mark.parametrize(
        ("key", "given"),
        [
            ("machine", []),
            ("machine", {"cores": []}),
            ("settings", {}),
            ("missing", {"a": 5}),
            ("memory", {"a": "5"}),
            ("measurements", {}),
        ],
    )
    def test_outcome_with_a_part_that_cannot_be(self, key: str, given: Any, tmp_path: Path) -> None:
        outcome = measure(of({"a": [1]}), rounds=1, seconds=1)
        write_outcome(tmp_path / "file.json", outcome | {key: given})
        with pytest.raises(FileError, match=key):
            read_outcome(tmp_path / "file.json")

    def test_text_is_shown_as_it_is(self, tmp_path: Path) -> None:
        outcome = measure(of({"batch/standard": [1]}), rounds=1, seconds=1)
        outcome["measurements"][0]["what"] = "[/dim] :smile: [bold]"
        outcome["missing"] = {"[/]": "[red]"}
        write_outcome(tmp_path / "file.json", outcome)
        result = bench("--read", tmp_path / "file.json")
        assert result.exit_code == 0, result.output
        assert "[/dim] :smile: [bold]" in result.output
        assert "[/]: [red]" in result.output

    def test_folder_that_is_not_there_is_reported_before_anything_is_measured(self, tmp_path: Path) -> None:
        result = bench("--json", tmp_path / "nowhere" / "file.json")
        assert result.exit_code == 2
        assert "there is no folder" in result.output
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("arguments", [["--rounds", "0"], ["--seconds", "0"], ["--rounds", "many"]], ids=" ".join)
    def test_numbers_that_cannot_be(self, arguments: list[str]) -> None:
        result = bench(*arguments)
        assert result.exit_code == 2
        assert arguments[0] in result.output
