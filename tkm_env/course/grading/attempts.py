"""Several attempts of one student: which files belong together, and which are the newest."""

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePath
from typing import Final, NamedTuple

from tkm_env.course.submission import AGENT, regular_files
from tkm_env.foundations.archives import MAX_DEPTH, PROGRAM, foreign_archive
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import failing_as, read_file

#: What a Python file defines at its top level.
_DEFINED: Final = re.compile(r"^(?:async def|def|class) +(\w+)", re.MULTILINE)
#: The names of what is graded if it is there.
_MAIN: Final = (AGENT, PROGRAM)
#: The names of each older file and of the newer one that replaces it.
Replaced = tuple[tuple[str, str], ...]


class NamedFile(NamedTuple):
    """A file or folder of the class's folder, and what its name says.

    Attributes:
        path: where it is.
        name: its name within the submission.
        upload: the platform's number, which grows; 0 if it has none.
        is_late: whether the platform marks it as late.
    """

    path: Path
    name: str
    upload: int
    is_late: bool

    @property
    def changed(self) -> float:
        """When it, or the newest file in a folder, was changed; 0 if that cannot be read."""
        try:
            if self.path.is_symlink() or not self.path.is_dir():
                return self.path.lstat().st_mtime
            inside = (path.stat().st_mtime for path in regular_files(self.path, MAX_DEPTH))
            return max(inside, default=self.path.stat().st_mtime)
        except OSError:
            return 0.0

    @property
    def order(self) -> tuple[int, float]:
        """What grows from attempt to attempt."""
        return (self.upload, self.changed)

    @property
    def is_script(self) -> bool:
        return self.path.suffix.lower() == ".py" or self.name == PROGRAM


def newest_files(files: Sequence[NamedFile], *, is_named: bool) -> tuple[list[NamedFile], Replaced]:
    """Drop files that the same student replaced.

    A platform numbers uploads, and those with the same name replace each other. Elsewhere, files
    and folders of the same student replace each other, by when they were last changed.

    Args:
        files: the files of a student.
        is_named: whether a platform named them.

    Returns:
        The files that count, and which replace which.
    """
    same_name: dict[str, list[NamedFile]] = {}
    for file in files:
        same_name.setdefault(file.name if is_named else "", []).append(file)
    kept: list[NamedFile] = []
    replaced: list[tuple[str, str]] = []
    for same in same_name.values():
        *older, newest = sorted(same, key=lambda file: file.order)
        kept.append(newest)
        replaced += [(file.path.name, newest.path.name) for file in older]
    return kept, tuple(replaced)


def newest_attempt(files: Sequence[NamedFile]) -> tuple[list[NamedFile], Replaced]:
    """Drop older attempts among files of different names that a platform put side by side.

    An archive that may hold a submission is an attempt of its own. Scripts that import one another
    belong together. They replace an older archive if one of them is called `AGENT` or `PROGRAM`,
    and older scripts of which they define at least half of the functions and classes.

    Args:
        files: the files of a student, of which none replaces another by its name.

    Returns:
        The files that count, and which replace which.

    Raises:
        FileError: if files may be two attempts, and it is unclear which of them counts.
    """
    if len(files) == 1:
        return [*files], ()
    scripts = [file for file in files if file.is_script]
    attempts = [[file] for file in files if _is_archive(file)] + _related(scripts)
    attempts.sort(key=_order)
    newer_of: dict[str, str] = {}
    for number, older in enumerate(attempts):
        for newer in attempts[number + 1 :]:
            if _order(older) < _order(newer) and _replaces(newer, older):
                newer_of |= {file.path.name: _main(newer).path.name for file in older}
    counted = [each for each in attempts if _main(each).path.name not in newer_of]
    _refuse_unclear(counted)
    kept = [file for file in files if file.path.name not in newer_of]
    return kept, tuple(newer_of.items())


def _is_archive(file: NamedFile) -> bool:
    """Whether a file is an archive that may hold a submission; one that is not read may."""
    if file.is_script or file.path.is_dir():
        return False
    with failing_as(file.path, "read"):
        if foreign_archive(file.path):
            return True
        if not zipfile.is_zipfile(file.path):
            return False
    with zipfile.ZipFile(file.path) as archive:
        names = [PurePath(name) for name in archive.namelist()]
    return any(name.suffix.lower() == ".py" or name.name == PROGRAM for name in names)


def _related(scripts: Sequence[NamedFile]) -> list[list[NamedFile]]:
    """Group scripts that import or name one another, directly or through others."""
    groups: list[list[NamedFile]] = []
    for script in scripts:
        joined, others = [script], []
        for group in groups:
            if any(_names(each, script) for each in group):
                joined += group
            else:
                others.append(group)
        groups = [*others, joined]
    return groups


def _names(file: NamedFile, other: NamedFile) -> bool:
    """Whether one of two scripts imports the other, or contains the name of its file."""
    return any(
        re.search(
            rf"^\s*(?:from|import)\b.*\b{re.escape(Path(named.name).stem)}\b"
            rf"|\b{re.escape(named.name)}\b",
            _text(script),
            re.MULTILINE,
        )
        for named, script in ((file, other), (other, file))
    )


def _replaces(newer: Sequence[NamedFile], older: Sequence[NamedFile]) -> bool:
    """Whether an attempt replaces one that is older."""
    if not newer[0].is_script:
        return True
    if not older[0].is_script:
        return _main(newer).name in _MAIN
    before, after = _defined(older), _defined(newer)
    return bool(before) and 2 * len(before & after) >= len(before)


def _refuse_unclear(attempts: Sequence[Sequence[NamedFile]]) -> None:
    """Raise an error if several attempts are left, and not only the first would be graded.

    Scripts beside a main one are no attempts unless they are newer, as the platform numbers them.
    """
    attempts = sorted(attempts, key=lambda each: _main(each).name not in _MAIN)
    for first, other in ((attempts[0], other) for other in attempts[1:]):
        are_scripts = first[0].is_script and other[0].is_script
        is_main = _main(first).name in _MAIN
        if not are_scripts or (is_main and _main(other).upload > _main(first).upload):
            raise FileError(
                _main(other).path,
                f"it and {_main(first).path.name} may be two attempts: remove one of them, or put "
                "both into one folder",
            )


def _order(attempt: Sequence[NamedFile]) -> tuple[int, float]:
    return max(file.order for file in attempt)


def _main(attempt: Sequence[NamedFile]) -> NamedFile:
    """Return the file after which an attempt is called."""
    return max(attempt, key=lambda file: (file.name in _MAIN, file.order))


def _defined(scripts: Sequence[NamedFile]) -> set[str]:
    return {name for script in scripts for name in _DEFINED.findall(_text(script))}


def _text(file: NamedFile) -> str:
    return read_file(file.path).decode("utf-8", "replace")
