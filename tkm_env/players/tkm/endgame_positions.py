"""Solved endgames as data: positions drawn from a table, for learners and their tests.

Learners and tests get different positions. The copies of both sides decide which: all positions of
the same *board*, that is with the same copies up to the 16 symmetries, belong to the same split,
whatever the foci and the side to act. So no position of a test is an image of one that a learner
has seen, or the same with another focus. One board in ten is for tests.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError, PositionError
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.state import BLACK, COPY, WHITE
from tkm_env.games.tkm.game import Game
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.solved_positions import SPLITS, SolvedPosition, checked_split, preference
from tkm_env.players.tkm.search.endgames import (
    FEWEST_COPIES,
    FOCI,
    FOLDER_VARIABLE,
    MOST_COPIES,
    ON_BOARDS,
    SUPPLY,
    Endgames,
    Numbering,
    endgames,
    known_outcome,
    shipped_endgames,
)

#: One board in this many is for tests.
_TEST_SHARE: Final = 10
#: In one position of this many neither side can win.
_UNDECIDED_SHARE: Final = 5
#: The outcome that no turn makes worse, so that all turns are equal.
_SHORTEST_LOSS: Final = 2
#: The most positions that can be drawn at a time.
_MOST: Final = 10**6
#: The number of entries with the same value that are in memory at a time.
_MOST_ENTRIES: Final = 1 << 22
#: The number of entries of a table that are looked at together.
_AT_ONCE: Final = 1 << 12


def draw_endgames(copies: int, split: str, count: int, seed: int) -> Iterator[SolvedPosition]:
    """Draw solved endgames, without two that are images of each other.

    Only positions in which some turn is better than another are drawn. In a fifth of them neither
    side can win; the others have all outcomes equally often, as far as there are enough. The image
    of each position under the symmetries of the rules is random.

    Args:
        copies: the most copies of a side, on the boards and in supply: 2, or 3 if ``TKM_TABLES``
            names the folder of that table. With 3, one of the sides has 3.
        split: ``"training"`` or ``"test"``; a learner that has only seen the first has seen no
            board of the second.
        count: the number of positions, 1 to 1,000,000; fewer are drawn if there are no more.
        seed: the seed of all that is random, from 0.

    Yields:
        The positions: in turn one of each outcome that is left.

    Raises:
        ConfigError: if an argument is invalid, or there is no table with that many copies.
        FileError: if the table cannot be read.

    >>> (solved,) = draw_endgames(2, "test", 1, seed=1)
    >>> solved.position
    '..../..../...B/....|..../W.../..../....|..../.W../..B./.... - w f PP - 0/0 - ---/--- -/- 1'
    >>> solved.outcome, solved.turns
    (0, (8, 0))
    """
    table = _table(checked_integer("copies", copies, FEWEST_COPIES, MOST_COPIES))
    wants_test = checked_split(split) == SPLITS[1]
    count = checked_integer("count", count, 1, _MOST)
    generator = np.random.default_rng(checked_integer("seed", seed, 0, 2**63 - 1))
    return _draw(table, copies, wants_test, count, generator)


def endgame_split(game: Game) -> str:
    """Return the split of a position's board, ``"training"`` or ``"test"``, whoever is to act.

    Args:
        game: a game, of which only the copies on the boards and in supply count.
    """
    state = game.state[0]
    sides = []
    for player in (WHITE, BLACK):
        places = (state["cell"] == COPY + player).ravel().nonzero()[0].tolist()
        supply = int(state["supply"][player]) << SUPPLY
        sides.append(np.array([supply + sum(1 << place for place in places)]))
    spaces = shipped_endgames().numbering.spaces
    return SPLITS[int(_is_for_tests(*_smallest_image(spaces, *sides))[0])]


def position_of(numbering: Numbering, number: int) -> Game | None:
    """Return the position of an entry, with white to act in the first turn.

    Args:
        numbering: the numbering of a table.
        number: the index of the entry.

    Returns:
        A game at that position; None if two copies would share a space.
    """
    board, foci = divmod(number, FOCI)
    white, black = (
        numbering.images[board // len(numbering.sides)],
        numbering.sides[board % len(numbering.sides)],
    )
    if white & black & ON_BOARDS:
        return None
    cells = [
        "W" if white >> space & 1 else "B" if black >> space & 1 else "."
        for space in range(NUM_ERAS * NUM_SPACES)
    ]
    rows = ["".join(cells[first : first + WIDTH]) for first in range(0, len(cells), WIDTH)]
    eras = "|".join("/".join(rows[first : first + WIDTH]) for first in range(0, len(rows), WIDTH))
    supplies = f"{white >> SUPPLY}/{black >> SUPPLY}"
    focus = "PNF"[foci // NUM_ERAS] + "PNF"[foci % NUM_ERAS]
    text = f"{eras} - w {{}} {focus} - {supplies} - ---/--- -/- 1"
    try:
        return Game(position=text.format("c"))
    except PositionError:  # no copy can be chosen: the turn begins with the focus
        return Game(position=text.format("f"))


def solve(game: Game) -> SolvedPosition:
    """Look up the outcomes of a position and of all its turns in the table of this process.

    Args:
        game: a game between two turns; each of its turns leads to a position of the table.

    Returns:
        The solved position.

    Raises:
        ConfigError: if the table does not have one of the positions.
    """
    ends = {turn.after.position: turn.after for turn in game.turns()}
    outcomes = tuple(_outcome_of_turn(ends[text]) for text in sorted(ends))
    return SolvedPosition(game.position, max(outcomes, key=preference), outcomes)


def _outcome_of_turn(after: Game) -> int:
    """Return the outcome of a turn for its player, in turns that include it."""
    if after.result is not None:
        return 1  # nobody loses in their own turn, and the turn limit is far away
    outcome = known_outcome(after.state)
    if outcome is None:
        raise ConfigError("position", after.position, "the table of endgames does not have it")
    return outcome + 1 if outcome else 0


def _table(copies: int) -> Endgames:
    """Return the table with that many copies per side."""
    if copies == FEWEST_COPIES:
        return shipped_endgames()
    table = endgames()
    if table is shipped_endgames():
        raise ConfigError(
            "copies",
            copies,
            f"{FOLDER_VARIABLE} must name the folder of that table, which tkm tables makes",
        )
    return table


def _draw(
    table: Endgames, copies: int, wants_test: bool, count: int, generator: np.random.Generator
) -> Iterator[SolvedPosition]:
    strata = {
        value: _games(table, copies, value, wants_test, generator)
        for value in np.unique(table.values).tolist()
        if value != _SHORTEST_LOSS
    }
    left = count
    while strata and left:
        # A round takes a position of each outcome, and their share of those that nobody wins.
        for value in [*strata]:
            wanted = 1 if value else math.ceil((len(strata) - 1) / (_UNDECIDED_SHARE - 1)) or 1
            found = [*itertools.islice(strata[value], min(wanted, left))]
            yield from found
            left -= len(found)
            if len(found) < wanted:
                del strata[value]


def _games(
    table: Endgames, copies: int, value: int, wants_test: bool, generator: np.random.Generator
) -> Iterator[SolvedPosition]:
    """Yield positions with an outcome, of a split, in random order, in random images."""
    numbering = table.numbering
    entries = _entries_with(table, value, generator)
    seen: set[tuple[int, int, int]] = set()
    for first in range(0, len(entries), _AT_ONCE):
        numbers = entries[first : first + _AT_ONCE]
        boards, foci = np.divmod(numbers, FOCI)
        mine = numbering.images[boards // len(numbering.sides)]
        theirs = numbering.sides[boards % len(numbering.sides)]
        most = np.maximum(_copies(mine), _copies(theirs))
        of_split = _is_for_tests(*_smallest_image(numbering.spaces, mine, theirs)) == wants_test
        images = _smallest_image(numbering.spaces, mine, theirs, swaps=False)
        for index in (of_split & (most == copies)).nonzero()[0].tolist():
            key = (int(images[0][index]), int(images[1][index]), int(foci[index]))
            game = None if key in seen else position_of(numbering, int(numbers[index]))
            seen.add(key)
            if game is None:
                continue
            symmetry = SYMMETRIES[generator.integers(len(SYMMETRIES) // 2)]
            solved = solve(Game.from_state(symmetry.states(game.state)))
            if len({*solved.turns}) > 1:
                yield solved


def _entries_with(table: Endgames, value: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """Return the indices of the entries with a value, in random order; of very many, a sample."""
    if np.count_nonzero(table.values == value) <= _MOST_ENTRIES:
        entries = np.flatnonzero(table.values == value)
    else:  # the indices of all would not fit into the memory of every machine
        drawn = np.unique(generator.integers(0, len(table.values), 4 * _MOST_ENTRIES))
        entries = drawn[table.values[drawn] == value]
    generator.shuffle(entries)
    return entries


def _copies(sides: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of copies of each side, on the boards and in supply."""
    on_boards = sum(sides >> space & 1 for space in range(SUPPLY))
    return np.asarray(on_boards + (sides >> SUPPLY))


