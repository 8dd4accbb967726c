"""Failures of the machine that runs a league, as its pages report them."""

import errno
import json
import os
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from markupsafe import escape
from sqlalchemy.exc import DBAPIError, InterfaceError, OperationalError

import tkm_env

#: What the system says when nothing can be written.
_CANNOT_WRITE: Final = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM)
)
#: The same of SQLite, by the beginning of its errors' names, and of PostgreSQL, by their codes.
_SQLITE_CANNOT_WRITE: Final = ("SQLITE_FULL", "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_IOERR")
_POSTGRESQL_CANNOT_WRITE: Final = ("53100", "25006")


class Refusal(NamedTuple):
    """Why a request is refused."""

    name: str
    message: str
    status: int  # the code of HTTP


def of_storage(error: BaseException) -> Refusal | None:
    """Return the refusal for a full or read-only disk; None if the error has another cause."""
    if not any(map(_cannot_write, _causes(error))):
        return None
    message = (
        "The league's disk is full or cannot be written. This is not your fault, and nothing was "
        "changed. Tell the organiser, and try again later."
    )
    return Refusal("StorageError", message, 507)


def of_database(error: DBAPIError) -> Refusal | None:
    """Return the refusal for a database that is down or busy; None for another error."""
    if not isinstance(error, (OperationalError, InterfaceError)):
        return None
    message = "The league's database does not answer. Try again in a moment."
    return Refusal(type(error).__name__, message, 503)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__


def _cannot_write(error: BaseException) -> bool:
    if isinstance(error, OSError):
        return error.errno in _CANNOT_WRITE
    return getattr(error, "sqlite_errorname", "").startswith(_SQLITE_CANNOT_WRITE) or (
        getattr(error, "sqlstate", None) in _POSTGRESQL_CANNOT_WRITE
    )


def without_places(text: str, folder: Path) -> str:
    """Replace the paths of this machine in text for strangers.

    Args:
        text: plain text, HTML or JSON.
        folder: the folder of the league.

    Returns:
        The text, in which the folders of the league, of this package and of its environment are
            three dots.
    """
    places = _places(folder)
    if not any(place in text for place in places):  # the usual case, and quick for long pages
        return text
    pattern = rf"(?<![\w./-])(?:{'|'.join(map(re.escape, places))})(?![\w-])"
    return re.sub(pattern, "...", text)


@cache
def _places(folder: Path) -> tuple[str, ...]:
    """Return the folders to hide, as plain text, HTML and JSON write them, longest first."""
    package = Path(tkm_env.__file__).parent.parent
    places = {str(folder), os.path.realpath(folder), str(package), os.path.realpath(package)}
    if sys.prefix != sys.base_prefix:
        places.add(sys.prefix)
    forms = {
        form for place in places for form in (place, str(escape(place)), json.dumps(place)[1:-1])
    }
    return tuple(sorted(forms, key=len, reverse=True))
