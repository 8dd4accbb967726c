"""A table of what was skipped and why, at the end of every run.

A reason that `skip_reasons.toml` does not allow there fails the run.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tkm_env.compiled.decorators import COMPILES

ALLOWED: Final = Path(__file__).with_name("skip_reasons.toml")
#: Where pytest's cache keeps the tests that a bare machine has skipped.
_LEFT: Final = "tkm_env/left_by_a_bare_machine"


class Run(NamedTuple):
    """What decides which reasons apply."""

    prepared: bool
    compiled: bool = COMPILES
    platform: str = sys.platform

    def meets(self, where: str) -> bool:
        """Whether tests may be skipped for a reason that holds there."""
        return {
            "anywhere": True,
            "bare": not self.prepared,
            "uncompiled": not self.compiled,
            "elsewhere": self.platform != "linux",
        }[where]


def why_allowed(reason: str, rows: Iterable[dict[str, str]], run: Run) -> str | None:
    """Why tests may be skipped for this reason in this run; None if they may not."""
    return next(
        (
            row["why"]
            for row in rows
            if run.meets(row["where"]) and re.fullmatch(row["pattern"], reason)
        ),
        None,
    )


def is_for_want_of_programs(reason: str, rows: Iterable[dict[str, str]]) -> bool:
    """Whether tests skipped for this reason can run once `.ci/run` has installed programs."""
    return any(row["where"] == "bare" and re.fullmatch(row["pattern"], reason) for row in rows)


def reason_of(report: Any) -> str:
    """The reason that a skipped test gave, in one line."""
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return " ".join(text.removeprefix("Skipped: ").split())


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--prepared",
        action="store_true",
        help="nothing that .ci/run installs may be missing: tests that skip for it fail the run",
    )


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: Sequence[pytest.Item]) -> None:
    if not (config.getoption("--prepared") and hasattr(config, "cache")):
        return
    left = {*config.cache.get(_LEFT, [])}
    for item in items:
        if left & {item.nodeid, item.nodeid.partition("::")[0]}:  # a test, or its file
            item.add_marker(pytest.mark.left)


class SkipTable:
    """Counts the skips of the process that reports, and says what they were."""

    def __init__(self, config: pytest.Config) -> None:
        self._rows = tomllib.loads(ALLOWED.read_text("utf-8"))["reason"]
        self._run = Run(config.getoption("--prepared"))
        self._skips: Counter[str] = Counter()
        self._left: list[str] = []
        self._cache: Any = getattr(config, "cache", None)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._note(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._note(report)

    def _note(self, report: Any) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            reason = reason_of(report)
            self._skips[reason] += 1
            if is_for_want_of_programs(reason, self._rows):
                self._left.append(report.nodeid)

    def _refused(self) -> list[str]:
        return [
            reason for reason in self._skips if why_allowed(reason, self._rows, self._run) is None
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        if self._refused() and exitstatus in (
            pytest.ExitCode.OK,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        ):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
        if self._cache is not None and not self._run.prepared:
            self._cache.set(_LEFT, self._left)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        if not self._skips:
            return
        terminalreporter.section("skipped, and why that is allowed")
        for reason, count in self._skips.most_common():
            why = why_allowed(reason, self._rows, self._run)
            terminalreporter.write_line(f"{count:5}  {reason}")
            verdict = f"NOT ALLOWED HERE by {ALLOWED.name}" if why is None else f"allowed: {why}"
            terminalreporter.write_line(f"       {verdict}", red=why is None)


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipTable(config), "skip table")
