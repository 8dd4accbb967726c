"""The pauses before what a failing machine ended is tried again."""

from __future__ import annotations

import pytest


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were due; nobody waits for them."""
    found: list[float] = []
    monkeypatch.setattr("tkm_env.arena.playing.retries.sleep", found.append)
    return found
