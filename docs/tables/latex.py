"""Blocks of the pages as LaTeX, for the paper."""

from __future__ import annotations

import re
from collections.abc import Sequence

_SIGNS = {
    **{sign: f"\\{sign}" for sign in "&%#_${}"},
    "\\": r"\textbackslash{}",
    "\u00a0": "~",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"$\pm$",
    "−": "$-$",
    "×": r"$\times$",
    "∞": r"$\infty$",
    "½": r"\textonehalf{}",
    "λ": r"$\lambda$",
    "–": "--",
    "…": r"\dots{}",
}
_POWERS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
#: In code, a line may end after these signs.
_ENDS = ",:/="
_MINUS = re.compile(r"(?<!\w)-(?=\d)")
_MARKS = re.compile(rf"`(?P<code>[^`]+)`|\[(?P<words>[^\]]+)\]\([^)]+\)|(?P<power>[{_POWERS}]+)")


def latex_of(text: str) -> str:
    """A line of Markdown as LaTeX: code, links, superscripts, and signs that LaTeX reads."""
    parts, last = [], 0
    for found in _MARKS.finditer(text):
        parts.append(_signs(text[last : found.start()]))
        if code := found["code"]:
            parts.append(rf"\code{{{_signs(code, _ENDS)}}}")
        elif power := found["power"]:
            parts.append(f"$^{{{''.join(str(_POWERS.index(digit)) for digit in power)}}}$")
        else:
            parts.append(_signs(found["words"]))
        last = found.end()
    return "".join([*parts, _signs(text[last:])])


def latex_table(markdown: str, columns: Sequence[str] = ()) -> str:
    """The rows of a Markdown table as those of a LaTeX table, with a rule below the head.

    Args:
        markdown: the table, and perhaps other lines before and after it, of which none count.
        columns: the columns to take, each by its head, or by ``HEAD as NAME``; all without any.

    Returns:
        The rows, of which each ends in a double backslash, without those that have a first cell
        alone.

    Raises:
        ValueError: there is no table, or it has no column with such a head.
    """
    table = re.search(r"^\|.*(?:\n\|.*)*", markdown, re.MULTILINE)
    if table is None:
        raise ValueError(f"there is no table in {markdown!r}")
    head, _, *rows = (
        line.removeprefix("| ").removesuffix(" |").split(" | ") for line in table[0].splitlines()
    )
    chosen = [column.partition(" as ") for column in columns] or [(name, "", "") for name in head]
    places = [head.index(name) for name, _, _ in chosen]
    names = [name or given for given, _, name in chosen]
    cells = ([row[place] for place in places] for row in rows)
    lines = [names, *(line for line in cells if any(line[1:]) or len(line) == 1)]
    first, *others = (" & ".join(map(latex_of, line)) + r" \\" for line in lines)
    return "\n".join([first, r"\midrule", *others])


def _signs(text: str, ends: str = "") -> str:
    if not ends:
        text = _MINUS.sub("−", text)
    signs = (_SIGNS.get(sign, sign) + (r"\allowbreak " if sign in ends else "") for sign in text)
    return "".join(signs).replace("--", "-{}-") if ends else "".join(signs)
