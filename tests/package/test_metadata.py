"""What the project says of itself agrees with the package."""

from __future__ import annotations

import re
from pathlib import Path

import nox
import yaml

import tkm_env

ROOT = Path(__file__).parents[2]


def test_citations_name_the_version_of_the_package() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == tkm_env.__version__
    assert f"version = {{{tkm_env.__version__}}}" in (ROOT / "docs/citing.md").read_text("utf-8")


def pythons() -> list[str]:
    """The versions that the classifiers promise, oldest first: the one list of them."""
    return nox.project.python_versions(nox.project.load_toml(ROOT / "pyproject.toml"))


def test_everything_that_names_a_range_of_pythons_names_that_of_the_classifiers() -> None:
    oldest, newest = pythons()[0], pythons()[-1]
    patterns = (
        "*.md",
        "*.toml",
        "docs/**/*.md",
        "docs/**/*.toml",
        "examples/**/*.md",
        "examples/**/*.toml",
        "tkm_env/**/*.jinja",
    )
    paths = {path for pattern in patterns for path in ROOT.glob(pattern)} - {ROOT / "CHANGELOG.md"}
    texts = {path.relative_to(ROOT): path.read_text("utf-8") for path in paths}
    stated = {
        r"\bPython (3\.\d+) or (?:newer|later)": oldest,
        r"\bPythons? (?:from )?(3\.\d+) to 3\.\d+": oldest,
        r"\bPythons? (?:from )?3\.\d+ to (3\.\d+)": newest,
        r"(?m)^requires-python = \">=(3\.\d+)\"$": oldest,
        r"(?m)^python_version = \"(3\.\d+)\"$": oldest,
        r"(?m)^target-version = \"py(3\d+)\"$": oldest.replace(".", ""),
    }
    for pattern, version in stated.items():
        found = {
            (path, given) for path, text in texts.items() for given in re.findall(pattern, text)
        }
        assert found, pattern
        assert {given for _, given in found} == {version}, found


def test_the_workflow_tests_each_promised_python_and_runs_sessions_that_there_are() -> None:
    workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text("utf-8"))
    jobs = workflow["jobs"]
    assert jobs["tests"]["strategy"]["matrix"]["python"] == pythons()
    assert jobs["nightly"]["strategy"]["matrix"]["python"] == [pythons()[0], pythons()[-1]]
    sessions = {
        *re.findall(r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE)
    }
    lines = [step.get("run", "") for job in jobs.values() for step in job["steps"]]
    asked = [
        re.sub(r"\$\{\{.*?\}\}", "", line).partition("--session ")[2].partition(" -- ")[0]
        for line in lines
    ]
    used = {name for line in asked for name in re.findall(r"[a-z_]+", line)}
    assert used | {*jobs["tests"]["strategy"]["matrix"]["dependencies"]} <= sessions
