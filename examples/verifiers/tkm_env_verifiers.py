"""Games in words, single turns and questions as tasks of verifiers.

Each seed is a task, so there is no end of them, and ``-n`` says how many to take:

    python -m pip install -e . -e ../..
    vf-eval tkm-env-verifiers -n 20 --env.taskset.opponent greedy
    vf-eval tkm-env-verifiers -n 20 --env.taskset.episode turn --env.taskset.depth 2
    vf-eval tkm-env-verifiers -n 20 --env.taskset.episode question --env.taskset.kinds '["win"]'

``--client.base-url URL --client.api-key-var NAME --no-push`` uses a server of your own.

A game and its opponent speak as the user. The reward is 1 for a win, -1 for a loss, also by replies
that cannot be played or by stopping before the end, and otherwise 0. A single turn earns from 0 for
the worst, or one that is refused, to 1 for the best; a question 1 for a right answer, else 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Literal

import verifiers.v1 as vf
from pydantic import Field

from tkm_env.questions import BestTurnEnv, QuestionEnv
from tkm_env.text import TextOptions
from tkm_env.text.env import TextEnv

__all__ = ["EpisodeConfig", "EpisodeData", "EpisodeTask", "EpisodeTaskset", "WordsEnv"]

#: Players to offer besides the package's own, such as ``"alphabeta:depth=2"`` or
#: ``"bots/mine.py:Bot"``.
OPPONENTS: tuple[str, ...] = ()


class EpisodeConfig(vf.TasksetConfig):
    """What the model is asked, and what it is told, as in `tkm_env.text.TextOptions`.

    Tasks hold it, and may come from others: the opponents are the package's own and those of
    `OPPONENTS`. Only games have an opponent, only turns a depth, and only questions kinds and
    difficulties; questions are told in their own form, so that only style and rename count.
    """

    episode: Literal["game", "turn", "question"] = "game"
    game: str = "tkm"
    opponent: str = "random"
    depth: int = 2
    kinds: list[str] = Field(default_factory=list)
    difficulties: list[int] = Field(default_factory=list)
    settings: dict[str, str | int | bool] = Field(default_factory=dict)
    legal: str = "listed"
    style: str = "english"
    rename: int | None = None
    turned: int | None = None
    eras: int | None = None
    layout: int | None = None
    numbers: int | None = None

    def begin(self, seed: int) -> tuple[TextEnv | BestTurnEnv | QuestionEnv, str]:
        """A new episode, and its prompt."""
        seeds = {name: getattr(self, name) for name in ("turned", "eras", "layout", "numbers")}
        options = TextOptions(legal=self.legal, style=self.style, rename=self.rename, **seeds)
        if self.episode == "game":
            env = TextEnv(self.game, options=options, opponents=OPPONENTS, tool="")
            return env, env.reset(seed=seed, opponent=self.opponent, **self.settings)
        single: BestTurnEnv | QuestionEnv = (
            BestTurnEnv(self.game, options=options, depth=self.depth, tool="", **self.settings)
            if self.episode == "turn"
            else QuestionEnv(
                self.kinds,
                self.difficulties,
                game=self.game,
                style=self.style,
                rename=self.rename,
                **self.settings,
            )
        )
        return single, single.reset(seed=seed)


class EpisodeData(vf.TaskData):
    """An episode, in which everything follows from its seed."""

    seed: int
    asked: EpisodeConfig


class EpisodeTask(vf.Task[EpisodeData, vf.State, vf.TaskConfig]):
    pass


class WordsEnvConfig(vf.EnvConfig):
    """The model answers by itself, without a shell or other tools."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class WordsEnv(vf.Env[WordsEnvConfig]):
    """The episode is the run's user, who answers each reply until it ends."""

    async def run(self, task: EpisodeTask, agents: vf.Agents) -> None:
        env, _ = task.data.asked.begin(task.data.seed)
        answer = env.answer if isinstance(env, QuestionEnv) else env.play
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()  # the answer to the prompt
            while not segment.terminated:
                told = answer(segment.last_reply)
                if env.done:
                    break
                segment = await interaction.turn(told)
        interaction.trace.record_reward(task.data.asked.episode, env.get_reward(), 1.0)
        if isinstance(env, TextEnv):
            interaction.trace.info["position"] = env.game.visible_position


class EpisodeTaskset(vf.Taskset[EpisodeTask, EpisodeConfig]):
    INFINITE = True

    def load(self) -> Iterator[EpisodeTask]:
        for seed in itertools.count():
            _, prompt = self.config.begin(seed)
            name = f"{self.config.game} {self.config.episode} {seed}"
            data = EpisodeData(name=name, prompt=prompt, seed=seed, asked=self.config)
            yield EpisodeTask(data, self.config.task)
