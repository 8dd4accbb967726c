"""`tkm course similar`: what the tool is asked to compare, and what comes of it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.course.small import HONEST
from tests.course.test_handed_in import put
from tkm_env.cli.root_command import tkm
from tkm_env.course.grading.similarity import compare_submissions
from tkm_env.foundations.errors import ConfigError

#: Writes its arguments into the report, as the tool would write the pairs, if it finds two copies.
TOOL = """#!{python}
import json, sys
from pathlib import Path
out = Path(sys.argv[sys.argv.index("--output") + 1])
out.mkdir(parents=True)
assert sum((Path(word) / "agent.py").is_file() for word in sys.argv) == 3
(out / "index.html").write_text(json.dumps(sys.argv[1:]))
"""
FAILS = "#!/bin/sh\necho 'no such language' >&2\nexit 1\n"


def run(place: Path, tool: str | None, name: str, monkeypatch: pytest.MonkeyPatch) -> Result:
    handed = put(place / "in", {"ann.py": HONEST, "bob/agent.py": HONEST, "eve.zip": b"junk"})
    course = put(
        place / "course", {"staff/solution/agent.py": HONEST, "student/agent.py": "# TODO"}
    )
    programs = place / "bin"
    programs.mkdir()
    (programs / "rm").symlink_to(str(shutil.which("rm")))
    if tool is not None:
        (programs / name).write_text(tool.replace("{python}", sys.executable), "utf-8")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(programs))
    arguments = ["course", "similar", str(handed), str(course), "--out", str(place / "grades")]
    return CliRunner().invoke(tkm, arguments)


@pytest.mark.parametrize("name", ["compare50", "uvx", "pipx"])
def test_every_submission_and_the_solution_are_compared_without_what_was_handed_out(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(tmp_path, TOOL, name, monkeypatch)
    assert result.exit_code == 0, result.output
    assert "eve was not compared: " in result.output
    page = tmp_path / "grades/alike/index.html"
    assert f"wrote {page}" in result.output.replace("\n", "")
    words = json.loads(page.read_text("utf-8"))
    first = {"compare50": 0, "uvx": 1, "pipx": 2}[name]
    assert words[:first] == {"uvx": ["compare50"], "pipx": ["run", "compare50"]}.get(name, [])
    assert [Path(word).name for word in words[first : first + 2]] == ["ann", "bob"]
    assert not any(Path(word).exists() for word in words[first : first + 2]), "copies remain"
    assert words[first + 2 :] == [
        "--archive",
        str(tmp_path / "course/staff/solution"),
        "--distro",
        str(tmp_path / "course/student/agent.py"),
        "--output",
        str(tmp_path / "grades/alike"),
    ]


@pytest.mark.parametrize(
    ("tool", "words"),
    [(None, "it must be installed, or else uv or pipx"), (FAILS, "it failed: no such language")],
)
def test_a_tool_that_is_missing_or_fails_is_named(
    tmp_path: Path, tool: str | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = run(tmp_path, tool, "compare50", monkeypatch)
    assert result.exit_code == 2
    assert words in " ".join(result.output.split())


@pytest.mark.parametrize("handed", ["compared", "alike", "alike/class"])
def test_no_submission_is_lost_to_the_report(tmp_path: Path, handed: str) -> None:
    inside = put(tmp_path / handed, {"ann.py": HONEST, "bob.py": HONEST})
    course = put(tmp_path / "course", {"student/agent.py": "# TODO"})
    command = [sys.executable, "-c", TOOL.partition("\n")[2].replace("== 3", "== 2")]
    if handed == "compared":
        compare_submissions(inside, course, tmp_path, command)
    else:
        with pytest.raises(ConfigError, match="a folder for results alone"):
            compare_submissions(inside, course, tmp_path, command)
    assert {path.name for path in inside.iterdir()} == {"ann.py", "bob.py"}


def test_results_among_the_submissions_are_not_compared(tmp_path: Path) -> None:
    handed = put(
        tmp_path / "in", {"ann.py": HONEST, "bob.py": HONEST, "grades/feedback/agent.py": HONEST}
    )
    course = put(tmp_path / "course", {"student/agent.py": "# TODO"})
    command = [sys.executable, "-c", TOOL.partition("\n")[2].replace("== 3", "== 2")]
    page, problems = compare_submissions(handed, course, handed / "grades", command)
    assert (page, problems) == (handed / "grades/alike/index.html", {})
