"""The client, with what it sends and receives.

``AutoEnv.from_env("tkm-games", base_url="http://127.0.0.1:8000")`` returns it.
"""

from __future__ import annotations

from typing import Annotated, Any

from openenv.core import Action, EnvClient, Observation, State
from openenv.core.client_types import StepResult
from pydantic import WithJsonSchema

from tkm_env.text import TURN_SCHEMA


class TkmGamesAction(Action):
    """A whole turn, or the reply of a language model that ends with one; or an answer."""

    turn: Annotated[Any, WithJsonSchema(dict(TURN_SCHEMA))] = ""
    answer: str = ""


class TkmGamesObservation(Observation):
    """What the player is told: the position, the result, or why a turn cannot be played."""

    text: str = ""


class TkmGamesEnv(EnvClient[TkmGamesAction, TkmGamesObservation, State]):
    """An episode on a server."""

    def _step_payload(self, action: TkmGamesAction) -> dict[str, Any]:
        return {"turn": action.turn, "answer": action.answer}

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[TkmGamesObservation]:
        text = payload.get("observation", {}).get("text", "")
        done, reward = payload.get("done", False), payload.get("reward")
        observation = TkmGamesObservation(text=text, done=done, reward=reward)
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> State:
        return State(**payload)
