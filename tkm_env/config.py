"""What is chosen before a game: `GameConfig`, validated in one place, and the draws of set-up. Imports the engine and `errors`."""

from __future__ import annotations

import dataclasses
import operator
from collections.abc import Collection, Mapping
from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.engine.observation import MAX_TURNS_LIMIT
from tkm_env.engine.state import CHAPTERS, EDITIONS, PLAYERS, STATE, set_up
from tkm_env.errors import ConfigError

__all__ = ["CONVERGENCE", "MAX_HANDICAP", "STANDARD", "Chapters", "GameConfig", "configured"]

#: What may be given as ``chapters``.
Chapters: TypeAlias = str | int | Collection[str] | None

STANDARD: Final = "standard"
CONVERGENCE: Final = "convergence"
_CONVERGENCE_DRAWS: Final = 2

#: EN 4: a grandmaster starts with three copies fewer in supply.
MAX_HANDICAP: Final = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameConfig:
    """The settings of a game. All faces of the package take the same keywords.

    Attributes:
        chapters: which chapters are in play. None or ``"standard"``: none, the standard game. ``"growth"``, ``"influence"``,
            ``"memory"``: that one. ``"convergence"``: two, drawn anew for each game from its seed (RULES §8). A number from 0 to 4:
            the rulebook's chapter. A collection of names: those together; it is kept as a tuple in the rulebook's order.
        edition: ``"2021"``, the English rulebook, or ``"2022"``, the revised rules for planting and blocked builds.
        first_player: ``"white"`` or ``"black"``.
        handicap: copies missing from white's and from black's supply, 0 to 3 each (EN 4).
        max_turns: after so many turns, counted over both players, a game without a winner is cut off; 1 to 9999.
        concede: whether conceding is an action.
        draws: whether a draw may be offered.

    Raises:
        ConfigError: naming the keyword, what was given and what is allowed.

    >>> GameConfig(chapters=["memory", "growth"]).chapters
    ('growth', 'memory')
    """

    chapters: Chapters = None
    edition: str = "2021"
    first_player: str = "white"
    handicap: tuple[int, int] = (0, 0)
    max_turns: int = 200
    concede: bool = False
    draws: bool = False

    def __post_init__(self) -> None:
        self._set("chapters", _checked_chapters(self.chapters))
        self._one_of("edition", EDITIONS)
        self._one_of("first_player", PLAYERS)
        self._set("handicap", _checked_handicap(self.handicap))
        self._set("max_turns", _checked_integer("max_turns", self.max_turns, 1, MAX_TURNS_LIMIT))
        self._one_of("concede", (False, True))
        self._one_of("draws", (False, True))

    def _set(self, keyword: str, value: object) -> None:
        object.__setattr__(self, keyword, value)

    def _one_of(self, keyword: str, allowed: tuple[Any, ...]) -> None:
        given = getattr(self, keyword)
        if type(given) is not type(allowed[0]) or given not in allowed:
            raise ConfigError(keyword, given, f"it must be {' or '.join(map(repr, allowed))}")

    def draw(self, generator: np.random.Generator) -> np.ndarray:
        """A starting position under these settings, as an array of shape (1,) of the engine's dtype.

        Only what the settings leave to chance is drawn from ``generator``.
        """
        states = np.zeros(1, STATE)
        set_up(
            states[0],
            chapters=self._draw_chapters(generator),
            edition=EDITIONS.index(self.edition),
            first_player=PLAYERS.index(self.first_player),
            handicap=self.handicap,
            max_turns=self.max_turns,
            concede=self.concede,
            draws=self.draws,
        )
        return states

    def _draw_chapters(self, generator: np.random.Generator) -> int:
        """The bits of the chapters in play (RULES §8: chapter 4 draws two of the three)."""
        if self.chapters == CONVERGENCE:
            drawn = generator.choice(len(CHAPTERS), _CONVERGENCE_DRAWS, replace=False)
            return int(sum(1 << chapter for chapter in drawn))
        assert isinstance(self.chapters, tuple)
        return sum(1 << CHAPTERS.index(name) for name in self.chapters)


def configured(config: GameConfig | None, settings: Mapping[str, Any]) -> GameConfig:
    """``config``, by default the standard game, with some settings changed.

    Raises:
        ConfigError: naming the keyword that is unknown, or cannot have that value.
    """
    known = [field.name for field in dataclasses.fields(GameConfig)]
    for keyword, value in settings.items():
        if keyword not in known:
            raise ConfigError(keyword, value, f"there is no such keyword; there are {', '.join(known)}")
    if config is not None and not isinstance(config, GameConfig):
        raise ConfigError("config", config, "it must be a GameConfig, or settings given as keywords")
    return dataclasses.replace(config or GameConfig(), **settings)


def _checked_chapters(given: object) -> str | tuple[str, ...]:
    """``"convergence"``, or the names of the chapters in the rulebook's order."""
    names = (STANDARD, *CHAPTERS, CONVERGENCE)
    refusal = ConfigError(
        "chapters",
        given,
        f"it must be None, one of {', '.join(map(repr, names))}, a number from 0 to {len(names) - 1}, "
        f"or a collection of {', '.join(map(repr, CHAPTERS))}",
    )
    if given is None:
        return ()
    if isinstance(given, str):
        if given not in names:
            raise refusal
        return given if given == CONVERGENCE else () if given == STANDARD else (given,)
    if isinstance(given, bool):
        raise refusal
    if isinstance(given, (int, np.integer)):
        if not 0 <= given < len(names):
            raise refusal
        return _checked_chapters(names[int(given)])
    if not isinstance(given, Collection) or not all(isinstance(name, str) and name in CHAPTERS for name in given):
        raise refusal
    return tuple(name for name in CHAPTERS if name in given)


def _checked_handicap(given: object) -> tuple[int, int]:
    if not isinstance(given, (tuple, list)) or len(given) != len(PLAYERS):
        raise ConfigError("handicap", given, "it must be a pair: copies missing from white's and from black's supply")
    white, black = (_checked_integer("handicap", missing, 0, MAX_HANDICAP, given) for missing in given)
    return white, black


def _checked_integer(keyword: str, value: object, low: int, high: int, given: object = None) -> int:
    refusal = ConfigError(keyword, value if given is None else given, f"whole numbers from {low} to {high} are needed")
    if isinstance(value, bool):
        raise refusal
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise refusal from None
    if not low <= number <= high:
        raise refusal
    return number
