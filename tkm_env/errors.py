"""The errors that users meet.

All are `ValueError`s that name what was given and what is allowed; whatever refuses leaves everything as it was.
"""

from __future__ import annotations

__all__ = [
    "ArrayError",
    "ConcurrentUseError",
    "ConfigError",
    "DeckError",
    "DisplayError",
    "FileError",
    "IllegalActionError",
    "MissingExtraError",
    "PositionError",
    "RecordError",
    "TKMError",
    "UnknownActionError",
]


class TKMError(ValueError):
    """The base of the package's own errors."""


class ConfigError(TKMError):
    """A setting that cannot be.

    Attributes:
        keyword: the setting's name, as in `tkm_env.GameConfig`.
    """

    def __init__(self, keyword: str, given: object, allowed: str) -> None:
        super().__init__(keyword, given, allowed)
        self.keyword = keyword
        self._message = f"{keyword}={given!r} is not possible: {allowed}"

    def __str__(self) -> str:
        return self._message


class ArrayError(TKMError):
    """An array that does not fit.

    Attributes:
        name: the argument's name.
    """

    def __init__(self, name: str, given: str, allowed: str) -> None:
        super().__init__(name, given, allowed)
        self.name = name
        self._message = f"{name} cannot have {given}: {allowed} needed"

    def __str__(self) -> str:
        return self._message


class ConcurrentUseError(TKMError, RuntimeError):
    """A second thread that uses what one thread is using."""

    def __init__(self) -> None:
        super().__init__()

    def __str__(self) -> str:
        return "another thread is using this batch: give each thread a batch of its own, or guard the batch with a lock"


class PositionError(TKMError):
    """A text that is no position.

    Attributes:
        field: the field that is wrong, by the names of the game's ``notation.FIELDS``, or "position" where fields cannot be told apart.
        reason: what is wrong with it.
    """

    def __init__(self, field: str, given: str, reason: str) -> None:
        super().__init__(field, given, reason)
        self.field = field
        self.reason = reason
        self._message = f"{field} {given!r}: {reason}"

    def __str__(self) -> str:
        return self._message


class DeckError(TKMError):
    """Cards that make no deck of Terminus.

    Attributes:
        card: the number of the card that is wrong; None where it is no single one.
        reason: what is wrong with it.
    """

    def __init__(self, card: int | None, reason: str) -> None:
        super().__init__(card, reason)
        self.card = card
        self.reason = reason

    def __str__(self) -> str:
        return f"the deck: {self.reason}" if self.card is None else f"card {self.card}: {self.reason}"


class FileError(TKMError):
    """A file that does not hold what it should.

    Attributes:
        path: the file.
        reason: what is wrong with it.
    """

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


class PlayerError(TKMError):
    """A player that did what no player may.

    Attributes:
        player: the player's name.
    """

    def __init__(self, player: str, reason: str) -> None:
        super().__init__(player, reason)
        self.player = player
        self._message = f"the player {player!r}: {reason}"

    def __str__(self) -> str:
        return self._message


class RecordError(TKMError):
    """A game record that tells no game.

    Attributes:
        key: the record's key that is wrong.
        ply: the number of the action, from 1, that is illegal where it stands; None where that is not what is wrong.
    """

    def __init__(self, key: str, reason: str, ply: int | None = None) -> None:
        super().__init__(key, reason, ply)
        self.key = key
        self.ply = ply
        self._message = f"{key}: {reason}"

    def __str__(self) -> str:
        return self._message


class MissingExtraError(TKMError, ImportError):
    """Something that needs a library which is not installed.

    Attributes:
        library: the library's name.
        extra: the extra of this package that it belongs to.
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(library, extra)
        self.library = library
        self.extra = extra

    def __str__(self) -> str:
        return f"{self.library} is not installed: pip install 'tkm_env[{self.extra}]'"


class DisplayError(TKMError):
    """A window where none can be shown.

    Attributes:
        reason: why not.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"render_mode='human' needs a display: {self.reason}; "
            "render_mode='rgb_array' does without, and so does SDL_VIDEODRIVER=dummy in the environment"
        )


class IllegalActionError(TKMError):
    """An action that the rules forbid in the position in which it was tried."""


class UnknownActionError(IllegalActionError):
    """A name or a number that belongs to no action."""
