"""Real files and values, damaged: their bytes, their JSON values, their structure.

Noise would be refused at the first letter.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any, Final

from hypothesis import strategies as st

#: What stands where something else is expected.
_ODD: Final = (
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2,
        2.0,
        1.5,
        -0.0,
        1e308,
        2**63,
        10**400,
        float("nan"),
        float("inf"),
        "",
        "x",
        " ",
        "\0",
        "\n",
    ),
    *(
        "\u2028",
        "\x85",
        "\ud800",
        "\U0001f600",
        "1",
        "[/x]",
        "x" * 300,
        [],
        {},
        [[]],
        [None],
        {"": None},
        ["white", "black"],
        {"white": 1},
    ),
)

#: What is inserted into text: what ends lines, strings and objects, and what no text holds.
_BYTES: Final = (
    *(
        b"\n",
        b"\r",
        b"\0",
        b'"',
        b"\\",
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b" ",
        b"-",
        b"1",
        b"e9",
        b"9" * 5_000,
        b"[" * 10_000,
    ),
    *(
        b"\xff",
        b"\xe2\x82",
        b"\xef\xbb\xbf",
        b"\\ud800",
        b"\\u0000",
        b"\xe2\x80\xa8",
        b"\xc2\x85",
        b"NaN",
        b"null",
        b"true",
        b"\x0c",
    ),
)


def odd_values() -> st.SearchStrategy[Any]:
    """A JSON value that is seldom what it should be."""
    return st.sampled_from(_ODD).map(copy.deepcopy)


@st.composite
def damaged_bytes(draw: st.DrawFn, content: bytes) -> bytes:
    """The content with parts removed, repeated, moved or replaced."""
    for _ in range(draw(st.integers(1, 3))):
        first, last = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        if draw(st.booleans()):
            last = min(last, first + draw(st.integers(0, 4)))
        other = draw(st.integers(0, len(content)))
        odd = draw(st.one_of(st.sampled_from(_BYTES), st.binary(max_size=3)))
        part = content[first:last]
        middle = draw(
            st.sampled_from([odd, odd, b"", part * 2, part[::-1], content[other : other + 40]])
        )
        content = content[:first] + middle + content[last:]
    return content


@st.composite
def damaged_json(draw: st.DrawFn, value: Any) -> Any:
    """The value with one or a few of its parts changed, at any depth.

    Parts are removed, renamed, repeated, exchanged or replaced.
    """
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 2))):
        places = list(_places(value))
        if not places:
            return draw(odd_values())
        holder, key = draw(st.sampled_from(places))
        draw(st.sampled_from(_CHANGES))(draw, holder, key, places)
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """All parts of a value, as what holds them and their key or index there."""
    found = []
    keys = (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    )
    for key in keys:
        found += [(value, key), *_places(value[key])]
    return found


def _replace(draw: st.DrawFn, holder: Any, key: Any, places: Any) -> None:
    holder[key] = draw(odd_values())


def _nudge(draw: st.DrawFn, holder: Any, key: Any, places: Any) -> None:
    """The same in another type, or a little beside."""
    old = holder[key]
    changes: list[Callable[[Any], Any]] = [
        str,
        lambda given: [given],
        lambda given: {"": given},
        json.dumps,
    ]
    if isinstance(old, (int, float)):
        changes += [
            lambda given: -given,
            lambda given: given + 1,
            lambda given: float(given % 1_000),
            bool,
        ]
    if isinstance(old, str):
        changes += [
            lambda given: given + " ",
            lambda given: given[:-1],
            lambda given: given.upper(),
            lambda given: given + "\ud800",
            list,
        ]
    if isinstance(old, list):
        changes += [
            lambda given: given * 2,
            lambda given: given[::-1],
            lambda given: given[:-1],
            lambda given: dict(enumerate(given)),
            tuple,
        ]
    holder[key] = draw(st.sampled_from(changes))(old)


def _exchange(draw: st.DrawFn, holder: Any, key: Any, places: Any) -> None:
    other, there = draw(st.sampled_from(places))
    holder[key] = copy.deepcopy(other[there])


def _remove(draw: st.DrawFn, holder: Any, key: Any, places: Any) -> None:
    del holder[key]


def _add(draw: st.DrawFn, holder: Any, key: Any, places: Any) -> None:
    if isinstance(holder, dict):
        holder[draw(st.sampled_from(["", "x", "\ud800", "x" * 300, str(key) + " "]))] = draw(
            odd_values()
        )
    else:
        holder.insert(key, draw(odd_values()))


_CHANGES: Final = (_replace, _replace, _nudge, _exchange, _remove, _add)
