"""Documents agree with the package."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_generated_documents_are_not_stale() -> None:
    result = subprocess.run([sys.executable, ROOT / "docs/generate.py", "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("document", sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]), ids=lambda path: path.name)
def test_links_lead_to_files(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", document.read_text("utf-8")):
        assert (document.parent / target).exists(), f"{document.name} links to {target}"


@pytest.mark.parametrize("number", range(2))
def test_python_in_the_readme_runs(number: int) -> None:
    programs = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    subprocess.run([sys.executable, "-c", programs[number]], check=True, capture_output=True)


def test_quickstart_plays_every_chapter() -> None:
    command = [sys.executable, ROOT / "examples/quickstart.py", "--games", "2", "--quiet"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    for chapters in ("standard", "growth", "influence", "memory", "convergence"):
        assert re.search(rf"^{chapters}: .*won", output, re.MULTILINE), output
