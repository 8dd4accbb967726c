"""The notebooks of tutorials, as the site offers them, begin with an installation and run."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from tests.site import outside_environment

pytest.importorskip("sphinx_gallery", reason="needs the extra [docs]")

from sphinx_gallery.gen_gallery import DEFAULT_GALLERY_CONF
from sphinx_gallery.notebook import jupyter_notebook
from sphinx_gallery.py_source_parser import split_code_and_text_blocks

ROOT = Path(__file__).parents[2]


@pytest.mark.nightly
@pytest.mark.parametrize("tutorial", sorted((ROOT / "examples/tutorials").glob("plot_*.py")))
def test_the_notebook_of_a_tutorial_installs_and_runs(
    tutorial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "docs")
    conf = DEFAULT_GALLERY_CONF | runpy.run_path(str(ROOT / "docs/conf.py"))["sphinx_gallery_conf"]
    _, blocks = split_code_and_text_blocks(str(tutorial))
    notebook = jupyter_notebook(blocks, conf, str(tmp_path))
    assert "%pip install" in "".join(notebook["cells"][0]["source"])
    path = tmp_path / f"{tutorial.stem}.ipynb"
    path.write_text(json.dumps(notebook), "utf-8")
    environment = outside_environment() | {"MPLBACKEND": "agg"}
    command = [sys.executable, "-m", "tests.notebooks", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=environment)
    assert done.returncode == 0, (done.stdout[-2000:], done.stderr[-2000:])
