"""TorchRL's wrappers pass its own checks and obey the mask.

These tests are left out, with a note, without the extra ``[torchrl]``.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import pytest

from tkm_env import Game, tkm_v0

pytest.importorskip("torchrl", reason="needs the extra [torchrl]")

import torch
from torchrl.data import Binary, Composite
from torchrl.envs import (
    ActionMask,
    Compose,
    DTypeCastTransform,
    GymEnv,
    GymWrapper,
    PettingZooWrapper,
    TransformedEnv,
)
from torchrl.envs.gym_like import default_info_dict_reader
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical

pytestmark = pytest.mark.filterwarnings("ignore")

ACTIONS = 79


def with_mask(env: Any) -> Any:
    """The environment with what the mask needs in TorchRL."""
    spec = Composite(
        action_mask=Binary(ACTIONS, (*env.batch_size, ACTIONS), dtype=torch.int8),
        shape=env.batch_size,
    )
    env.set_info_dict_reader(default_info_dict_reader(["action_mask"], spec))
    return TransformedEnv(
        env,
        Compose(DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]), ActionMask()),
    )


def vector(mode: str) -> Any:
    envs = gymnasium.make_vec("tkm_env/TKM-v0", 4, autoreset_mode=mode, side="random", max_turns=30)
    return GymWrapper(envs, categorical_action_encoding=True)


def assert_legal(steps: Any) -> None:
    assert steps["action_mask"].gather(-1, steps["action"].unsqueeze(-1)).all()


def test_one_game_is_made_by_its_name() -> None:
    env = with_mask(
        GymEnv("tkm_env/TKM-v0", categorical_action_encoding=True, side="random", max_turns=30)
    )
    check_env_specs(env)
    steps = env.rollout(400, break_when_any_done=False)
    assert_legal(steps)
    assert steps["next", "done"].any()


@pytest.mark.parametrize("mode", ["SameStep", "Disabled"])
def test_many_games_are_wrapped(mode: str) -> None:
    env = with_mask(vector(mode))
    check_env_specs(env)
    steps = env.rollout(200, break_when_any_done=False)
    assert steps.batch_size == (4, 200)
    assert_legal(steps)
    assert steps["next", "done"].sum() > 4
    assert steps["next", "reward"][~steps["next", "done"]].eq(0).all()


def test_pettingzoos_face_is_played_by_both_sides() -> None:
    env = PettingZooWrapper(
        tkm_v0.env(max_turns=10),
        use_mask=True,
        categorical_actions=True,
        group_map=None,
        done_on_any=False,
    )
    check_env_specs(env)
    steps = env.rollout(300)
    for agent in ("white_0", "black_0"):
        acts = steps[agent, "mask"].squeeze(-1)
        legal = steps[agent, "action_mask"].squeeze(1)[acts]
        assert len(legal) > 5
        assert legal.gather(-1, steps[agent, "action"][acts]).all()


def test_the_default_autoreset_mode_is_refused() -> None:
    with pytest.raises(RuntimeError, match="must be one of SAME_STEP or DISABLED"):
        vector("NextStep")


def test_the_distribution_refuses_a_mask_of_whole_numbers() -> None:
    legal = torch.as_tensor(Game().action_mask())
    scores = torch.zeros(ACTIONS)
    with pytest.raises(RuntimeError, match="boolean masks"):
        MaskedCategorical(logits=scores, mask=legal)
    assert legal[MaskedCategorical(logits=scores, mask=legal.bool()).sample((50,))].all()


def test_info_is_not_registered_by_itself() -> None:
    with pytest.raises(AttributeError, match="dtype"):
        GymEnv("tkm_env/TKM-v0", categorical_action_encoding=True).auto_register_info_dict()
