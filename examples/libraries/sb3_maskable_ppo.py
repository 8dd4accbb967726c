"""sb3-contrib's MaskablePPO with whole turns as actions. Needs the extra ``[train]``.

An action is a turn, and the policy is a small network that gives a score to what the learner sees
after each turn it could take. The reward is the learner's own: the other side is the environment's.

python examples/libraries/sb3_maskable_ppo.py --steps 20480
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableMultiInputActorCriticPolicy
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from torch import Tensor, nn

from tkm_env.envs.sb3 import SB3VecEnv

ID = "tkm_env/TKM-Turns-v0"
#: The turns that an observation has room for; of the few positions with more, some are left out.
MAX_CHOICES = 64


class Positions(BaseFeaturesExtractor):
    """The position and what follows each turn, one after another: (n, 1 + turns, inputs)."""

    def __init__(self, observation_space: gymnasium.spaces.Dict) -> None:
        turns, inputs = observation_space["ends"].shape
        super().__init__(observation_space, (1 + turns) * inputs)

    def forward(self, seen: dict[str, Tensor]) -> Tensor:
        return torch.cat([seen["position"][:, None], seen["ends"]], 1)


class Scores(nn.Module):
    """A score of each turn from what follows it, and the value of the position."""

    def __init__(self, turns: int, inputs: int, width: int = 128) -> None:
        super().__init__()
        self.latent_dim_pi, self.latent_dim_vf = turns, 1
        self.hidden = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width // 2), nn.ReLU()
        )
        self.score, self.value = nn.Linear(width // 2, 1), nn.Linear(width // 2, 1)

    def forward(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        return self.forward_actor(positions), self.forward_critic(positions)

    def forward_actor(self, positions: Tensor) -> Tensor:
        ends = positions[:, 1:]
        is_turn = ends.any(-1)  # after the last turn there are zeros, which need no score
        scores = ends.new_zeros(is_turn.shape)
        scores[is_turn] = self.score(self.hidden(ends[is_turn])).squeeze(-1)
        return scores

    def forward_critic(self, positions: Tensor) -> Tensor:
        return self.value(self.hidden(positions[:, 0]))


class TurnPolicy(MaskableMultiInputActorCriticPolicy):
    """A policy whose probabilities are a softmax over the turns' scores."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords, features_extractor_class=Positions)

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = Scores(*self.observation_space["ends"].shape)

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        self.action_net = self.value_net = nn.Identity()  # there is nothing to add to the scores
        self.optimizer = self.optimizer_class(
            self.parameters(), lr=lr_schedule(1), **self.optimizer_kwargs
        )


def evaluate(
    model: MaskablePPO, opponent: str, games: int, seed: int
) -> tuple[float, float, float]:
    """Play games that the model never saw, each start from both sides, by its best turns.

    Returns:
        The share of the points and its 95% interval, that of Agresti and Coull (1998), with a pair
        of games as one observation, since the two depend on each other.
    """
    pairs = np.zeros(games // 2)
    for side in ("white", "black"):
        envs = gymnasium.make_vec(
            ID, games // 2, opponent=opponent, side=side, opening_turns=2, max_choices=MAX_CHOICES
        )
        seen, info = envs.reset(seed=10**6 + seed)
        earned = np.full(games // 2, np.nan)
        while np.isnan(earned).any():
            turns, _ = model.predict(seen, action_masks=info["action_mask"], deterministic=True)
            seen, rewards, terminations, truncations, info = envs.step(turns)
            first = np.isnan(earned) & (terminations | truncations)  # later games do not count
            earned[first] = (1 + rewards[first]) / 2
        pairs += earned / 2
    trials = len(pairs) + 1.96**2
    middle = (pairs.sum() + 1.96**2 / 2) / trials
    margin = 1.96 * (middle * (1 - middle) / trials) ** 0.5
    return pairs.mean(), max(0.0, middle - margin), min(1.0, middle + margin)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps", type=int, default=20_480, help="turns to learn from (default: 20480)"
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of the evaluation afterwards (default: 400)"
    )
    parser.add_argument("--opponent", default="random", help="the other side (default: random)")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()

    torch.set_num_threads(1)  # a network this small gains nothing from more
    # MaskablePPO asks the environment for its masks, by env_method("action_masks").
    envs = SB3VecEnv(ID, num_envs=16, opponent=arguments.opponent, max_choices=MAX_CHOICES)
    model = MaskablePPO(
        TurnPolicy,
        envs,
        n_steps=64,
        batch_size=256,
        n_epochs=4,
        learning_rate=1e-3,
        ent_coef=0.01,
        seed=arguments.seed,
    )
    model.learn(arguments.steps)
    score, low, high = evaluate(model, arguments.opponent, arguments.games, arguments.seed)
    print(f"MaskablePPO against {arguments.opponent}: {arguments.games} games")
    print(f"  score     {score:.1%} ({low:.1%} to {high:.1%}), 95% interval")


if __name__ == "__main__":
    main()
