"""What a student hands in: a folder with a Python file or a program, or the file alone. It is copied, and only the copy is run."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from tkm_env.agents.command import CommandAgent, package_command
from tkm_env.errors import FileError, PlayerError
from tkm_env.files import checked_path, failing_as
from tkm_env.isolation.program import Limits

#: The Python file of a submission, or else its program, which may be written in any language.
AGENT: Final = "agent.py"
PROGRAM: Final = "run"
#: The folder of an assignment in which students work.
STUDENT: Final = "student"

#: A submission has at most so many files and bytes.
_MOST_FILES: Final = 2_000
_MOST_BYTES: Final = 256 << 20
#: What is not copied: caches, histories, virtual environments.
_LEFT_OUT: Final = ("__pycache__", ".git", ".venv", "venv", "node_modules")


class Submission:
    """A submission that can be run.

    Args:
        name: whose it is.
        folder: a folder that holds nothing but it.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder

    def player(self, limits: Limits, refused: tuple[str, ...]) -> CommandAgent:
        """Its program behind a wall, not started yet.

        Args:
            limits: which may read the folder, too.
            refused: patterns of the modules that a Python file may not import.

        Raises:
            PlayerError: if it holds neither a Python file nor a program.
        """
        agent, program = self.folder / AGENT, self.folder / PROGRAM
        if agent.is_file():
            refusals = [word for pattern in refused for word in ("--refuse", pattern)]
            command = package_command("tkm_env.course.runner", str(agent), *refusals)
            return CommandAgent(command, name=self.name, limits=limits, compiles=True)
        if program.is_file() and os.access(program, os.X_OK):
            return CommandAgent([str(program)], name=self.name, limits=limits)
        raise PlayerError(self.name, f"there is no {AGENT}, and no program {PROGRAM} that can be executed", "crash", starting=True)

    def file(self, name: str) -> Path:
        """A file in it.

        Raises:
            PlayerError: if there is none.
        """
        path = self.folder / name
        if not path.is_file():
            raise PlayerError(self.name, f"there is no {name}", "crash", starting=True)
        return path


def name_of(path: Path) -> str:
    """Whose submission that is: the name of its folder, or of its file without what follows the dot."""
    return path.resolve().name if path.is_dir() else path.stem


@contextmanager
def copied(path: str | os.PathLike[str], name: str | None = None) -> Iterator[Submission]:
    """A copy of a submission, which is removed in the end.

    Of a folder that holds a folder ``student``, as an assignment and its archive do, only that is the submission. Only ordinary files are
    copied: no links, which could lead anywhere.

    Args:
        path: a folder; or a Python file, which becomes the submission's.
        name: whose it is; None for the name of the folder or file.

    Raises:
        FileError: if it cannot be read, or is too large.
    """
    given = checked_path(path)
    source = handed_in(given)
    with TemporaryDirectory(prefix="tkm-submission-") as place:
        folder = Path(place) / "submission"
        folder.mkdir()
        for inner, file in _files(source):
            target = folder / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            with failing_as(file, "read"):
                shutil.copyfile(file, target, follow_symlinks=False)
                target.chmod(0o755 if os.access(file, os.X_OK) else 0o644)
        Path(place).chmod(0o755)  # whoever runs it may be another user
        yield Submission(name or name_of(given), folder)


def digest_of(path: str | os.PathLike[str]) -> str:
    """A digest of all that `copied` copies.

    Raises:
        FileError: as `copied`.
    """
    digest: Any = hashlib.sha256()
    for inner, file in _files(handed_in(checked_path(path))):
        with failing_as(file, "read"):
            content = file.read_bytes()
        digest.update(f"{inner}\0{len(content)}\0{os.access(file, os.X_OK)}\0".encode("utf-8", "surrogateescape"))
        digest.update(content)
    return str(digest.hexdigest())


def handed_in(path: Path) -> Path:
    """What of a path is the submission: the folder ``student`` in it, if there is one."""
    inner = path / STUDENT
    return inner if inner.is_dir() and not inner.is_symlink() else path


def _files(source: Path) -> Iterator[tuple[Path, Path]]:
    """The ordinary files of a submission, in order, each with where it belongs in the copy."""
    with failing_as(source, "read"):
        if source.is_file():
            yield Path(AGENT if source.suffix == ".py" else PROGRAM), source
            return
        files = sorted(_walk(source))
    if len(files) > _MOST_FILES or sum(file.lstat().st_size for file in files) > _MOST_BYTES:
        raise FileError(source, f"a submission has at most {_MOST_FILES:,} files and {_MOST_BYTES >> 20} MiB")
    for file in files:
        yield file.relative_to(source), file


def _walk(folder: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in _LEFT_OUT:
                yield from _walk(Path(entry.path))
        elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
            yield Path(entry.path)
