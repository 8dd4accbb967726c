"""Documents agree with the package."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tkm_env import agents, arena

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
#: What is written by hand or by `docs/generate.py`, without what builds of the site leave in `docs/tutorials`.
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *DOCS.glob("*.md"),
        *(path for path in DOCS.glob("*/*.md") if path.parent.name != "tutorials"),
    ]
)
#: What the site makes of the tutorials.
GALLERY = {DOCS / "tutorials" / f"{path.stem}.rst" for path in (ROOT / "examples/tutorials").glob("*.py")}
#: Guides to the inside of the package; all others are for its users.
GUIDES = ("CONTRIBUTING.md", "adding-a-game.md")


def test_generated_documents_are_not_stale() -> None:
    result = subprocess.run([sys.executable, ROOT / "docs/generate.py", "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
        place = document.parent / target
        found = place.exists() or place.resolve() in GALLERY
        assert found, f"{document.name} links to {target}"


USERS = [path for path in DOCUMENTS if path.name not in GUIDES and path.parent.name != "api"]


@pytest.mark.parametrize("document", USERS, ids=lambda path: path.name)
def test_users_are_sent_to_public_names_only(document: Path) -> None:
    deep = re.findall(r"\btkm_env\.(?:agents|arena|bench|cli|core|games|play|render)\.\w+", document.read_text("utf-8"))
    assert {*deep} <= {f"{module.__name__}.{name}" for module in (agents, arena) for name in module.__all__}


#: Runs each of several programs, in one process and as if it were alone in it.
RUN = """
import json, sys

for program in json.load(sys.stdin):
    exec(compile(program, program, "exec"), {"__name__": "__main__"})
"""
#: What a program that names it needs, by extra.
LIBRARIES = {"sb3_contrib": "train", "pyspiel": "openspiel"}


def programs() -> list[Any]:
    """The Python programs of each document; the README's are the quick ones to test. The short pages of a folder are one."""
    blocks = re.compile(r"```python\n(.*?)```", re.DOTALL)
    found: dict[str, list[str]] = {}
    for document in DOCUMENTS:
        name = document.name if document.parent in (ROOT, DOCS) else f"docs/{document.parent.name}"
        found.setdefault(name, []).extend(blocks.findall(document.read_text("utf-8")))
    slow = pytest.mark.slow
    return [pytest.param(of_one, id=name, marks=[] if name == "README.md" else slow) for name, of_one in found.items() if of_one]


@pytest.mark.parametrize("programs", programs())
def test_python_in_documents_runs(programs: list[str], tmp_path: Path) -> None:
    missing = {name for name in LIBRARIES if find_spec(name) is None}
    runnable = [program for program in programs if not any(name in program for name in missing)]
    if not runnable:
        pytest.skip(f"needs the extras {', '.join(LIBRARIES[name] for name in missing)}")
    result = subprocess.run([sys.executable, "-c", RUN], input=json.dumps(runnable), capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stderr


#: Options that make a command of the newcomer's page short.
SHORT = {
    "train": "--games 40 --round-games 20 --rating-games 4 --width 8 --narrow 4",
    "match": "--games 4 --processes 1",
}


@pytest.mark.slow
def test_the_newcomers_page_ends_with_a_rating(tmp_path: Path) -> None:
    page = (DOCS / "from-nothing.md").read_text("utf-8").partition("## Train")[2]
    commands = re.findall(r"^tkm (\w+) (.*)$", "".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)), re.MULTILINE)
    assert [name for name, _ in commands] == ["train", "match", "match", "match", "rating", "report"]
    # A folder and a home of its own, and nothing of this project but what is installed.
    environment = {name: value for name, value in os.environ.items() if name in ("PATH", "NUMBA_CACHE_DIR")} | {
        "HOME": str(tmp_path)
    }
    printed = {}
    for name, arguments in commands:
        command = [sys.executable, "-m", "tkm_env", name, *shlex.split(arguments), *shlex.split(SHORT.get(name, ""))]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, f"tkm {name} {arguments}: {done.stderr}"
        printed[name] = done.stdout
    assert re.search(r"^ *net:file=mine\.npz +-?\d+ ±\d+ ", printed["rating"], re.MULTILINE), printed["rating"]
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_quickstart_plays_every_chapter_and_evaluates() -> None:
    command = [sys.executable, ROOT / "examples/quickstart.py", "--games", "2", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for chapters in ("standard", "growth", "influence", "memory", "convergence"):
        assert re.search(rf"^{chapters}: .*won", output, re.MULTILINE), output
    assert re.search(r"^first_legal against random: 100 games, ", output, re.MULTILINE), output
