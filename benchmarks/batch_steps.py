"""How fast the engine plays at random, one core, with and without mask and observation: ``python benchmarks/batch_steps.py``.

Beside it a bound: a loop that only writes as many bytes as masks and observations have. All are measured in turn, several times over,
and told as medians with the smallest and largest figure, since machines are noisy.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from tkm_env import GameConfig
from tkm_env.engine.actions import NUM_ACTIONS
from tkm_env.engine.observation import NUM_PLANES, write_observation
from tkm_env.engine.scratch import new_scratch
from tkm_env.engine.state import CHAPTERS, OVER
from tkm_env.engine.turn import play, write_mask

CONFIGURATIONS = {
    "standard": {},
    "growth": {"chapters": "growth"},
    "influence": {"chapters": "influence"},
    "memory": {"chapters": "memory"},
    "all chapters": {"chapters": CHAPTERS},
    "all chapters, powers": {"chapters": CHAPTERS, "powers": ("ripple", "kinship")},
}


@numba.njit(error_model="numpy")
def pick(mask: Any, random: Any) -> int:
    """One of the legal actions."""
    number = (random >> np.uint64(33)) % np.uint64(mask.sum())
    for action in range(mask.shape[0]):
        if mask[action]:
            if number == np.uint64(0):
                return action
            number -= np.uint64(1)
    return -1


@numba.njit(error_model="numpy")
def play_at_random(
    states: Any, start: Any, masks: Any, observations: Any, scratch: Any, rounds: int, seed: Any, observe: bool
) -> int:
    """Play ``rounds`` actions in each game, beginning anew where one is over; how many games ended."""
    ended = 0
    random = np.uint64(seed)
    for _ in range(rounds):
        for game in range(states.shape[0]):
            random = random * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
            play(states[game], pick(masks[game], random), masks[game], scratch[0])
            if states[game].step == OVER:
                ended += 1
                states[game] = start[0]
                write_mask(states[game], masks[game], scratch[0])
            if observe:
                write_observation(states[game], states[game].to_act, observations[game])
    return ended


@numba.njit(error_model="numpy")
def write_only(masks: Any, observations: Any, rounds: int) -> None:
    """Write every byte of masks and observations, and nothing else."""
    for number in range(rounds):
        for game in range(masks.shape[0]):
            masks[game, :] = number & 1
            for plane in range(observations.shape[1]):
                observations[game, plane, 0] = np.uint64(number)
                observations[game, plane, 1] = np.uint64(number)


def rates(work: dict[str, Callable[[], object]], steps: int, repeats: int) -> dict[str, list[float]]:
    """Millions of steps per second of each piece of work, measured in turn."""
    measured: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeats):
        for name, run in work.items():
            began = time.perf_counter()
            run()
            measured[name].append(steps / (time.perf_counter() - began) / 1e6)
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1024, help="games side by side (default: 1024)")
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of each measurement (default: a million)")
    parser.add_argument("--repeats", type=int, default=7, help="measurements of each (default: 7)")
    arguments = parser.parse_args()
    games, rounds = arguments.games, max(1, arguments.steps // arguments.games)
    print(
        f"millions of steps per second on one core, {games} games side by side: median (smallest to largest of {arguments.repeats})"
    )
    for name, settings in CONFIGURATIONS.items():
        start = GameConfig(**settings).draw(np.random.default_rng(0))
        states = np.repeat(start, games)
        masks = np.zeros((games, NUM_ACTIONS), np.int8)
        observations = np.zeros((games, NUM_PLANES, 2), np.uint64)
        scratch = new_scratch()
        begin(states, masks, scratch)
        bound = masks.copy(), observations.copy()
        work = {
            "play, mask, observation": lambda: play_at_random(states, start, masks, observations, scratch, rounds, 1, True),
            "play, mask": lambda: play_at_random(states, start, masks, observations, scratch, rounds, 1, False),
            "bound": lambda: write_only(*bound, rounds),
        }
        rates(work, games, 1)
        measured = rates(work, games * rounds, arguments.repeats)
        print(f"{name:22}", end="")
        for label, figures in measured.items():
            print(f"  {label} {statistics.median(figures):.2f} ({min(figures):.2f} to {max(figures):.2f})", end="")
        print(flush=True)


@numba.njit(error_model="numpy")
def begin(states: Any, masks: Any, scratch: Any) -> None:
    """Write the masks of games that begin."""
    for game in range(states.shape[0]):
        write_mask(states[game], masks[game], scratch[0])


if __name__ == "__main__":
    main()
