"""PPO by self-play with games and network on one GPU: ``python examples/ppo_cuda.py``.

Observations, masks and rewards go from the games to the network, and actions back, without leaving
the device. Needs a GPU, torch, and the extra ``[cuda]``. With ``--games-on cpu`` the games run on
the CPU, for comparison.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import gymnasium
import torch
from torch import Tensor, nn
from torch.nn import functional

import tkm_env

gymnasium.register_envs(tkm_env)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--games-on",
        choices=("cuda", "cpu"),
        default="cuda",
        help="where the games are played (default: cuda)",
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="cores for games on the CPU (default: 1)"
    )
    parser.add_argument("--envs", type=int, default=16_384, help="games at once (default: 16384)")
    parser.add_argument(
        "--rollout", type=int, default=32, help="steps of each game between updates (default: 32)"
    )
    parser.add_argument(
        "--updates", type=int, default=60, help="updates of the network (default: 60)"
    )
    parser.add_argument(
        "--minibatches", type=int, default=8, help="minibatches per update (default: 8)"
    )
    parser.add_argument(
        "--width",
        type=int,
        default=256,
        help="units of each of the two hidden layers (default: 256)",
    )
    parser.add_argument(
        "--rate",
        type=float,
        default=1e-3,
        help="Adam's step size, which falls to 0 (default: 0.001)",
    )
    parser.add_argument(
        "--gamma", type=float, default=0.997, help="the discount of each step (default: 0.997)"
    )
    parser.add_argument(
        "--lam", type=float, default=0.95, help="how far advantages look ahead (default: 0.95)"
    )
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def make(given: argparse.Namespace, opponent: str, envs: int) -> Any:
    threads = {} if given.games_on == "cuda" else {"num_threads": given.threads}
    settings = {"opponent": opponent, "observation": "compact", "device": given.games_on, **threads}
    return gymnasium.make_vec("tkm_env/TKM-v0", num_envs=envs, max_turns=80, **settings)


def tensor(array: Any) -> Tensor:
    """Return a tensor on the GPU: a view of an array there, or a copy of any other array."""
    return (
        torch.from_dlpack(array)
        if hasattr(array, "__cuda_array_interface__")
        else torch.from_numpy(array).cuda()
    )


class Network(nn.Module):
    def __init__(self, inputs: int, actions: int, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Return log-probabilities of legal actions, and values for the player to act."""
        hidden = self.body(observations)
        logits = self.policy(hidden).masked_fill(masks == 0, -1e8)
        return functional.log_softmax(logits, 1), self.value(hidden).squeeze(1)


def collected(
    env: Any, network: Network, seen: list[Any], steps: int, as_actions: Any
) -> dict[str, Tensor]:
    """Play the network against itself and return tensors of shape (steps, games, …)."""
    rows: dict[str, list[Tensor]] = {}
    observations, info, over = seen
    for _ in range(steps):
        masks, player = tensor(info["action_mask"]), tensor(info["to_act"])
        inputs = tensor(observations)
        with torch.no_grad():
            chances, values = network(inputs, masks)
        drawn = torch.multinomial(chances.exp(), 1).squeeze(1)
        chance = chances.gather(1, drawn[:, None]).squeeze(1)
        observations, rewards, terminations, truncations, info = env.step(as_actions(drawn))
        ended = tensor(terminations) | tensor(truncations)
        row = {
            "inputs": inputs,
            "masks": masks,
            "player": player,
            "actions": drawn,
            "chance": chance,
            "values": values,
        }
        row |= {"rewards": tensor(rewards).float(), "ended": ended, "counts": ~over}
        for name, value in row.items():
            rows.setdefault(name, []).append(value)
        over = ended  # the next step of these games only starts a new one
    seen[:] = observations, info, over
    return {name: torch.stack(values) for name, values in rows.items()}


