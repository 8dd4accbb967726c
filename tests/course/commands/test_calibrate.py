"""`tkm course calibrate`: the report, its exit code, and trials that are not repeated."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from tests.course.test_class_grading import SPEC
from tests.course.test_level_trials import staff
from tkm_env.cli.root_command import tkm


def test_what_marks_measure_is_reported_and_kept(tmp_path: Path) -> None:
    (staff(tmp_path / "staff") / "grading.toml").write_text(SPEC, "utf-8")
    report, kept = tmp_path / "report.json", tmp_path / "staff/calibration.jsonl"
    arguments = ["course", "calibrate", str(tmp_path), "--seeds", "2", "--json", str(report)]
    result = CliRunner().invoke(tkm, arguments, env={"COLUMNS": "200"})
    assert result.exit_code == 1, result.output
    assert "the solution gets more points than half under 100% of 2 seeds" in result.output
    assert "broken: coin and half are told apart under 0% of the seeds" in result.output
    assert [row["total"] for row in json.loads(report.read_text("utf-8"))["levels"]] == [
        [0, 0],
        [0, 0],
        [2, 2],
    ]
    before = kept.read_bytes()
    assert CliRunner().invoke(tkm, [*arguments, "--question", "q1"]).exit_code == 1
    assert kept.read_bytes() == before
