"""The package's errors: each names what was given and what is allowed instead.

A call that raises one has changed nothing. All are `TKMError`, and so `ValueError`:

    TKMError (ValueError)
      + ConfigError                     a setting or an argument
        + UnknownKeywordError (TypeError)
      + EncodingError (TypeError)       a player's name compared with an index
      + ArrayError                      an array's shape, dtype or content
      + PositionError                   the text of a position
      + IllegalActionError              an action that the rules forbid here
        + UnknownActionError            a name or index of no action
      + RecordError                     the record of a game
      + FileError                       reading and writing
        + NewerVersionError             a file that a newer version of the package wrote
      + PlayerError                     a player that broke the rules
      + ProtocolError                   a line between referee and bot
      + MachineError                    the machine's fault, not a player's
      + BudgetError                     nothing left to spend on answers
      + ConcurrentUseError (RuntimeError)
      + MissingExtraError (ImportError)

An error that only one room raises is defined there: `tkm_env.games.terminus.deck.DeckError`,
`tkm_env.envs.rendering.DisplayError`, and those of the products.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tkm_env.foundations.message import Message
from tkm_env.foundations.untrusted_text import visible

#: The most characters of an input that a message repeats.
_MOST_SHOWN: Final = 200
#: The same for the name of a file, which is of little use without its end.
_MOST_OF_PATH: Final = 1_000


def repr_of(given: object) -> str:
    """Return an input's ``repr`` for a message, shortened if it is long.

    >>> repr_of("standart")
    "'standart'"
    >>> repr_of(10**5000)
    'something of type int that cannot be printed'
    """
    try:
        text = repr(given)
    except Exception:  # thousands of digits, deep nesting, anything that a foreign class raises
        return f"something of type {type(given).__name__} that cannot be printed"
    return shorten(text)


def shorten(text: str) -> str:
    """Shorten a long string for a message, and escape it, except for line feeds."""
    text = visible(text, keep="\n")
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}... ({len(text)} characters)"


def _name(given: object, most: int = _MOST_SHOWN) -> str:
    """A name for a message: unchanged, unless it is unprintable or too long."""
    text = str(given)
    return text if text.isprintable() and len(text) <= most else repr_of(text)


def path_of(given: object) -> str:
    """Return the name of a file for a message."""
    return _name(given, _MOST_OF_PATH)


def did_you_mean(given: object, known: Iterable[object]) -> str:
    """Return the end of a message, with a known name that looks like the one given.

    Args:
        given: what was given; only a string is compared.
        known: the names that are allowed; only strings are compared.

    Returns:
        The question, after a semicolon; empty if nothing looks like it.

    >>> did_you_mean("grwth", ["growth", "memory"])
    "; did you mean 'growth'?"
    """
    if not isinstance(given, str) or len(given) > _MOST_SHOWN:
        return ""
    texts = [text for text in known if isinstance(text, str)]
    like = difflib.get_close_matches(given, texts, 1)
    return Message("; did you mean {name!r}?", name=like[0]) if like else ""


class TKMError(ValueError):
    """The base of the package's own errors; ``args`` are the constructor's arguments."""

    _message: str | None = None

    def __str__(self) -> str:
        return super().__str__() if self._message is None else self._message


class ConfigError(TKMError):
    """A setting or an argument has an invalid value.

    Args:
        keyword: its name, such as a field of `tkm_env.GameConfig`.
        given: its value.
        allowed: what is allowed instead, or why this value is not.

    Attributes:
        keyword: the setting's or the argument's name.
        reason: what is allowed instead, or why this value is not.
    """

    def __init__(self, keyword: str, given: object, allowed: str) -> None:
        super().__init__(keyword, given, allowed)
        self.keyword = keyword
        self.reason = allowed
        self._message = Message(
            "{keyword}={given} is invalid: {reason}",
            keyword=_name(keyword),
            given=repr_of(given),
            reason=allowed,
        )


class UnknownKeywordError(ConfigError, TypeError):
    """A callable does not take this keyword; as elsewhere in Python, a TypeError as well.

    Its only argument is a sentence, since Gymnasium raises a TypeError again with more text, in
    which TorchRL looks for the keyword to drop.

    Attributes:
        keyword: the keyword.
        reason: the whole message, which lists the valid keywords.
    """

    def __init__(self, message: str) -> None:
        TKMError.__init__(self, message)
        self.keyword = message.partition("=")[0]
        self.reason = self._message = message

    @classmethod
    def of(cls, keyword: str, given: object, known: Iterable[str]) -> UnknownKeywordError:
        """Make the error for a keyword that is not known.

        Args:
            keyword: the keyword.
            given: its value.
            known: the valid keywords.

        Returns:
            The error, to be raised.
        """
        known = [*known]
        valid = (
            f"there is no such keyword; valid keywords: {', '.join(known) or 'none'}"
            f"{did_you_mean(keyword, known)}"
        )
        return cls(
            f"{ConfigError(keyword, given, valid)} (unexpected keyword argument {repr_of(keyword)})"
        )


class EncodingError(TKMError, TypeError):
    """A player's name is compared with an index: two encodings that are never equal."""


