"""Optional libraries, imported when used; the error for a missing one says how to install it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tkm_env.errors import MissingExtraError


@contextmanager
def extra(name: str) -> Iterator[None]:
    """A context manager for imports that need an extra. Raises a `MissingExtraError` if an import fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), name) from error
