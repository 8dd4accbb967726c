"""Documents agree with the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tkm_env import agents, arena

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
#: Guides to the inside of the package; all others are for its users.
GUIDES = ("CONTRIBUTING.md", "adding-a-game.md")


def test_generated_documents_are_not_stale() -> None:
    result = subprocess.run([sys.executable, ROOT / "docs/generate.py", "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.parametrize("document", [path for path in DOCUMENTS if path.name not in GUIDES], ids=lambda path: path.name)
def test_users_are_sent_to_public_names_only(document: Path) -> None:
    deep = re.findall(r"\btkm_env\.(?:agents|arena|bench|cli|core|games|play|render)\.\w+", document.read_text("utf-8"))
    assert {*deep} <= {f"{module.__name__}.{name}" for module in (agents, arena) for name in module.__all__}


def programs() -> list[Any]:
    """The Python programs in the documents; the README's are the quick ones to test."""
    blocks = re.compile(r"```python\n(.*?)```", re.DOTALL)
    return [
        pytest.param(document.name, program, marks=[] if document.name == "README.md" else pytest.mark.slow)
        for document in DOCUMENTS
        for program in blocks.findall(document.read_text("utf-8"))
    ]


@pytest.mark.parametrize(("document", "program"), programs())
def test_python_in_documents_runs(document: str, program: str, tmp_path: Path) -> None:
    if "sb3_contrib" in program:
        pytest.importorskip("sb3_contrib", reason="needs the extra [train]")
    if "pyspiel" in program:
        pytest.importorskip("pyspiel", reason="needs the extra [openspiel]")
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, f"{document}: {result.stderr}"


def test_quickstart_plays_every_chapter_and_evaluates() -> None:
    command = [sys.executable, ROOT / "examples/quickstart.py", "--games", "2", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for chapters in ("standard", "growth", "influence", "memory", "convergence"):
        assert re.search(rf"^{chapters}: .*won", output, re.MULTILINE), output
    assert re.search(r"^first_legal against random: 100 games, ", output, re.MULTILINE), output
