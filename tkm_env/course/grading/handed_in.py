"""What a class handed in, as learning platforms export it: folders, files and archives.

Names say whose they are.
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

#: How platforms name what a student handed in: a file of it in a folder for all, or a folder of its
#: own.
_NAMES: Final = (
    # Canvas: lovelaceada_LATE_123_4567_agent-1.py, the first number the student's, the last one
    # that of another attempt
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
    """What somebody handed in.

    Attributes:
        path: the submission; None if there is none.
        keys: what says whose it is besides its name: the platform's number and name of the student.
        problem: why there is no submission, in a sentence.
    """

    path: Path | None
    keys: tuple[str, ...] = ()
    problem: str = ""


def handed_in(folder: str | os.PathLike[str], unpacked: Path) -> dict[str, HandedIn]:
    """What lies in a folder, or in an archive of a whole class, by the name of each submission.

    Archives are unpacked to ``unpacked``, where files that a platform put side by side are gathered
    as well. Names that begin with a dot or an underscore are ignored, and so are files that are
    neither Python, nor programs, nor archives, and the folder that ``unpacked`` is in.

    Args:
        folder: the folder, or the archive.
        unpacked: the folder for what is unpacked; what was there before is removed.

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
                raise FileError(files[1][0], f"{files[0][0].name} has the same name")
            submission = _submission(
                files, unpacked / "students" / file_name(f"{name} {number}"), is_named=bool(number)
            )
            if submission is not None:
                found[_free_name(name, number, found)] = HandedIn(submission, keys)
        except FileError as error:
            found[_free_name(name, number, found)] = HandedIn(None, keys, str(error))
    return found


def _free_name(name: str, number: str, taken: Container[str]) -> str:
    """A name for a submission that no other has.

    One student may be called what another is already called with a number added.
    """
    while name in taken:
        name += f" {number}"
    return name


def _submission(files: list[tuple[Path, str]], place: Path, *, is_named: bool) -> Path | None:
    """The submission that these files make up, under their own names; None if there is none."""
    first, name = files[0]
    if any(path.is_symlink() for path, _ in files):
        raise FileError(first, "it is a link, which could lead anywhere")
    if odd := next((path for path, _ in files if not (path.is_file() or path.is_dir())), None):
        raise FileError(
            odd, "it is neither a file nor a folder"
        )  # to read a pipe would wait for ever
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
    """Where the submission lies in a folder: where its file or program is, at any depth.

    If there is neither, it is the only Python file, or else the folder.
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
        raise FileError(folder, f"it is not clear what counts: {names}")
    if agents:
        return folder if folder in (path.parent for path in agents) else agents[0].parent
    archives = [path for path in paths if path.suffix == ".zip"]
    if len(archives) == 1 and folder != place:
        unpack(archives[0], place)
        return _root(place, place)
    files = [path for path in paths if path.suffix == ".py"]
    return files[0] if len(files) == 1 else folder
