"""The submissions of a class as learning platforms export them: folders, files, archives.

Their names, and what the platform says about them, identify the students. Every file appears once:
in a submission that can be graded, in one that cannot, with what must be done, or as left out.
"""

import os
import re
import shutil
import zipfile
from collections.abc import Container, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.course.grading.attempts import NamedFile, newest_attempt, newest_files
from tkm_env.course.grading.gradescope_export import METADATA, read_metadata
from tkm_env.course.submission import AGENT, STUDENT, regular_files
from tkm_env.foundations.archives import LITTER, MAX_DEPTH, PROGRAM, foreign_archive, innermost
from tkm_env.foundations.archives import unpack as unpack_archive
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import checked_path, failing_as
from tkm_env.foundations.untrusted_text import file_name

#: How platforms name submissions: as files of all students in one folder, or as a folder for each
#: student.
_NAMES: Final = (
    # Canvas: lovelaceada_LATE_123_4567_agent-1.py; the first number identifies the student, the
    # second one grows with each upload, the last one counts uploads of the same name
    re.compile(
        r"(?P<name>[^_]+)(?:_(?P<late>LATE))?_(?P<id>\d+)_(?P<upload>\d+)_(?P<file>.+?)(?:-\d+)?"
        r"(?P<suffix>\.\w+)?"
    ),
    # Moodle: Ada Lovelace_4567_assignsubmission_file_agent.py, or a folder without the file's name
    re.compile(
        r"(?P<name>[^_]+)(?P<late>)_(?P<id>\d+)_assignsubmission_file_?(?P<upload>)"
        r"(?P<file>.*?)(?P<suffix>\.\w+)?"
    ),
    # Gradescope: a folder submission_123456
    re.compile(r"(?P<name>submission_(?P<id>\d+))(?P<late>)(?P<upload>)(?P<file>)(?P<suffix>)"),
)
#: What ends the name of a file that holds a submission, after the name of the student.
_SUFFIXES: Final = re.compile(
    r"(\.py|\.zip|\.ipynb|\.rar|\.7z|\.tgz|\.tbz2?|\.txz|\.zst|(\.tar)?(\.(gz|bz2|xz|zst))?)$",
    re.IGNORECASE,
)
_NOTEBOOK: Final = ".ipynb"


class HandedIn(NamedTuple):
    """What was handed in together, by a student or a group.

    Attributes:
        path: the submission; None if there is none that can be graded.
        students: what identifies each student, as far as names of files and the platform say:
            numbers, names, addresses. Empty if only the submission's own name may.
        problem: why there is no submission, and what must be done, in a sentence.
        replaced: which files replace which: the names of each older one and of the newer.
        files: the names of the files and folders in the class's folder.
        submitted: when it was handed in; None if unknown.
        is_late: whether the platform marks it as late.
        order: grows from attempt to attempt of the same student: the platform's number of the
            upload, 0 if unknown; and when the files were changed, in seconds.
        is_left_out: whether nothing about it looks like a submission.
    """

    path: Path | None
    students: tuple[tuple[str, ...], ...] = ()
    problem: str = ""
    replaced: tuple[tuple[str, str], ...] = ()
    files: tuple[str, ...] = ()
    submitted: datetime | None = None
    is_late: bool = False
    order: tuple[int, float] = (0, 0.0)
    is_left_out: bool = False

    @property
    def note(self) -> str:
        """Which older attempts it replaces, in a sentence; empty for none."""
        return "; ".join(f"{newer} replaces {older}" for older, newer in self.replaced)


def check_apart(
    submissions: str | os.PathLike[str], out: str | os.PathLike[str], *replaced: str
) -> None:
    """Check that results would not replace submissions.

    Args:
        submissions: the folder of the submissions, or an archive of it.
        out: the folder for the results.
        *replaced: the names of the folders in it whose previous content is removed.

    Raises:
        ConfigError: if they would.
    """
    folder, results = (Path(os.path.realpath(checked_path(path))) for path in (submissions, out))
    if folder == results or any(folder.is_relative_to(results / name) for name in replaced):
        raise ConfigError(
            "out",
            os.fspath(out),
            "it must be a folder for results alone, but it would contain the submissions",
        )


