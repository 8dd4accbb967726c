"""Versions of players: a digest of its files and its command identifies the version behind a name.

The first version of *ann* has that name, the next one is *ann@2*. Files that played before are the
version that they were.
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

from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.foundations.errors import FileError
from tkm_env.players.player_spec import AGENT, COMMAND, EXPLOIT, LLM, POLICY, PYTHON, PlayerSpec

_VERSION: Final = re.compile(r"(.+)@([1-9]\d*)", re.DOTALL)
#: What makes a folder a program that ``python3 FOLDER`` runs.
_MAIN: Final = "__main__.py"


#: Why a player does not play on.
CHANGED: Final = "its files have changed since it entered; when resumed, it is a new version, so it must not write into them"


class ChangedPlayerError(FileError):
    """A player's files are no longer those with which it takes part."""


def base_of(name: str) -> tuple[str, int]:
    """The name without its version, and the number of that: *ann* and 2 for *ann@2*."""
    found = _VERSION.fullmatch(name)
    return (name, 1) if found is None else (found[1], int(found[2]))


def successors(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Each version among these names with the one before it."""
    versions = defaultdict(list)
    for name in names:
        base, number = base_of(name)
        versions[base].append((number, name))
    for numbered in versions.values():
        yield from ((later, earlier) for (_, earlier), (_, later) in pairwise(sorted(numbered)))


class Versions:
    """The versions of players so far, by the digests of those who played."""

    def __init__(self) -> None:
        self._digests: dict[str, dict[int, str | None]] = defaultdict(dict)

    def name_of(self, name: str, digest: str | None) -> str:
        """The name of the version with a digest: as before, or as given, or with the next number.

        Args:
            name: the player's name.
            digest: of what it is; None if that is not known.
        """
        base, number = base_of(name)
        known = self._digests[base]
        number = next((each for each, before in known.items() if before == digest), number)
        if known.get(number, digest) != digest:
            number = max(known) + 1
        known[number] = digest
        return base if number == 1 else f"{base}@{number}"


def digest_of(entrant: Entrant, conditions: Conditions) -> str:
    """A digest of all that a player is: what its files hold, its options or its command, its
    container.

    Where files lie, and what else is in their folder, is no part of it, unless the player may read
    that, or the folder is the program, as in ``cmd:python3 FOLDER``. Bytecode counts, since Python
    may run it instead of its source.

    Args:
        entrant: the player.
        conditions: how it plays; the container's command is part of the digest.

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


def is_unchanging(entrant: Entrant) -> bool:
    """Whether a player is all in its line, with no file that might change."""
    return PlayerSpec.parse(entrant.line).kind in (AGENT, LLM) and not entrant.readable


def entered(entrant: Entrant, conditions: Conditions) -> Entrant:
    """A player as it enters now: it plays only as long as it stays as it is.

    Args:
        entrant: the player.
        conditions: how it plays.
    """
    return entrant._replace(digest=digest_of(entrant, conditions))


def _parts(line: str) -> tuple[list[str], list[tuple[str, str]]]:
    """What a player's line says but for its files, and these, each with what it is called."""
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
    """What a folder holds: names within it, and paths.

    What a link leads to is no part of it, but where it leads is.
    """
    for place, folders, names in os.walk(folder):
        for path in (os.path.join(place, name) for name in (*folders, *names)):
            name = os.path.relpath(path, folder)
            if os.path.islink(path):
                yield f"{name} -> {os.readlink(path)}", ""
            elif not os.path.isdir(path):
                yield name, path


def _digest(path: str) -> str:
    """A digest of a file's content; empty where there is none to read."""
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
    """It is computed once as long as neither time, size nor inode of the file changes."""
    with open(path, "rb") as file:
        content = hashlib.sha256()
        while block := file.read(1 << 20):
            content.update(block)
    return content.hexdigest()
