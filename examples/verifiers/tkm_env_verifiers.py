"""Games in words as tasks of verifiers.

Each seed is a task; the game and its opponent speak as the user:

    python -m pip install -e . -e ../..
    vf-eval tkm-env-verifiers --env.taskset.opponent greedy

The reward is the game's: 1 for a win, -1 for a loss, also by replies that cannot be played or by
stopping before the end, and otherwise 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import verifiers.v1 as vf
from pydantic import Field

from tkm_env.text import TextOptions
from tkm_env.text.env import TextEnv

__all__ = ["GameConfig", "GameData", "GameTask", "GameTaskset", "TurnsEnv", "TurnsEnvConfig"]

#: Players to offer besides the package's own, such as ``"alphabeta:depth=2"`` or
#: ``"bots/mine.py:Bot"``.
OPPONENTS: tuple[str, ...] = ()


class GameConfig(vf.TasksetConfig):
    """Which games are played, and what the model is told, as in `tkm_env.text.TextOptions`.

    Tasks hold it, and may come from others: the opponents are the package's own and those of
    `OPPONENTS`.
    """

    game: str = "tkm"
    opponent: str = "random"
    settings: dict[str, str | int | bool] = Field(default_factory=dict)
    legal: str = "listed"
    style: str = "english"
    rename: int | None = None

    def begin(self, seed: int) -> tuple[TextEnv, str]:
        """A new game, and its prompt."""
        options = TextOptions(legal=self.legal, style=self.style, rename=self.rename)
        env = TextEnv(self.game, options=options, opponents=OPPONENTS, tool="")
        return env, env.reset(seed=seed, opponent=self.opponent, **self.settings)


class GameData(vf.TaskData):
    """A game, whose seed decides its start, the model's side and the opponent's luck."""

    seed: int
    played: GameConfig


class GameTask(vf.Task[GameData, vf.State, vf.TaskConfig]):
    pass


class TurnsEnvConfig(vf.EnvConfig):
    """The model answers by itself, without a shell or other tools."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class TurnsEnv(vf.Env[TurnsEnvConfig]):
    """The game is the run's user.

    Each reply is a turn; the answer is the position after the opponent's.
    """

    async def run(self, task: GameTask, agents: vf.Agents) -> None:
        env, _ = task.data.played.begin(task.data.seed)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()  # the answer to the prompt
            while not segment.terminated:
                told = env.play(segment.last_reply)
                if env.done:
                    break
                segment = await interaction.turn(told)
        trace = interaction.trace
        trace.record_reward("game", env.get_reward(), 1.0)
        trace.info["position"] = env.game.visible_position


class GameTaskset(vf.Taskset[GameTask, GameConfig]):
    INFINITE = True

    def load(self) -> Iterator[GameTask]:
        for seed in itertools.count():
            _, prompt = self.config.begin(seed)
            yield GameTask(
                GameData(
                    name=f"{self.config.game}#{seed}", prompt=prompt, seed=seed, played=self.config
                ),
                self.config.task,
            )
