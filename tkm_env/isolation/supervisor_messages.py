"""What the processes around a program tell each other: options on a command line, reports in lines.

An option is a word ``name=value``. A list has a word for each of its values; None has none. ``--``
stands before the words of the command that is to run. A report is a line of such words, with tabs
between them, after the word that says what it reports.

This is not JSON: to import that would make the start of the supervisor, for which every program
waits, longer by half, and in the sandbox there are two such starts.
"""

from __future__ import annotations

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: What stands between options and a command.
_COMMAND_FOLLOWS = "--"
#: Values of reports hold neither tabs nor line ends.
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
        """All values with a name; maybe none."""
        return self._texts.get(name, [])

    def text(self, name: str) -> str:
        """The only value with a name, "" for none."""
        return self._texts.get(name, [""])[0]

    def number(self, name: str) -> int:
        """The only value with a name, an integer; 0 for none."""
        return int(self.text(name) or 0)


def words_of(values: Mapping[str, object]) -> list[str]:
    """The words that say so.

    >>> words_of({"memory": 200, "confined": True, "user": None, "readable": ["/a", "/b"]})
    ['memory=200', 'confined=1', 'readable=/a', 'readable=/b']
    """
    words: list[str] = []
    for name, value in values.items():
        each = value if isinstance(value, list) else [] if value is None else [value]
        words += [f"{name}={int(item) if item is True or item is False else item}" for item in each]
    return words


def command_line(options: Mapping[str, object], command: Iterable[str]) -> list[str]:
    """The arguments of a process that is to run a command.

    >>> command_line({"memory": 200}, ["python3", "bot.py"])
    ['memory=200', '--', 'python3', 'bot.py']
    """
    return [*words_of(options), _COMMAND_FOLLOWS, *command]


def parsed_command_line(words: list[str]) -> tuple[Values, list[str]]:
    """The options and the command that `command_line` made words of."""
    end = words.index(_COMMAND_FOLLOWS)
    return Values(words[:end]), words[end + 1 :]


def report_line(kind: str, values: Mapping[str, object]) -> bytes:
    """A report as a line.

    >>> report_line("refused", {"errno": 2, "reason": "no such file"}).split()[:2]
    [b'refused', b'errno=2']
    """
    words = (word.translate(_ONE_LINE) for word in words_of(values))
    return ("\t".join((kind, *words)) + "\n").encode("utf-8", "surrogateescape")


def parsed_report(line: bytes) -> tuple[str, Values]:
    """What a line reports, and the values."""
    text = line.removesuffix(b"\n").decode("utf-8", "surrogateescape")
    kind, *words = text.split("\t")
    return kind, Values(words)