def _smallest_image(
    spaces: NDArray[np.int64],
    mine: NDArray[np.int64],
    theirs: NDArray[np.int64],
    *,
    swaps: bool = True,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the smallest images of n boards.

    Args:
        spaces: int64 of shape (8, 48): where each symmetry takes each space.
        mine: int64 of shape (n,): the copies of one side, as in `Numbering`.
        theirs: int64 of shape (n,): those of the other side.
        swaps: whether boards with sides exchanged are images of each other, too.

    Returns:
        The copies of both sides in these images.
    """
    best: tuple[NDArray[np.int64], NDArray[np.int64]] | None = None
    for there in spaces:
        first, second = moved_copies(mine, there), moved_copies(theirs, there)
        for one, other in ((first, second), (second, first))[: 1 + swaps]:
            if best is None:
                best = one, other
                continue
            is_less = (one < best[0]) | ((one == best[0]) & (other < best[1]))
            best = np.where(is_less, one, best[0]), np.where(is_less, other, best[1])
    assert best is not None
    return best


def moved_copies(sides: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return copies after a symmetry, whose supplies stay.

    Args:
        sides: int64 of shape (n,): the copies of one side, as in `Numbering`.
        there: int64 of shape (48,): where the symmetry takes each space.

    Returns:
        int64 of shape (n,): the copies.
    """
    image = sides & ~ON_BOARDS
    for space, goes_to in enumerate(there.tolist()):
        image |= (sides >> space & 1) << goes_to
    return image


def _is_for_tests(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether boards, each in its smallest image, are for tests: bool of shape (n,)."""
    mixed = _mixed(_mixed(first.astype(np.uint64)) ^ second.astype(np.uint64))
    return np.asarray(mixed % np.uint64(_TEST_SHARE) == 0)


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return random-looking numbers.

    This is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
    generators", 2014).
    """
    numbers = numbers + np.uint64(0x9E3779B97F4A7C15)
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
