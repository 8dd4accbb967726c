"""A release, rehearsed: uploaded to an index on this machine, installed by name, upgraded, undone.

``nox -s rehearsal`` does it with each Python at hand.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from email import message_from_string
from pathlib import Path
from typing import Final

import pytest

from tests.package.installed.index import serve_index
from tests.package.installed.sources import ROOT, build_archives, copy_sources

pytestmark = pytest.mark.slow

#: Both releases have today's code, but the later one has another form of a league's database. No
#: index that pip uses has either.
EARLIER: Final = "9999.1"
LATER: Final = "9999.2"

MIGRATION: Final = '''\
"""A column that the earlier release does not know."""

import sqlalchemy as sql
from alembic import op

revision = "{next}"
down_revision = "{last}"


def upgrade() -> None:
    """Add it."""
    op.add_column("people", sql.Column("country", sql.String(2)))
'''
LEAGUE: Final = """\
version = 1
games_per_player = 24
anchor = "random=0"
seed = 7

[league]
title = "Rehearsal"

[[players]]
player = "random"

[[players]]
player = "greedy"

[[players]]
player = "fallible"
"""


class Release:
    """An index with two releases."""

    def __init__(self, index: str) -> None:
        self.index = index

    @classmethod
    def upload(cls, index: str, place: Path) -> Release:
        """Build the archives of both releases, and upload them."""
        for version in (EARLIER, LATER):
            sources = place / version
            copy_sources(sources)
            stated = sources / "tkm_env/__init__.py"
            text, count = re.subn(
                r'(?m)^__version__ = ".*"$', f'__version__ = "{version}"', stated.read_text("utf-8")
            )
            assert count == 1
            stated.write_text(text, "utf-8")
            if version == LATER:
                versions = sources / "tkm_env/arena/league/migrations/versions"
                last = max(
                    int(path.stem.removeprefix("version_")) for path in versions.glob("*.py")
                )
                migration = MIGRATION.format(last=last, next=last + 1)
                (versions / f"version_{last + 1}.py").write_text(migration, "utf-8")
            archives = build_archives(sources)
            assert [path.name for path in archives] == [
                f"tkm_env-{version}-py3-none-any.whl",
                f"tkm_env-{version}.tar.gz",
            ]
            upload = [sys.executable, "-m", "twine", "upload", "--repository-url", index]
            subprocess.run([*upload, "-u", ".", "-p", ".", *archives], check=True)
        return cls(index)

    def environment(self, folder: Path) -> Environment:
        """An empty virtual environment that installs from the index."""
        return Environment(folder, self.index)


class Environment:
    """A virtual environment with its own home, in which nothing is installed but pip."""

    def __init__(self, folder: Path, index: str) -> None:
        self.folder, self.bin = folder, folder / "venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "VIRTUAL_ENV", "XDG_", "NUMBA_", "PIP_EXTRA"))
        }
        self.variables = kept | {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "HOME": str(folder),
            "PIP_INDEX_URL": f"{index}simple/",
            "MPLBACKEND": "agg",
        }

    def run(self, command: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        """Run a line of shell, which must end with a status."""
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            timeout=1200,
        )
        assert done.returncode == status, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        return done

    def interrupt(self, command: str, games: Path, after: int) -> None:
        """Kill a command, and everything it has started, after that many lines of a file."""
        with subprocess.Popen(
            ["bash", "-c", command], cwd=self.folder, env=self.variables, start_new_session=True
        ) as process:
            try:
                until = time.monotonic() + 300
                while not games.exists() or games.read_bytes().count(b"\n") < after:
                    assert process.poll() is None, "it has ended by itself"
                    assert time.monotonic() < until, f"fewer than {after} games in 300 s"
                    time.sleep(0.02)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Release]:
    place = tmp_path_factory.mktemp("release")
    (place / "index").mkdir()
    with serve_index(place / "index") as index:
        yield Release.upload(index, place)


def games_of(league: Path) -> list[tuple[int, list[str]]]:
    """The games of a league's first season, by their seeds."""
    lines = (league / "games/season-1.jsonl").read_text("utf-8").splitlines()
    return sorted((record["seed"], record["actions"]) for record in map(json.loads, lines))