def handed_in(folder: str | os.PathLike[str], unpacked: Path) -> dict[str, HandedIn]:
    """Find the submissions in a folder, or in an archive of a whole class.

    Archives are unpacked, and files that a platform put side by side are gathered by student. Of
    several attempts, the newest counts. What looks like no submission is `HandedIn.is_left_out`:
    names that begin with a dot or an underscore, and files that are neither Python files, programs,
    notebooks nor archives, unless a platform named them. The folder that contains ``unpacked`` and
    what operating systems add are ignored.

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
        unpack_archive(place, unpacked / "class")
        place = innermost(unpacked / "class")
    real, own = (Path(os.path.realpath(path)) for path in (place, unpacked))
    with failing_as(folder, "read"):
        paths = sorted(
            path
            for path in place.iterdir()
            if path.name not in LITTER and real / path.name not in own.parents
        )
    known = {}
    if (place / METADATA).is_file():
        known = read_metadata(place / METADATA)
        paths.remove(place / METADATA)
    gathered: dict[tuple[str, str], list[NamedFile]] = {}
    found: dict[str, HandedIn] = {}
    for path in paths:
        match = next(
            (matched for pattern in _NAMES if (matched := pattern.fullmatch(path.name))), None
        )
        if match is not None:
            key = (match["name"], match["id"])
            inner = match["file"] + (match["suffix"] or "")
            file = NamedFile(path, inner, int(match["upload"] or 0), bool(match["late"]))
        elif path.name.startswith((".", "_")):
            reason = "its name begins with a dot or an underscore"
            found[path.name] = HandedIn(None, problem=reason, files=(path.name,), is_left_out=True)
            continue
        else:
            is_folder = path.is_dir() and not path.is_symlink()
            key = (path.name if is_folder else _SUFFIXES.sub("", path.name) or path.name, "")
            file = NamedFile(path, path.name, 0, is_late=False)
        gathered.setdefault(key, []).append(file)
    for (name, number), files in gathered.items():
        kept, replaced = newest_files(files, is_named=bool(number))
        root, problem = None, ""
        try:
            _refuse_odd(kept)
            kept, older = newest_attempt(kept)
            replaced += older
            target = unpacked / "students" / file_name(f"{name} {number}")
            root = _submission(kept, target, is_named=bool(number))
        except FileError as error:
            problem = str(error)
        described = known.pop(name, None)
        submission = HandedIn(
            root,
            described.students if described else ((number, name),) if number else (),
            problem=problem,
            replaced=replaced,
            files=tuple(file.path.name for file in files),
            submitted=described.submitted if described else None,
            is_late=any(file.is_late for file in kept),
            order=(max(file.upload for file in kept), max(file.changed for file in kept)),
        )
        if root is None and not problem:
            reason = "it is neither a Python file, a program, a folder nor a zip archive"
            submission = submission._replace(
                problem=reason, is_left_out=True, students=((Path(name).stem,),)
            )
        found[_free_name(name, number, found)] = submission
    for name, described in known.items():
        reason = f"{METADATA} lists it, but it has no folder: export the submissions again"
        found[_free_name(name, "", found)] = HandedIn(
            None, described.students, reason, submitted=described.submitted
        )
    return found


def _free_name(name: str, number: str, taken: Container[str]) -> str:
    """Return a name for a submission that no other has.

    The number may have to be added more than once, since a student's name may end in one.
    """
    while name in taken:
        name += f" {number or 2}"
    return name


def _submission(files: Sequence[NamedFile], place: Path, *, is_named: bool) -> Path | None:
    """Return the submission that these files make up; None if they are not one."""
    first = files[0].path
    if len(files) == 1:
        if first.is_dir():
            return _root(first, place)
        if zipfile.is_zipfile(first) or first.suffix.lower() == ".zip":
            unpack_archive(first, place)
            return _root(place, place.with_name(f"{place.name}-inside"))
        _refuse_unreadable([first])
        if first.suffix.lower() == ".py" or os.access(first, os.X_OK):
            return first
        if not is_named:
            return None
    for path, name, *_ in files:
        with failing_as(path, "read"):
            place.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place / name, follow_symlinks=False)
    return _root(place, place)


def _refuse_odd(files: Sequence[NamedFile]) -> None:
    """Raise an error for a link, or for what is neither a file nor a folder."""
    if any(file.path.is_symlink() for file in files):
        raise FileError(files[0].path, "it is a link, which could lead anywhere: ask for the files")
    for file in files:
        if not file.path.is_file() and not file.path.is_dir():
            raise FileError(file.path, "it is neither a file nor a folder")  # a pipe would block


def _refuse_unreadable(paths: Sequence[Path]) -> None:
    """Raise an error that says what to do about an archive that is not read, or a notebook."""
    for path in paths:
        with failing_as(path, "read"):
            kind = foreign_archive(path)
        if kind:
            raise FileError(
                path,
                f"it is {kind}, and only zip archives are read: unpack it into a folder of the "
                "same name and remove it, or ask for a zip archive",
            )
        if path.suffix.lower() == _NOTEBOOK:
            raise FileError(path, f"it is a notebook, which is not graded: ask for {AGENT}")


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
        raise _unclear(folder, agents, "candidate")
    if agents:
        return folder if folder in (path.parent for path in agents) else agents[0].parent
    files = [path for path in paths if path.suffix.lower() == ".py"]
    archives = [path for path in paths if path.suffix.lower() == ".zip"]
    if len(archives) > 1 and not files:
        raise _unclear(folder, archives, "archive")
    if len(archives) == 1 and folder != place:
        unpack_archive(archives[0], place)
        return _root(place, place)
    if len(archives) == 1 and not files:  # beside other files that a platform named
        inside = place.with_name(f"{place.name}-inside")
        unpack_archive(archives[0], inside)
        return _root(inside, inside)
    if not files:
        _refuse_unreadable(paths)
    return files[0] if len(files) == 1 else folder


def _unclear(folder: Path, found: Sequence[Path], what: str) -> FileError:
    names = " and ".join(path.relative_to(folder).as_posix() for path in found[:2])
    return FileError(folder, f"it holds more than one {what}: {names}; remove all but one")
