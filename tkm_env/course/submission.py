"""Submissions: a folder with a Python file or a program, or the file alone.

A submission is copied, and only the copy runs.
"""

import hashlib
import math
import os
import secrets
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkm_env.course.submission_client import ProgramClient, SubmissionClient
from tkm_env.foundations.archives import MAX_BYTES, MAX_DEPTH, MAX_FILES, PROGRAM
from tkm_env.foundations.errors import FileError, PlayerError
from tkm_env.foundations.files import checked_path, failing_as
from tkm_env.isolation import program
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.temporary_folders import TemporaryFolder, remove_leftovers
from tkm_env.players.command_agent import CommandAgent, package_command

#: The name of a submission's Python file. A submission without one has a program `PROGRAM`, which
#: may be written in any language.
AGENT: Final = "agent.py"
#: The folder of an assignment in which students work.
STUDENT: Final = "student"

_MOST_PRINTED: Final = 4_000
#: What the names of temporary copies begin with.
FOLDERS: Final = "tkm-submission-"
#: Caches, histories and virtual environments, which are not copied.
IGNORED: Final = ("__pycache__", ".git", ".venv", "venv", "node_modules")


class Submission:
    """A submission that can run.

    Args:
        name: the name of the submission.
        folder: a folder that holds only this submission.

    Attributes:
        name: the name of the submission.
        folder: its folder.
        transcript: called with each line of the conversation with a program that starts from then
            on, as `tkm_env.isolation.program.Program` does; None for no transcript.
    """

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.folder = folder
        self.transcript: Callable[[str], object] | None = None
        self._agent: CommandAgent | None = None

    def client(
        self, limits: Limits, seconds: float, generator: np.random.Generator
    ) -> SubmissionClient:
        """Return what asks the submission about the positions of one question.

        Args:
            limits: the isolation of its program, which must be allowed to read the folder.
            seconds: the time for all positions together, in seconds.
            generator: draws the seeds that the program is given.

        Returns:
            The client, whose program has not been started.

        Raises:
            PlayerError: if the folder holds neither a Python file nor a program.
        """
        player = self._program(limits)
        return ProgramClient(self.name, player, limits.output_kib, seconds, generator)

    def player(self, limits: Limits) -> Any:
        """Return the submission's isolated program as an agent, not yet started.

        The limits must allow the program to read the folder.

        Raises:
            PlayerError: if the folder holds neither a Python file nor a program.
        """
        return self._program(limits)

    def _program(self, limits: Limits) -> CommandAgent:
        agent, program = self.folder / AGENT, self.folder / PROGRAM
        if agent.is_file():
            rules = limits.import_rules.to_text()
            command = package_command("tkm_env.course.python_runner", str(agent), rules)
            self._agent = CommandAgent(
                command, name=self.name, limits=limits, compiles=True, transcript=self.transcript
            )
            return self._agent
        if program.is_file() and os.access(program, os.X_OK):
            self._agent = CommandAgent(
                [str(program)], name=self.name, limits=limits, transcript=self.transcript
            )
            return self._agent
        raise PlayerError(
            self.name,
            f"there is no {AGENT}, and no executable program {PROGRAM}",
            "crash",
            starting=True,
        )

    def printed(self) -> str:
        """Return the end of what the last program printed, with tracebacks.

        It has at most 4,000 characters, besides a mark where it was cut.
        """
        said = "" if self._agent is None else self._agent.error_output.strip("\n")
        self._agent = None
        return said if len(said) <= _MOST_PRINTED else f"[…]{said[-_MOST_PRINTED:]}"

    def file(self, name: str) -> Path:
        """Return the path of a file in the folder.

        Raises:
            PlayerError: if the file is missing.
        """
        path = self.folder / name
        if not path.is_file():
            raise PlayerError(self.name, f"there is no {name}", "crash", starting=True)
        return path


def name_of(path: Path) -> str:
    """Return a submission's name: that of its folder, or of its file without the suffix."""
    return path.resolve().name if path.is_dir() else path.stem


