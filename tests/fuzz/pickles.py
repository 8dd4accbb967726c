"""Pickles with changed bytes, such as those of a file that was cut or copied badly."""

from __future__ import annotations

import pickle
from typing import Any

from hypothesis import strategies as st


def loaded_damaged(content: bytes, data: st.DataObject) -> Any:
    """What a pickle holds after up to three of its bytes were changed.

    It is None if Python refuses the pickle.
    """
    damaged = bytearray(content)
    for place in data.draw(st.lists(st.integers(0, len(damaged) - 1), min_size=1, max_size=3)):
        damaged[place] = data.draw(st.integers(0, 255))
    try:
        return pickle.loads(bytes(damaged))
    except Exception:  # whatever the bytes ask for
        return None
