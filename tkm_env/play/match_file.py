"""The file that keeps a match: written after each of its games, read to continue it."""

import os
from collections.abc import Mapping
from typing import Any, Final

from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import checked_instance
from tkm_env.foundations.errors import FileError, repr_of
from tkm_env.foundations.files import (
    check_writable,
    checked_path,
    content_of,
    read_file,
    read_json,
    write_json,
)
from tkm_env.play.session import PERSON, RANDOM_SIDE, Session, settings_for_people
from tkm_env.players.roster import ROSTERS

MATCH_KIND: Final = "tkm_env match"
_TYPES: Final = {
    "game": str,
    "match": str,
    "opponent": str,
    "side": str,
    "seed": int,
    "settings": dict,
    "played": dict,
}
_KEYS: Final = (*_TYPES, "clock")


class MatchFile:
    """A file that keeps a match.

    It is written, completely or not at all, whenever a game of the match is over.

    Args:
        path: the file; it need not exist yet.

    Raises:
        FileError: if it cannot be read or written, or holds anything else.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path
        self._known = self._read()
        self._begun: dict[str, Any] | None = None
        if self._known is None:
            check_writable(path)
            return
        self._begun = read_json(path, MATCH_KIND, _KEYS)
        with content_of(path):  # the session checks the rest
            for keyword, kind in _TYPES.items():
                checked_instance(keyword, self._begun[keyword], kind)

    def session(
        self,
        spec: GameSpec,
        settings: Mapping[str, Any],
        *,
        match: str,
        opponent: str | None = None,
        side: str | None = None,
        seed: int | None = None,
        position: str | None = None,
    ) -> Session[Any]:
        """Return a session of the next game of the match, or of the first game of a new one.

        An argument that is None is taken from the match that is kept. In a new match it is as for a
        `Session`, except that the opponent is the weakest level.

        Args:
            spec: the game's entry in the registry.
            settings: the settings as text; None for one that was not given.
            match: the name of one of the game's matches.
            opponent: as for a `Session`.
            side: as for a `Session`.
            seed: as for a `Session`.
            position: as for a `Session`.

        Returns:
            The session.

        Raises:
            FileError: if the file holds another match, or one that cannot be continued.
            ConfigError: naming what is invalid.
        """
        given = {keyword: value for keyword, value in settings.items() if value is not None}
        if self._begun is None:
            line = opponent or ROSTERS.of(spec).levels[0].player
            asked = settings_for_people(spec, given, line)
            return Session(
                spec,
                asked,
                opponent=line,
                side=side,
                seed=seed,
                position=position,
                match=match,
                keep=self.write,
            )
        begun = dict(self._begun)
        self._check_same("game", spec.name, begun.pop("game"))
        self._check_same("match", match, begun["match"])
        # Reading a file must not run programs, so an opponent that is one must be named again.
        if opponent is None and begun["opponent"].partition(":")[0] not in (
            *ROSTERS.of(spec).agents,
            PERSON,
        ):
            raise FileError(
                self.path, f"the opponent {repr_of(begun['opponent'])} is a program; name it again"
            )
        self._check_same("opponent", opponent, begun["opponent"])
        self._check_same("side", None if side == RANDOM_SIDE else side, begun["side"])
        self._check_same("seed", seed, begun["seed"])
        kept = begun.pop("settings")
        with content_of(self.path):
            config = spec.config_from_text(kept)
            session: Session[Any] = Session(spec, kept, **begun, position=position, keep=self.write)
        wanted = spec.config_from_text({**kept, **given})
        for keyword in given:
            self._check_same(keyword, getattr(wanted, keyword), getattr(config, keyword))
        return session

    def write(self, content: Mapping[str, Any]) -> None:
        """Keep a match, as `Session` calls it.

        Raises:
            FileError: if it cannot be written, or something else has changed the file, which is
                left as it is.
        """
        if self._read() not in (None, self._known):
            raise FileError(
                self.path, "something else has changed it in the meantime; nothing is overwritten"
            )
        write_json(self.path, MATCH_KIND, content)
        self._known = self._read()

    def _read(self) -> bytes | None:
        """The file's content; None if there is no file."""
        return read_file(self.path) if checked_path(self.path).exists() else None

    def _check_same(self, keyword: str, given: object, kept: object) -> None:
        if given is not None and given != kept:
            raise FileError(
                self.path,
                f"it keeps a match with {keyword}={repr_of(kept)}, not {repr_of(given)}: "
                "continue that one, or name another file",
            )
