"""Similar submissions, found by ``compare50``."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tkm_env.course.grading.handed_in import check_apart, handed_in
from tkm_env.course.scaffold import STAFF
from tkm_env.course.submission import FOLDERS, STUDENT, copy_submission
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import failing_as
from tkm_env.foundations.untrusted_text import file_name
from tkm_env.isolation.folders import remove_folder
from tkm_env.isolation.temporary_folders import TemporaryFolder

_TOOL: Final = "compare50"
#: What runs the tool without installing it for good, since it needs older libraries than this
#: package: the first of these that is installed.
_RUNNERS: Final = (("uvx",), ("pipx", "run"))
#: The folder of the report, which the page of the class links to.
_ALIKE: Final = "alike"
#: The temporary folders of the copies that are compared, and of what was unpacked.
_COMPARED, _UNPACKED = "compared", "unpacked"


def similarity_command() -> list[str]:
    """Return the words that run the tool on this machine.

    Raises:
        ConfigError: if neither it nor anything that could run it is installed.
    """
    if shutil.which(_TOOL):
        return [_TOOL]
    for words in _RUNNERS:
        if shutil.which(words[0]):
            return [*words, _TOOL]
    raise ConfigError(
        "similar",
        _TOOL,
        "it must be installed, or else uv or pipx, which run it without installing",
    )


def compare_submissions(
    submissions: str | os.PathLike[str], assignment: Path, out: Path, command: Sequence[str]
) -> tuple[Path, dict[str, str]]:
    """Compare all submissions of a class with each other, and with the solution.

    What was handed out does not count as similar.

    Args:
        submissions: a folder, or an archive of one, as learning platforms export them.
        assignment: the folder of the assignment.
        out: the folder of the results of the class; an older report in it is replaced.
        command: the words that run the tool, from `similarity_command`.

    Returns:
        The page of the report, and the submissions that could not be compared, with the reasons.

    Raises:
        ConfigError: if there are fewer than two submissions, the report would replace them, or the
            tool fails.
        FileError: if something cannot be read or written.
    """
    check_apart(submissions, out, _ALIKE)
    place = TemporaryFolder(FOLDERS)
    try:
        problems = _copy_all(submissions, out, Path(place.path))
        compared = sorted((Path(place.path) / _COMPARED).iterdir())
        if len(compared) < 2:
            raise ConfigError(
                "submissions", os.fspath(submissions), "it must hold two submissions or more"
            )
        return _report(compared, assignment, out / _ALIKE, command), problems
    finally:
        place.remove()


def _copy_all(submissions: str | os.PathLike[str], out: Path, place: Path) -> dict[str, str]:
    """Copy each submission into a folder of its own, by whose name the report calls it.

    Returns:
        The submissions that could not be copied, with the reasons.
    """
    results, handed = (Path(os.path.realpath(path)) for path in (out, submissions))
    problems = {}
    (place / _COMPARED).mkdir()
    for name, entry in handed_in(submissions, place / _UNPACKED).items():
        if any(results.is_relative_to(handed / file) for file in entry.files):
            continue  # the results may lie among the submissions
        if entry.path is None:
            problems[name] = entry.problem
            continue
        try:
            with copy_submission(entry.path, name) as copied:
                shutil.copytree(copied.folder, place / _COMPARED / file_name(name))
        except FileError as error:
            problems[name] = str(error)
    return problems


def _report(
    compared: Sequence[Path], assignment: Path, report: Path, command: Sequence[str]
) -> Path:
    """Run the tool; return the page of its report."""
    handed_out = [path for path in sorted((assignment / STUDENT).iterdir()) if path.is_file()]
    solution = assignment / STAFF / "solution"
    options = ["--archive", str(solution)] if solution.is_dir() else []
    options += ["--distro", *map(str, handed_out)] if handed_out else []
    with failing_as(report, "written"):
        if report.exists():
            remove_folder(str(report))
        report.parent.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(  # noqa: S603
        [*command, *map(str, compared), *options, "--output", str(report)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    page = report / "index.html"
    if done.returncode or not page.exists():
        said = (done.stderr or done.stdout).strip()[-500:]
        raise ConfigError("similar", " ".join(command), f"it failed: {said or done.returncode}")
    return page
