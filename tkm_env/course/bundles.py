"""Archives of an assignment: the students' files, and an autograder to upload."""

import os
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, requires
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Final

from tkm_env.course.assignment import read_assignment
from tkm_env.course.questions.staff_kinds import code_files
from tkm_env.course.scaffold import PUBLIC, SPEC, STAFF
from tkm_env.course.submission import STUDENT
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import failing_as, read_file, write_file

_SCRIPTS: Final = files("tkm_env.course") / "bundle"
#: The modification time of all files, the earliest possible, so that equal files make equal
#: archives.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_IGNORED: Final = ("__pycache__", ".git", ".DS_Store")
#: The extra of the package that an autograder needs.
_EXTRA: Final = "arena"

#: The content of each file by name, and whether it is executable.
_Content = dict[str, tuple[bytes, bool]]


def write_bundle(kind: str, folder: Path, target: Path) -> None:
    """Write an archive of the assignment in a folder.

    Args:
        kind: the kind of archive, a key of `BUNDLES`.
        folder: the folder of the assignment.
        target: the archive to write.

    Raises:
        FileError: if the folder does not hold an assignment, or holds a link, or the archive cannot
            be written.
    """
    content = BUNDLES[kind](folder)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, is_executable) in sorted(content.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_executable else 0o100644) << 16
            archive.writestr(entry, data)
    write_file(target, buffer.getvalue())


def _student(folder: Path) -> _Content:
    """Collect what students get: only their folder and the public tests."""
    read_assignment(folder / PUBLIC / SPEC)
    paths = [path for part in (STUDENT, PUBLIC) for path in _files(folder / part)]
    return {
        path.relative_to(folder).as_posix(): (read_file(path), os.access(path, os.X_OK))
        for path in paths
    }


def _gradescope(folder: Path) -> _Content:
    """Collect an autograder: Gradescope's scripts, the staff's files and this package."""
    spec = folder / STAFF / SPEC
    assignment = read_assignment(spec)
    requirements = "".join(f"{line}\n" for line in _requirements())
    content = {SPEC: (read_file(spec), False), "requirements.txt": (requirements.encode(), False)}
    for path in code_files(assignment.questions, assignment.folder):
        if not path.is_relative_to(spec.parent.resolve()):
            raise FileError(path, f"questions and opponents must be in the folder {spec.parent}")
        content[path.relative_to(spec.parent.resolve()).as_posix()] = (read_file(path), False)
    content |= {
        name: ((_SCRIPTS / name).read_bytes(), True) for name in ("setup.sh", "run_autograder")
    }
    package = Path(str(files("tkm_env")))
    for path in _files(package):
        if not path.is_relative_to(
            package / "course" / "templates"
        ):  # they hold solutions, and grading does not need them
            content[f"tkm_env/{path.relative_to(package).as_posix()}"] = (read_file(path), False)
    return content


#: The kinds of archives, with the functions that collect their files.
BUNDLES: Final[Mapping[str, Callable[[Path], _Content]]] = {
    "zip": _student,
    "gradescope": _gradescope,
}


def _files(folder: Path) -> Iterator[Path]:
    """The files in a folder, in order.

    Raises:
        FileError: if it cannot be read, or holds a link, which could lead out of it.
    """
    with failing_as(folder, "read"):
        for path in sorted(folder.iterdir()):
            if path.name in _IGNORED:
                continue
            if path.is_symlink():
                raise FileError(path, "it is a link, which could lead out of the assignment")
            if path.is_dir():
                yield from _files(path)
            else:
                yield path


def _requirements() -> list[str]:
    """Return the package's requirements, with an autograder's extra, as lines for pip."""
    try:
        lines = requires("tkm_env") or []
    except PackageNotFoundError:
        raise ConfigError(
            "tkm_env", "not installed", "bundles need the requirements of the installed package"
        ) from None
    found = set()
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
        if (extra is None or extra[1] == _EXTRA) and not requirement.startswith("tkm_env"):
            rest = (
                re.sub(r"\s*(and )?\(?extra == ['\"]\w+['\"]\)?", "", marker).strip().strip("() ")
            )
            found.add(requirement.strip() + (f"; {rest}" if rest else ""))
    return sorted(found)
