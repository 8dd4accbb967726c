"""Programs as opponents at the board."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.isolation.programs import HONEST, saved
from tkm_env import PlayerError
from tkm_env.games.registry import TKM
from tkm_env.play.session import Session


def test_a_program_is_an_opponent(tmp_path: Path) -> None:
    session: Session[Any] = Session(TKM, {}, opponent=saved(tmp_path, HONEST), side="black", seed=1)
    session.let_agent_play()
    assert session.game.history


def test_what_a_program_fails_with_is_said(tmp_path: Path) -> None:
    line = saved(tmp_path, "raise ValueError('no idea')")
    session: Session[Any] = Session(TKM, {}, opponent=line, side="black")
    with pytest.raises(PlayerError, match="no idea"):
        session.let_agent_play()
