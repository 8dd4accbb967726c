"""A game played by people, against each other or against agents.

The terminal and the browser share one session, so that what is allowed is decided in one place. Its games are values: each action
replaces the game by a new one, so one thread may read the game while another changes the session.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import Any, Final, Generic

import numpy as np

from tkm_env.agents.specs import make_agent
from tkm_env.checks import checked_integer
from tkm_env.core.batch import Played
from tkm_env.core.pace import Pace
from tkm_env.core.registry import GameSpec, load
from tkm_env.errors import ConfigError, IllegalActionError, PlayerError
from tkm_env.play.adapter import PlayAdapter

__all__ = ["PERSON", "RANDOM_SIDE", "Session", "settings_of_people"]

#: In place of an agent: a person.
PERSON: Final = "person"
#: In place of a side: a random one.
RANDOM_SIDE: Final = "random"
_HIGHEST_SEED: Final = 2**63 - 1


def settings_of_people(spec: GameSpec, asked: Mapping[str, Any], opponent: str) -> dict[str, Any]:
    """The settings of a game with people: those asked for, where not None, and for others what suits people.

    >>> from tkm_env.core.registry import game_spec
    >>> settings_of_people(game_spec("tkm"), {"chapters": "growth", "draws": None}, "greedy")
    {'concede': True, 'draws': False, 'chapters': 'growth'}
    """
    adapter: PlayAdapter[Any] = load(spec.adapter)
    suitable = adapter.settings_between(2 if opponent == PERSON else 1)
    return {**suitable, **{keyword: value for keyword, value in asked.items() if value is not None}}


class Session(Generic[Played]):
    """A game with its players.

    Args:
        spec: which game.
        settings: its settings as text; None keeps the default.
        opponent: who plays the other side: an agent, as `make_agent` reads it, or `PERSON`.
        side: the side that the person plays, or `RANDOM_SIDE`.
        seed: for everything left to chance, and for the agents; None draws one from the system.
        position: the text of a position to start from.

    Attributes:
        adapter: how people play it.
        asked: the settings, the opponent and the side as given.
        players: who plays each side: an agent, as `make_agent` reads it, or `PERSON`.
        game: the current game.

    Raises:
        ConfigError: naming the invalid setting.
        PositionError: if the text is not a position.

    >>> from tkm_env.core.registry import game_spec
    >>> session = Session(game_spec("tkm"), {}, opponent="random", seed=1)
    >>> for action in ("choose 1", "move east"):
    ...     session.play(action)
    >>> session.undo()
    >>> session.game.legal_names()
    ['move east', 'move south']
    """

    def __init__(
        self,
        spec: GameSpec,
        settings: Mapping[str, Any],
        *,
        opponent: str = PERSON,
        side: str | None = None,
        seed: int | None = None,
        position: str | None = None,
    ) -> None:
        self.spec = spec
        self.adapter: PlayAdapter[Played] = load(spec.adapter)
        self.asked = {**settings, "opponent": opponent, "side": side}
        drawn = int(np.random.SeedSequence().generate_state(1)[0])
        self.seed = drawn if seed is None else checked_integer("seed", seed, 0, _HIGHEST_SEED)
        self.players = self._seated(side, opponent)
        config = spec.config_from_text(settings)
        self._agents = {
            player: make_agent(line, "opponent", spec.name, config=config)
            for player, line in self.players.items()
            if line != PERSON
        }
        for agent in self._agents.values():
            if hasattr(agent, "reset"):
                agent.reset(np.random.default_rng(self.seed))
        game: Any = spec.game_class(config, seed=self.seed, position=position)
        self.game: Played = game
        self._earlier: list[Played] = []
        self._seconds: list[float] = []
        self._abandoned = threading.Event()
        self._began = time.perf_counter()

    def _seated(self, side: str | None, opponent: str) -> dict[str, str]:
        """Who plays each side."""
        sides = self.spec.players
        if side not in (None, *sides, RANDOM_SIDE):
            raise ConfigError("side", side, f"it must be {', '.join(map(repr, (*sides, RANDOM_SIDE)))}")
        own = sides[np.random.default_rng(self.seed).integers(2)] if side == RANDOM_SIDE else side or sides[0]
        return {player: PERSON if player == own else opponent for player in sides}

    @property
    def waits_for_person(self) -> bool:
        """Whether a person is to act."""
        return self.game.result is None and self.players[self.game.to_act] == PERSON

    @property
    def waits_for_agent(self) -> bool:
        """Whether an agent is to act."""
        return self.game.result is None and not self.waits_for_person

    @property
    def hides(self) -> bool:
        """Whether the game's record would tell more than its players may know by now."""
        return self.game.result is None and self.adapter.position(self.game) != self.game.position

    @property
    def can_undo(self) -> bool:
        """Whether the last action can be undone: a person's own, in a turn that has not ended."""
        return bool(self._earlier)

    def undo(self) -> None:
        """Undo the last action.

        Raises:
            IllegalActionError: if it cannot be undone.
        """
        if not self.can_undo:
            raise IllegalActionError("there is nothing to undo: only your own actions in the current turn can be undone")
        self.game = self._earlier.pop()
        self._seconds.pop()

    def play(self, action: int | str) -> None:
        """Play a person's action.

        Raises:
            IllegalActionError: if it is not legal, or an agent is to act; nothing has changed then.
        """
        if self.waits_for_agent:
            raise IllegalActionError(f"{self.players[self.game.to_act]} is to act for {self.game.to_act}")
        self._play(action)

    def let_agent_play(self, seconds: float | None = None) -> None:
        """Let the agent to act take one action; does nothing if no agent is to act.

        Args:
            seconds: when an agent that has a pace answers with the best that it has found; None leaves it its time.

        Raises:
            PlayerError: if it plays an illegal action.
        """
        if not self.waits_for_agent:
            return
        agent = self._agents[self.game.to_act]
        pace = _pace_of(agent)
        pace.deadline = pace.after(seconds)
        if self._abandoned.is_set():
            return
        action = agent.act(self.adapter.asked_of_agent(self.game))
        if self._abandoned.is_set():
            return
        try:
            self._play(action)
        except IllegalActionError as error:
            raise PlayerError(self.players[self.game.to_act], str(error)) from None

    def abandon(self) -> None:
        """From any thread: have an agent that is thinking stop, if it has a pace. No agent plays on in this game."""
        self._abandoned.set()
        for agent in self._agents.values():
            _pace_of(agent).deadline = 0.0

    def _play(self, action: int | str) -> None:
        before, after = self.game, self.game.copy()
        after.play(action)
        now = time.perf_counter()
        self._seconds.append(now - self._began)
        self._began = now
        self.game = after
        goes_on = (after.to_act, after.turn) == (before.to_act, before.turn)
        if self.waits_for_person and goes_on and not self.adapter.is_final(after):
            self._earlier.append(before)
        else:
            self._earlier.clear()

    def to_record(self) -> dict[str, Any]:
        """The game record so far."""
        game = self.game
        return game.to_record(players=self.players, seed=self.seed, seconds=self._seconds[: len(game.history)])


def _pace_of(agent: Any) -> Pace:
    """An agent's pace; one that nobody keeps to where it has none."""
    pace = getattr(agent, "pace", None)
    return pace if isinstance(pace, Pace) else Pace(rate=1)
