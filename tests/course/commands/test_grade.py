"""`tkm course grade`: what it says of a submission."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.course.small import program
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


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
def test_what_a_killed_grader_left_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for name in ("tkm-submission-1", "tkm-bot-1", "tkm-other-1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "agent.py").write_text("secret", "utf-8")
    program(tmp_path / "ann")
    (tmp_path / "grading.toml").write_text(SPEC, "utf-8")
    place = [str(tmp_path / "ann"), "--spec", str(tmp_path / "grading.toml")]
    assert CliRunner().invoke(tkm, ["course", "grade", *place]).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"ann", "grading.toml", "tkm-other-1"}
