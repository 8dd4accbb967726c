"""The keywords of environments, for type checkers."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypedDict


class AECKeywords(TypedDict, total=False):
    """What a PettingZoo environment takes besides ``render_mode`` and the settings of its game."""

    opening_turns: int
    positions: Collection[str] | None
    observation: str
    canonical: bool
