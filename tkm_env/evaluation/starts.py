"""How the games of two players begin: every pair of games from a start of its own, with an opening of the game's or of a file."""

import dataclasses
import json
import os
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.random_numbers import streams_of
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import SHIPPED, InitialPositions, unfinished_game
from tkm_env.core.registry import GameSpec, default_game, game_spec
from tkm_env.core.settings import changed_settings, make_config
from tkm_env.foundations.checks import checked_integer, checked_texts
from tkm_env.foundations.errors import ConfigError, FileError, TKMError
from tkm_env.foundations.files import read_file
from tkm_env.foundations.seeds import derived

#: How many random turns begin a game by default.
_OPENING_TURNS: Final = 2

#: A source of openings that is not a file, beside `SHIPPED`.
RANDOM: Final = "random"


def settings_key(game: str, settings: Mapping[str, Any]) -> str:
    """The game and the settings that differ from its defaults, as text."""
    return json.dumps([game, settings], sort_keys=True)


@dataclasses.dataclass(frozen=True)
class Settings:
    """A game and its settings, of a match or a tournament. Raises a `ConfigError` naming the invalid field."""

    game: str | None = None  # the name of the game; None for the first in the registry
    config: Any = None  # the settings; None, the defaults
    #: Every two players begin from each, once on either side; then, or without any, with random turns.
    openings: tuple[str, ...] = ()
    opening_turns: int | None = (
        None  # how many of them, at first; None for 2, or as many as the settings allow
    )
    #: The names of the game's players, in order.
    sides: tuple[str, ...] = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        spec = game_spec(default_game() if self.game is None else self.game)
        object.__setattr__(self, "game", spec.name)
        object.__setattr__(self, "sides", spec.players)
        object.__setattr__(
            self, "config", make_config(type(spec.game_class.default_config), self.config, {})
        )
        checked_texts("openings", self.openings)
        most = self.config.max_turns - 1
        turns = min(_OPENING_TURNS, most) if self.opening_turns is None else self.opening_turns
        turns = checked_integer("opening_turns", turns, 0, most)
        object.__setattr__(self, "opening_turns", turns)

    @property
    def spec(self) -> GameSpec:
        assert self.game is not None
        return game_spec(self.game)

    def without_openings(self) -> "Settings":
        """The game and its settings alone, as they travel with every game."""
        return Settings(self.game, self.config)

    @property
    def key(self) -> str:
        """The game and the settings that differ from its defaults, as text."""
        return settings_key(self.spec.name, changed_settings(self.config))


def begin_game(settings: Settings, opening: str | int, secret: int) -> BaseGame:
    """A game before its first action; the opening's random turns and the order of a deck are derived from the secret of its pair. Raises a
    `ConfigError` if every random game ends within the opening, or the position does not fit the settings.
    """
    turns, position = (0, opening) if isinstance(opening, str) else (opening, None)
    if position is not None and (game := _complete_opening(settings, position)) is not None:
        return game.copy()
    starts = InitialPositions(settings.spec.game_class, settings.config, turns)
    return starts.begin(streams_of(derived(secret, "start")), position)


@lru_cache(
    4096
)  # every pair of players begins from the same ones, and reading one takes as long as a game's turns
def _complete_opening(settings: Settings, position: str) -> BaseGame | None:
    """The game at a position that leaves nothing to chance; None if there is none."""
    game: BaseGame = settings.spec.game_class(settings.config, seed=0, position=position)
    return game if game.position == position else None


def openings_for(
    spec: GameSpec, config: Any, source: str | os.PathLike[str] | None
) -> tuple[str, ...]:
    """The texts of the positions to begin from, number 1 first; an empty tuple for the usual start. Raises a `ConfigError` if none are
    shipped with the game for these settings, and a `FileError` as for `read_openings`.

    The source is ``"shipped"``: those shipped with the game; None: these, if there are any; ``"random"``: none; or the path of a file.
    """
    if source == RANDOM:
        return ()
    if source not in (None, SHIPPED):
        return read_openings(source, spec, config)
    shipped = spec.game_class.openings(config)
    if source == SHIPPED and not shipped:
        reason = f"none are shipped with {spec.name} for these settings; it must be {RANDOM!r} or the path of a file"
        raise ConfigError("openings", source, reason)
    return shipped


