"""Libraries of the extras, imported when they are used: what is missing is told with the line that installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tkm_env.errors import MissingExtraError

__all__ = ["extra"]


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around imports that need an extra.

    Raises:
        MissingExtraError: if one of them is not installed.

    >>> with extra("render"):
    ...     import no_such_library
    Traceback (most recent call last):
        ...
    tkm_env.errors.MissingExtraError: no_such_library is not installed: pip install 'tkm_env[render]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), name) from error