class ArrayError(TKMError):
    """An array has the wrong shape, dtype or content.

    Args:
        name: the argument's name.
        given: a description of the array, such as its shape.
        allowed: what was expected.

    Attributes:
        name: the argument's name.
    """

    def __init__(self, name: str, given: str, allowed: str) -> None:
        super().__init__(name, given, allowed)
        self.name = name
        self._message = f"invalid {name}: {shorten(given)}; expected {allowed}"


class PositionError(TKMError):
    """A string is not a valid position.

    Args:
        field: the field that is wrong, one of the game's ``notation.FIELDS``, or "position" if the
            string does not split into fields.
        given: the field's content.
        reason: what is wrong with it.

    Attributes:
        field: the field that is wrong, as above.
        reason: what is wrong with it.
    """

    def __init__(self, field: str, given: object, reason: str) -> None:
        super().__init__(field, given, reason)
        self.field = field
        self.reason = reason
        self._message = Message(
            "{field} {given}: {reason}", field=field, given=repr_of(given), reason=reason
        )


class IllegalActionError(TKMError):
    """The rules forbid an action in the current position, which has not changed."""


class UnknownActionError(IllegalActionError):
    """A name or an index belongs to no action of the game."""


class RecordError(TKMError):
    """A record does not describe a game, or a value does not fit into one.

    Args:
        key: the record's key that is wrong.
        reason: what is wrong with it.
        ply: the position, from 1, of an illegal action among the record's actions; None for any
            other error.

    Attributes:
        key: the record's key that is wrong.
        ply: the position of an illegal action, as above; None for any other error.
    """

    def __init__(self, key: str, reason: str, ply: int | None = None) -> None:
        super().__init__(key, reason, ply)
        self.key = key
        self.ply = ply
        self._message = f"{_name(key)}: {reason}"


class FileError(TKMError):
    """A file cannot be read or written, or its content is wrong.

    If the system refused, ``__cause__`` is its `OSError`.

    Args:
        path: the file.
        reason: what is wrong with it.

    Attributes:
        path: the file.
        reason: what is wrong with it.
    """

    def __init__(self, path: object, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason
        self._message = f"{path_of(path)}: {reason}"


class NewerVersionError(FileError):
    """A stored form is of a later version than this version of the package reads.

    A newer version of the package wrote it and reads it. Nothing in it was read, or changed.

    Args:
        path: the file, or the database.
        form: the name of the form.
        found: the version that was found.
        known: the latest version of the form that is read here.

    Attributes:
        form: the name of the form.
        found: the version that was found.
        known: the latest version of the form that is read here.
    """

    def __init__(self, path: object, form: str, found: int, known: int) -> None:
        super().__init__(
            path,
            f"it is {repr_of(form)} in version {repr_of(found)}; this tkm_env reads no later "
            f"version than {known}, so a newer tkm_env is needed",
        )
        self.args = (path, form, found, known)
        self.form = form
        self.found = found
        self.known = known


class PlayerError(TKMError):
    """A player broke the rules: an illegal action, a timeout, a crash, and so on.

    Args:
        player: the player's name.
        reason: what was observed.
        kind: one of `tkm_env.core.record_schema.FAULTS`.
        starting: whether it failed before it was first asked for an action.

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
        self._message = f"the player {repr_of(player)}: {reason}"


class ProtocolError(TKMError):
    """A line does not follow the protocol between referee and bots.

    Args:
        line: the line.
        reason: what is wrong with it.

    Attributes:
        line: the line.
        reason: what is wrong with it.
    """

    def __init__(self, line: str, reason: str) -> None:
        super().__init__(line, reason)
        self.line = line
        self.reason = reason
        self._message = f"the line {repr_of(line)}: {reason}"


#: The error numbers of a system that has run out of something or was interrupted, so that trying
#: again later may succeed.
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
    """The machine failed, not a player: it has run out of something, or killed a process.

    Trying again later may succeed. If the system refused, ``__cause__`` is its `OSError`.

    Args:
        doing: what could not be done.
        reason: what the system said.

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
    """The budget for answers of language models is spent.

    With a larger budget, the games continue.
    """


class ConcurrentUseError(TKMError, RuntimeError):
    """A second thread tries to use an object while another is using it.

    Args:
        what: the name of the object's class.

    Attributes:
        what: the name of the object's class.
    """

    def __init__(self, what: str = "object") -> None:
        super().__init__(what)
        self.what = what
        self._message = (
            f"another thread is using this {what}: give each thread one of its own, or guard it "
            "with a lock"
        )


class MissingExtraError(TKMError, ImportError):
    """A feature needs a library that is not installed.

    Args:
        library: the library's name.
        extra: the extra of this package that installs it.

    Attributes:
        library: the library's name.
        extra: the extra of this package that installs it.
    """

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(library, extra)
        self.library = library
        self.extra = extra
        self._message = f"{library} is not installed: {how_to_install(extra)}"


def how_to_install(extra: str) -> str:
    """Return the command that installs an extra: in a clone from the folder, else by name."""
    if (Path(__file__).parents[2] / "pyproject.toml").is_file():
        return f"python -m pip install -e '.[{extra}]', in the folder of tkm_env"
    return f"python -m pip install 'tkm_env[{extra}]'"


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Raise the error that names an extra, if an import within this context fails.

    Raises:
        MissingExtraError: if an import fails.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), name) from error
