"""Players submitted by strangers: finding them in a folder, and making copies that play.

Since copies play, authors can continue to work on their files.
"""

import os
import shlex
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from tkm_env.arena.bot_templates import BUILD
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.versions import entered
from tkm_env.arena.tournament.submitted_files import Found, copy_files, inventory
from tkm_env.arena.tournament.tournament_plan import check_name
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.files import checked_path, failing_as
from tkm_env.isolation.folders import remove_folder
from tkm_env.players.player_spec import COMMAND

#: The class or function that a player's Python file must define.
_BOT: Final = "Bot"
#: The files of a player in a folder: its Python file, the first one found, or else its program.
_FILES, _PROGRAM = ("bot.py", "agent.py"), "run"
#: The time for which the files of a new version must have been unchanged, in nanoseconds. They may
#: be half written, and a player that changes all the time would cost the others trial games.
_SETTLED: Final = 1_000_000_000


def entrants_in(folder: str | os.PathLike[str]) -> tuple[Entrant, ...]:
    """Find the players in a folder, by name, and warn about everything that is not a player.

    ``ann.py`` is the player *ann*: the class or function ``Bot`` in it. Any other executable file
    is a program that speaks the protocol of ``docs/protocol.md``. A folder is a player of several
    files: it holds a ``bot.py``, an ``agent.py`` or a program ``run``. Names that begin with a dot
    or an underscore are ignored. Links are not players, and neither is anything that
    `tkm_env.arena.tournament.submitted_files.inventory` refuses.

    Raises:
        FileError: if the folder cannot be read.
    """
    place = checked_path(folder)
    with failing_as(folder, "read"):
        paths = sorted(path for path in place.iterdir() if not path.name.startswith((".", "_")))
    found: list[Entrant] = []
    for path in paths:
        try:
            if path.is_symlink() and path.exists():
                raise FileError(path, "no player: it is a link; copy its target instead")
            found.append(_submission(path))
        except FileError as error:
            # The stack level stays at this line, so that a warning is shown only once.
            warnings.warn(str(error), RuntimeWarning, stacklevel=1)
    return tuple(found)


def entrants_at(path: str | os.PathLike[str]) -> tuple[Entrant, ...]:
    """Find the player in a file or folder; in a folder of players, find all of them.

    Raises:
        FileError: if it cannot be read, or holds no player.
    """
    place = checked_path(path)
    is_one = not place.is_dir() or any(
        (place / name).exists() for name in (*_FILES, _PROGRAM, BUILD)
    )
    return (() if is_one else entrants_in(place)) or (_submission(place),)


def _submission(path: Path) -> Entrant:
    """Return the player in a file or folder.

    Raises:
        FileError: if it holds no player, or its name is not allowed.
    """
    name = path.name if path.is_dir() else path.stem
    try:
        check_name(name)
    except ConfigError as error:
        raise FileError(path, f"no player: {error.reason}; rename it") from None
    if not path.is_dir():
        return Entrant(name, _line_of(path), submitted=str(path))
    inventory(path)
    file = next((path / name for name in (*_FILES, _PROGRAM) if (path / name).exists()), None)
    if file is None:
        remedy = f"; run its {BUILD} first" if (path / BUILD).exists() else ""
        raise FileError(
            path, f"no player: the folder holds no {', '.join(_FILES)} or {_PROGRAM}{remedy}"
        )
    return Entrant(name, _line_of(file), readable=(str(path),), submitted=str(path))


def _line_of(path: Path) -> str:
    """Return the line of the player in a file, for `tkm_env.players.factory.make_agent`.

    Raises:
        FileError: if it holds no player.
    """
    if not path.is_file():
        raise FileError(path, "no player: it is not a file, or links to none")
    if path.suffix == ".py":
        return f"{path}:{_BOT}"
    if not os.access(path, os.X_OK):
        remedy = f"if it is a program: chmod +x {shlex.quote(str(path))}"
        raise FileError(path, f"no player: it is neither Python nor executable; {remedy}")
    # Without a slash, a program's name is looked up in PATH.
    return f"{COMMAND}:{shlex.quote(os.path.join('.', path))}"


class Copies:
    """Copies of submitted players in a private folder, made as the players enter.

    `player_copies` makes instances.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        #: The copy of each submission, and the files that the submission held then.
        self._known: dict[str, tuple[tuple[Found, ...], Entrant]] = {}
        self._count = 0

    def enter(self, entrant: Entrant, conditions: Conditions) -> Entrant:
        """Return a player as it enters now; a submitted one plays as a copy of its files.

        While the files are being changed, the previous copy stays in use.

        Args:
            entrant: the player.
            conditions: the conditions under which it plays.

        Returns:
            The player, with its digest.

        Raises:
            FileError: if the files are gone, or no longer hold a player.
        """
        if not entrant.submitted:
            return entered(entrant, conditions)
        source = Path(entrant.submitted)
        now = inventory(source)
        before, copied = self._known.get(entrant.submitted, ((), entrant))
        is_settled = not before or time.time_ns() - max(each.changed for each in now) >= _SETTLED
        if now != before and is_settled:
            place = self._folder / str(self._count)
            self._count += 1
            place.mkdir(0o755)
            copy_files(source, place / source.name)
            copied = entered(_submission(place / source.name), conditions)
            self._known[entrant.submitted] = now, copied
        return copied._replace(
            name=entrant.name, game=entrant.game, number=entrant.number, submitted=entrant.submitted
        )


@contextmanager
def player_copies(results: str | os.PathLike[str] | None) -> Iterator[Copies]:
    """Make a folder for copies of submitted players.

    It is removed at the end of the context, and so are similar folders left by killed processes.

    Args:
        results: the file of results, beside which the folder is made; None for a folder among
            temporary files.

    Yields:
        The copies, none so far.

    Raises:
        FileError: if the folder cannot be made.
    """
    target = None if results is None else Path(os.path.realpath(checked_path(results)))
    prefix = "tkm-players-" if target is None else f".{target.name}.players-"
    if target is not None:
        _sweep(target.parent, prefix)
    with failing_as("a folder for players" if target is None else target, "written"):
        folder = Path(mkdtemp(prefix=prefix, dir=None if target is None else target.parent))
        folder.chmod(0o711)  # bots of other users can open their own files, but not list others
    descriptor = _locked(folder)
    try:
        yield Copies(folder)
    finally:
        remove_folder(str(folder))
        if descriptor is not None:
            os.close(descriptor)


def _sweep(place: Path, prefix: str) -> None:
    """Remove the folders of processes that have been killed."""
    for folder in place.glob(f"{prefix}*"):
        if (descriptor := _locked(folder)) is not None:
            remove_folder(str(folder))
            os.close(descriptor)


def _locked(folder: Path) -> int | None:
    """Lock a folder until this process ends, and return the descriptor of the lock.

    None if another process holds the lock, or the system has no such locks.
    """
    with suppress(ImportError, OSError):
        import fcntl

        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
        else:
            return descriptor
    return None
