"""The submissions of a class as learning platforms export them: folders, files, archives.

Their names identify the students.
"""

import os
import re
import shutil
import zipfile
from collections.abc import Container
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.course.submission import AGENT, STUDENT, regular_files
from tkm_env.foundations.archives import MAX_DEPTH, PROGRAM, innermost, unpack
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import checked_path, failing_as
from tkm_env.foundations.untrusted_text import file_name

#: How platforms name submissions: as files of all students in one folder, or as a folder for each
#: student.
_NAMES: Final = (
    # Canvas: lovelaceada_LATE_123_4567_agent-1.py; the first number identifies the student, the
    # last one counts attempts
    re.compile(
        r"(?P<name>[^_]+)(?:_LATE)?_(?P<id>\d+)_\d+_(?P<file>.+?)(?:-\d+)?(?P<suffix>\.\w+)?"
    ),
    # Moodle: Ada Lovelace_4567_assignsubmission_file_agent.py, or a folder without the file's name
    re.compile(
        r"(?P<name>[^_]+)_(?P<id>\d+)_assignsubmission_file_?(?P<file>.*?)(?P<suffix>\.\w+)?"
    ),
    # Gradescope: a folder submission_123456
    re.compile(r"(?P<name>submission_(?P<id>\d+))(?P<file>)(?P<suffix>)"),
)


class HandedIn(NamedTuple):
    """What a student handed in.

    Attributes:
        path: the submission; None if there is none.
        keys: the platform's number and name of the student, if the file's name has them.
        problem: why there is no submission, in a sentence.
    """

    path: Path | None
    keys: tuple[str, ...] = ()
    problem: str = ""


def handed_in(folder: str | os.PathLike[str], unpacked: Path) -> dict[str, HandedIn]:
    """Find the submissions in a folder, or in an archive of a whole class.

    Archives are unpacked, and files that a platform put side by side are gathered by student.
    Names that begin with a dot or an underscore are ignored. So are files that are neither Python
    files, programs nor archives, and the folder that contains ``unpacked``.

    Args:
        folder: the folder, or the archive.
        unpacked: the folder to unpack and gather files in; its previous content is removed.

    Returns:
        What was handed in, by the name of the submission.

    Raises:
        FileError: if the folder cannot be read, or the archive of the class cannot be unpacked.
    """
    place = checked_path(folder)
    shutil.rmtree(unpacked, ignore_errors=True)
    if place.is_file():
        unpack(place, unpacked / "class")
        place = innermost(unpacked / "class")
    real, own = (Path(os.path.realpath(path)) for path in (place, unpacked))
    with failing_as(folder, "read"):
        paths = sorted(
            path
            for path in place.iterdir()
            if not path.name.startswith((".", "_")) and real / path.name not in own.parents
        )
    gathered: dict[tuple[str, str], list[tuple[Path, str]]] = {}
    for path in paths:
        match = next(
            (matched for pattern in _NAMES if (matched := pattern.fullmatch(path.name))), None
        )
        if match is not None:
            gathered.setdefault((match["name"], match["id"]), []).append(
                (path, match["file"] + (match["suffix"] or ""))
            )
        else:
            name = path.stem if path.suffix in (".py", ".zip") and not path.is_dir() else path.name
            gathered.setdefault((name, ""), []).append((path, path.name))
    found: dict[str, HandedIn] = {}
    for (name, number), files in gathered.items():
        keys = (number, name) if number else ()
        try:
            if not number and len(files) > 1:
                raise FileError(files[1][0], f"{files[0][0].name} gives a submission the same name")
            submission = _submission(
                files, unpacked / "students" / file_name(f"{name} {number}"), is_named=bool(number)
            )
            if submission is not None:
                found[_free_name(name, number, found)] = HandedIn(submission, keys)
        except FileError as error:
            found[_free_name(name, number, found)] = HandedIn(None, keys, str(error))
    return found


def _free_name(name: str, number: str, taken: Container[str]) -> str:
    """Return a name for a submission that no other has.

    The number may have to be added more than once, since a student's name may end in one.
    """
    while name in taken:
        name += f" {number}"
    return name


def _submission(files: list[tuple[Path, str]], place: Path, *, is_named: bool) -> Path | None:
    """Return the submission that these files make up; None if they are not one.

    Each file comes with its name within the submission.
    """
    first, name = files[0]
    if any(path.is_symlink() for path, _ in files):
        raise FileError(first, "it is a link, which could lead anywhere")
    if odd := next((path for path, _ in files if not (path.is_file() or path.is_dir())), None):
        raise FileError(odd, "it is neither a file nor a folder")  # reading a pipe would block
    if len(files) == 1:
        if first.is_dir():
            return _root(first, place)
        if zipfile.is_zipfile(first) or first.suffix == ".zip":
            unpack(first, place)
            return _root(place, place.with_name(f"{place.name}-inside"))
        if first.suffix == ".py" or os.access(first, os.X_OK):
            return first
        if not is_named:
            return None
    for path, name in files:
        with failing_as(path, "read"):
            place.mkdir(parents=True, exist_ok=True)
            if (place / name).exists():
                raise FileError(path, f"there is another {name}")
            shutil.copyfile(path, place / name, follow_symlinks=False)
    return _root(place, place)


def _root(folder: Path, place: Path) -> Path:
    """Find the submission in a folder: the folder of its file or program, at any depth.

    If there is neither, it is the only Python file, or else the folder itself.
    """
    if (folder / STUDENT).is_dir():
        return folder
    with failing_as(folder, "read"):
        found = sorted(regular_files(folder, MAX_DEPTH))
    paths = [
        path
        for path in found
        if not any(part.startswith((".", "__MACOSX")) for part in path.relative_to(folder).parts)
    ]
    agents = [path for path in paths if path.name == AGENT] or [
        path for path in paths if path.name == PROGRAM
    ]
    if len(agents) > 1 and folder not in (path.parent for path in agents):
        names = " and ".join(path.relative_to(folder).as_posix() for path in agents[:2])
        raise FileError(folder, f"it holds more than one candidate: {names}")
    if agents:
        return folder if folder in (path.parent for path in agents) else agents[0].parent
    archives = [path for path in paths if path.suffix == ".zip"]
    if len(archives) == 1 and folder != place:
        unpack(archives[0], place)
        return _root(place, place)
    files = [path for path in paths if path.suffix == ".py"]
    return files[0] if len(files) == 1 else folder
