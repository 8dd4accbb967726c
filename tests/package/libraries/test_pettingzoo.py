"""What PettingZoo itself refuses, and what it takes instead."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from pettingzoo.utils.conversions import aec_to_parallel, turn_based_aec_to_parallel

from tests.package.libraries.wrapped_games import games_through
from tkm_env import tkm_v0


def test_players_who_take_turns_do_not_act_in_parallel() -> None:
    with pytest.raises(AssertionError, match="not generally safe"):
        aec_to_parallel(tkm_v0.env())


def test_a_parallel_environment_for_games_in_turns_plays_the_action_of_the_player_to_act() -> None:
    env = turn_based_aec_to_parallel(tkm_v0.env(chapters="memory"))
    for end in islice(games_through(env, np.random.default_rng(1), strict=True), 5):
        assert end.rewards == end.expected
        assert sum(end.rewards) == 0 != end.rewards[0]
        assert all(end.seen["terminated"].values())


def test_a_parallel_environment_names_the_player_to_act_after_each_step() -> None:
    env = turn_based_aec_to_parallel(tkm_v0.env())
    observations, infos = env.reset(seed=1)
    for _ in range(9):
        actions = {agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()}
        observations, _, _, _, infos = env.step(actions)
        acting = [agent for agent, seen in observations.items() if seen["action_mask"].any()]
        assert [info["active_agent"] for info in infos.values()] == acting * 2
