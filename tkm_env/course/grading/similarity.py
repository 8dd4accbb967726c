"""Similar submissions, found by ``compare50``."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tkm_env.course.grading.handed_in import handed_in
from tkm_env.course.scaffold import STAFF
from tkm_env.course.submission import STUDENT, copy_submission
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import failing_as
from tkm_env.foundations.untrusted_text import file_name
from tkm_env.isolation.folders import remove_folder

_TOOL: Final = "compare50"
#: What runs the tool without installing it for good, since it needs older libraries than this
#: package: the first of these that is installed.
_RUNNERS: Final = (("uvx",), ("pipx", "run"))
#: The folder of the report, which the page of the class links to.
_ALIKE: Final = "alike"
#: The folder of the copies that are compared, whose names the report shows.
_COMPARED: Final = "compared"


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
        ConfigError: if there are fewer than two submissions, or the tool fails.
        FileError: if something cannot be read or written.
    """
    place, report = out / _COMPARED, out / _ALIKE
    with failing_as(out, "written"):
        for folder in (place, report):
            if folder.exists():
                remove_folder(str(folder))
        place.mkdir(parents=True)
    problems = {}
    for name, entry in handed_in(submissions, place / ".unpacked").items():
        if entry.path is None:
            problems[name] = entry.problem
            continue
        try:
            with copy_submission(entry.path, name) as copied:
                shutil.copytree(copied.folder, place / file_name(name))
        except FileError as error:
            problems[name] = str(error)
    remove_folder(str(place / ".unpacked"))
    compared = sorted(path for path in place.iterdir() if path.is_dir())
    if len(compared) < 2:
        raise ConfigError(
            "submissions", os.fspath(submissions), "it must hold two submissions or more"
        )
    handed_out = [path for path in sorted((assignment / STUDENT).iterdir()) if path.is_file()]
    solution = assignment / STAFF / "solution"
    options = ["--archive", str(solution)] if solution.is_dir() else []
    options += ["--distro", *map(str, handed_out)] if handed_out else []
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
    return page, problems
