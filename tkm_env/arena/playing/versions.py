"""Versions of players: a digest identifies the version behind a name.

The digest covers a player's files and its command. The first version of *ann* keeps that name, the
next one is *ann@2*. Files that have played before are the same version as then.
"""

import hashlib
import json
import os
import re
import shlex
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.core.registry import game_names
from tkm_env.foundations.errors import FileError
from tkm_env.players.player_spec import AGENT, COMMAND, EXPLOIT, LLM, POLICY, PYTHON, PlayerSpec
from tkm_env.players.roster import ROSTERS

_VERSION: Final = re.compile(r"(.+)@([1-9]\d*)", re.DOTALL)
#: The file that makes a folder a program that ``python3 FOLDER`` runs.
_MAIN: Final = "__main__.py"


#: Why a player stops playing.
CHANGED: Final = (
    "its files have changed since it entered, and on resuming it would be a new version, so it "
    "must not write to them"
)


class ChangedPlayerError(FileError):
    """A player's files have changed since it entered."""


def base_of(name: str) -> tuple[str, int]:
    """Split a name into base and version, such as *ann* and 2 for *ann@2*."""
    found = _VERSION.fullmatch(name)
    return (name, 1) if found is None else (found[1], int(found[2]))


def successors(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each version among these names with the previous one."""
    versions = defaultdict(list)
    for name in names:
        base, number = base_of(name)
        versions[base].append((number, name))
    for numbered in versions.values():
        yield from ((later, earlier) for (_, earlier), (_, later) in pairwise(sorted(numbered)))


class Versions:
    """The versions of players so far, by their digests."""

    def __init__(self) -> None:
        self._digests: dict[str, dict[int, str | None]] = defaultdict(dict)

    def name_of(self, name: str, digest: str | None) -> str:
        """Return the name of the version with a digest.

        Args:
            name: the player's name, with or without a version.
            digest: the player's digest; None if unknown.

        Returns:
            The name that this digest had before, or the given name if that is free, or the name
                with the next number.
        """
        base, number = base_of(name)
        known = self._digests[base]
        number = next((each for each, before in known.items() if before == digest), number)
        if known.get(number, digest) != digest:
            number = max(known) + 1
        known[number] = digest
        return base if number == 1 else f"{base}@{number}"


def digest_of(entrant: Entrant, conditions: Conditions) -> str:
    """Compute a digest of a player: its files' content, its options or command, its container.

    The location of files is not part of it. Neither are other files in their folder, unless the
    player may read them, or the folder is the program, as in ``cmd:python3 FOLDER``. Bytecode
    counts, since Python may run it instead of its source.

    Args:
        entrant: the player.
        conditions: the conditions under which it plays, whose container command is part of the
            digest.

    Returns:
        32 hexadecimal digits.
    """
    words, files = _parts(entrant.line)
    for path in entrant.readable:
        files += (
            sorted(_files_in(path)) if os.path.isdir(path) else [(os.path.basename(path), path)]
        )
    what = [words, [(name, _digest(path)) for name, path in files], conditions.limits.container]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:32]


def digest_of_agent(line: str) -> str | None:
    """The digest of a player that its line describes in full, as matches record it.

    Games at a board are recorded without digests, though these players are the same there: the
    package's own agents, language models, and others without files.

    Args:
        line: the text that names a player.

    Returns:
        The digest; None for any other player.
    """
    parts = PlayerSpec.parse(line)
    if parts.kind == AGENT:
        is_known = any(parts.subject in ROSTERS.of(game).agents for game in game_names())
    else:
        is_known = _parts(line) == ([line], [])
    return digest_of(Entrant(line, line), DEFAULT_CONDITIONS) if is_known else None


def is_unchanging(entrant: Entrant) -> bool:
    """Whether a player consists of its line alone, with no files that might change."""
    return PlayerSpec.parse(entrant.line).kind in (AGENT, LLM) and not entrant.readable


def entered(entrant: Entrant, conditions: Conditions) -> Entrant:
    """Return a player as it enters now; it plays only as long as it does not change.

    Args:
        entrant: the player.
        conditions: the conditions under which it plays.

    Returns:
        The player, with its digest.
    """
    return entrant._replace(digest=digest_of(entrant, conditions))


def _parts(line: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Split a player's line into words without files, and files, each with its name."""
    parts = PlayerSpec.parse(line)
    if parts.kind == COMMAND:
        words = shlex.split(parts.subject)
        files = [word for word in words if os.path.isfile(word)]
        folders = [word for word in words if os.path.isfile(os.path.join(word, _MAIN))]
        within = [file for folder in folders for file in sorted(_files_in(folder))]
        return ["" if word in (*files, *folders) else word for word in words], [
            *(("", word) for word in files),
            *within,
        ]
    if parts.kind == EXPLOIT:
        inner, files_within = _parts(parts.subject)
        return [EXPLOIT, parts.options, *inner], files_within
    if parts.kind == POLICY:
        return [parts.options], [("", parts.subject)]
    if parts.kind == PYTHON:
        return [":".join(filter(None, (parts.name, parts.options)))], [("", parts.subject)]
    return [line], []


def _files_in(folder: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the path of each file in a folder.

    Of a link, only the path that it leads to counts, which is part of its name.
    """
    for place, folders, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in (*folders, *names)):
            name = os.path.relpath(path, folder)
            if os.path.islink(path):
                yield f"{name} -> {os.readlink(path)}", ""
            elif not os.path.isdir(path):
                yield name, path


def _digest(path: str) -> str:
    """Compute a digest of a file's content; empty if it cannot be read."""
    try:
        found = os.stat(path)
        is_file = stat.S_ISREG(found.st_mode)  # others, such as pipes, may never end
        return (
            _digest_of_content(path, found.st_mtime_ns, found.st_size, found.st_ino)
            if is_file
            else ""
        )
    except OSError:
        return ""


@lru_cache(maxsize=65_536)
def _digest_of_content(path: str, *_: int) -> str:
    """Compute it once, as long as the time, size and inode of the file do not change."""
    with open(path, "rb") as file:
        content = hashlib.sha256()
        while block := file.read(1 << 20):
            content.update(block)
    return content.hexdigest()
