"""How games between two players begin: each pair of games has a start of its own.

It comes from the openings of the game, from those of a file, or from random turns.
"""

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

#: The number of random turns that begin a game by default.
_OPENING_TURNS: Final = 2

#: A source of openings that is not a file, like `SHIPPED`.
RANDOM: Final = "random"


def settings_key(game: str, settings: Mapping[str, Any]) -> str:
    """The game and the settings that differ from its defaults, as text.

    Args:
        game: the game's name.
        settings: the settings that differ, by keyword.

    Returns:
        A JSON array of both, with sorted keys.
    """
    return json.dumps([game, settings], sort_keys=True)


@dataclasses.dataclass(frozen=True)
class Settings:
    """A game and its settings, for a match or a tournament.

    Attributes:
        game: the name of the game; None for the first in the registry.
        config: the settings; None for the defaults.
        openings: positions; any two players begin from each of them twice, once on either side.
            Once they are used up, or if there are none, games begin with random turns.
        opening_turns: the number of random turns, at first; None for 2, or as many as the settings
            allow.
        sides: the names of the game's players, in order.

    Raises:
        ConfigError: naming the invalid field.
    """

    game: str | None = None
    config: Any = None
    openings: tuple[str, ...] = ()
    opening_turns: int | None = None
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
        """The game and its settings alone, which accompany every game."""
        return Settings(self.game, self.config)

    @property
    def key(self) -> str:
        """The game and the settings that differ from its defaults, as text."""
        return settings_key(self.spec.name, changed_settings(self.config))


def begin_game(settings: Settings, opening: str | int, secret: int) -> BaseGame:
    """A game before its first action.

    Args:
        settings: the game and its settings.
        opening: the text of a position, or the number of random turns that begin the game.
        secret: the secret of the game's pair, from which random turns and anything else left to
            chance are derived.

    Returns:
        A new game.

    Raises:
        ConfigError: if every random game ends within the opening, or the position does not fit the
            settings.
    """
    game = _complete_opening(settings, opening) if isinstance(opening, str) else None
    if game is None:
        game = _begun(settings, opening, secret)
    return game.copy()


# A start is begun when it is chosen, and in both games of its pair.
@lru_cache(256)
def _begun(settings: Settings, opening: str | int, secret: int) -> BaseGame:
    """The game as it begins by chance; not to be changed."""
    turns, position = (0, opening) if isinstance(opening, str) else (opening, None)
    starts = InitialPositions(settings.spec.game_class, settings.config, turns)
    return starts.begin(streams_of(derived(secret, "start")), position)


# All players begin from the same openings, and reading one takes as long as the turns of a game.
@lru_cache(4096)
def _complete_opening(settings: Settings, position: str) -> BaseGame | None:
    """The game at a position that leaves nothing to chance; None if there is none."""
    game: BaseGame = settings.spec.game_class(settings.config, seed=0, position=position)
    return game if game.position == position else None


def openings_for(
    spec: GameSpec, config: Any, source: str | os.PathLike[str] | None
) -> tuple[str, ...]:
    """The positions to begin from.

    Args:
        spec: the game.
        config: its settings.
        source: ``"shipped"`` for the positions that come with the game; None for these, if there
            are any; ``"random"`` for none; or the path of a file.

    Returns:
        The texts of the positions, number 1 first; empty for the usual start.

    Raises:
        ConfigError: if ``source`` is ``"shipped"``, and none come with the game for these settings.
        FileError: as for `read_openings`.
    """
    if source == RANDOM:
        return ()
    if source not in (None, SHIPPED):
        return read_openings(source, spec, config)
    shipped = spec.game_class.openings(config)
    if source == SHIPPED and not shipped:
        reason = (
            f"none are shipped with {spec.name} for these settings; "
            f"it must be {RANDOM!r} or the path of a file"
        )
        raise ConfigError("openings", source, reason)
    return shipped


def read_openings(path: str | os.PathLike[str], spec: GameSpec, config: Any) -> tuple[str, ...]:
    """Read the openings in a file.

    Each line is the text of a position; blank lines and comments, which begin with ``#``, are
    skipped. If the settings leave nothing to chance, all positions must belong to games with the
    same choices.

    Args:
        path: the file.
        spec: the game.
        config: its settings.

    Returns:
        The texts of the positions, in order.

    Raises:
        FileError: if the file cannot be read or holds no position; it names a line that is no
            position of an unfinished game under these settings, or that repeats another.
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
    """Check that text is a complete position of an unfinished game under these settings."""
    game = unfinished_game(spec.game_class, config, text)
    if game.position != text:
        raise ConfigError("position", text, f"it must be complete, such as {game.position}")
    chosen = game.about if config.begins_by_chance else spec.game_class(config, seed=0).about
    if game.about != chosen:
        reason = (
            f"it belongs to a game with other choices ({', '.join(game.about)}) "
            f"than the settings ({', '.join(chosen)})"
        )
        raise ConfigError("position", text, reason)


#: After this many random openings in a row that are already in use, the next have one more turn.
_TRIES: Final = 30


class Start(NamedTuple):
    """How a pair of games begins.

    Attributes:
        opening: the text of a position, or the number of random turns.
        secret: what everything random in the pair is derived from.
    """

    opening: str | int
    secret: int


def settings_with_openings(game: str | None, config: object, opening_turns: int | None) -> Settings:
    """The settings of games that begin with random turns or with the game's own openings.

    Args:
        game: the name of the game; None for the first in the registry.
        config: its settings; None for the defaults.
        opening_turns: the number of random turns; None to begin with the openings that come with
            the game, as long as they last.

    Returns:
        The game, its settings and its openings.

    Raises:
        ConfigError: naming the invalid argument.
    """
    settings = Settings(game, config, opening_turns=opening_turns)
    if opening_turns is not None:
        return settings
    return dataclasses.replace(
        settings, openings=openings_for(settings.spec, settings.config, None)
    )


class Starts:
    """The starts of the pairs of games of two players, by index from 0.

    No two starts are alike, nor images of each other under the symmetries of the rules, so that
    players without randomness never play the same game twice. First come the openings of the
    settings, in an order drawn from the secret. Then come random turns: the number in the settings,
    and one more whenever hardly any other starts are left. Starts repeat only if every game begins
    alike, without random turns or chance.

    Args:
        settings: the game, its settings and its openings.
        secret: what everything random is derived from.
    """

    def __init__(self, settings: Settings, secret: int) -> None:
        self._settings = settings
        self._plain = settings.without_openings()
        self._secret = secret
        generator = np.random.default_rng(derived(secret, "openings"))
        self._openings = [
            settings.openings[number]
            for number in generator.permutation(len(settings.openings)).tolist()
        ]
        self._turns = settings.opening_turns or 0
        self._found: list[Start] = []
        #: The starts so far, up to symmetry. Those of the openings are added only before the first
        #: random start.
        self._seen: set[int] = set()
        self._is_exhausted = False

    def __getitem__(self, number: int) -> Start:
        """The start of the pair with this index.

        Raises:
            ConfigError: if every random game ends within the opening, or an opening does not fit
                the settings.
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
                begin_game(self._plain, opening, 0).symmetry_key for opening in self._openings
            }
        while not self._is_exhausted:
            for attempt in range(_TRIES):
                start = Start(
                    self._turns,
                    derived(secret, "attempt", self._turns, attempt) if attempt else secret,
                )
                key = begin_game(self._plain, *start).symmetry_key
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
            begin_game(self._plain, self._turns + 1, self._secret)
        except ConfigError:  # every game is over by then
            return False
        return True
