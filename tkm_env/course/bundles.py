"""Archives of an assignment: what students get, and autograders to upload. They are made without a network."""

from __future__ import annotations

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
from tkm_env.course.new import PUBLIC, SPEC, STAFF
from tkm_env.course.submission import STUDENT
from tkm_env.errors import ConfigError, FileError
from tkm_env.files import failing_as, read_file, write_file

_SCRIPTS: Final = files("tkm_env.course") / "bundle"
#: What archives say of the time of their files: the earliest that there is, so that the same files give the same archive.
_TIME: Final = (1980, 1, 1, 0, 0, 0)
_LEFT_OUT: Final = ("__pycache__", ".git", ".DS_Store")
#: What an autograder needs besides the package: its own requirements, and those of these extras.
_EXTRAS: Final = ("arena", "cli")


def write_bundle(kind: str, folder: Path, target: Path) -> None:
    """Write an archive of an assignment.

    Args:
        kind: one of `BUNDLES`.
        folder: the assignment's.
        target: the archive's path.

    Raises:
        ConfigError: if there is no such kind.
        FileError: if the folder is no assignment, holds a link, or the archive cannot be written.
    """
    if kind not in BUNDLES:
        raise ConfigError("kind", kind, f"it must be {', '.join(map(repr, BUNDLES))}")
    content = BUNDLES[kind](folder)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, is_executable) in sorted(content.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if is_executable else 0o100644) << 16
            archive.writestr(entry, data)
    write_file(target, buffer.getvalue())


def _student(folder: Path) -> dict[str, tuple[bytes, bool]]:
    """What students get: their folder and the tests for all, and nothing else."""
    read_assignment(folder / PUBLIC / SPEC)
    found = {}
    for part in (STUDENT, PUBLIC):
        for path in _files(folder / part):
            found[path.relative_to(folder).as_posix()] = (read_file(path), os.access(path, os.X_OK))
    return found


def _autograder(folder: Path, scripts: Mapping[str, bool]) -> dict[str, tuple[bytes, bool]]:
    """What grades by the staff's file: the scripts of a format, that file, and this package."""
    spec = folder / STAFF / SPEC
    read_assignment(spec)
    found = {name: ((_SCRIPTS / name).read_bytes(), is_executable) for name, is_executable in scripts.items()}
    found[SPEC] = (read_file(spec), False)
    found["requirements.txt"] = ("".join(f"{line}\n" for line in _requirements()).encode(), False)
    package = Path(str(files("tkm_env")))
    for path in _files(package):
        if path.is_relative_to(package / "course" / "templates"):  # solutions among them, which nobody needs to grade
            continue
        found[f"tkm_env/{path.relative_to(package).as_posix()}"] = (read_file(path), False)
    return found


def _gradescope(folder: Path) -> dict[str, tuple[bytes, bool]]:
    return _autograder(folder, {"setup.sh": True, "run_autograder": True})


def _classroom50(folder: Path) -> dict[str, tuple[bytes, bool]]:
    return _autograder(folder, {"autograder.py": False})


#: The kinds of archives, with what goes into them: by name, what a file holds, and whether it can be executed.
BUNDLES: Final[Mapping[str, Callable[[Path], dict[str, tuple[bytes, bool]]]]] = {
    "zip": _student,
    "gradescope": _gradescope,
    "classroom50": _classroom50,
}


def _files(folder: Path) -> Iterator[Path]:
    """The files in a folder, in order.

    Raises:
        FileError: if it cannot be read, or one of them is a link, which could lead out of it.
    """
    with failing_as(folder, "read"):
        for path in sorted(folder.iterdir()):
            if path.name in _LEFT_OUT:
                continue
            if path.is_symlink():
                raise FileError(path, "it is a link, which could bring in what does not belong here")
            if path.is_dir():
                yield from _files(path)
            else:
                yield path


def _requirements(extras: tuple[str, ...] = _EXTRAS) -> list[str]:
    """What has to be installed for the package with these extras, as lines for pip."""
    try:
        lines = requires("tkm_env") or []
    except PackageNotFoundError:
        raise ConfigError("tkm_env", "not installed", "the requirements of the package are known where it is installed") from None
    found = []
    for line in lines:
        requirement, _, marker = line.partition(";")
        extra = re.search(r"extra == ['\"](\w+)['\"]", marker)
        if (extra is None or extra[1] in extras) and not requirement.startswith("tkm_env"):
            rest = re.sub(r"\s*(and )?\(?extra == ['\"]\w+['\"]\)?", "", marker).strip()
            found.append(requirement.strip() + (f"; {rest.strip('() ')}" if rest.strip("() ") else ""))
    return sorted(set(found))
