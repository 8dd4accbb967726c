"""Games in words as an OpenEnv environment.

It is a server in which every connection plays a game of its own:

    python -m pip install -e . -e ../..
    python tkm_env_openenv.py --port 8000

Clients, such as `openenv.core.GenericEnvClient`, call
``reset(seed=1, game="tkm", opponent="greedy", chapters="growth")`` with any settings of the game,
and then ``step({"turn": 3})`` until the observation is done. A turn is the number of a listed one,
its actions as a list or as a string, or the whole reply of a model. Clients choose among the
package's own opponents. To offer others, such as a bot in a file, name them here:
``TextEnv(game, opponents=…)``.
"""

from __future__ import annotations

import argparse
from typing import Annotated, Any

import uvicorn
from openenv.core import Action, Environment, Observation, State, create_app
from pydantic import WithJsonSchema

from tkm_env.text import TURN_SCHEMA
from tkm_env.text.env import TextEnv


class TurnAction(Action):
    """A whole turn, or the reply of a language model that ends with one."""

    turn: Annotated[Any, WithJsonSchema(dict(TURN_SCHEMA))]


class GameObservation(Observation):
    """What the player is told: the position, the result, or why a turn cannot be played."""

    text: str = ""


class GameEnvironment(Environment[TurnAction, GameObservation, State]):
    """A game against an opponent."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._env = TextEnv(tool="")
        self._state = State()

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **settings: Any
    ) -> GameObservation:
        env = TextEnv(settings.pop("game", None), tool="")
        text = env.reset(seed=seed, **settings)
        self._env = env
        self._state = State(episode_id=episode_id, step_count=0)
        return self._observe(text)

    def step(self, action: TurnAction, timeout_s: float | None = None, **_: Any) -> GameObservation:
        text = self._env.play(action.turn)
        self._state.step_count += 1
        return self._observe(text)

    @property
    def state(self) -> State:
        return self._state

    def _observe(self, text: str) -> GameObservation:
        return GameObservation(text=text, done=self._env.done, reward=self._env.reward)


app = create_app(
    GameEnvironment, TurnAction, GameObservation, env_name="tkm_env", max_concurrent_envs=64
)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Serve games on this machine.")
    parser.add_argument("--port", type=int, default=8000)
    uvicorn.run(app, host="127.0.0.1", port=parser.parse_args().port)
