"""One game of a match or tournament: how it begins, who plays which side, and its record once it is played."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.agents.specs import make_agent
from tkm_env.arena.referee import Conditions, Player, referee
from tkm_env.batch.initial_positions import InitialPositions
from tkm_env.checks import checked_instance
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import game_spec

#: How many players' programs a process keeps running between games.
_KEPT_RUNNING: Final = 4


class Contestant(NamedTuple):
    """Someone who plays.

    Attributes:
        name: as records name them.
        line: as `tkm_env.agents.specs.make_agent` reads it.
        number: tells apart the two instances of a player who plays against itself.
        readable: files and folders of its own, which only it may read in a sandbox.
    """

    name: str
    line: str
    number: int = 0
    readable: tuple[str, ...] = ()


class RandomStart(NamedTuple):
    """A start after this many turns of random play."""

    seed: int
    turns: int


@dataclasses.dataclass(frozen=True)
class Fixture:
    """One game that is to be played. Games 2s and 2s + 1, by their seeds, have the same start with sides swapped.

    Attributes:
        game: the name of the game.
        config: its settings.
        start: how it begins: a position, or turns at random.
        seed: the players' randomness, and what identifies the game among those of its match or tournament.
        contestants: the players, by the order of the sides.
    """

    game: str
    config: Any
    start: str | RandomStart
    seed: int
    contestants: tuple[Contestant, Contestant]

    @property
    def players(self) -> dict[str, str]:
        """The players' names, by side."""
        sides = game_spec(self.game).players
        return {side: contestant.name for side, contestant in zip(sides, self.contestants, strict=True)}

    def begin(self) -> BaseGame:
        """The game before its first action.

        Raises:
            ConfigError: if no random game lasts beyond its opening, or the position is not one of these settings.
        """
        kind = game_spec(self.game).game_class
        if isinstance(self.start, str):
            return kind(self.config, seed=self.seed, position=self.start)
        return InitialPositions(kind, self.config, self.start.turns).begin(np.random.default_rng(self.start.seed))


def seed_of_pair(seed: int, pair: int) -> int:
    """The seed, of 62 bits, for the start of the pair of that number in what has this seed."""
    return int(np.random.SeedSequence(seed, spawn_key=(pair,)).generate_state(1, np.uint64)[0]) >> 2


class Players:
    """The players of one process, from game to game.

    Each is made once. Programs go on running between games; beyond a few, those that have waited longest are ended, and start again with
    their next game.

    Args:
        conditions: how they play.
    """

    def __init__(self, conditions: Conditions) -> None:
        self._conditions = conditions
        #: Those who played last come last.
        self._known: dict[tuple[str, Contestant], Player] = {}

    def seated(self, fixture: Fixture) -> dict[str, Player]:
        """The players of a game, by side.

        Raises:
            ConfigError: if there is no such player.
        """
        playing = {}
        for side, contestant in zip(fixture.players, fixture.contestants, strict=True):
            key = (fixture.game, contestant)
            player = self._known.pop(key, None)
            if player is None:
                player = Player(contestant.line, fixture.game, self._conditions.reading(contestant.readable))
            playing[side] = self._known[key] = player
        waiting = [player for player in self._known.values() if player.isolation != "none"]
        for player in waiting[:-_KEPT_RUNNING]:
            player.close()
        return playing

    def close(self) -> None:
        """End all their programs."""
        for player in self._known.values():
            player.close()


#: The players of this process whose code is compiled, each with its game.
_WARM: set[tuple[str, str]] = set()


def _warm_up(line: str, game: BaseGame) -> None:
    """Have a player of this line's kind, if it is one of the game's own, play two turns that nobody sees.

    The first decisions in a process wait for the compiler, or for machine code to be read from disk, which is not to be in their times.
    The player of this kind on the game's ladder makes them, which does not take long; the one that is to play plays as if nothing had
    been.
    """
    spec = game_spec(game.name)
    name = line.partition(":")[0]
    if name in spec.agents and (spec.name, name) not in _WARM:
        _WARM.add((spec.name, name))
        quick = next((rung for rung in spec.ladder if rung.partition(":")[0] == name), line)
        agent, trial = make_agent(quick, game=spec.name), game.copy()
        while trial.result is None and trial.turn < game.turn + 2:
            trial.play(agent.act(trial))


def play_fixture(fixture: Fixture, players: Players) -> dict[str, Any]:
    """Play one game and return its record.

    Raises:
        ConfigError: if it cannot begin, or there is no such player.
    """
    checked_instance("players", players, Players)
    return play_seated(checked_instance("fixture", fixture, Fixture), players.seated)


def play_seated(fixture: Fixture, seated: Callable[[Fixture], dict[str, Player]]) -> dict[str, Any]:
    """The same, where ``seated`` returns the players by side.

    Raises:
        ConfigError: if it cannot begin, or there is no such player.
    """
    game = fixture.begin()
    for contestant in fixture.contestants:
        _warm_up(contestant.line, game)
    playing = seated(fixture)
    generators = {side: np.random.default_rng([fixture.seed, number]) for number, side in enumerate(playing)}
    measured = referee(game, playing, generators)
    isolation = {side: player.isolation for side, player in playing.items()}
    return game.to_record(players=fixture.players, seed=fixture.seed, isolation=isolation, **measured._asdict())
