"""A game's settings as a table, and how they are read from text: for command lines and forms. Imports `config`, `games`, the engine."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from tkm_env.config import CONVERGENCE, MAX_HANDICAP, RANDOM, STANDARD, TIMELINES, GameConfig, configured_as
from tkm_env.engine.powers import POWER_NAMES, POWER_SETS
from tkm_env.engine.state import CHAPTERS, EDITIONS, PLAYERS
from tkm_env.games import TKM, game_class

__all__ = ["SETTINGS", "TERMINUS_SETTINGS", "Setting", "config_of"]


class Setting(NamedTuple):
    """One setting, as it is asked for.

    Attributes:
        keyword: its name.
        help: what it is, in a sentence.
        default: what is the case where nothing is given, in a few words.
        kind: ``"choice"``: one of the choices; ``"text"``: usually one of them, but the help may allow more; ``"pair"``: one of the
            choices for each player, joined by a comma; ``"number"``; ``"switch"``; ``"file"``: the path of a file.
        choices: what can be chosen; of a pair the first is the default.
    """

    keyword: str
    help: str
    default: str
    kind: str = "choice"
    choices: tuple[str, ...] = ()


_MIXTURES: Final = tuple(
    "+".join(names) for size in range(1, len(CHAPTERS) + 1) for names in itertools.combinations(CHAPTERS, size)
)

#: The keywords of `GameConfig`, in its order.
SETTINGS: Final = (
    Setting(
        "chapters",
        f"{STANDARD}, growth, influence, memory, {CONVERGENCE}, 0 to 4, or several joined by +.",
        "standard; a timeline draws them",
        "choice",
        (STANDARD, *_MIXTURES, CONVERGENCE),
    ),
    Setting("edition", "2021, or 2022: the revised rules.", "2021", "choice", EDITIONS),
    Setting("first_player", "white or black.", "white", "choice", PLAYERS),
    Setting(
        "handicap",
        "Copies missing from white's and black's supply, such as 0,2.",
        "none",
        "pair",
        tuple(map(str, range(MAX_HANDICAP + 1))),
    ),
    Setting("powers", "White's and black's power, such as doorway,none.", "none", "pair", ("none", *POWER_NAMES)),
    Setting("timeline", "Powers are drafted: draft_powers or power_share.", "no draft", "choice", TIMELINES),
    Setting(
        "power_set",
        "With a timeline: a set, four powers joined by commas, or random.",
        "random, with a timeline",
        "text",
        (RANDOM, *POWER_SETS),
    ),
    Setting("max_turns", "Turns after which a game is cut off.", str(GameConfig().max_turns), "number"),
    Setting("concede", "Conceding is an action.", "no", "switch"),
    Setting("draws", "Draws may be offered.", "no", "switch"),
)

#: The keywords of `tkm_env.TerminusConfig`.
TERMINUS_SETTINGS: Final = (Setting("deck", "A deck file, with the cards of Terminus.", "the project's own", "file"),)


def config_of(given: Mapping[str, Any], game: str = TKM) -> Any:
    """The settings that were given as text, for one of `tkm_env.games.GAMES`; the others, and those that are None, are the defaults.

    Raises:
        ConfigError: naming the keyword that cannot be.

    >>> config_of({"chapters": "growth+memory", "handicap": "0,1", "edition": None})
    GameConfig(chapters=('growth', 'memory'), edition='2021', first_player='white', handicap=(0, 1), powers=None, timeline=None, \
power_set=None, max_turns=200, concede=False, draws=False)
    """
    settings = {name: value for name, value in given.items() if value is not None}
    for name, read in _READERS.items():
        if isinstance(settings.get(name), str):
            settings[name] = read(settings[name])
    return configured_as(type(game_class(game).default_config), None, settings)


def _chapters(text: str) -> Any:
    return int(text) if _is_number(text) else text.split("+") if "+" in text else text


def _handicap(text: str) -> Any:
    parts = text.split(",")
    return tuple(map(int, parts)) if all(map(_is_number, parts)) else text


def _is_number(text: str) -> bool:
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _powers(text: str) -> Any:
    return tuple(None if name in ("", "none", "-") else name for name in text.split(","))


def _power_set(text: str) -> Any:
    return tuple(text.split(",")) if "," in text else text


#: How a text becomes what `GameConfig` takes.
_READERS: Final[dict[str, Callable[[str], Any]]] = {
    "chapters": _chapters,
    "handicap": _handicap,
    "powers": _powers,
    "power_set": _power_set,
}
