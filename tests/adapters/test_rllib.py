"""RLlib's environment, as far as it goes without Ray."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.tkm.positions import random_action
from tkm_env import UnknownKeywordError
from tkm_env.adapters.rllib import RLlibEnv


@pytest.mark.parametrize(
    ("env_id", "size"), [("tkm_env/TKM-v0", 1344), ("tkm_env/Terminus-v0", 838)]
)
def test_observations_are_what_its_masking_module_takes(env_id: str, size: int) -> None:
    env = RLlibEnv({"env_id": env_id, "side": "random"})
    observation, _ = env.reset(seed=1)
    generator = np.random.default_rng(1)
    ended = False
    while not ended:
        assert env.observation_space.contains(observation)
        assert observation["observations"].shape == (size,)
        assert {array.dtype for array in observation.values()} == {np.dtype(np.float32)}
        observation, _, terminated, truncated, _ = env.step(
            random_action(observation["action_mask"], generator)
        )
        ended = terminated or truncated


def test_settings_come_in_the_config_which_stays_as_it_was() -> None:
    config = {"env_id": "tkm_env/TKM-v0", "opponent": "greedy", "chapters": "memory"}
    assert RLlibEnv(config).get_wrapper_attr("config").chapters == ("memory",)
    assert config == {"env_id": "tkm_env/TKM-v0", "opponent": "greedy", "chapters": "memory"}
    assert RLlibEnv().get_wrapper_attr("config").chapters is None
    with pytest.raises(UnknownKeywordError, match=r"^chapter=1 is invalid"):
        RLlibEnv({"chapter": 1})
