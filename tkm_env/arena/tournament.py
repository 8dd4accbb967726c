"""Tournaments: many players, several settings, every start from both sides."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, Final

from tkm_env.arena.pairing import ContinuousSchedule, FixedSchedule, settings_key
from tkm_env.arena.referee import DEFAULT_CONDITIONS, Conditions, Player
from tkm_env.arena.schedule import Entrant, Schedule
from tkm_env.arena.workers import Workers, local_workers, play_schedule
from tkm_env.checks import checked_instance, checked_integer, checked_number, checked_texts, is_text
from tkm_env.errors import ConfigError, shown
from tkm_env.game.registry import GameSpec, default_game, game_spec
from tkm_env.game.settings import changed_settings, make_config

#: How games are paired, by name.
KINDS: Final = ("round robin", "gauntlet", "continuous")


@dataclasses.dataclass(frozen=True)
class Settings:
    """A game and its settings, one of those of a tournament.

    Attributes:
        game: the name of the game; None for the first in the registry.
        config: the settings; None, the defaults.
        openings: positions from each of which every two players begin once on each side; without any, games begin with random turns.
        opening_turns: how many of them.

    Raises:
        ConfigError: naming the invalid field.
    """

    game: str | None = None
    config: Any = None
    openings: tuple[str, ...] = ()
    opening_turns: int = 2

    def __post_init__(self) -> None:
        spec = game_spec(default_game() if self.game is None else self.game)
        object.__setattr__(self, "game", spec.name)
        object.__setattr__(self, "config", make_config(type(spec.game_class.default_config), self.config, {}))
        checked_texts("openings", self.openings)
        turns = checked_integer("opening_turns", self.opening_turns, 0, self.config.max_turns - 1)
        object.__setattr__(self, "opening_turns", turns)

    @property
    def spec(self) -> GameSpec:
        """The game's row in the registry."""
        assert self.game is not None
        return game_spec(self.game)

    @property
    def key(self) -> str:
        """The game and the settings that differ from its defaults, as text."""
        return settings_key(self.spec.name, changed_settings(self.config))


