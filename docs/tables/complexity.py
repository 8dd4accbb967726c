"""How large the games are, by counting and by the games in ``docs/the_game.json``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import product

from tables.markdown import table
from tables.the_game import chapter_figures

#: Spaces of an era; copies of a player, and how many of them begin in supply.
_SPACES, _COPIES, _SUPPLY = 16, 7, 4
#: Pairs of foci, and sides to act.
_FOCI, _SIDES = 9, 2


def _by_era(copies: int) -> Iterator[tuple[int, int, int]]:
    """The numbers of copies in each era, of which two at least have some."""
    for numbers in product(range(_SPACES + 1), repeat=3):
        if sum(numbers) == copies and sum(map(bool, numbers)) > 1:
            yield numbers


def placements(white: int, black: int) -> int:
    """The ways to place copies of both sides on the boards, so that neither side has lost.

    Args:
        white: the number of white's copies.
        black: the number of black's copies.

    Returns:
        The number of ways.
    """
    return sum(
        math.prod(
            math.comb(_SPACES, one) * math.comb(_SPACES - one, other)
            for one, other in zip(whites, blacks, strict=True)
        )
        for whites in _by_era(white)
        for blacks in _by_era(black)
    )


def positions(copies: int = _COPIES, supply: int = _SUPPLY) -> int:
    """The positions between two turns of the standard game, some of which no game may reach.

    Args:
        copies: of each side, on the boards and in supply.
        supply: the most copies in a supply.

    Returns:
        The number of positions.
    """
    supplies = {number: min(supply, copies - number) + 1 for number in range(2, copies + 1)}
    boards = sum(
        placements(white, black) * supplies[white] * supplies[black]
        for white, black in product(supplies, repeat=2)
    )
    return boards * _FOCI * _SIDES


def in_tens(number: float) -> str:
    """A large number, with two digits and a power of ten."""
    exponent = math.floor(math.log10(number))
    digits = str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{number / 10**exponent:.1f}\u00a0×\u00a010{digits}"


def trees() -> str:
    """By chapters, the number of lines of play if every game had the mean choice and length."""
    rows = []
    for name, found in chapter_figures().items():
        exponent = found["turns"][1] * math.log10(found["choices"])
        digits = f"{exponent:.0f}".translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        rows.append((name, f"{found['choices']:.0f}", f"{found['turns'][1]:.0f}", f"10{digits}"))
    return table(("chapters", "ways to play a turn", "turns", "game tree"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "positions of the standard game": lambda: in_tens(positions()),
    "sizes of game trees": trees,
}
