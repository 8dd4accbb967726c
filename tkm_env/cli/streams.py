"""Standard streams that every command can count on: open, and able to write every character."""

import codecs
import os
import sys
from typing import Final

from tkm_env.foundations.files import open_standard_descriptors

#: What stands for a sign of ours in an encoding that lacks it; any other character is written as
#: Python escapes it.
_SIGNS: Final = {
    "−": "-",
    "–": "-",
    "±": "+-",
    "…": "...",
    "×": "x",
    "·": "*",
    "½": "1/2",
    "¹": "^1",
    "²": "^2",
    "⁸": "^8",
    "°": " degrees",
    "∞": "inf",
    "§": "section ",
    "→": "->",
    "λ": "lambda",
    "γ": "gamma",
}
_ERRORS: Final = "tkm_env.signs"
#: The streams, by the numbers of their descriptors.
_STREAMS: Final = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def encodable(text: str, encoding: str) -> str:
    r"""The text in characters that an encoding has.

    Args:
        text: what is to be shown.
        encoding: the name of a codec, such as that of a stream.

    Returns:
        The text, with a similar sign or an escape in place of each character that the codec cannot
            write.

    >>> encodable("score −5 ± 2, by Jörg", "ascii")
    'score -5 +- 2, by J\\xf6rg'
    >>> encodable("score −5 ± 2, by Jörg", "latin-1")
    'score -5 ± 2, by Jörg'
    """
    return text.encode(encoding, _ERRORS).decode(encoding)


def _in_other_signs(error: UnicodeError) -> tuple[str | bytes, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(map(_in_ascii, lacking)), error.end


def _in_ascii(letter: str) -> str:
    return _SIGNS.get(letter) or letter.encode("ascii", "backslashreplace").decode()


codecs.register_error(_ERRORS, _in_other_signs)


def prepare_streams() -> None:
    """Make all standard streams usable.

    A closed one is empty from now on, so that no file is opened in its place; an open one writes
    every character.
    """
    open_standard_descriptors()
    for descriptor, (name, mode) in enumerate(_STREAMS):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))
        elif hasattr(stream, "reconfigure"):  # not where a notebook or a test has put its own
            stream.reconfigure(errors="replace" if mode == "r" else _ERRORS)
