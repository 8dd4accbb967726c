"""Upper bounds for any environment with these observations.

They are programs that only write the observations or hand them out.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import gymnasium
import numba
import numpy as np
from gymnasium import spaces
from gymnasium.envs.registration import EnvSpec
from gymnasium.vector import SyncVectorEnv
from numpy.typing import NDArray
from pettingzoo import AECEnv

from benchmarks.speed.work import Work, rate
from tkm_env import Batch
from tkm_env.compiled.kernels import PICK, STEP
from tkm_env.compiled.work_sharing import new_control
from tkm_env.core.state_arrays import words_of
from tkm_env.core.turns import TurnRows
from tkm_env.foundations.cores import cores
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.kernels import ENTRY_POINTS
from tkm_env.games.tkm.engine.state import STATE
from tkm_env.games.tkm.engine.turn_generator import TURN_KERNELS
from tkm_env.tkm_v0 import observation_space

#: About as many decisions as a game has.
_STEPS = 100
#: About as many ways to play a turn as there are in the standard game.
_TURNS = 32
#: Steps of all games together in one call: some hundredths of a second.
_STEPS_APART = 200_000


@numba.njit(nogil=True, error_model="numpy")
def _write(masks: Any, observations: Any, value: Any) -> None:
    """Write every byte, game by game.

    Args:
        masks: shape (n, actions), int8.
        observations: shape (n, words), uint64.
        value: what to write.
    """
    for game in range(masks.shape[0]):
        for action in range(masks.shape[1]):
            masks[game, action] = value & 1
        for word in range(observations.shape[1]):
            observations[game, word] = value


_work = ENTRY_POINTS.work


@numba.njit(nogil=True, error_model="numpy")
def _play_apart(
    board: Any,
    tasks: int,
    states: Any,
    starts: Any,
    actions: Any,
    masks: Any,
    results: Any,
    illegal: Any,
    streams: Any,
    steps: int,
) -> None:
    """Play ``steps`` random steps with observations without returning to Python in between.

    ``tasks`` is the address of `_tasks`.
    """
    for _ in range(steps):
        _work(
            board, 0, 2, tasks, states, starts, actions, actions, masks, results, illegal, streams
        )


def _tasks(observations: NDArray[np.int8]) -> NDArray[np.int64]:
    """What a random step does, as the kernel ``work`` takes it."""
    return np.array([[PICK, 0], [STEP, observations.ctypes.data]])


def _side_by_side(
    function: Callable[..., Any], parts: Sequence[tuple[Any, ...]]
) -> Callable[..., None]:
    """A function that runs another one on all parts at the same time, in one thread each.

    Its argument is passed last.
    """
    pool = ThreadPoolExecutor(len(parts))
    mine, *others = parts

    def run(given: Any) -> None:
        waiting = [pool.submit(function, *part, given) for part in others]
        function(*mine, given)
        for part in waiting:
            part.result()

    return run


def write_only(games: int, *, all_cores: bool = False) -> Work:
    """A compiled loop that only writes the bytes of masks and observations of all games."""
    masks = np.zeros((games, NUM_ACTIONS), np.int8)
    observations = Batch(games).new_observations().reshape(games, -1).view(np.uint64)
    edges = np.linspace(0, games, (cores() if all_cores else 1) + 1).astype(int).tolist()
    run = _side_by_side(
        _write,
        [
            (masks[first:until], observations[first:until])
            for first, until in itertools.pairwise(edges)
        ],
    )
    values = itertools.count()

    def write() -> int:
        run(np.uint64(next(values)))
        return games

    return rate(write)


@numba.njit(nogil=True, error_model="numpy")
def _write_rows(words: Any, actions: Any, keys: Any, results: Any, value: Any) -> None:
    """Write every byte of rows of turns, one after another."""
    for row in range(keys.shape[0]):
        for word in range(words.shape[1]):
            words[row, word] = value
        for place in range(actions.shape[1]):
            actions[row, place] = value & 63
        keys[row] = value
        results[row] = value & 3


def write_turns(games: int) -> Work:
    """A compiled loop that writes rows like those of `Batch.turns`, without knowing the rules."""
    rows = TurnRows.empty(_TURNS * games, STATE, TURN_KERNELS.longest)
    values = itertools.count()

    def write() -> int:
        _write_rows(words_of(rows.states), *rows[1:], np.uint64(next(values)))
        return len(rows.keys)

    return rate(write)


def apart(games: int, *, all_cores: bool = False) -> Work:
    """Compiled loops that do all of the engine's work on separate games, one for each core.

    More cores cannot give more than this.
    """
    threads = cores() if all_cores else 1
    batches = [Batch(max(1, games // threads)) for _ in range(threads)]
    for number, batch in enumerate(batches):
        batch.reset(seed=number * games)
    buffers = [batch.new_observations() for batch in batches]
    tasks = [_tasks(buffer) for buffer in buffers]
    steps = max(1, _STEPS_APART // games)
    run = _side_by_side(
        _play_apart,
        [
            (
                *(
                    new_control(len(buffer)),
                    rows.ctypes.data,
                    batch._states,
                    batch._states.copy(),
                    batch.random_actions(),
                ),
                *(batch._masks, batch._results, batch._illegal, batch._streams),
            )
            for batch, buffer, rows in zip(batches, buffers, tasks, strict=True)
        ],
    )

    def play() -> int:
        run(steps)
        assert len(tasks) == len(buffers)  # the loops have only addresses; this keeps both alive
        return steps * sum(map(len, buffers))

    for _ in range(
        2 * _STEPS // steps + 1
    ):  # until games are at different points of their turns, as in long runs
        play()
    return rate(play)


def _empty_observation() -> NDArray[np.int8]:
    observation: NDArray[np.int8] = Batch(1).new_observations()[0]
    return observation


class NothingEnv(gymnasium.Env[Any, Any]):
    """An environment that only hands out an observation and a mask.

    Args:
        copies: whether these are new each time, or always the same.
    """

    def __init__(self, *, copies: bool = True) -> None:
        self.observation_space = observation_space()
        self.action_space = spaces.Discrete(NUM_ACTIONS)
        self._copies = copies
        self._observation = _empty_observation()
        self._info = {"action_mask": np.ones(NUM_ACTIONS, np.int8)}
        self._steps = 0

    def _observe(self) -> tuple[NDArray[np.int8], dict[str, Any]]:
        if self._copies:
            return self._observation.copy(), {"action_mask": self._info["action_mask"].copy()}
        return self._observation, self._info

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        self._steps = 0
        return self._observe()

    def step(self, action: Any) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        self._steps += 1
        observation, info = self._observe()
        return observation, 0.0, self._steps == _STEPS, False, info


def make_nothing() -> gymnasium.Env[Any, Any]:
    """A `NothingEnv` in the wrappers that `gymnasium.make` puts around every environment."""
    return gymnasium.make(EnvSpec("Nothing-v0", entry_point=lambda **_: NothingEnv()))


def sync(games: int) -> Work:
    """`gymnasium.vector.SyncVectorEnv` of many `NothingEnv`, with the same actions each time."""
    envs = SyncVectorEnv([partial(NothingEnv, copies=False)] * games)
    envs.reset()
    actions = np.zeros(games, np.int64)

    def step() -> int:
        envs.step(actions)
        return games

    return rate(step)


class NothingAEC(AECEnv[str, "dict[str, Any]", int]):
    """An AEC environment that only makes a new observation and mask each time, as ours does."""

    def __init__(self) -> None:
        super().__init__()
        self.possible_agents = ["white_0", "black_0"]
        self._observation = _empty_observation()
        self._mask = np.ones(NUM_ACTIONS, np.int8)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = self.possible_agents.copy()
        self.agent_selection = self.agents[0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._skip_agent_selection: str | None = None
        self._steps = 0

    def observe(self, agent: str) -> dict[str, Any]:
        return {"observation": self._observation.copy(), "action_mask": self._mask.copy()}

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._steps += 1
        if self._steps == _STEPS:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()
