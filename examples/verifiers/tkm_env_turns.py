"""Single turns, with credit by how good they are, as tasks of verifiers.

Each seed is a task:

    python -m pip install -e . -e ../..
    vf-eval tkm-env-turns --env.taskset.depth 2

The reward is from 0 for the worst turn, or an answer that is refused, to 1 for the best.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import verifiers.v1 as vf
from pydantic import Field

from tkm_env.questions import BestTurnEnv
from tkm_env.text import TextOptions

__all__ = ["BestTurnConfig", "BestTurnData", "BestTurnTask", "BestTurnTaskset", "BestTurnsEnv"]


class BestTurnConfig(vf.TasksetConfig):
    """Which positions are shown, as `tkm_env.questions.BestTurnEnv` takes it."""

    game: str = "tkm"
    depth: int = 2
    settings: dict[str, str | int | bool] = Field(default_factory=dict)
    legal: str = "listed"
    style: str = "english"
    rename: int | None = None

    def begin(self, seed: int) -> tuple[BestTurnEnv, str]:
        """A new position, and its prompt."""
        options = TextOptions(legal=self.legal, style=self.style, rename=self.rename)
        env = BestTurnEnv(self.game, options=options, depth=self.depth, tool="", **self.settings)
        return env, env.reset(seed=seed)


class BestTurnData(vf.TaskData):
    """A position, which follows from its seed."""

    seed: int
    shown: BestTurnConfig


class BestTurnTask(vf.Task[BestTurnData, vf.State, vf.TaskConfig]):
    pass


class BestTurnsEnvConfig(vf.EnvConfig):
    """The model answers by itself, without a shell or other tools."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class BestTurnsEnv(vf.Env[BestTurnsEnvConfig]):
    """One turn is played."""

    async def run(self, task: BestTurnTask, agents: vf.Agents) -> None:
        env, _ = task.data.shown.begin(task.data.seed)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()  # the answer to the prompt
            env.play("" if segment.terminated else segment.last_reply)
        interaction.trace.record_reward("credit", env.get_reward(), 1.0)
        interaction.trace.info["position"] = env.position.position


class BestTurnTaskset(vf.Taskset[BestTurnTask, BestTurnConfig]):
    INFINITE = True

    def load(self) -> Iterator[BestTurnTask]:
        for seed in itertools.count():
            env, prompt = self.config.begin(seed)
            data = BestTurnData(
                name=env.position.position, prompt=prompt, seed=seed, shown=self.config
            )
            yield BestTurnTask(data, self.config.task)
