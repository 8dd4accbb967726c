"""What the project says of itself agrees with the package."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nox
import pytest
import rattler_build
import yaml
from packaging.version import Version

import tkm_env

ROOT = Path(__file__).parents[2]
#: The cards of data sets and networks.
CARDS = sorted(path for path in (ROOT / "packaging/cards").glob("*.md") if path.name != "README.md")


def releases() -> list[tuple[str, str]]:
    """The versions and dates of the releases in the changelog, as they stand there."""
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    found = re.findall(r"^## \[(\S+)\] - (\d{4}-\d\d-\d\d)$", text, re.MULTILINE)
    headings = re.findall(r"^## .*$", text, re.MULTILINE)
    assert headings == ["## [Unreleased]", *(f"## [{version}] - {day}" for version, day in found)]
    return found


def cited() -> tuple[str, str]:
    """The version that the citation names, and its date."""
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    return citation["version"], str(citation["date-released"])


def test_the_changelog_lists_the_newest_release_first() -> None:
    versions = [Version(version) for version, _ in releases()]
    assert versions == sorted({*versions}, reverse=True)


def test_all_citations_name_the_newest_release() -> None:
    described = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    assert (described["version"], described["datePublished"]) == cited()
    page = (ROOT / "docs/citing.md").read_text("utf-8")
    version, day = cited()
    assert f"version = {{{version}}}" in page
    assert f"year    = {{{day[:4]}}}" in page
    assert releases()[0] == cited()


def test_the_package_is_the_newest_release_or_leads_to_a_later_one() -> None:
    here, newest = Version(tkm_env.__version__), Version(cited()[0])
    assert here == newest or (here.is_devrelease and here > newest)


def test_the_package_is_called_stable_from_1_0_on() -> None:
    is_stable = Version(cited()[0]).major >= 1
    classifiers = nox.project.load_toml(ROOT / "pyproject.toml")["project"]["classifiers"]
    status = "5 - Production/Stable" if is_stable else "4 - Beta"
    assert f"Development Status :: {status}" in classifiers
    promises = (ROOT / "docs/stability.md").read_text("utf-8")
    assert ("Until 1.0 a minor version may change" in promises) != is_stable


def test_each_release_but_patches_has_its_stored_forms() -> None:
    folders = {path.name for path in (ROOT / "tests/data/stored_forms").iterdir()}
    assert {version for version, _ in releases() if Version(version).micro == 0} <= folders
    unfinished = {name for name in folders if Version(name).is_devrelease}
    assert unfinished <= {tkm_env.__version__}


def test_both_descriptions_of_the_software_agree() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    described = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    assert described["@context"] == "https://w3id.org/codemeta/3.0"
    assert described["name"] == citation["title"]
    assert described["license"] == f"https://spdx.org/licenses/{citation['license']}"
    assert described["description"] == citation["abstract"]
    assert described["keywords"] == citation["keywords"]
    assert [author["name"] for author in described["author"]] == [
        author["name"] for author in citation["authors"]
    ]
    assert described["softwareRequirements"] == [*requirements()]
    assert described["runtimePlatform"] == f"Python {pythons()[0]} or newer"


def requirements() -> dict[str, str]:
    """The lowest versions of what the package needs, by name."""
    project = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
    pairs = [line.partition(";")[0].split(">=") for line in project["dependencies"]]
    return {name.strip(): version.strip() for name, version in pairs}


def test_the_conda_recipe_is_valid_and_needs_what_the_package_needs() -> None:
    path = ROOT / "packaging/conda/recipe.yaml"
    project = nox.project.load_toml(ROOT / "pyproject.toml")["project"]
    recipe = rattler_build.Stage0Recipe.from_file(path)
    (rendered,) = recipe.render(rattler_build.VariantConfig())
    assert rendered.recipe.package.version == cited()[0]
    written = recipe.to_dict()
    assert written["context"]["python_min"] == pythons()[0]
    assert written["requirements"]["run"][1:] == [
        f"{name} >={version}" for name, version in requirements().items()
    ]
    assert written["about"]["summary"] == project["description"]
    scripts = [f"{name} = {target}" for name, target in project["scripts"].items()]
    assert written["build"]["python"]["entry_points"] == scripts


def test_entries_of_lists_name_the_versions_of_libraries_that_the_package_needs() -> None:
    entries = (ROOT / "packaging/lists.md").read_text("utf-8")
    stated = re.findall(r"badge/(\w+)-%E2%89%A5([\d.]+)-blue", entries)
    needed = requirements()
    assert stated == [(name, needed[name.lower()]) for name in ("Gymnasium", "PettingZoo")]


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.stem)
def test_a_card_has_what_the_hub_shows_and_says_what_readers_ask(path: Path) -> None:
    _, head, text = path.read_text("utf-8").split("---\n", 2)
    fields = yaml.safe_load(head)
    assert fields["license"] == "mit"
    assert fields["language"] == ["en"]
    assert fields["tags"]
    if path.stem == "networks":
        assert (fields["library_name"], fields["pipeline_tag"]) == (
            "tkm_env",
            "reinforcement-learning",
        )
    else:
        assert fields["pretty_name"]
        assert fields["task_categories"]
        assert fields["configs"][0]["data_files"]
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert {"How they were made", "Limits", "Citation and licence"} <= {*headings}


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
    release = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))
    steps = [step for job in (*jobs.values(), *release["jobs"].values()) for step in job["steps"]]
    lines = [step.get("run", "") for step in steps]
    asked = [
        re.sub(r"\$\{\{.*?\}\}", "", line).partition("--session ")[2].partition(" -- ")[0]
        for line in lines
    ]
    used = {name for line in asked for name in re.findall(r"[a-z_]+", line)}
    assert used | {*jobs["tests"]["strategy"]["matrix"]["dependencies"]} <= sessions
