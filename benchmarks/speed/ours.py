"""The interfaces of tkm_env, set up to be measured.

Play is legal and random throughout. Actions of single games are drawn with numpy and
`random.random`, as in a plain loop.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from random import random
from typing import Any, Literal

import gymnasium
import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.work import Work, rate
from tkm_env import Batch, Game, ObservationEncoder
from tkm_env.arena.match import Match
from tkm_env.compiled.kernels import BEGIN
from tkm_env.core.batch_turns import BatchTurns
from tkm_env.foundations.cores import cores

#: After this many steps, games that started together are at different points of their turns, as in
#: long runs.
_MIXED = 200
#: Steps on a GPU between two looks at the clock, which have to wait for it.
_UNWATCHED = 10
#: Games of a match.
_MATCH = 100


def draw_action(mask: NDArray[Any]) -> Any:
    """Draw a legal action."""
    legal = mask.nonzero()[0]
    return legal[int(random() * len(legal))]


def batch(games: int, *, all_cores: bool = False, **settings: Any) -> Work:
    """`Batch.step` with actions from `Batch.random_actions`, both timed."""
    played = Batch(games, num_threads=cores() if all_cores else 1, **settings)
    played.reset(seed=1)
    observations = played.new_observations()

    def step() -> int:
        played.step(played.random_actions(), observations)
        return games

    for _ in range(_MIXED):
        step()
    return rate(step)


def turns(
    games: int,
    *,
    all_cores: bool = False,
    timed: Literal["list", "list and observe", "observe", "play"] = "list",
    **settings: Any,
) -> Work:
    """`Batch.turns`, `Batch.observe_turns` or `Batch.play_turns`, whichever are ``timed``.

    Between calls each game plays one of its turns, drawn at random. Listing and observing count
    turns, playing counts games.
    """
    played = Batch(games, num_threads=cores() if all_cores else 1, **settings)
    played.reset(seed=1)
    encoder = ObservationEncoder(Game, played.config, "compact")
    draws = np.random.default_rng(1)

    def drawn() -> tuple[BatchTurns, NDArray[np.int64]]:
        found = played.turns()
        rows = found.offsets[:-1] + draws.random(games) * found.counts
        return found, rows.astype(np.int64)[found.counts > 0]

    def play_one_each() -> tuple[()]:
        played.play_turns(*drawn())
        played.begin(played.over)
        return ()

    def list_all() -> int:
        found = played.turns()
        if timed == "list and observe":
            played.observe_turns(found, encoder=encoder)
        return len(found.keys)

    def new_list() -> tuple[BatchTurns]:
        play_one_each()
        return (played.turns(),)

    def observe(found: BatchTurns) -> int:
        return len(played.observe_turns(found, encoder=encoder))

    def new_draw() -> tuple[BatchTurns, NDArray[np.int64]]:
        played.begin(played.over)
        return drawn()

    def play(found: BatchTurns, rows: NDArray[np.int64]) -> int:
        played.play_turns(found, rows)
        return len(rows)

    for _ in range(_MIXED // 10):
        play_one_each()
    if timed == "observe":
        return rate(observe, new_list)
    if timed == "play":
        return rate(play, new_draw)
    return rate(list_all, play_one_each)


def on_gpu(games: int, *, observe: bool, **settings: Any) -> Work:
    """`CudaBatch.step`, or `CudaBatch.play` without observations.

    Actions are drawn on the GPU. The clock stops when the device is done.
    """
    from tkm_env import CudaBatch
    from tkm_env.compiled.cuda import arrays

    played = CudaBatch(games, **settings)
    observations = played.new_observations() if observe else np.zeros(0, np.int8)

    def steps(number: int) -> int:
        for _ in range(number):
            actions = played.random_actions()
            if observe:
                played.step(actions, observations)
            else:
                played.play(arrays.where(played.over, BEGIN, actions))
        arrays.cuda.Stream.null.synchronize()
        return number * games

    steps(_MIXED)
    return rate(lambda: steps(_UNWATCHED))


def vector(games: int, *, opponent: str, all_cores: bool = False) -> Work:
    """`step` of the vector environment; actions are drawn outside the timed part."""
    envs: Any = gymnasium.make_vec(
        "tkm_env/TKM-v0", num_envs=games, opponent=opponent, num_threads=cores() if all_cores else 1
    )
    kept = [envs.reset(seed=1)]

    def draw_actions() -> tuple[NDArray[np.int64]]:
        return (np.maximum(envs.batch.random_actions(), 0),)

    def step(drawn: NDArray[np.int64]) -> int:
        kept[0] = envs.step(drawn)  # until the next step, as by a learner
        return games

    for _ in range(_MIXED // 4):
        step(*draw_actions())
    return rate(step, draw_actions)


def game(*, observe: bool) -> Work:
    """`Game.play` and `Game.action_mask`, optionally `Game.observation`, over whole games."""

    def play() -> int:
        steps = 0
        playing = Game()
        while playing.result is None:
            playing.play(draw_action(playing.action_mask()))
            if observe:
                playing.observation()
            steps += 1
        return steps

    return rate(play)


def gymnasium_env(make: Callable[[], Any]) -> Work:
    """`reset` and `step` of a Gymnasium environment over whole games.

    The mask is in ``info``.
    """
    env = make()

    def play() -> int:
        steps, done = 0, False
        _, info = env.reset()
        while not done:
            _, _, terminated, truncated, info = env.step(draw_action(info["action_mask"]))
            done = terminated or truncated
            steps += 1
        return steps

    return rate(play)


def aec(make: Callable[[], Any]) -> Work:
    """`agent_iter`, `last` and `step` of an AEC environment over whole games.

    The mask is in the observations.
    """
    env = make()

    def play() -> int:
        steps = 0
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(draw_action(observation["action_mask"]))
                steps += 1
        return steps

    return rate(play)


def match(player: str) -> Work:
    """A match of a player against itself, as the arena plays it.

    It includes openings, clocks and checked records.
    """
    seeds = itertools.count()
    return rate(
        lambda: sum(1 for _ in Match(player, player, games=_MATCH, seed=next(seeds)).play())
    )
