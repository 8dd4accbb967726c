"""The table of skipped tests: which reasons are allowed where; others fail the run."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.skips import ALLOWED, Run, why_allowed

ROOT = Path(__file__).parents[1]
ROWS = tomllib.loads(ALLOWED.read_text("utf-8"))["reason"]
BARE, PREPARED = Run(prepared=False), Run(prepared=True)


@pytest.mark.parametrize(
    ("reason", "allowed", "refused"),
    [
        ("needs the level sandbox: bubblewrap is not installed", [BARE], [PREPARED]),
        ("needs Chromium: none of chromium, chrome is on the path", [BARE], [PREPARED]),
        ("needs javac, java", [BARE], [PREPARED]),
        ("needs the extra [train]", [BARE, PREPARED], []),
        ("needs the extra [play]", [], [BARE, PREPARED]),
        (
            "needs POSIX",
            [Run(prepared=False, platform="win32")],
            [Run(prepared=False, platform="linux")],
        ),
        (
            "takes hours uncompiled",
            [Run(prepared=True, compiled=False)],
            [Run(prepared=True, compiled=True)],
        ),
        ("flaky", [], [BARE, PREPARED]),
        ("", [], [BARE, PREPARED]),
    ],
)
def test_a_reason_is_allowed_only_where_it_holds(
    reason: str, allowed: list[Run], refused: list[Run]
) -> None:
    assert all(why_allowed(reason, ROWS, run) for run in allowed)
    assert not any(why_allowed(reason, ROWS, run) for run in refused)


TESTS = """
import pytest

@pytest.mark.skip(reason="needs the extra [train]")
def test_one(): ...

@pytest.mark.skip(reason={reason!r})
def test_two(): ...

def test_three(): ...
"""


def pytest_on(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """A run of the tests in a folder, with the table."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.skips",
        *options,
        f"--rootdir={folder}",
        str(folder),
    ]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
@pytest.mark.parametrize(
    ("reason", "options", "exit_code"),
    [("needs cc", [], 0), ("needs cc", ["--prepared"], 1), ("I was in a hurry", [], 1)],
)
def test_a_run_ends_with_the_table_and_fails_for_another_reason(
    tmp_path: Path, reason: str, options: list[str], exit_code: int, processes: str
) -> None:
    file = tmp_path / "test_some.py"
    file.write_text(TESTS.format(reason=reason), "utf-8")
    done = pytest_on(tmp_path, "-p", "no:cacheprovider", "--numprocesses", processes, *options)
    assert done.returncode == exit_code, done.stdout + done.stderr
    assert "1  needs the extra [train]\n       allowed: large libraries" in done.stdout
    assert (f"1  {reason}\n       NOT ALLOWED HERE" in done.stdout) == bool(exit_code), done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_prepared_run_can_choose_what_a_bare_machine_has_skipped(
    tmp_path: Path, processes: str
) -> None:
    (tmp_path / "test_some.py").write_text(TESTS.format(reason="needs cc"), "utf-8")
    whole = "import pytest\npytest.skip('needs javac, java', allow_module_level=True)\n"
    (tmp_path / "test_whole.py").write_text(whole, "utf-8")
    options = ["--numprocesses", processes, "-o", "cache_dir=cache"]
    assert pytest_on(tmp_path, *options).returncode == 0
    for file in tmp_path.glob("test_*.py"):
        file.write_text(
            file.read_text("utf-8").replace("@pytest.mark.skip(reason='needs cc')\n", ""), "utf-8"
        )
    (tmp_path / "test_whole.py").write_text("def test_four(): ...\ndef test_five(): ...\n", "utf-8")
    done = pytest_on(tmp_path, *options, "--prepared", "-m", "left")
    assert "3 passed" in done.stdout, done.stdout
