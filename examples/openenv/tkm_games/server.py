"""The server.

Clients call ``reset(task="game", seed=1, game="tkm", opponent="greedy", chapters="growth")`` with
any settings of the game, and then ``step({"turn": 3})`` until the observation is done. A turn is
the number of a listed one, its actions as a list or as a string, or the whole reply of a model.
Clients choose among the package's own opponents. To offer others, such as a bot in a file, name
them here: ``TextEnv(game, opponents=…)``.

With ``task="turn"`` an episode is one turn, whose reward is its credit from 0 to 1; with
``task="question"`` it is one question, to be answered by ``step({"answer": "yes"})``, whose reward
is 1 for a right answer. Both take ``depth=``, or ``kinds=`` and ``difficulties=``, and settings.
"""

from __future__ import annotations

import argparse
from typing import Any

import uvicorn
from openenv.core import Environment, State, create_app

from tkm_env import ConfigError
from tkm_env.questions import BestTurnEnv, QuestionEnv
from tkm_env.text.env import TextEnv

from .client import TkmGamesAction, TkmGamesObservation


class GameEnvironment(Environment[TkmGamesAction, TkmGamesObservation, State]):
    """A game against an opponent, a single turn, or a question."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._env: TextEnv | BestTurnEnv | QuestionEnv = TextEnv(tool="")
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **settings: Any
    ) -> TkmGamesObservation:
        task, game = settings.pop("task", "game"), settings.pop("game", None)
        env: TextEnv | BestTurnEnv | QuestionEnv
        if task == "game":
            env = TextEnv(game, tool="")
            text = env.reset(seed=seed, **settings)
        elif task in ("turn", "question"):
            env = (
                BestTurnEnv(game, tool="", **settings)
                if task == "turn"
                else QuestionEnv(game=game, **settings)
            )
            text = env.reset(seed=seed)
        else:
            raise ConfigError("task", task, "it must be 'game', 'turn' or 'question'")
        self._env = env
        self._state = State(episode_id=episode_id, step_count=0)
        return self._observe(text, 0.0)

    def step(
        self, action: TkmGamesAction, timeout_s: float | None = None, **_: Any
    ) -> TkmGamesObservation:
        self._state.step_count += 1
        if isinstance(self._env, TextEnv):
            return self._observe(self._env.play(action.turn), self._env.reward)
        reward = (
            self._env.play(action.turn)
            if isinstance(self._env, BestTurnEnv)
            else self._env.answer(action.answer)
        )
        return self._observe("", reward)

    @property
    def state(self) -> State:
        return self._state

    def _observe(self, text: str, reward: float) -> TkmGamesObservation:
        return TkmGamesObservation(text=text, done=self._env.done, reward=reward)


app = create_app(
    GameEnvironment,
    TkmGamesAction,
    TkmGamesObservation,
    env_name="tkm_games",
    max_concurrent_envs=64,
)


def main() -> None:
    """Serve episodes on this machine."""
    parser = argparse.ArgumentParser(description="Serve games on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    uvicorn.run(app, host="127.0.0.1", port=parser.parse_args().port)


if __name__ == "__main__":
    main()
