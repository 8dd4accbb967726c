"""What models put around an answer: their thoughts, tags and the signs of LaTeX."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

#: Quotes of several languages, and spaces.
QUOTES: Final = (
    " \t\r\n`'\"\u201c\u201d\u201e\u201a\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f"
)
#: A regular expression: the start of a line, and the signs that may stand before a mark there. They
#: are not those with which an object, a list or a tag begins.
LINE_START: Final = r"^[^\w\n\"'\u201c\u201d\u201e\u2018\u2019(){}<\[\]]*_*"

_THOUGHT: Final = "(?:think|thinking|thoughts?|reasoning)"
#: Where thoughts begin, which is at the start of a line, or end, in the ways of several models.
_BOUNDARY: Final = re.compile(
    rf"(?P<end></{_THOUGHT}>|\[/THINK\]|<\|channel\|>final<\|message\|>)"
    rf"|^[ \t]*(?:<{_THOUGHT}>|\[THINK\]|<\|channel\|>analysis<\|message\|>)",
    re.MULTILINE | re.IGNORECASE,
)
#: Tags such as ``<answer>``, and tokens such as ``<|im_end|>`` that a server let through.
_TAG: Final = re.compile(r"</?[A-Za-z][\w:.-]*\s*/?>|<\|[^|<>\n]{1,40}\|>")
_LATEX: Final = re.compile(r"(?<!\\)\\(?:f?boxed|fbox|text\w*|math\w*)\s*\{([^{}]*)\}")
_LATEX_SIGNS: Final = re.compile(r"(?<!\\)\\[\[\]()]|\$")
#: How often commands of LaTeX may lie within each other.
_DEEPEST: Final = 3
_INVISIBLE: Final = str.maketrans(dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\ufe0f"))


class Thoughtful(NamedTuple):
    """A text whose thoughts are told apart.

    Attributes:
        said: the text without them.
        thoughts: the thoughts.
        is_open: whether the text ends within thoughts.
    """

    said: str
    thoughts: str
    is_open: bool


def split_thoughts(text: str) -> Thoughtful:
    """Tell thoughts apart from what is said.

    Thoughts stand between tags such as ``<think>``; if only their end is marked, they are all that
    stands before it.

    Args:
        text: the text.

    Returns:
        The two parts.

    >>> split_thoughts("<think>Or 7?</think>TURN: 5").said
    'TURN: 5'
    """
    said: list[str] = []
    thoughts: list[str] = []
    is_open, done = False, 0
    for boundary in _BOUNDARY.finditer(text):
        is_end = boundary["end"] is not None
        if is_open and not is_end:
            continue
        (thoughts if is_open else said).append(text[done : boundary.start()])
        if is_end and not is_open:  # all so far was thought
            thoughts += said
            said.clear()
        is_open, done = not is_end, boundary.end()
    (thoughts if is_open else said).append(text[done:])
    return Thoughtful("".join(said), "".join(thoughts), is_open)


def unwrapped(text: str) -> str:
    r"""A text without tags, signs of LaTeX, and characters that nobody sees.

    >>> unwrapped(r"<answer>TURN: $\boxed{5}$</answer>").split()
    ['TURN:', '5']
    """
    return _TAG.sub(" ", without_latex(text))


def without_latex(text: str) -> str:
    """A text without signs of LaTeX and characters that nobody sees."""
    text = text.translate(_INVISIBLE)
    for _ in range(_DEEPEST if "\\" in text else 0):
        text = _LATEX.sub(r" \1 ", text)
    return _LATEX_SIGNS.sub(" ", text)
