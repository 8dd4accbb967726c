"""The table of actions."""

from __future__ import annotations

from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.state import NUM_PIECES, PIECES


def test_pieces_and_actions_are_named_once() -> None:
    assert len(set(PIECES)) == NUM_PIECES
    assert len(set(ACTIONS)) == len(ACTIONS) == sum(len(group.names) for group in GROUPS) == 79
