"""Run one row of the table of RL libraries: ``python benchmarks/libraries.py TorchRL``.

The library must be installed. First come the row's tests, of which none may fail or be skipped,
then its example with its own settings. The outcome, with versions and the score, goes into
``docs/libraries.json``, from which ``python docs/generate.py`` writes ``docs/libraries.md``.
``nox -s libraries`` does all of this for every row, each in an environment of its own.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.figures import ROOT, Figures

DOCS = ROOT / "docs"


def tests_passed(paths: list[str]) -> int:
    """How many tests there are, all of which passed; otherwise the program ends."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        tests = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-m", "", f"--junitxml={report}", *paths],
            cwd=ROOT,
        )
        if tests.returncode:
            sys.exit(tests.returncode)
        suite = ElementTree.parse(report).getroot()[0]  # noqa: S314 pytest's own words
    if int(suite.attrib["skipped"]):
        sys.exit(
            f"{suite.attrib['skipped']} tests were skipped, which proves nothing: "
            "install what they need"
        )
    return int(suite.attrib["tests"])


def score_of(example: str) -> str:
    """What the example prints of its score, of which it also prints the rest."""
    command = [sys.executable, ROOT / "examples/libraries" / example]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    print(output, end="")
    told = re.search(r"^\w+ against .*", output, re.MULTILINE)
    assert told is not None
    score = re.search(r"^  score +(.*), 95% interval$", output, re.MULTILINE)
    return told[0] if score is None else f"{told[0].partition(' games')[0]} games, {score[1]}"


def main() -> None:
    rows = {
        row["name"]: row
        for row in tomllib.loads((DOCS / "libraries.toml").read_text("utf-8"))["library"]
    }
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", choices=rows)
    row = rows[parser.parse_args().library]
    measured = {row["name"]: Figures().now("libraries", row["name"])}
    example = "test_the_example_learns_and_prints_a_score"
    passed = tests_passed(
        [*row["tests"], f"tests/package/libraries/test_examples.py::{example}[{row['name']}]"]
    )
    score = score_of(row["example"].split()[0])

    figures = DOCS / "libraries.json"
    seen: dict[str, Any] = json.loads(figures.read_text("utf-8")) if figures.exists() else {}
    installed = sum(path.lstat().st_size for path in Path(sysconfig.get_path("purelib")).rglob("*"))
    seen[row["name"]] = {
        "versions": {package: importlib.metadata.version(package) for package in row["packages"]},
        "python": platform.python_version(),
        "passed": passed,
        "score": score,
        "megabytes": round(installed / 2**20),
    }
    figures.write_text(
        json.dumps({name: seen[name] for name in rows if name in seen}, indent=1) + "\n", "utf-8"
    )
    Figures().keep("libraries", measured)
    print(f"wrote {figures}; now run: python docs/generate.py")


if __name__ == "__main__":
    main()
