"""Observations that hold the mask, as Tianshou and RLlib look for it."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from tests.games.tkm.positions import random_action
from tkm_env import ConfigError
from tkm_env.adapters.masked_observation import MaskedObservation


def made(**settings: object) -> MaskedObservation:
    return MaskedObservation(gymnasium.make("tkm_env/TKM-v0", **settings), "obs", "mask")


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasiums_checks_pass() -> None:
    check_env(made(max_turns=5, side="random"), skip_render_check=True)


@pytest.mark.parametrize("env_id", ["tkm_env/TKM-v0", "tkm_env/Terminus-v0"])
def test_the_mask_is_that_of_the_game_and_info_holds_no_text(env_id: str) -> None:
    env = MaskedObservation(gymnasium.make(env_id, side="random"), "obs", "mask")
    plain = gymnasium.make(env_id, side="random")
    generator = np.random.default_rng(1)
    seen, told = env.reset(seed=1)
    expected, info = plain.reset(seed=1)
    ended = False
    while True:
        assert env.observation_space.contains(seen)
        assert seen["obs"].tolist() == expected.tolist()
        assert seen["mask"].tolist() == info["action_mask"].tolist()
        assert {*info} - {*told} == {"action_mask"} | ({"result"} if ended else set())
        if ended:
            break
        action = random_action(info["action_mask"], generator)
        seen, reward, terminated, truncated, told = env.step(action)
        expected, *ends, info = plain.step(action)
        assert [reward, terminated, truncated] == ends
        ended = terminated or truncated


def test_an_illegal_action_leaves_no_text_either() -> None:
    env = made()
    seen, _ = env.reset(seed=1)
    told = env.step(int(seen["mask"].argmin()))[4]
    assert "illegal_action" in told
    assert "reason" not in told


def test_what_cannot_be_wrapped_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^mask='obs' is invalid"):
        MaskedObservation(gymnasium.make("tkm_env/TKM-v0"), "obs", "obs")
    with pytest.raises(ConfigError, match=r"^env="):
        MaskedObservation(made(), "seen", "legal")
