"""Questions with one right answer as tasks of verifiers.

Each seed is a task:

    python -m pip install -e . -e ../..
    vf-eval tkm-env-questions --env.taskset.kinds '["legal", "win"]'

The reward is 1 for a right answer, and otherwise 0.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import verifiers.v1 as vf
from pydantic import Field

from tkm_env.questions import QuestionEnv

__all__ = ["QuestionConfig", "QuestionData", "QuestionTask", "QuestionTaskset", "QuestionsEnv"]


class QuestionConfig(vf.TasksetConfig):
    """Which questions are asked, as `tkm_env.questions.QuestionEnv` takes it."""

    game: str = "tkm"
    kinds: list[str] = Field(default_factory=list)
    difficulties: list[int] = Field(default_factory=list)
    settings: dict[str, str | int | bool] = Field(default_factory=dict)
    style: str = "english"
    rename: int | None = None

    def begin(self, seed: int) -> tuple[QuestionEnv, str]:
        """A new question, and its prompt."""
        env = QuestionEnv(
            self.kinds,
            self.difficulties,
            game=self.game,
            style=self.style,
            rename=self.rename,
            **self.settings,
        )
        return env, env.reset(seed=seed)


class QuestionData(vf.TaskData):
    """A question, whose seed decides its kind, its difficulty and its position."""

    seed: int
    asked: QuestionConfig


class QuestionTask(vf.Task[QuestionData, vf.State, vf.TaskConfig]):
    pass


class QuestionsEnvConfig(vf.EnvConfig):
    """The model answers by itself, without a shell or other tools."""

    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime={"type": "subprocess"})


class QuestionsEnv(vf.Env[QuestionsEnvConfig]):
    """A question is answered once."""

    async def run(self, task: QuestionTask, agents: vf.Agents) -> None:
        env, _ = task.data.asked.begin(task.data.seed)
        async with agents.player.interaction(task) as interaction:
            segment = await interaction.turn()  # the answer to the prompt
            env.answer("" if segment.terminated else segment.last_reply)
        interaction.trace.record_reward("answer", env.get_reward(), 1.0)
        interaction.trace.info["question"] = env.question.id


class QuestionTaskset(vf.Taskset[QuestionTask, QuestionConfig]):
    INFINITE = True

    def load(self) -> Iterator[QuestionTask]:
        for seed in itertools.count():
            env, prompt = self.config.begin(seed)
            data = QuestionData(name=env.question.id, prompt=prompt, seed=seed, asked=self.config)
            yield QuestionTask(data, self.config.task)
