"""A game that people play, against each other or against agents. Imports `agents`, `game`, `config`, `records`.

The terminal and the browser show the same session, so that what is allowed is decided in one place.
"""

from __future__ import annotations

import time
from typing import Any, Final

import numpy as np

from tkm_env.agents.specs import agent_of
from tkm_env.config import GameConfig
from tkm_env.engine.state import PLAYERS
from tkm_env.errors import IllegalActionError, PlayerError
from tkm_env.game import Game

__all__ = ["PERSON", "Session"]

#: In place of an agent: a person.
PERSON: Final = "person"


class Session:
    """A game with its players.

    Args:
        config: the settings.
        white: `PERSON`, or an agent as `tkm_env.agents.specs.agent_of` reads it.
        black: the same.
        seed: for what is left to chance, and for the agents.
        position: a position's text to begin in.

    Raises:
        ConfigError: if a player is none.
        PositionError: if the text is no position.

    >>> session = Session(GameConfig(), white=PERSON, black="random", seed=1)
    >>> for action in ("choose 1", "move east"):
    ...     session.play(action)
    >>> session.undo()
    >>> session.game.legal_names()
    ['move east', 'move south']
    """

    def __init__(
        self, config: GameConfig, white: str = PERSON, black: str = PERSON, seed: int = 0, position: str | None = None
    ) -> None:
        self.players = dict(zip(PLAYERS, (white, black), strict=True))
        self._agents = {player: agent_of(line, player) for player, line in self.players.items() if line != PERSON}
        for number, agent in enumerate(self._agents.values()):
            if hasattr(agent, "reset"):
                agent.reset(np.random.default_rng([seed, number]))
        self.seed = seed
        self.game = Game(config, seed=seed, position=position)
        self._seconds: list[float] = []
        self._began = time.perf_counter()

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to act."""
        return self.game.result is None and self.players[self.game.to_act] == PERSON

    @property
    def can_undo(self) -> bool:
        """Whether the last action can be taken back: a person's own, in a turn that goes on (RULES §2).

        Once the focus has moved the turn is over; what was drafted, decided or said stays.
        """
        game = self.game
        if not self.waits_for_person or not game.history:
            return False
        *_, last = game.plies()
        return last.player == game.to_act and last.turn == game.turn and last.action.split(" ")[0] not in _KEPT

    def undo(self) -> None:
        """Take back the last action.

        Raises:
            IllegalActionError: if it cannot be taken back.
        """
        if not self.can_undo:
            raise IllegalActionError("only a person's own action can be taken back, until the focus has moved")
        actions = self.game.history[:-1]
        self.game = self.game.start
        for action in actions:
            self.game.play(action)
        self._seconds.pop()

    def play(self, action: int | str) -> None:
        """Play a person's action.

        Raises:
            IllegalActionError: if it is not legal, or an agent is to act; nothing changes then.
        """
        if self.game.result is None and not self.waits_for_person:
            raise IllegalActionError(f"{self.players[self.game.to_act]} is to act")
        self._play(action)

    def let_agent_play(self) -> str | None:
        """Let the agent that is to act take one action; its name, or None where no agent is to act.

        Raises:
            PlayerError: if it plays what is illegal.
        """
        if self.game.result is not None or self.waits_for_person:
            return None
        line = self.players[self.game.to_act]
        try:
            self._play(self._agents[self.game.to_act].act(self.game))
        except IllegalActionError as error:
            raise PlayerError(line, str(error)) from None
        *_, last = self.game.plies()
        return last.action

    def _play(self, action: int | str) -> None:
        self.game.play(action)
        now = time.perf_counter()
        self._seconds.append(now - self._began)
        self._began = now

    def to_record(self) -> dict[str, Any]:
        """The game record so far."""
        return self.game.to_record(players=self.players, seed=self.seed, seconds=self._seconds)


#: The first words of actions that are not taken back.
_KEPT: Final = ("draft", "go", "offer", "accept", "decline")
