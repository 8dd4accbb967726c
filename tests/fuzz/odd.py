"""Invalid values, and some that only look invalid."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st


class Unprintable:
    """An object that cannot be shown in a message."""

    def __repr__(self) -> str:
        raise RuntimeError("it cannot be shown")


def _within_itself() -> list[Any]:
    """A list that holds itself."""
    endless: list[Any] = []
    endless.append(endless)
    return endless


#: Each of its own kind. None of them is written to.
ODD: tuple[Any, ...] = (
    *(None, True, False, np.True_, np.False_, Ellipsis, NotImplemented, object(), object,
      Unprintable(), int, len, math),
    *(0, 1, -1, 2, 3, 255, 2**31, 2**32, 2**33, 2**63 - 1, 2**63, -(2**63), 2**64, 10**30,
      -(10**30), 10**400, 10**5000),
    *(0.0, 1.0, -1.0, 0.5, 2.5, 1e-9, 1e308, 5e-324, math.nan, math.inf, -math.inf, 1j,
      Fraction(1, 3), Decimal(1), Decimal("nan")),
    *(np.int8(-1), np.int8(1), np.int64(2), np.uint64(2**64 - 1), np.float32(1), np.float64("nan"),
      np.longdouble(1), np.complex64(1)),
    *(np.datetime64("2021-01-01"), np.timedelta64(1, "s"), np.str_("standard"), np.bytes_(b"x"),
      np.void(b"xx")),
    *("", "x", "standard", "white", "choose 1", "focus past", "0", "1", "-1", "1e400", "nan",
      "random", "self", "\0", "\ud800", "\u2028"),
    *("x" * 5000, "9" * 5000, "-" * 1000 + "1", "[" * 1000, "%s", "{}", "<!--<script>", "a\nb", b"",
      b"abc", bytearray(b"abc")),
    *([], [0], [1, 2, 3], [0, 0, 0], [[]], [[1], [2, 3]], [None], [None, 1], [True, False, True],
      [0.0, 1.0, 2.0], ["a", "b", "c"]),
    *([10**30] * 3, [-1] * 3, [2**63, 1, 0], [math.nan] * 3, [[0, 1, 2]], ["white", "black"],
      [Unprintable()] * 3, _within_itself()),
    *((), (0,), (1, 2), (None, None), ("a", "b"), {}, {"a": 1}, {1: 2}, {"reset_mask": None},
      {"position": 5}, {None: None}),
    *({1, 2, 3}, frozenset(), range(3), range(0), range(10**18), slice(3), memoryview(b"abc"),
      lambda *given: None, type("Act", (), {})()),
    *(np.array(3), np.array(3.0), np.array(True), np.array("x"), np.array(None), np.zeros(0),
      np.zeros(0, np.int64), np.zeros(3)),
    *(np.arange(3), np.arange(3, dtype=np.int8), np.arange(3, dtype=np.uint64),
      np.arange(3, dtype=">i4"), np.arange(6)[::2]),
    *(np.ones(3, bool), np.zeros(3, bool), np.zeros((3, 1), np.int64), np.zeros((1, 3), np.int64),
      np.zeros((0, 3), np.int64)),
    *(np.full(3, -1), np.full(3, 2**63, np.uint64), np.array([1, None, 2]),
      np.array(["a", "b", "c"]), np.zeros(3, complex)),
    *(np.zeros(3, [("a", np.int64)]), np.zeros(3, "M8[s]"), np.array([10**30] * 3),
      np.ma.masked_array([1, 2, 3], [0, 1, 0])),
)  # fmt: skip


def _numbered(number: int) -> Any:
    return ODD[number]


#: By number, since Hypothesis prints what it draws from.
_one_of_them: st.SearchStrategy[Any] = st.sampled_from(range(len(ODD))).map(_numbered)

#: One of them, or something that Hypothesis makes.
odd: st.SearchStrategy[Any] = st.one_of(
    *(
        _one_of_them,
        _one_of_them,
        st.integers(),
        st.floats(),
        st.text(max_size=30),
        st.lists(_one_of_them, max_size=3),
    ),
    st.lists(st.integers(-2, 5), min_size=3, max_size=3).map(np.array),
)


def or_odd(*right: Any) -> st.SearchStrategy[Any]:
    """What is right, more often than not, or anything."""
    return st.one_of(st.sampled_from(right), st.sampled_from(right), odd)
