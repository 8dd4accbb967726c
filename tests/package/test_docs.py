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

import pytest

from tkm_env import evaluation, players

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
#: All pages, without those that builds of the site leave in `docs/tutorials`.
DOCUMENTS = sorted(
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *DOCS.glob("*.md"),
        *(path for path in DOCS.glob("*/*.md") if path.parent.name != "tutorials"),
    ]
)
#: The pages that the site makes of the tutorials.
GALLERY = {
    DOCS / "tutorials" / f"{path.stem}.rst" for path in (ROOT / "examples/tutorials").glob("*.py")
}
#: Guides to the inside of the package; all others are for its users.
GUIDES = ("CONTRIBUTING.md", "adding-a-game.md")


def test_tables_of_documents_are_not_stale() -> None:
    result = subprocess.run(
        [sys.executable, DOCS / "generate.py", "--check"], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_blocks_of_documents_are_well_formed() -> None:
    """Each begins and ends; values stand within a line, which would be HTML otherwise."""
    for document in DOCUMENTS:
        text = document.read_text("utf-8")
        begun, ended = (
            len(re.findall(marker, text))
            for marker in ("<!-- (?:table|text|value): ", "<!-- end -->")
        )
        assert begun == ended, document.name
        assert not re.search(r"^\s*<!-- value: ", text, re.MULTILINE), document.name


def test_links_lead_to_files() -> None:
    links = [
        (document, target)
        for document in DOCUMENTS
        for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8"))
    ]
    places = [(document, target, document.parent / target) for document, target in links]
    broken = [
        (document.name, target)
        for document, target, place in places
        if not (place.exists() or place.resolve() in GALLERY)
    ]
    assert not broken


def test_users_are_sent_to_public_names_only() -> None:
    public = {
        f"{module.__name__}.{name}" for module in (players, evaluation) for name in module.__all__
    }
    public.add("tkm_env.play.notebook")
    inside = re.compile(
        r"\btkm_env\.(?:arena|cli|compiled|core|evaluation|foundations|games|isolation|"
        r"play|players|render|web)\.\w+"
    )
    for document in DOCUMENTS:
        if document.name not in GUIDES and document.parent.name != "api":
            assert {*inside.findall(document.read_text("utf-8"))} <= public, document.name


#: Runs each of several programs, in one process and as if it were alone in it.
RUN = """
import json, sys

for name, program in json.load(sys.stdin):
    print(name, flush=True)
    exec(compile(program, program, "exec"), {"__name__": "__main__"})
"""
#: Libraries that programs need, if they name them.
LIBRARIES = ("sb3_contrib", "pyspiel", "jax", "cupy", "ray", "supersuit")


@pytest.mark.parametrize("part", ["readme", pytest.param("others", marks=pytest.mark.slow)])
def test_python_in_documents_runs(part: str, tmp_path: Path) -> None:
    missing = [name for name in LIBRARIES if find_spec(name) is None]
    programs = [
        (document.name, program)
        for document in DOCUMENTS
        if (document.name == "README.md") is (part == "readme")
        for program in re.findall(r"```python\n(.*?)```", document.read_text("utf-8"), re.DOTALL)
        if not any(re.search(rf"\b{name}\b", program) for name in missing)
    ]
    result = subprocess.run(
        [sys.executable, "-c", RUN],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stdout[-500:] + result.stderr


#: Options that make a command of the newcomer's page short.
SHORT = {
    "train": "--games 40 --round-games 20 --rating-games 4 --width 8 --narrow 4",
    "match": "--games 4 --processes 1",
}


@pytest.mark.slow
def test_the_newcomers_page_ends_with_a_rating(tmp_path: Path) -> None:
    page = (DOCS / "from-nothing.md").read_text("utf-8").partition("## Train")[2]
    commands = re.findall(
        r"^tkm (\w+) (.*)$", "".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL)), re.MULTILINE
    )
    assert [name for name, _ in commands] == [
        "train",
        "match",
        "match",
        "match",
        "rating",
        "report",
    ]
    # A folder and a home of its own, and nothing of this project but what is installed.
    environment = {
        name: value for name, value in os.environ.items() if name in ("PATH", "NUMBA_CACHE_DIR")
    } | {"HOME": str(tmp_path)}
    printed = {}
    for name, arguments in commands:
        command = [
            sys.executable,
            "-m",
            "tkm_env",
            name,
            *shlex.split(arguments),
            *shlex.split(SHORT.get(name, "")),
        ]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, f"tkm {name} {arguments}: {done.stderr}"
        printed[name] = done.stdout
    assert re.search(r"^ *\d+ +net:file=mine\.npz +-?\d+ ±\d+ ", printed["rating"], re.M), printed[
        "rating"
    ]
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_quickstart_plays_every_chapter_and_evaluates() -> None:
    command = [sys.executable, ROOT / "examples/quickstart.py", "--games", "2", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for chapters in ("standard", "growth", "influence", "memory", "convergence"):
        assert re.search(rf"^{chapters}: .*won", output, re.MULTILINE), output
    assert re.search(r"^first_legal against random: 100 games, ", output, re.MULTILINE), output