@contextmanager
def copy_submission(
    path: str | os.PathLike[str], name: str | None = None, limits: Limits | None = None
) -> Iterator[Submission]:
    """Make a temporary copy of a submission, which nobody else can read.

    If its program is to run as another user, others can read the copy if they know its path, which
    cannot be guessed.

    If the folder holds a folder ``student``, as an assignment and its archive do, only that folder
    is the submission. Only regular files are copied, and no links, which could lead anywhere.

    Args:
        path: the submission, a folder or a single file.
        name: the name of the submission; None for the name of the folder or file.
        limits: how its program will run; None if it will not.

    Yields:
        The copy.

    Raises:
        FileError: if the submission cannot be read, or is too large.
    """
    given = checked_path(path)
    place = TemporaryFolder(FOLDERS)
    try:
        folder = Path(place.path) / secrets.token_hex(16)
        folder.mkdir(mode=0o755)
        for inner, file in _files(submitted_path(given)):
            target = folder / inner
            target.parent.mkdir(parents=True, exist_ok=True)
            with failing_as(file, "read"):
                shutil.copyfile(file, target, follow_symlinks=False)
                target.chmod(0o755 if os.access(file, os.X_OK) else 0o644)
        if limits is not None and _runs_as_another_user(limits):
            Path(place.path).chmod(0o711)
        yield Submission(name or name_of(given), folder)
    finally:
        place.remove()  # with everything that the program left there


def remove_leftover_copies() -> None:
    """Remove what graders that were killed left: copies, and the folders of their programs."""
    remove_leftovers(FOLDERS, program.FOLDERS)


def _runs_as_another_user(limits: Limits) -> bool:
    """Whether a program runs as a user who could not enter a folder of this process's user.

    The sandbox shows the program its folder, whoever owns those above it.
    """
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return bool(limits.container) or (limits.isolation == "restricted" and is_root)


def digest_of(path: str | os.PathLike[str]) -> str:
    """Compute a digest of everything that `copy_submission` copies."""
    digest = hashlib.sha256()
    for inner, file in _files(submitted_path(checked_path(path))):
        with failing_as(file, "read"):
            content = file.read_bytes()
        digest.update(
            f"{inner}\0{len(content)}\0{os.access(file, os.X_OK)}\0".encode(
                "utf-8", "surrogateescape"
            )
        )
        digest.update(content)
    return digest.hexdigest()


def submitted_path(path: Path) -> Path:
    """Return the folder ``student`` in the path, if there is one, or else the path itself."""
    inner = path / STUDENT
    return inner if inner.is_dir() and not inner.is_symlink() else path


def _files(source: Path) -> Iterator[tuple[Path, Path]]:
    """Yield the regular files of a submission in order, each after its path in the copy."""
    with failing_as(source, "read"):
        if source.is_file():
            yield Path(AGENT if source.suffix == ".py" else PROGRAM), source
            return
        files = sorted(regular_files(source))
        size = sum(file.lstat().st_size for file in files)
    inner = [file.relative_to(source) for file in files]
    if (
        len(files) > MAX_FILES
        or size > MAX_BYTES
        or any(len(path.parts) > MAX_DEPTH for path in inner)
    ):
        allowed = (
            f"at most {MAX_FILES:,} files and {MAX_BYTES >> 20} MiB, "
            f"in folders at most {MAX_DEPTH} deep"
        )
        raise FileError(source, f"a submission may have {allowed}")
    yield from zip(inner, files, strict=True)


def regular_files(source: Path, deepest: float = math.inf) -> Iterator[Path]:
    """Yield the regular files in a folder, in any order, without links or ignored folders.

    Args:
        source: the folder.
        deepest: the greatest depth of the folders that are searched; those in ``source`` have 1.

    Yields:
        The files.
    """
    folders = [(source, 0)]
    while folders:
        folder, depth = folders.pop()
        for entry in os.scandir(folder):
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in IGNORED and depth < deepest:
                    folders.append((Path(entry.path), depth + 1))
            elif stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                yield Path(entry.path)