def read_openings(path: str | os.PathLike[str], spec: GameSpec, config: Any) -> tuple[str, ...]:
    """The openings in a file: the text of a position on each line, besides blank lines and comments that begin with ``#``. Where the
    settings leave nothing to chance, all must belong to a game with the same choices. Raises a `FileError` if the file cannot be read or
    holds no position, naming a line that holds no position of an unfinished game under these settings, or repeats one.
    """
    try:
        lines = read_file(path).decode("utf-8").replace("\r\n", "\n").split("\n")
    except UnicodeDecodeError as error:
        raise FileError(path, f"byte {error.start + 1} is not UTF-8") from None
    found: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            _check(line, spec, config)
        except TKMError as error:
            raise FileError(path, f"line {number}: {error}") from error
        if line in found:
            raise FileError(path, f"line {number}: it repeats line {found[line]}")
        found[line] = number
    if not found:
        raise FileError(path, "it holds no position")
    return tuple(found)


def _check(text: str, spec: GameSpec, config: Any) -> None:
    """Raise an error unless this is a complete position of an unfinished game under these settings."""
    game = unfinished_game(spec.game_class, config, text)
    if game.position != text:
        raise ConfigError("position", text, f"it must be complete, such as {game.position}")
    chosen = game.about if config.begins_by_chance else spec.game_class(config, seed=0).about
    if game.about != chosen:
        reason = f"it belongs to a game with other choices ({', '.join(game.about)}) than the settings ({', '.join(chosen)})"
        raise ConfigError("position", text, reason)


#: After so many random openings in a row that were there before, others are looked for a turn further.
_TRIES: Final = 30


class Start(NamedTuple):
    """How a pair of games begins."""

    opening: str | int  # a position, or so many random turns
    secret: int  # what everything random in the pair is derived from


def settings_with_openings(game: str | None, config: object, opening_turns: int | None) -> Settings:
    """The settings of games that begin with so many random turns; None: from the openings that come with the game, as long as they last.
    Raises a `ConfigError` naming the invalid argument.
    """
    settings = Settings(game, config, opening_turns=opening_turns)
    if opening_turns is not None:
        return settings
    return dataclasses.replace(
        settings, openings=openings_for(settings.spec, settings.config, None)
    )


class Starts:
    """The starts of the pairs of games of two players, by number from 0, in an order that is drawn from a secret.

    No two are alike, nor images of each other under the symmetries of the rules, so that players without randomness of their own do not
    play a game twice. First come the openings of the settings, then random turns: as many as these say, and one more whenever there are
    hardly any other starts after so many. Only where every game is to begin alike, after no random turn and without chance, starts repeat.
    """

    def __init__(self, settings: Settings, secret: int) -> None:
        self._settings = settings
        self._secret = secret
        generator = np.random.default_rng(derived(secret, "openings"))
        self._openings = [
            settings.openings[number]
            for number in generator.permutation(len(settings.openings)).tolist()
        ]
        self._turns = settings.opening_turns or 0
        self._found: list[Start] = []
        #: The starts so far, up to symmetry; only those of the openings matter before the first random one.
        self._seen: set[int] = set()
        self._is_exhausted = False

    def __getitem__(self, number: int) -> Start:
        """The start of the pair of this number. Raises a `ConfigError` if every random game ends within the opening, or an opening does not
        fit the settings.
        """
        while len(self._found) <= number:
            self._found.append(self._next())
        return self._found[number]

    def _next(self) -> Start:
        number = len(self._found)
        secret = derived(self._secret, "pair", number)
        if number < len(self._openings):
            return Start(self._openings[number], secret)
        if number == len(self._openings):
            self._seen = {
                begin_game(self._settings, opening, 0).symmetry_key for opening in self._openings
            }
        while not self._is_exhausted:
            for attempt in range(_TRIES):
                start = Start(
                    self._turns,
                    derived(secret, "attempt", self._turns, attempt) if attempt else secret,
                )
                key = begin_game(self._settings, *start).symmetry_key
                if key not in self._seen:
                    self._seen.add(key)
                    return start
            self._is_exhausted = not self._can_go_further()
            self._turns += not self._is_exhausted
        return Start(self._turns, secret)

    def _can_go_further(self) -> bool:
        """Whether games may begin with one more random turn."""
        if not self._settings.opening_turns or self._turns + 1 >= self._settings.config.max_turns:
            return False
        try:
            begin_game(self._settings, self._turns + 1, self._secret)
        except ConfigError:  # all games are over by then
            return False
        return True
