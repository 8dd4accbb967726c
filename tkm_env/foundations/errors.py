"""The package's errors: `ValueError`s that name what was given and what is allowed. A call that raises one has changed nothing."""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tkm_env.foundations.untrusted_text import visible

#: Characters of an input that a message repeats.
_MOST_SHOWN: Final = 200
#: Likewise for the name of a file, which is of little use without its end.
_MOST_OF_PATH: Final = 1_000


def repr_of(given: object) -> str:
    """An input as messages show it: its ``repr``, shortened where it is long, whatever the input is.

    >>> repr_of("standart")
    "'standart'"
    >>> repr_of(10**5000)
    'something of type int that cannot be printed'
    """
    try:
        text = repr(given)
    except (
        Exception
    ):  # a number of thousands of digits, deep nesting, whatever a foreign class raises
        return f"something of type {type(given).__name__} that cannot be printed"
    return shorten(text)


def shorten(text: str) -> str:
    """A text as messages print it: shortened where it is long, with escapes for what is not printable but the ends of lines."""
    text = visible(text, keep="\n")
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}... ({len(text)} characters)"


def _name(given: object, most: int = _MOST_SHOWN) -> str:
    """A name as messages show it: unchanged, unless it is unprintable or too long."""
    text = str(given)
    return text if text.isprintable() and len(text) <= most else repr_of(text)


class TKMError(ValueError):
    """The base of the package's own errors; ``args`` are the constructor's arguments."""

    _message: str | None = None

    def __str__(self) -> str:
        return super().__str__() if self._message is None else self._message


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """The end of a message: a known text that looks like the one given; empty if there is none.

    >>> did_you_mean("grwth", ["growth", "memory"])
    "; did you mean 'growth'?"
    """
    texts = [text for text in known if isinstance(text, str)]
    like = (
        difflib.get_close_matches(given, texts, 1)
        if isinstance(given, str) and len(given) <= _MOST_SHOWN
        else []
    )
    return f"; did you mean {like[0]!r}?" if like else ""


class ConfigError(TKMError):
    """An invalid setting.

    Attributes:
        keyword: the setting's name, as in `tkm_env.GameConfig`.
        reason: what is allowed instead, or why this is not.
    """

    def __init__(self, keyword: str, given: object, allowed: str) -> None:
        super().__init__(keyword, given, allowed)
        self.keyword = keyword
        self.reason = allowed
        self._message = f"{_name(keyword)}={repr_of(given)} is invalid: {allowed}"


class UnknownKeywordError(ConfigError, TypeError):
    """An unknown keyword: a TypeError as well, as everywhere in Python.

    Its argument is a sentence, since Gymnasium re-raises a TypeError with more text, in which TorchRL looks for the keyword to drop.
    """

    def __init__(self, message: str) -> None:
        TKMError.__init__(self, message)
        self.keyword = message.partition("=")[0]
        self.reason = self._message = message

    @classmethod
    def of(cls, keyword: str, given: object, known: Iterable[str]) -> UnknownKeywordError:
        """The error for a keyword that is none of the known ones."""
        valid = f"there is no such keyword; valid keywords: {', '.join(known := [*known]) or 'none'}{did_you_mean(keyword, known)}"
        return cls(
            f"{ConfigError(keyword, given, valid)} (unexpected keyword argument {repr_of(keyword)})"
        )


class EncodingError(TKMError, TypeError):
    """A player's name is compared with an index: two encodings of the same thing, which never are equal."""


class ArrayError(TKMError):
    """An array of the wrong shape, dtype or content.

    Attributes:
        name: the argument's name.
    """

    def __init__(self, name: str, given: str, allowed: str) -> None:
        super().__init__(name, given, allowed)
        self.name = name
        self._message = f"invalid {name}: {shorten(given)}; expected {allowed}"


class ConcurrentUseError(TKMError, RuntimeError):
    """A second thread tried to use what another is using.

    Attributes:
        what: the name of the class.
    """

    def __init__(self, what: str = "object") -> None:
        super().__init__(what)
        self.what = what
        self._message = f"another thread is using this {self.what}: give each thread one of its own, or guard it with a lock"


class PositionError(TKMError):
    """Text that is not a valid position.

    Attributes:
        field: the field that is wrong, one of the game's ``notation.FIELDS``, or "position" where the text does not split into fields.
        reason: what is wrong with it.
    """

    def __init__(self, field: str, given: object, reason: str) -> None:
        super().__init__(field, given, reason)
        self.field = field
        self.reason = reason
        self._message = f"{field} {repr_of(given)}: {reason}"


