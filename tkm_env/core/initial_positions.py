"""Where games begin: at the usual start or at given positions, maybe after random turns."""

from collections.abc import Collection, Iterable, Mapping, Set
from typing import Any, Final, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import CHANCE, OPENING, Streams, draw_from
from tkm_env.core.game import BaseGame
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, TKMError

#: What stands for the openings that come with the package.
SHIPPED: Final = "shipped"

#: How many random games to try before giving up on finding one that outlasts its opening.
OPENINGS_TRIED: Final = 300


Played = TypeVar("Played", bound=BaseGame)


class InitialPositions(Generic[Played]):
    """How games begin.

    Args:
        game_class: the class of the games.
        config: their settings.
        opening_turns: how many random turns begin a game, from 0 to ``config.max_turns - 1``.
        positions: the texts of the positions to begin from, `SHIPPED` for those that come with the
            game, or None for the usual start.
        encoder: if given, positions that its observations cannot show are refused.

    Attributes:
        opening_turns: how many random turns begin a game.
        positions: the texts of the positions; empty for the usual start.
        games: the game at each of the ``positions``; whatever its text leaves open is arbitrary.
        complete: whether each of the ``positions`` leaves nothing open.

    Raises:
        ConfigError: naming the argument that is invalid.
    """

    def __init__(
        self,
        game_class: type[Played],
        config: Any,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        encoder: ObservationEncoder | None = None,
    ) -> None:
        self._class = game_class
        self._config = config
        self._encoder = encoder
        self.opening_turns = checked_integer(
            "opening_turns", opening_turns, 0, config.max_turns - 1
        )
        self.positions: tuple[str, ...] = ()
        self.games: tuple[Played, ...] = ()
        if positions is not None:
            self.positions = (
                self._shipped()
                if isinstance(positions, str) and positions == SHIPPED
                else _texts(positions)
            )
            self.games = tuple(map(self._game_at, self.positions))
            for game, text in zip(self.games, self.positions, strict=True):
                self._check_visible(game, "positions", text)
        self.complete = tuple(
            game.position == text for game, text in zip(self.games, self.positions, strict=True)
        )

    def _shipped(self) -> tuple[str, ...]:
        openings = self._class.openings(self._config)
        if not openings:
            reason = (
                f"no openings come with {self._class.name} under these settings: "
                "give a list of positions, or opening_turns"
            )
            raise ConfigError("positions", SHIPPED, reason)
        return openings

    def _game_at(self, text: str) -> Played:
        try:
            return unfinished_game(self._class, self._config, text)
        except TKMError as error:
            raise ConfigError("positions", text, str(error)) from None

    def begin(self, streams: Streams, position: str | None = None) -> Played:
        """Begin a new game.

        Args:
            streams: the game's streams of random numbers, from which everything left to chance is
                drawn.
            position: where to begin instead, without an opening; None for the usual way.

        Returns:
            The game, without a history.

        Raises:
            PositionError: if ``position`` is malformed.
            ConfigError: if no random game outlasts its opening, or a compact observation cannot
                show ``position``.
        """
        if position is not None:
            game = self._class.from_chance(self._config, streams[CHANCE], position)
            self._check_visible(game, "position", position)
            return game
        if not self.opening_turns:
            return self._begin(streams[CHANCE])
        for _ in range(OPENINGS_TRIED):
            game = self._begin(streams[CHANCE])
            game.play_at_random(streams[OPENING], turns=self.opening_turns)
            if game.result is None:
                return game.restart()
        raise self.no_lasting_opening_error()

    def _check_visible(self, game: BaseGame, keyword: str, text: str) -> None:
        if self._encoder is not None:
            self._encoder.check(game, keyword, text)

    def _begin(self, chance: NDArray[np.uint64]) -> Played:
        """A game before its random turns."""
        if not self.positions:
            return self._class.from_chance(self._config, chance)
        number = draw_from(chance, len(self.positions))
        if self.complete[number]:
            return self.games[number].copy()
        return self._class.from_chance(self._config, chance, self.positions[number])

    def __deepcopy__(self, memo: dict[int, Any]) -> "InitialPositions[Played]":
        """Itself, since it is immutable."""
        return self

    def no_lasting_opening_error(self) -> ConfigError:
        """The error to raise if no random game outlasts its opening."""
        return ConfigError(
            "opening_turns",
            self.opening_turns,
            f"each of {OPENINGS_TRIED} random games was over by then; fewer are needed",
        )


def unfinished_game(game_class: type[Played], config: Any, text: str) -> Played:
    """The game at a position, which must not be over.

    Args:
        game_class: the class of the game.
        config: its settings.
        text: the position.

    Returns:
        A game without a history; whatever its text leaves open is arbitrary.

    Raises:
        PositionError: if the text is not a position.
        ConfigError: if the game is over there.
    """
    game = game_class(config, seed=0, position=text)
    if game.result is not None:
        raise ConfigError("position", text, f"the game is over: {game.result}")
    return game


def _texts(given: object) -> tuple[str, ...]:
    """The texts given as ``positions``, at least one."""
    is_row = isinstance(given, Collection) and not isinstance(
        given, (str, bytes, bytearray, Mapping, Set)
    )
    row: Iterable[object] = cast(Any, given) if is_row and getattr(given, "ndim", 1) == 1 else ()
    texts: list[str] = []
    # One by one, since some collections never end.
    for text in row:
        if not isinstance(text, str):
            texts.clear()
            break
        texts.append(text)
    if not texts:
        raise ConfigError(
            "positions",
            given,
            f"it must be None, {SHIPPED!r} or a list of the texts of positions, at least one",
        )
    return tuple(texts)
