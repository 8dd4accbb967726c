"""The page on a server, for the tests that play on it in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.play.page import Serve


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves sessions; take it before any page, so that the pages are closed first."""
    from tests.play.page import served

    with ExitStack() as servers:
        yield lambda session: servers.enter_context(served(session))