class DeckError(TKMError):
    """Cards that do not make up a Terminus deck.

    Attributes:
        card: the number of the card that is wrong; None where no single card is.
        reason: what is wrong with it.
        path: the file that holds the deck; None where it is not from a file.
    """

    def __init__(self, card: int | None, reason: str, path: object = None) -> None:
        super().__init__(card, reason, path)
        self.card = card
        self.reason = reason
        self.path = path
        where = "" if path is None else f"{_name(path, _MOST_OF_PATH)}: "
        self._message = where + ("the deck" if card is None else f"card {card}") + f": {reason}"


class FileError(TKMError):
    """A file that cannot be read or written, or whose content is not what it should be.

    Where the system refused, ``__cause__`` is its `OSError`.

    Attributes:
        path: the file.
        reason: what is wrong with it.
    """

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self._message = f"{_name(self.path, _MOST_OF_PATH)}: {self.reason}"


class PlayerError(TKMError):
    """A player that broke the rules.

    Attributes:
        player: the player's name.
        reason: what was observed.
        kind: one of `tkm_env.core.record_schema.FAULTS`.
        starting: whether it failed before it was first asked for an action.
    """

    def __init__(
        self, player: str, reason: str, kind: str = "illegal", starting: bool = False
    ) -> None:
        super().__init__(player, reason, kind, starting)
        self.player = player
        self.reason = reason
        self.kind = kind
        self.starting = starting
        self._message = f"the player {repr_of(self.player)}: {self.reason}"


#: What the system answers when it has nothing left of something, or was disturbed: to try again later may succeed.
MACHINE_ERRNOS: Final = frozenset(
    (
        errno.EAGAIN,
        errno.ENOMEM,
        errno.ENFILE,
        errno.EMFILE,
        errno.ENOSPC,
        errno.EDQUOT,
        errno.EINTR,
        errno.EIO,
    )
)


class MachineError(TKMError):
    """The machine failed, not a player: it has no process, memory or space left, or a process of the referee's was killed.

    Trying again later may succeed. Where the system refused, ``__cause__`` is its `OSError`.

    Attributes:
        doing: what could not be done.
        reason: what the system said.
    """

    def __init__(self, doing: str, reason: str) -> None:
        super().__init__(doing, reason)
        self.doing = doing
        self.reason = reason
        self._message = f"{doing}: {shorten(reason)}"


class BudgetError(TKMError):
    """Nothing is left of what may be spent on answers of language models; with more, the games go on."""


class ProtocolError(TKMError):
    """A line that is not of the protocol between referee and bots.

    Attributes:
        line: the line.
        reason: what is wrong with it.
    """

    def __init__(self, line: str, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason
        self._message = f"the line {repr_of(self.line)}: {self.reason}"


class RecordError(TKMError):
    """A record that does not describe a game.

    Attributes:
        key: the record's key that is wrong.
        ply: the number, from 1, of the action that is illegal at that point; None if the error is a different one.
    """

    def __init__(self, key: str, reason: str, ply: int | None = None) -> None:
        super().__init__(key, reason, ply)
        self.key = key
        self.ply = ply
        self._message = f"{_name(key)}: {reason}"


def how_to_install(extra: str) -> str:
    """The command that installs an extra of this package: where it was cloned, or else from the package index."""
    if (Path(__file__).parents[2] / "pyproject.toml").is_file():
        return f"python -m pip install -e '.[{extra}]', in the folder of tkm_env"
    return f"python -m pip install 'tkm_env[{extra}]'"


class MissingExtraError(TKMError, ImportError):
    """A feature whose library is not installed.

    Attributes:
        library: the library's name.
        extra: the extra of this package that installs it.
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(library, extra)
        self.library = library
        self.extra = extra
        self._message = f"{self.library} is not installed: {how_to_install(self.extra)}"


@contextmanager
def extra(name: str) -> Iterator[None]:
    """A context manager for imports that need an extra. Raises a `MissingExtraError` if an import fails."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), name) from error


class DisplayError(TKMError):
    """A window was requested where none can be shown.

    Attributes:
        reason: why not.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self._message = (
            f"render_mode='human' needs a display: {reason}; "
            "render_mode='rgb_array' does without, and so does SDL_VIDEODRIVER=dummy in the environment"
        )


class IllegalActionError(TKMError):
    """An action that the rules forbid in the current position."""


class UnknownActionError(IllegalActionError):
    """A name or an index that no action has."""
