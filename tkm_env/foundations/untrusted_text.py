"""Text from strangers, escaped where it leaves the package.

Such text includes names of players and submissions, standard error, and messages that quote them.
It is stored unchanged; each function here escapes it for one kind of place. `tkm_env.render.html`
does so for pages.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final
from unicodedata import category, normalize

#: The start of a cell, in spreadsheets that separate cells by commas or semicolons, before a
#: character that begins a formula.
_FORMULA: Final = re.compile('(^|[;,])([\\s"]*)(?=[=+@\uff1d\uff0b\uff20\uff0d-])')
#: A name that every file system accepts and tells from all other such names. Windows reserves the
#: names excluded here.
_PLAIN_NAME: Final = re.compile(
    r"(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?"
)
_MOST_OF_NAME: Final = 60


def visible(text: str, keep: str = "") -> str:
    r"""Escape a string for people, in one line, with Python's escapes for what is not visible.

    It escapes control characters, invisible characters, those that change the direction of writing,
    and lone surrogates.

    Args:
        text: the string.
        keep: characters to leave alone, such as a line feed.

    Returns:
        The string with escapes.

    >>> visible("\x1b[2J a\u202eb")
    '\\x1b[2J a\\u202eb'
    """
    if text.isprintable():
        return text
    # Python also calls the spaces of other scripts unprintable, but they are harmless.
    return "".join(
        letter
        if letter.isprintable() or letter in keep or category(letter) == "Zs"
        else repr(letter)[1:-1]
        for letter in text
    )


def visible_in(content: Any) -> Any:
    """Make all strings in JSON types `visible`; lines stay lines."""
    if isinstance(content, str):
        return visible(content, keep="\n")
    if isinstance(content, Mapping):
        return {key: visible_in(value) for key, value in content.items()}
    return [*map(visible_in, content)] if isinstance(content, (list, tuple)) else content


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """Write a table as CSV, with an apostrophe before anything that would start a formula.

    Numbers stay numbers.
    """
    return csv_unchanged(
        [_FORMULA.sub(r"\1\2'", visible(cell)) if isinstance(cell, str) else cell for cell in row]
        for row in rows
    )


def csv_unchanged(rows: Iterable[Iterable[object]]) -> str:
    """Write a table as CSV for the program that its cells came from, which are not escaped."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def toml_of(value: object) -> str:
    """Write a string, a number, a bool or a list of them in TOML.

    Characters that are not printable are escaped.

    Raises:
        UnicodeEncodeError: if a string holds a lone surrogate, which TOML cannot.
    """
    # JSON writes them as TOML does.
    text = json.dumps(value, ensure_ascii=False)
    text.encode()
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08X}" for letter in text)


def folded_name(name: str) -> str:
    """Return the form that names share if macOS or Windows takes them for the same.

    It ignores case and how accents are composed.

    >>> folded_name("Bot.json") == folded_name("bot.json")
    True
    """
    return normalize("NFC", normalize("NFC", name).casefold())


def file_name(name: str) -> str:
    """Return a file name for something that belongs to a player or team of this name.

    Different names yield different files, on every file system. The result is the name itself if
    all file systems accept it and tell it from others.
    """
    if _PLAIN_NAME.fullmatch(name):
        return name
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[:_MOST_OF_NAME] or 'name'}~{digest}"