@dataclasses.dataclass(frozen=True)
class Tournament:
    """Who plays whom, how often, and under which settings.

    Each game depends only on the seed, the settings, the names of its two players and its number among theirs. So the same seed gives the
    same games on any number of processes or machines (with time limits, only as far as timing is reproducible), a stopped tournament
    continues as if it had never stopped, and new players do not change the games of the others.

    Attributes:
        players: at least two, with different names.
        settings: under which each two of them play.
        kind: ``"round robin"``: everyone against everyone; ``"gauntlet"``: each of the challengers against all others;
            ``"continuous"``: next is the pair of players whose games are expected to be the most informative about the ratings.
        pairs: how many pairs of games each two players play under each of the settings, in a continuous tournament at most; None for 10,
            or in a continuous one for as many as there are openings.
        challengers: names of players, for a gauntlet.
        within: a continuous tournament ends once the half width of every rating's 95% interval is at most this, in Elo; None: never.
        seed: see above.
        conditions: where the players run, and how long they may think.
        newcomers: called before each pair of a continuous tournament for the players so far; None if nobody joins.

    Raises:
        ConfigError: naming the invalid field.

    >>> tournament = Tournament((Entrant("Ann", "random"), Entrant("Bob", "random")), pairs=1, seed=3)
    >>> [game.players for game in tournament.schedule().fixtures()]
    [{'white': 'Ann', 'black': 'Bob'}, {'white': 'Bob', 'black': 'Ann'}]
    """

    players: tuple[Entrant, ...]
    settings: tuple[Settings, ...] = (Settings(),)
    kind: str = "round robin"
    pairs: int | None = None
    challengers: tuple[str, ...] = ()
    within: float | None = None
    seed: int = 0
    conditions: Conditions = DEFAULT_CONDITIONS
    newcomers: Callable[[], Sequence[Entrant]] | None = None
    _stopping: list[bool] = dataclasses.field(default_factory=list, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ConfigError("kind", self.kind, f"it must be {', '.join(map(repr, KINDS[:-1]))} or {KINDS[-1]!r}")
        is_continuous = self.kind == "continuous"
        checked_instance("conditions", self.conditions, Conditions)
        if not isinstance(self.settings, tuple) or not self.settings:
            raise ConfigError("settings", self.settings, "there must be at least one")
        keys = [checked_instance("settings", settings, Settings).key for settings in self.settings]
        for key in keys:
            if keys.count(key) > 1:
                raise ConfigError("settings", key, "they are listed twice")
        if not isinstance(self.players, tuple) or len(self.players) < (1 if is_continuous and self.newcomers else 2):
            raise ConfigError("players", self.players, "there must be at least two")
        object.__setattr__(self, "seed", checked_integer("seed", self.seed, 0, 2**63 - 1))
        if self.pairs is not None:
            checked_integer("pairs", self.pairs, 1, 10**6)
            for settings in self.settings:
                if settings.openings and self.pairs > (most := len(settings.openings)):
                    raise ConfigError(
                        "pairs", self.pairs, f"for {settings.key} there are {most} openings, one for each pair of games"
                    )
        if self.newcomers is not None and not callable(self.newcomers):
            raise ConfigError("newcomers", self.newcomers, "it must be a function that returns players")
        names: list[str] = []
        for entrant in self.players:
            self.check(entrant, names)
            names.append(entrant.name)
        self._check_challengers(names)
        if self.within is not None:
            checked_number("within", self.within)
            if not is_continuous:
                raise ConfigError("within", self.within, "only a continuous tournament ends by precision")

    def _check_challengers(self, names: Sequence[str]) -> None:
        if bool(checked_texts("challengers", self.challengers)) != (self.kind == "gauntlet"):
            reason = "only a gauntlet has them" if self.challengers else "a gauntlet needs them"
            raise ConfigError("challengers", self.challengers, reason)
        for name in self.challengers:
            if name not in names:
                raise ConfigError("challengers", name, f"the players are {shown([*names])}")
        if set(self.challengers) == set(names):
            raise ConfigError("challengers", self.challengers, "there must be others to play against")

    def check(self, entrant: Entrant, names: Sequence[str]) -> None:
        """Check that someone can play alongside players with these names.

        Raises:
            ConfigError: saying why not.
        """
        name, line, game, readable, _ = checked_instance("players", entrant, Entrant)
        checked_texts("readable", readable)
        if not isinstance(name, str) or not is_text(name) or not name.strip():
            raise ConfigError("players", name, "a player needs a name, since records name it")
        if name in names:
            raise ConfigError("players", name, "two players have this name")
        games = {settings.spec.name for settings in self.settings}
        if game is not None and not (isinstance(game, str) and game in games):
            raise ConfigError("players", game, f"the games of this tournament are {shown(sorted(games))}")
        for settings in self.settings:
            if game in (None, settings.spec.name):
                Player(line, settings.spec.name, self.conditions.reading(readable), f"player {name!r}", settings.config)

    def stop(self) -> None:
        """Have `play` finish the games that are being played, and begin no others; from a signal's handler or any thread."""
        self._stopping.append(True)

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._stopping)

    @property
    def games(self) -> int | None:
        """How many games there are; None if that depends on results."""
        return self.schedule().games

    def schedule(self) -> Schedule:
        """The games in their order."""
        return ContinuousSchedule(self) if self.kind == "continuous" else FixedSchedule(self)

    def play(
        self,
        save: str | os.PathLike[str] | None = None,
        *,
        processes: int = 1,
        workers: Callable[[], Workers] | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Play the games and yield their records in order, with those that were saved before.

        Args:
            save: a file of game records, to which each is appended in its order. If games of this tournament are there, it goes on with
                them; those of players who have left stay and are not yielded, but in a continuous tournament they are.
            processes: the number of processes on this machine.
            workers: makes other workers; then ``processes`` does not matter.

        Raises:
            ConfigError: if ``processes`` is invalid.
            FileError: as `tkm_env.arena.ledger.Ledger` does.
        """
        schedule = self.schedule()
        workers = workers or local_workers(self.conditions, processes, schedule.games)
        with closing(play_schedule(schedule, workers, save, resume=True, stopping=lambda: self._stopping)) as records:
            yield from records
