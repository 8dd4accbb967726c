"""Text that strangers wrote, escaped where it leaves the package.

Such are names of players and submissions, standard error, and messages that quote them. What it is
stays as it is; each function is for one kind of place. `tkm_env.render.html` is for pages.
"""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any, Final
from unicodedata import category, normalize

#: Where a spreadsheet may begin a cell, also one that separates cells by semicolons, with what it
#: takes for the beginning of a formula.
_FORMULA: Final = re.compile('(^|[;,])([\\s"]*)(?=[=+@\uff1d\uff0b\uff20\uff0d-])')
#: A name that every file system takes and keeps apart from all others like it; Windows reserves
#: some.
_PLAIN_NAME: Final = re.compile(
    r"(?!(con|prn|aux|nul|com\d|lpt\d)(\.|$))[a-z0-9]([a-z0-9._-]{0,98}[a-z0-9_-])?"
)
_MOST_OF_NAME: Final = 60


def visible(text: str, keep: str = "") -> str:
    r"""A text in one line, for people, with Python's escapes for what is not visible.

    Escaped are control characters, invisible ones and those that change the direction of writing,
    and halves of characters.

    Args:
        text: the text.
        keep: characters that stay, such as a line feed.

    Returns:
        The text with escapes.

    >>> visible("\x1b[2J a\u202eb")
    '\\x1b[2J a\\u202eb'
    """
    if text.isprintable():
        return text
    # Of what Python does not print, the spaces of other scripts steer nothing.
    return "".join(
        letter
        if letter.isprintable() or letter in keep or category(letter) == "Zs"
        else repr(letter)[1:-1]
        for letter in text
    )


def visible_in(content: Any) -> Any:
    """The content, in JSON types, with all texts in it `visible`; lines stay lines."""
    if isinstance(content, str):
        return visible(content, keep="\n")
    if isinstance(content, Mapping):
        return {key: visible_in(value) for key, value in content.items()}
    return [*map(visible_in, content)] if isinstance(content, (list, tuple)) else content


def csv_of(rows: Iterable[Iterable[object]]) -> str:
    """A table as CSV: an apostrophe stands before what a spreadsheet would take for a formula.

    Numbers stay numbers.
    """
    text = io.StringIO()
    escaped = (
        [_FORMULA.sub(r"\1\2'", visible(cell)) if isinstance(cell, str) else cell for cell in row]
        for row in rows
    )
    csv.writer(text, lineterminator="\n").writerows(escaped)
    return text.getvalue()


def toml_of(value: object) -> str:
    """A text, a number, a switch or a list of them as TOML writes it.

    What is not printable is escaped.

    Raises:
        UnicodeEncodeError: if a text holds half a character, which TOML cannot.
    """
    # JSON writes them as TOML does.
    text = json.dumps(value, ensure_ascii=False)
    text.encode()
    return "".join(letter if letter.isprintable() else f"\\U{ord(letter):08X}" for letter in text)


def folded_name(name: str) -> str:
    """What names have in common that macOS or Windows takes for one.

    Case does not count there, nor whether an accent is a character of its own.

    >>> folded_name("Bot.json") == folded_name("bot.json")
    True
    """
    return normalize("NFC", normalize("NFC", name).casefold())


def file_name(name: str) -> str:
    """A file name for what belongs to somebody of this name, the same on every file system.

    Different names make different files. It is the name itself if all file systems take it and tell
    it from others.
    """
    if _PLAIN_NAME.fullmatch(name):
        return name
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', name).strip('-')[:_MOST_OF_NAME] or 'name'}~{digest}"
