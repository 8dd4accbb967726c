"""`tkm course grade`: what it says of a submission."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from tests.course.test_class_grading import SPEC
from tests.course.test_printed import FILES
from tkm_env.cli.root_command import tkm


def test_what_a_submission_printed_is_shown_escaped(tmp_path: Path) -> None:
    for name, source in FILES.items():
        (tmp_path / name).write_text(source, "utf-8")
    (tmp_path / "grading.toml").write_text(SPEC, "utf-8")
    result = CliRunner().invoke(
        tkm, ["course", "grade", str(tmp_path), "--spec", str(tmp_path / "grading.toml")]
    )
    assert "q1 printed:\nlooking 4 \\x1b[31m<b>\n" in result.output
