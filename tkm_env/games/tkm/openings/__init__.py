"""The openings that come with the game, for both editions.

There is a file for each set of chapters; `benchmarks/make_openings.py` made them.
"""

from collections.abc import Iterable
from functools import cache
from typing import Final

from tkm_env.foundations.files import packaged_text
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.config_values import STANDARD
from tkm_env.games.tkm.notation import OPEN_SETTINGS

__all__ = ["file_name", "openings"]

#: The settings that games from openings may choose; the positions determine all others.
_FREE: Final = ("chapters", *OPEN_SETTINGS)


def openings(config: GameConfig) -> tuple[str, ...]:
    """The texts of the openings for games with these settings, number 1 first.

    There are none if chapters are drawn, with powers, a timeline or a handicap, if black goes
    first, or if the turn limit is below the openings' turns.
    """
    if config.begins_by_chance or config != GameConfig(
        **{name: getattr(config, name) for name in _FREE}
    ):
        return ()
    assert config.chapters is None or isinstance(config.chapters, tuple)
    texts, last_turn = _read(file_name(config.chapters or ()))
    return texts if last_turn <= config.max_turns else ()


def file_name(chapters: Iterable[str]) -> str:
    """The name of the file for these chapters, given in the rulebook's order."""
    return ("-".join(chapters) or STANDARD) + ".txt"


@cache
def _read(name: str) -> tuple[tuple[str, ...], int]:
    """The positions in a file, and the largest number of a turn among them."""
    lines = packaged_text(__package__, name).splitlines()
    texts = tuple(line for line in lines if not line.startswith("#"))
    return texts, max(int(text.rpartition(" ")[2]) for text in texts)
