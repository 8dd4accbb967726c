"""What users install works: from a wheel, outside the source tree.

The environment has what the extras name and no more.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

import tkm_env
from tests.cases import MadeOnce
from tkm_env.compiled.decorators import cache_place
from tkm_env.foundations.errors import how_to_install

ROOT = Path(__file__).parents[3]
pytestmark = pytest.mark.slow

#: Run when Python starts: hides the libraries that no wanted extra brings.
HIDING = """
import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {hidden!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Hidden())
"""


def libraries_of(*extras: str) -> set[str]:
    """The modules that these extras bring, as far as they are named like their distributions."""
    table = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    names = {re.split(r"[^\w.-]", line)[0] for extra in extras for line in table[extra]}
    return {
        {"pillow": "PIL", "pygame-ce": "pygame"}.get(name, name.replace("-", "_")) for name in names
    }


class Installed:
    """A fresh environment with the wheel, and the libraries of the tests' environment."""

    def __init__(self, folder: Path, wheel: Path) -> None:
        self.folder, self.wheel, self.bin = folder, wheel, folder / "venv" / "bin"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
        version = f"python{sys.version_info.major}.{sys.version_info.minor}"
        self._site = folder / "venv" / "lib" / version / "site-packages"
        install = [
            sys.executable,
            "-m",
            "pip",
            "--python",
            self.bin / "python",
            "install",
            "--quiet",
            "--no-deps",
            "--no-index",
            wheel,
        ]
        subprocess.run(install, check=True)
        # Not named `sitecustomize`: Debian's Python has one, which is found first.
        (self._site / "libraries.pth").write_text(
            f"{sysconfig.get_path('purelib')}\nimport hiding\n"
        )

    def run(
        self, command: str, *extras: str, seconds: float = 300
    ) -> subprocess.CompletedProcess[str]:
        """Run a line of shell with the default dependencies and these extras."""
        hidden = libraries_of("arena", "play", "render", "notebook") - libraries_of(*extras)
        (self._site / "hiding.py").write_text(HIDING.format(hidden=hidden))
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "VIRTUAL_ENV"))
        }
        environment |= {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "NUMBA_CACHE_DIR": cache_place() or "",
            "HOME": str(self.folder),
        }
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=seconds,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(made_once: MadeOnce, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", ROOT]
    built = made_once("wheel", lambda folder: subprocess.run(wheel, cwd=folder, check=True))
    return Installed(tmp_path_factory.mktemp("installed"), next(built.glob("*.whl")))


def test_the_page_of_an_index_needs_nothing_that_is_only_in_a_clone(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as wheel:
        metadata = wheel.read(
            next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        ).decode()
    page = message_from_string(metadata).get_payload()
    assert isinstance(page, str)
    readme = (ROOT / "README.md").read_text("utf-8")
    assert re.findall(r"^#+ .*$", page, re.MULTILINE) == re.findall(
        r"^#+ .*$", readme, re.MULTILINE
    )
    assert not re.findall(r"\]\((?!https?:)|<img|<picture|<source", page), (
        "pictures and links that lead nowhere there"
    )
    assert (ROOT / "docs/board.txt").read_text("utf-8") in page
    assert "    python -m pip install --quiet 'tkm_env[arena,play]'\n" in page
    assert "clone" not in page
    assert "the animation at the top" not in page
    assert "\n\n\n" not in page, "something is missing there"
    for file in re.findall(r"\(`([^`]+)`\)", page):
        assert (ROOT / file).exists(), file


def test_the_command_needs_no_extra(installed: Installed) -> None:
    bare = installed.run("tkm")
    assert (bare.returncode, bare.stderr) == (0, "")
    assert bare.stdout.startswith("Usage: tkm")
    assert installed.run("tkm --version").stdout == f"tkm_env {tkm_env.__version__}\n"
    played = installed.run("tkm match random greedy --games 2")
    assert played.returncode == 0, played.stderr


def test_outside_a_clone_an_error_names_the_extra_as_the_index_has_it(installed: Installed) -> None:
    installed.run("tkm match random greedy --games 2 --save two.jsonl")
    refused = installed.run("tkm rating two.jsonl")
    assert (
        refused.stderr == "Error: scipy is not installed: python -m pip install 'tkm_env[arena]'\n"
    )
    assert (
        how_to_install("arena") == "python -m pip install -e '.[arena]', in the folder of tkm_env"
    )


def test_the_archive_for_an_autograder_needs_no_more_than_it_asks_for(installed: Installed) -> None:
    """The archive's own package grades, with the libraries in its ``requirements.txt``."""
    made = installed.run("tkm course new week --no-check --seed 5", "arena")
    assert made.returncode == 0, made.stderr
    spec = installed.folder / "week/staff/grading.toml"
    head = spec.read_text("utf-8").partition("[[questions]]")[0]
    asked = 'id = "q1"\nkind = "count"\npoints = 2\ndepth = 3\npositions = 1\n'
    spec.write_text(f"{head}[[questions]]\n{asked}", "utf-8")
    bundled = installed.run("tkm course bundle gradescope week -o archive.zip", "arena")
    assert bundled.returncode == 0, bundled.stderr
    with zipfile.ZipFile(installed.folder / "archive.zip") as archive:
        archive.extractall(installed.folder / "source")
    options = "--spec source/grading.toml --isolation process --gradescope results.json"
    graded = installed.run(
        f"PYTHONPATH=source python -m tkm_env course grade week/staff/solution {options}", "arena"
    )
    assert graded.returncode == 0, graded.stderr
    assert json.loads((installed.folder / "results.json").read_text("utf-8"))["score"] == 2
