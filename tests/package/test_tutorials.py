"""The notebooks of tutorials, as the site offers them, begin with an installation and run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import MadeOnce
from tests.site import outside_environment

pytest.importorskip("sphinx_gallery", reason="needs the extra [docs]")

ROOT = Path(__file__).parents[2]
NAMES = [
    path.stem.removeprefix("plot_")
    for path in sorted((ROOT / "examples/tutorials").glob("plot_*.py"))
]


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_of_a_tutorial_installs_and_runs(name: str, made_once: MadeOnce) -> None:
    write = [sys.executable, ROOT / "docs/notebooks.py"]
    path = made_once("notebooks", lambda folder: subprocess.run([*write, folder], check=True))
    notebook = path / f"{name}.ipynb"
    first = json.loads(notebook.read_text("utf-8"))["cells"][0]
    assert "%pip install" in "".join(first["source"])
    environment = outside_environment() | {"MPLBACKEND": "agg"}
    command = [sys.executable, "-m", "tests.notebooks", str(notebook)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
