"""Shared by players that think in whole turns: a turn is planned once, then played action by action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tkm_env.agents.protocol import nothing_to_play
from tkm_env.core.kernels import NO_ACTION
from tkm_env.core.states import copy_states
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.kernels import replay
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.game import Game

__all__ = ["Plan", "answer_in_turns"]


class Plan:
    """The rest of a turn, followed as long as the game goes as planned.

    Args:
        think: finds the actions of a whole turn, or of the rest of one, from an array of one state.
    """

    def __init__(self, think: Callable[[np.ndarray[Any, Any]], Sequence[int]]) -> None:
        self._think = think
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._scratch = new_scratch()
        self.forget()

    def forget(self) -> None:
        """Drop the plan: think again at the next action."""
        self._actions: list[int] = []
        self._expected = b""

    def next_action(self, game: Game) -> int:
        """The next planned action; a new plan is made if there is none, or the game has left the plan."""
        if game.result is not None:
            raise nothing_to_play()
        states = game.state
        if not self._actions or states.tobytes() != self._expected:
            self._actions = list(self._think(states))
        action = self._actions.pop(0)
        replay(states, np.array([action]), self._mask, self._scratch)
        self._expected = states.tobytes()
        return action


def answer_in_turns(
    think: Callable[[np.ndarray[Any, Any]], Sequence[int]], batch: Batch, players: np.ndarray[Any, np.dtype[np.int64]]
) -> None:
    """Play whole turns in each game of a batch until it is over or ``players[i]`` is to act.

    Args:
        think: finds the actions of a turn, or of the rest of one, from an array of one state.
        batch: the games.
        players: the player in each game at whose decision to stop.
    """
    while len(waiting := (~batch.over & (batch.to_act != players)).nonzero()[0]):
        turns = {number: think(copy_states(batch.states[number : number + 1])) for number in waiting.tolist()}
        for step in range(max(map(len, turns.values()))):
            actions = np.full(batch.num_games, NO_ACTION)
            for number, turn in turns.items():
                if step < len(turn):
                    actions[number] = turn[step]
            batch.play(actions)