def marks_of(grades: Path) -> dict[str, str]:
    with (grades / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["submission"]: row["points"] for row in csv.DictReader(file)}


def test_a_league_and_a_course_go_on_after_an_upgrade_and_a_downgrade_is_refused(
    release: Release, tmp_path: Path
) -> None:
    environment = release.environment(tmp_path)
    environment.run(f"pip install --quiet 'tkm_env[league]=={EARLIER}'")
    assert environment.run("tkm --version").stdout == f"tkm_env {EARLIER}\n"
    for league in ("cup", "undisturbed"):
        environment.run(f"tkm league new {league}")
        (tmp_path / league / "league.toml").write_text(LEAGUE, "utf-8")
    environment.run("tkm league token cup ann")
    environment.interrupt(
        "exec tkm league play cup --processes 1", tmp_path / "cup/games/season-1.jsonl", after=5
    )
    interrupted = games_of(tmp_path / "cup")
    environment.run("tkm course new week --no-check --seed 12345")
    for student, handed_in in {"ada": "staff/solution", "bob": "student"}.items():
        shutil.copytree(tmp_path / "week" / handed_in, tmp_path / "class" / student)
    specification = tmp_path / "week/staff/grading.toml"
    start, question, *_ = specification.read_text("utf-8").split("[[questions]]")
    specification.write_text(f"{start}[[questions]]{question}", "utf-8")
    grade = "tkm course grade-all class --spec week/staff/grading.toml"
    environment.run(grade)
    before = marks_of(tmp_path / "grades")
    assert len({*before.values()}) == 2

    environment.run("pip install --quiet --upgrade tkm_env")
    assert environment.run("tkm --version").stdout == f"tkm_env {LATER}\n"
    environment.run("tkm league play cup --once --processes 1")
    environment.run("tkm league play undisturbed --once --processes 1")
    assert len(interrupted) < len(games_of(tmp_path / "cup"))
    assert games_of(tmp_path / "cup") == games_of(tmp_path / "undisturbed")
    assert "ann" in environment.run("tkm league people cup").stdout
    environment.run(grade)
    assert marks_of(tmp_path / "grades") == before

    environment.run(f"pip install --quiet tkm_env=={EARLIER}")
    kept = (tmp_path / "cup/league.sqlite").read_bytes()
    refused = environment.run("tkm league play cup --once", status=2)
    assert "tkm_env league database" in refused.stderr
    assert (tmp_path / "cup/league.sqlite").read_bytes() == kept


def test_what_is_installed_by_name_is_what_its_page_says(release: Release, tmp_path: Path) -> None:
    environment = release.environment(tmp_path)
    environment.run("pip install --quiet 'tkm_env[arena,play]'")
    metadata = environment.run(
        "python -c 'from importlib.metadata import distribution as d; "
        'print(d("tkm_env").read_text("METADATA"))\''
    ).stdout
    page = message_from_string(metadata).get_payload()
    assert isinstance(page, str)
    (tmp_path / "page.md").write_text(page, "utf-8")
    smoke = ROOT / "tests/package/installed/smoke.py"
    (tmp_path / "empty").mkdir()
    environment.run(f"python {smoke} page.md empty")


def test_the_notebooks_of_the_tutorials_run_and_the_first_installs_by_name(
    release: Release, tmp_path: Path
) -> None:
    write = [sys.executable, str(ROOT / "docs/notebooks.py"), str(tmp_path)]
    written = subprocess.run(write, check=True, capture_output=True, text=True).stdout.splitlines()
    environment = release.environment(tmp_path)
    environment.run("pip install --quiet ipython")  # as Colab and Kaggle have it
    for notebook in written:
        environment.run(f"python {ROOT / 'tests/notebooks.py'} {notebook}")
    assert environment.run("tkm --version").stdout == f"tkm_env {LATER}\n"
