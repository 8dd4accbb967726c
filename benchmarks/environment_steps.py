"""Play random steps in the environments, and print a digest of all that they return.

    python benchmarks/environment_steps.py --opponent greedy --chapters growth --observation compact

Many games at once come first, in all three autoreset modes, then games one after another: with
Gymnasium against an opponent, with PettingZoo in self-play. Actions are drawn from the masks.
`benchmarks/compare_behaviour.py` runs it with any version of the package.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

import gymnasium
import numpy as np

from tkm_env import tkm_v0

_ID: Final = "tkm_env/TKM-v0"
_SELF: Final = "self"
#: The keys of ``info`` that hold numbers in every step, if they are there at all.
_NUMBERS: Final = ("action_mask", "side", "to_act", "rewards")


def steps_of_many(opponent: str, settings: Mapping[str, Any]) -> Iterator[Any]:
    """What a vector environment returns."""
    for mode in gymnasium.vector.AutoresetMode:
        envs = gymnasium.make_vec(
            _ID, num_envs=40, opponent=opponent, side="random", autoreset_mode=mode, **settings
        )
        generator = np.random.default_rng(1)
        observations, info = envs.reset(seed=1)
        for _ in range(150):
            yield observations
            yield from _numbers(info)
            masks = info["action_mask"]
            drawn = (generator.random(masks.shape) * masks).argmax(1)
            observations, *returned, info = envs.step(drawn)
            yield from returned
            over = returned[1] | returned[2]
            if mode == gymnasium.vector.AutoresetMode.DISABLED and over.any():
                observations, info = envs.reset(options={"reset_mask": over})


def steps_of_one(opponent: str, settings: Mapping[str, Any]) -> Iterator[Any]:
    """What the environment of one game returns."""
    env = gymnasium.make(_ID, opponent=opponent, **settings)
    generator = np.random.default_rng(1)
    for seed in range(8):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            yield observation
            yield from _numbers(info)
            action = generator.choice(info["action_mask"].nonzero()[0])
            observation, *returned, info = env.step(action)
            yield returned
            over = returned[1] or returned[2]


def steps_of_both_sides(settings: Mapping[str, Any]) -> Iterator[Any]:
    """What PettingZoo's environment returns."""
    env = tkm_v0.env(**settings)
    generator = np.random.default_rng(1)
    for seed in range(8):
        env.reset(seed=seed)
        for _ in env.agent_iter():
            observation, *returned, _ = env.last()
            yield observation["observation"]
            yield returned
            over = returned[1] or returned[2]
            action = None if over else generator.choice(observation["action_mask"].nonzero()[0])
            env.step(action)


def _numbers(info: Mapping[str, Any]) -> Iterator[Any]:
    return (info[key] for key in _NUMBERS if key in info)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--opponent", default="random", help="as for make_vec; self for self-play")
    parser.add_argument("--chapters", default="standard")
    parser.add_argument("--observation", default="planes", help="planes or compact")
    parser.add_argument("--canonical", action="store_true", help="seen as by the first player")
    asked = parser.parse_args()
    settings = {
        "chapters": asked.chapters,
        "observation": asked.observation,
        "canonical": asked.canonical,
    }
    one = (
        steps_of_both_sides(settings)
        if asked.opponent == _SELF
        else steps_of_one(asked.opponent, settings)
    )
    digest = hashlib.sha256()
    for steps in (steps_of_many(asked.opponent, settings), one):
        for returned in steps:
            digest.update(np.asarray(returned).tobytes())
    print(digest.hexdigest())


if __name__ == "__main__":
    main()
