"""A machine that fails while a class is graded: what the commands say."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.arena.pauses import pauses
from tests.course.small import program
from tests.course.test_class_grading import SPEC
from tests.machine_faults import ALWAYS, NO_PROCESS, failing, warned
from tkm_env.cli.root_command import tkm
from tkm_env.isolation import program as isolation

__all__ = ["pauses"]

pytestmark = [warned, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (NO_PROCESS, "Resource temporarily unavailable"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "allocate memory"),
    ],
)
def test_commands_say_whom_the_machine_kept_from_a_grade_and_fail(
    error: OSError, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    for name in ("ann", "bob"):
        program(submissions / name)
    spec = tmp_path / "grading.toml"
    spec.write_text(SPEC, "utf-8")
    failing(
        monkeypatch,
        isolation.Program,
        "_start",
        error,
        ALWAYS,
        lambda program, *given: program._name == "ann",
    )
    rest = ["--spec", str(spec), "--out", str(tmp_path / "grades")]
    every = CliRunner().invoke(
        tkm, ["course", "grade-all", str(submissions), *rest, "--processes", "1"]
    )
    one = CliRunner().invoke(tkm, ["course", "grade", str(submissions / "ann"), *rest])
    assert (every.exit_code, one.exit_code) == (1, 2), every.output + one.output
    assert "ann could not be graded: not graded, because the machine failed" in every.output
    assert "1 of 2 graded" in every.output
    assert words in every.output
    assert words in one.output + str(one.exception)