def advantages(
    rows: dict[str, Tensor], last: Tensor, player: Tensor, gamma: float, lam: float
) -> Tensor:
    """Generalised advantage estimates (Schulman et al. 2015) for a zero-sum game."""
    found = torch.zeros_like(rows["values"])
    ahead = torch.zeros_like(last)
    for step in reversed(range(len(found))):
        same = (
            torch.where(player == rows["player"][step], 1.0, -1.0) * (~rows["ended"][step]).float()
        )
        error = rows["rewards"][step] + gamma * same * last - rows["values"][step]
        ahead = error + gamma * lam * same * ahead
        found[step] = ahead
        last, player = rows["values"][step], rows["player"][step]
    return found


def learn(
    network: Network,
    optimiser: torch.optim.Optimizer,
    rows: dict[str, Tensor],
    gains: Tensor,
    minibatches: int,
) -> None:
    flat = {
        name: rows[name].flatten(0, 1)[rows["counts"].flatten()]
        for name in ("inputs", "masks", "actions", "chance", "values")
    }
    gains = gains.flatten()[rows["counts"].flatten()]
    targets = gains + flat["values"]
    gains = (gains - gains.mean()) / (gains.std() + 1e-8)
    for part in torch.randperm(len(gains), device=gains.device).chunk(minibatches):
        chances, values = network(flat["inputs"][part], flat["masks"][part])
        ratio = (
            chances.gather(1, flat["actions"][part, None]).squeeze(1) - flat["chance"][part]
        ).exp()
        clipped = torch.min(ratio * gains[part], ratio.clamp(0.8, 1.2) * gains[part]).mean()
        entropy = -(chances.exp() * chances).sum(1).mean()
        loss = -clipped + 0.5 * functional.mse_loss(values, targets[part]) - 0.01 * entropy
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 0.5)
        optimiser.step()


def score(env: Any, network: Network, as_actions: Any, steps: int = 400) -> float:
    """Return the network's score as white against random play.

    Only the games that end within this number of steps count.
    """
    observations, info = env.reset(seed=7)
    points = games = 0.0
    for _ in range(steps):
        with torch.no_grad():
            chances, _ = network(tensor(observations), tensor(info["action_mask"]))
        observations, rewards, terminations, truncations, info = env.step(
            as_actions(chances.argmax(1))
        )
        ended = tensor(terminations) | tensor(truncations)
        points += float(((tensor(rewards) + 1) / 2)[ended].sum())
        games += float(ended.sum())
    return points / games


def main() -> None:
    given = arguments()
    torch.manual_seed(given.seed)
    env = make(given, "self", given.envs)
    shape, actions = env.single_observation_space.shape, env.single_action_space.n
    network = Network(shape[0], int(actions), given.width).cuda()
    optimiser = torch.optim.Adam(network.parameters(), given.rate)
    falling = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, given.updates)

    def as_actions(drawn: Tensor) -> Any:
        return drawn if given.games_on == "cuda" else drawn.cpu().numpy()

    observations, info = env.reset(seed=given.seed)
    seen = [observations, info, torch.zeros(given.envs, dtype=torch.bool, device="cuda")]
    spent = {"playing": 0.0, "learning": 0.0}
    for update in range(given.updates):
        began = time.perf_counter()
        rows = collected(env, network, seen, given.rollout, as_actions)
        torch.cuda.synchronize()
        played = time.perf_counter()
        with torch.no_grad():
            _, last = network(tensor(seen[0]), tensor(seen[1]["action_mask"]))
        gains = advantages(rows, last, tensor(seen[1]["to_act"]), given.gamma, given.lam)
        learn(network, optimiser, rows, gains, given.minibatches)
        falling.step()
        torch.cuda.synchronize()
        if update > 0:  # the first one compiles
            spent["playing"] += played - began
            spent["learning"] += time.perf_counter() - played
    steps = (given.updates - 1) * given.rollout * given.envs
    for what, seconds in (*spent.items(), ("both", sum(spent.values()))):
        print(f"{what}: {steps / seconds / 1e6:.2f} million steps a second")
    print(
        f"score against random play: {score(make(given, 'random', 1024), network, as_actions):.1%}"
    )


if __name__ == "__main__":
    main()
