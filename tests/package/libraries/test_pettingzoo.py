"""What PettingZoo itself refuses."""

from __future__ import annotations

import pytest
from pettingzoo.utils.conversions import aec_to_parallel

from tkm_env import tkm_v0


def test_players_who_take_turns_do_not_act_in_parallel() -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(tkm_v0.env())
