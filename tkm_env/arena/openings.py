"""Openings: the positions from which the games of a tournament begin, shipped with a game or from a file."""

from __future__ import annotations

import os
from typing import Any, Final

from tkm_env.batch.initial_positions import SHIPPED, unfinished_game
from tkm_env.errors import ConfigError, FileError, TKMError
from tkm_env.files import read_file
from tkm_env.game.registry import GameSpec

#: A source of openings that is not a file, beside `SHIPPED`.
RANDOM: Final = "random"


def openings_for(spec: GameSpec, config: Any, source: str | os.PathLike[str] | None) -> tuple[str, ...]:
    """The texts of the positions to begin from, number 1 first; an empty tuple for the usual start. Raises a `ConfigError` if none are
    shipped with the game for these settings, and a `FileError` as for `read_openings`.

    The source is ``"shipped"``: those shipped with the game; None: these, if there are any; ``"random"``: none; or the path of a file.

    >>> from tkm_env.game.registry import game_spec
    >>> tkm = game_spec("tkm")
    >>> len(openings_for(tkm, tkm.config({"chapters": "growth"}), "shipped"))
    100
    """
    if source == RANDOM:
        return ()
    if source not in (None, SHIPPED):
        return read_openings(source, spec, config)
    shipped = spec.shipped_openings(config)
    if source == SHIPPED and not shipped:
        raise ConfigError(
            "openings", source, f"none are shipped with {spec.name} for these settings; it must be {RANDOM!r} or the path of a file"
        )
    return shipped


def read_openings(path: str | os.PathLike[str], spec: GameSpec, config: Any) -> tuple[str, ...]:
    """The openings in a file: the text of a position on each line, besides blank lines and comments that begin with ``#``. Raises a
    `FileError` if it cannot be read or holds no position; naming a line that holds no position of an unfinished game under these settings,
    or repeats one.

    Where the settings leave nothing to chance, the positions must belong to a game with the same choices.
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
        raise ConfigError(
            "position",
            text,
            f"it belongs to a game with other choices ({', '.join(game.about)}) than the settings ({', '.join(chosen)})",
        )
