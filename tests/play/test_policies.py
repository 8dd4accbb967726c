"""Files of policies as opponents at the board."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.players.policies import compact_policy
from tkm_env import ConfigError
from tkm_env.games.registry import TKM
from tkm_env.play.session import Session


def test_a_policy_is_an_opponent(tmp_path: Path) -> None:
    line = f"policy:{compact_policy(tmp_path)}"
    session = Session(TKM, {}, opponent=line, side="black", seed=1)
    session.let_agent_play()
    assert session.game.history


def test_other_settings_are_refused(tmp_path: Path) -> None:
    line = f"policy:{compact_policy(tmp_path)}"
    with pytest.raises(ConfigError, match=r"settings=\{'chapters': \['growth'\]\} .*element 48 "):
        Session(TKM, {"chapters": "growth"}, opponent=line)
