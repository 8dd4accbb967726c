"""Shared by players that think in whole turns: a turn is planned once, then played action by action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tkm_env.agents.protocol import nothing_to_play
from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.concurrency import no_concurrent_use
from tkm_env.game.state_arrays import copy_states
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.kernels import replay
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.game import Game


class Plan:
    """The rest of a turn, followed as long as the game goes as planned.

    Args:
        think: finds the actions of a whole turn, or of the rest of one, in a game.
    """

    def __init__(self, think: Callable[[Game], Sequence[int]]) -> None:
        self._think = think
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._scratch = new_scratch()
        self.forget()

    def forget(self) -> None:
        """Drop the plan: think again at the next action."""
        #: The position in which it goes on, and the actions that are left; replaced as one, since an interrupt may come at any call.
        self._rest: tuple[bytes, Sequence[int]] = b"", ()

    def next_action(self, game: Game) -> int:
        """The next planned action; a new plan is made if there is none, or the game has left the plan."""
        if game.result is not None:
            raise nothing_to_play()
        states = game.state
        expected, actions = self._rest
        if not actions or states.tobytes() != expected:
            actions = self._think(game)
        replay(states, np.array(actions[:1], np.int64), self._mask, self._scratch)
        self._rest = states.tobytes(), actions[1:]
        return actions[0]


@no_concurrent_use
def answer_in_turns(
    batch: Batch, think: Callable[[np.ndarray[Any, Any]], Sequence[int]], players: np.ndarray[Any, np.dtype[np.int64]]
) -> None:
    """Play whole turns in each game of a batch until it is over or ``players[i]`` is to act.

    Args:
        batch: the games.
        think: finds the actions of a turn, or of the rest of one, from an array of one state.
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
