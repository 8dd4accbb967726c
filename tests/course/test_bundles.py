"""Archives: students get no files of the staff, and autograders follow their platforms' formats."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tests.course.small import HONEST, python
from tkm_env.compiled.decorators import cache_place
from tkm_env.core.registry import game_spec
from tkm_env.course.bundles import write_bundle
from tkm_env.course.grading.autograder_formats import gradescope
from tkm_env.course.questions.marks import Finding, Grade, Mark
from tkm_env.course.scaffold import write_assignment
from tkm_env.foundations.errors import FileError

#: Gradescope's specification, "Autograder Specifications": the fields of results.json, of a test,
#: of a row of the leaderboard.
RESULTS = {
    "score": (int, float),
    "execution_time": int,
    "output": str,
    "output_format": str,
    "test_output_format": str,
    "test_name_format": str,
    "visibility": str,
    "stdout_visibility": str,
    "extra_data": dict,
    "tests": list,
    "leaderboard": list,
}
TEST = {
    "score": (int, float),
    "max_score": (int, float),
    "status": str,
    "name": str,
    "name_format": str,
    "number": str,
    "output": str,
    "output_format": str,
    "tags": list,
    "visibility": str,
    "extra_data": dict,
}
ROW = {"name": str, "value": (int, float), "order": str}
FORMATS = {"text", "simple_format", "html", "md", "ansi"}
SEEN = {"hidden", "after_due_date", "after_published", "visible"}

MARKS = (
    Mark("q1", "Counting", "count", 2, 2, "4 of 4 positions right", "visible", None, 1.0, 1.5),
    Mark(
        "q2",
        "A match",
        "match",
        5.5,
        2.75,
        "8 of 10 points",
        "visible",
        None,
        0.4,
        9.25,
        (Finding("lost", ("here",)),),
    ),
    Mark(
        "q3", "Secret", "minimax", 3, 0, "no answer in time", "after_due_date", "timeout", 0.0, 60.0
    ),
)
GRADE = Grade("Search", "tkm", "ann", "ruby owl 7", MARKS, 3, 10.5)


def check_fields(content: dict[str, Any], fields: dict[str, Any]) -> None:
    for name, value in content.items():
        assert name in fields, f"there is no field {name}"
        assert isinstance(value, fields[name]), f"{name} is {value!r}"
        assert not isinstance(value, bool)


def check_results(content: dict[str, Any]) -> None:
    """That it is a results.json, field by field."""
    check_fields(content, RESULTS)
    assert content["output_format"] in FORMATS
    assert {content["visibility"], content["stdout_visibility"]} <= SEEN
    for test in content["tests"]:
        check_fields(test, TEST)
        assert test["status"] in {"passed", "failed"}
        assert test["visibility"] in SEEN
        assert {test["name_format"], test["output_format"]} <= FORMATS
        assert 0 <= test["score"] <= test["max_score"]
    for row in content["leaderboard"]:
        check_fields(row, ROW)
        assert row["order"] in {"asc", "desc"}


def test_results_for_gradescope_follow_its_specification() -> None:
    content = json.loads(json.dumps(gradescope(GRADE)))
    check_results(content)
    assert content["score"] == 4.75
    assert [test["visibility"] for test in content["tests"]] == [
        "visible",
        "visible",
        "after_due_date",
    ]
    assert [test["status"] for test in content["tests"]] == ["passed", "failed", "failed"]
    assert "ann" not in json.dumps(content), "names are not for the leaderboard"
    assert content["leaderboard"][0] == {"name": "Points", "value": 4.75, "order": "desc"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An assignment whose staff's file has one cheap question."""
    place = tmp_path_factory.mktemp("course") / "search"
    spec = game_spec("tkm")
    write_assignment(place, spec, spec.config({}), seed=123456789)
    path = place / "staff/grading.toml"
    head = path.read_text("utf-8").partition("[[questions]]")[0]
    path.write_text(
        f'{head}[[questions]]\nid = "q1"\nkind = "count"\npoints = 2\ndepth = 3\npositions = 1\n',
        "utf-8",
    )
    return place


def test_students_get_nothing_of_the_staffs(folder: Path, tmp_path: Path) -> None:
    write_bundle("zip", folder, tmp_path / "student.zip")
    secrets = [path.read_bytes() for path in (folder / "staff").rglob("*") if path.is_file()]
    with zipfile.ZipFile(tmp_path / "student.zip") as archive:
        names = archive.namelist()
        contents = [archive.read(name) for name in names]
    assert {name.split("/")[0] for name in names} == {"student", "public_tests"}
    assert {"student/agent.py", "student/README.md", "public_tests/grading.toml"} <= {*names}
    assert not [name for name, content in zip(names, contents, strict=True) if content in secrets]
    assert not [
        name for name, content in zip(names, contents, strict=True) if b"123456789" in content
    ], "the seed that counts"


def test_a_link_in_what_students_get_is_refused(folder: Path, tmp_path: Path) -> None:
    link = folder / "student" / "hint.py"
    link.symlink_to(folder / "staff/solution/agent.py")
    try:
        with pytest.raises(FileError, match=r"hint\.py: it is a link"):
            write_bundle("zip", folder, tmp_path / "student.zip")
    finally:
        link.unlink()


def test_equal_files_give_equal_archives(folder: Path, tmp_path: Path) -> None:
    for name in ("one.zip", "two.zip"):
        write_bundle("zip", folder, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def unpacked(archive: Path, place: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        for entry in file.infolist():
            path = Path(file.extract(entry, place))
            path.chmod(entry.external_attr >> 16 & 0o777)


def machine_code(cache: Path) -> set[str]:
    return {path.name for path in cache.rglob("*.nbc")}


def environment(**more: str) -> dict[str, str]:
    """The environment of an image, without this repository on Python's path.

    What the package needs is installed and compiled.
    """
    kept = {
        name: os.environ[name] for name in ("PATH", "OMP_NUM_THREADS", "LANG") if name in os.environ
    }
    return kept | {"NUMBA_CACHE_DIR": cache_place() or "", "PYTHON": sys.executable, **more}


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_archive_for_gradescope_grades_in_the_layout_of_its_image(
    folder: Path, tmp_path: Path
) -> None:
    write_bundle("gradescope", folder, tmp_path / "autograder.zip")
    place = tmp_path / "autograder"
    unpacked(tmp_path / "autograder.zip", place / "source")
    assert {"setup.sh", "run_autograder", "grading.toml", "requirements.txt"} <= {
        path.name for path in (place / "source").iterdir()
    }
    assert not [*(place / "source").rglob("solution")]
    (place / "run_autograder").write_bytes((place / "source/run_autograder").read_bytes())
    (place / "run_autograder").chmod(0o755)
    python(place / "submission", HONEST)
    (place / "submission_metadata.json").write_text(
        '{"id": 1, "users": [{"email": "ann@example.edu", "id": 2, "name": "Ann"}]}', "utf-8"
    )
    given, compiled = environment(AUTOGRADER=str(place)), set[str]()
    for script in ("source/setup.sh", "run_autograder"):
        result = subprocess.run(
            [place / script], cwd=place, env=given, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stdout + result.stderr
        compiled = compiled or machine_code(place / "source/cache")
    assert compiled
    assert machine_code(place / "source/cache") == compiled, (
        "whatever the image lacks is compiled again for every submission"
    )
    content = json.loads((place / "results/results.json").read_text("utf-8"))
    check_results(content)
    assert (content["score"], content["extra_data"]["complete"]) == (2, True)
    assert "ann" not in json.dumps(content)
