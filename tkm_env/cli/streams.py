"""Standard streams that are always open and can write every character."""

import codecs
import os
import sys
from typing import Final

from tkm_env.foundations.files import open_standard_descriptors

#: Replacements for signs that the package prints, in encodings that lack them. Any other missing
#: character is written as a Python escape.
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
    r"""Return text with only characters that an encoding has.

    Args:
        text: the text to show.
        encoding: the name of a codec, such as a stream's encoding.

    Returns:
        The text, with a similar sign or an escape instead of each character that the codec lacks.

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

    A closed stream becomes an empty one, so that no other file takes its descriptor. An open stream
    becomes able to write every character.
    """
    open_standard_descriptors()
    for descriptor, (name, mode) in enumerate(_STREAMS):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(descriptor, mode, encoding="utf-8", closefd=False))
        elif hasattr(stream, "reconfigure"):  # not where a notebook or a test has put its own
            stream.reconfigure(errors="replace" if mode == "r" else _ERRORS)
