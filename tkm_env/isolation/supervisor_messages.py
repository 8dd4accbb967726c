"""Messages between the processes around a program: options in words, reports in lines.

An option is a word ``name=value``. A list has a word for each of its values; None has none. ``--``
precedes the words of the command to run. A report is a line with its kind and such words, separated
by tabs.

This is not JSON, since importing that would make the supervisor's start longer by half. Every
program waits for this start, and in the sandbox there are two of them.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: The word between options and a command.
_COMMAND_FOLLOWS = "--"
#: Replaces tabs and line ends, which values of reports must not contain.
_ONE_LINE = str.maketrans("\t\r\n", "   ")


class Values:
    """The values in words ``name=value``, by name, in their order.

    >>> values = Values(["memory=200", "readable=/a", "readable=/b"])
    >>> values.number("memory"), values.texts("readable"), values.texts("writable")
    (200, ['/a', '/b'], [])
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._texts: dict[str, list[str]] = {}
        for word in words:
            name, _, value = word.partition("=")
            self._texts.setdefault(name, []).append(value)

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def texts(self, name: str) -> list[str]:
        """Return all values with a name; there may be none."""
        return self._texts.get(name, [])

    def text(self, name: str) -> str:
        """Return the only value with a name; "" for none."""
        return self._texts.get(name, [""])[0]

    def number(self, name: str) -> int:
        """Return the only value with a name, as an integer; 0 for none."""
        return int(self.text(name) or 0)


def words_of(values: Mapping[str, object]) -> list[str]:
    """Return values as words.

    >>> words_of({"memory": 200, "confined": True, "user": None, "readable": ["/a", "/b"]})
    ['memory=200', 'confined=1', 'readable=/a', 'readable=/b']
    """
    words: list[str] = []
    for name, value in values.items():
        each = value if isinstance(value, list) else [] if value is None else [value]
        words += [f"{name}={int(item) if item is True or item is False else item}" for item in each]
    return words


def command_line(options: Mapping[str, object], command: Iterable[str]) -> list[str]:
    """Return the arguments of a process that runs a command.

    Args:
        options: the values of the options, by name.
        command: the words of the command.

    Returns:
        The words of the options, ``--``, and the words of the command.

    >>> command_line({"memory": 200}, ["python3", "bot.py"])
    ['memory=200', '--', 'python3', 'bot.py']
    """
    return [*words_of(options), _COMMAND_FOLLOWS, *command]


def parsed_command_line(words: list[str]) -> tuple[Values, list[str]]:
    """Parse what `command_line` returned into the options and the command."""
    end = words.index(_COMMAND_FOLLOWS)
    return Values(words[:end]), words[end + 1 :]


def report_line(kind: str, values: Mapping[str, object]) -> bytes:
    """Format a report as a line.

    Args:
        kind: the kind of the report.
        values: its values, by name.

    Returns:
        The line, with its end.

    >>> report_line("refused", {"errno": 2, "reason": "no such file"}).split()[:2]
    [b'refused', b'errno=2']
    """
    words = (word.translate(_ONE_LINE) for word in words_of(values))
    return ("\t".join((kind, *words)) + "\n").encode("utf-8", "surrogateescape")


def parsed_report(line: bytes) -> tuple[str, Values]:
    """Parse a line into the kind of the report and its values."""
    text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    kind, *words = text.split("\t")
    return kind, Values(words)
