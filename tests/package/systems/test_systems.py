"""The rows of the table in docs/systems.md, tested while what macOS or Windows lacks is hidden."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.package.systems.features import FEATURES, REFUSED

ROOT = Path(__file__).parents[3]
TABLE = tomllib.loads((ROOT / "docs/systems.toml").read_text("utf-8"))
ROWS = {row["feature"]: row for row in TABLE["row"]}
SYSTEMS = ("macos", "windows")
#: What is run more often than at night.
TELLING = {"matches": [], "commands": [pytest.mark.slow], "limits_of_programs": [pytest.mark.slow]}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

BEGIN = (
    "import sys; sys.path.insert(0, {here!r}); import other_system; sys.path.pop(0); "
    "other_system.look_like({system!r})\n"
)
#: Python for what the package starts by itself, as a file and without looking for `sitecustomize`.
PYTHON = """#!/bin/sh
if [ "$1" = -I ]; then
  shift 2
  exec '{python}' -I -S -c '{begin}import runpy; sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")' "$@"
fi
exec '{python}' "$@"
"""
#: Systems without /proc are asked by this program for a player's processes.
PS = pytest.mark.skipif(not os.path.exists("/bin/ps"), reason="needs the program ps")


def marks(system: str, name: str) -> list[pytest.MarkDecorator]:
    """Most wait for the night; on macOS, what Windows refuses are programs as players."""
    needs_ps = system == "macos" and "windows" in ROWS[name].get("refused", ())
    return [PS] * needs_ps + TELLING.get(name, [pytest.mark.nightly])


CASES = [
    pytest.param(system, name, marks=marks(system, name), id=f"{system}-{name}")
    for system in SYSTEMS
    for name in FEATURES
]


def start(folder: Path, system: str) -> dict[str, str]:
    """The variables with which a Python begins as on that system."""
    begin = BEGIN.format(here=str(Path(__file__).parent), system=system)
    (folder / "start").mkdir()
    (folder / "start/sitecustomize.py").write_text(begin, "utf-8")
    python = folder / "start/python"
    python.write_text(PYTHON.format(python=sys.executable, begin=begin.replace("'", '"')), "utf-8")
    python.chmod(0o755)
    paths = os.pathsep.join((str(folder / "start"), str(ROOT)))
    return os.environ | {"PYTHONPATH": paths, "TKM_OTHER_PYTHON": str(python)}


def test_the_table_has_every_feature_that_is_tried() -> None:
    assert {*ROWS} == {*FEATURES}
    assert {system for row in ROWS.values() for system in row.get("refused", ())} <= {*SYSTEMS}


@pytest.mark.parametrize(("system", "name"), CASES)
def test_a_feature_works_or_is_refused_in_a_sentence_as_the_table_says(
    system: str, name: str, tmp_path: Path
) -> None:
    place = tmp_path / "here"
    place.mkdir()
    command = [sys.executable, "-m", "tests.package.systems.features", name]
    done = subprocess.run(
        command, cwd=place, env=start(tmp_path, system), capture_output=True, text=True
    )
    if system not in ROWS[name].get("refused", ()):
        assert done.returncode == 0, done.stdout + done.stderr
        return
    assert done.returncode == REFUSED, done.stdout + done.stderr
    (said,) = done.stdout.splitlines()
    assert TABLE["refusals"][system] in said
    assert "Error: " in said
    assert "Traceback" not in done.stderr
