"""What the project says of itself agrees with the package."""

from __future__ import annotations

import re
from pathlib import Path

import nox
import yaml

import tkm_env

ROOT = Path(__file__).parents[1]


def test_citations_name_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == tkm_env.__version__
    assert f"version = {{{tkm_env.__version__}}}" in (ROOT / "docs/citing.md").read_text("utf-8")


def test_ci_covers_each_python_and_runs_sessions_that_there_are() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    project = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
    pythons = [row.rpartition(" ")[2] for row in project["classifiers"] if re.fullmatch(r".* :: 3\.\d+", row)]
    assert workflow["jobs"]["tests"]["strategy"]["matrix"]["python"] == pythons
    sessions = {*re.findall(r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE)}
    lines = [step.get("run", "") for job in workflow["jobs"].values() for step in job["steps"]]
    used = {name for line in lines for name in re.findall(r'--session "?(\w+)', line)}
    assert used | {*workflow["jobs"]["tests"]["strategy"]["matrix"]["dependencies"]} <= sessions
