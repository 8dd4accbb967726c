"""Solves endgames of the standard game from the rules alone, to check the package's tables.

It imports nothing from the package and shares no code with it, so that an error in the engine's
rules, in its turn generator, or in its solver of endgames shows as a disagreement. Section numbers
are those of the rules (`docs/rulings.md`).

A position is seen by the side to act. A board is an array of `SIZE` bytes: what stands on each
space, era by era, then the two supplies of copies. The eras of the two focus tokens stand beside
it. Values are those of the tables: the number of turns of both sides until best play decides the
game, which is odd if the side to act wins, even if it loses, and 0 if neither side can win.

Nothing here uses a symmetry of the game, so a table that does is checked in this as well.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

EMPTY, MINE, THEIRS = 0, 1, 2
#: The indices of the two supplies in a board.
MY_SUPPLY, THEIR_SUPPLY = 48, 49
SIZE: Final = 50
ERAS: Final = ("past", "present", "future")

#: The names of the actions of a copy, in the order of their numbers: four moves, two travels.
ACTIONS: Final = (
    "move north",
    "move east",
    "move south",
    "move west",
    "travel forward",
    "travel backward",
)
FORWARD: Final = 4
#: Stands for a space beyond a wall, for the place of a copy that died, and for no action.
NOWHERE: Final = -1
#: What `act` returns for an action that is not legal.
ILLEGAL: Final = -2
#: The most ways to play the actions of a turn with four copies: each takes two of six actions.
MOST_WAYS: Final = 4 * 6 * 6


@njit(cache=False)
def neighbour(space: int, direction: int) -> int:
    """Return the next space of the same era in a direction, `NOWHERE` beyond a wall (§1)."""
    row, column = space % 16 // 4, space % 4
    if direction == 0:
        return space - 4 if row > 0 else NOWHERE
    if direction == 1:
        return space + 1 if column < 3 else NOWHERE
    if direction == 2:
        return space + 4 if row < 3 else NOWHERE
    return space - 1 if column > 0 else NOWHERE


@njit(cache=False)
def push(board: Any, space: int, direction: int) -> None:
    """Make the copy on a space give way by one step (§4)."""
    copy = board[space]
    board[space] = EMPTY
    target = neighbour(space, direction)
    if target == NOWHERE:  # squished
        return
    if board[target] == copy:  # a paradox
        board[target] = EMPTY
        return
    if board[target] != EMPTY:  # a chain
        push(board, target, direction)
    board[target] = copy


@njit(cache=False)
def act(board: Any, space: int, action: int) -> int:
    """Take an action with the active copy (§3).

    Returns:
        The space on which the copy then stands; `NOWHERE` if it died; `ILLEGAL` if the action is
            not legal and nothing has changed.
    """
    if action < FORWARD:
        target = neighbour(space, action)
        if target == NOWHERE:
            return ILLEGAL
        board[space] = EMPTY
        if board[target] == MINE:  # a paradox
            board[target] = EMPTY
            return NOWHERE
        if board[target] == THEIRS:
            push(board, target, action)
        board[target] = MINE
        return target
    target = space + 16 if action == FORWARD else space - 16
    if not 0 <= target < 48 or board[target] != EMPTY:
        return ILLEGAL
    if action == FORWARD:
        board[space] = EMPTY
    else:
        if board[MY_SUPPLY] == 0:
            return ILLEGAL
        board[MY_SUPPLY] -= 1  # the new copy stands on the space left
    board[target] = MINE
    return target


@njit(cache=False)
def capacity(board: Any, space: int) -> int:
    """Return the largest number of actions, 0 to 2, that a copy could take (ruling R1)."""
    largest = 0
    for first in range(6):
        after = board.copy()
        there = act(after, space, first)
        if there == ILLEGAL:
            continue
        largest = max(largest, 1)
        if there != NOWHERE:
            for second in range(6):
                if act(after.copy(), there, second) != ILLEGAL:
                    return 2
    return largest


@njit(cache=False)
def write_ways(board: Any, focus: int, after: Any, ways: Any) -> int:
    """Write all ways to play the actions of a turn, up to the shift of the focus (§2).

    Args:
        board: uint8 of shape (SIZE,): the board before the turn.
        focus: the era of the focus of the side to act.
        after: uint8 of shape (MOST_WAYS, SIZE); its first rows become the boards after the
            actions, seen by the side that has acted.
        ways: int64 of shape (MOST_WAYS, 3); its first rows become the copy's space and the numbers
            of the two actions, each `NOWHERE` if there is none.

    Returns:
        The number of rows, which is never 0.
    """
    era = range(16 * focus, 16 * focus + 16)
    largest = 0
    for space in era:
        if board[space] == MINE:
            largest = max(largest, capacity(board, space))
    if largest == 0:  # no copy can be chosen
        after[0] = board
        ways[0] = NOWHERE
        return 1
    rows = 0
    for space in era:
        if board[space] != MINE or capacity(board, space) < largest:
            continue
        for first in range(6):
            after[rows] = board
            there = act(after[rows], space, first)
            if there == ILLEGAL:
                continue
            between, begun = after[rows].copy(), rows
            if there != NOWHERE:  # the second action is compulsory if there is one (ruling R2)
                for second in range(6):
                    after[rows] = between
                    if act(after[rows], there, second) != ILLEGAL:
                        ways[rows, 0], ways[rows, 1], ways[rows, 2] = space, first, second
                        rows += 1
            if rows == begun:
                after[rows] = between
                ways[rows, 0], ways[rows, 1], ways[rows, 2] = space, first, NOWHERE
                rows += 1
    return rows


@njit(cache=False)
def eras_of(board: Any, side: int) -> int:
    """Return in how many eras a side has copies."""
    eras = 0
    for era in range(3):
        for space in range(16 * era, 16 * era + 16):
            if board[space] == side:
                eras += 1
                break
    return eras


@njit(cache=False)
def turn_round(board: Any) -> None:
    """Make a board one that the other side sees."""
    for space in range(48):
        if board[space] != EMPTY:
            board[space] = MINE + THEIRS - board[space]
    board[MY_SUPPLY], board[THEIR_SUPPLY] = board[THEIR_SUPPLY], board[MY_SUPPLY]


@njit(cache=False)
def write_ends(board: Any, focus: int, after: Any, ways: Any) -> int:
    """Write the boards after the actions of a turn as the other side sees them: see `write_ways`.

    Returns:
        Their number; 0 if one of the turns wins at once (§2, step 4).
    """
    rows = write_ways(board, focus, after, ways)
    for row in range(rows):
        if eras_of(after[row], THEIRS) <= 1:
            return 0
        turn_round(after[row])
    return rows


@njit(cache=False)
def worth(values: Any) -> int:
    """Return the value of a position that follows from those one turn away.

    Args:
        values: their values to the side to act there; none if a turn wins at once.
    """
    if len(values) == 0:
        return 1
    soonest, latest, circles = 0, 0, False
    for value in values:
        if value == 0:
            circles = True
        elif value % 2 == 1:
            latest = max(latest, value)
        elif soonest == 0 or value < soonest:
            soonest = value
    if soonest:
        return soonest + 1
    return 0 if circles else latest + 1


@njit(cache=False)
def list_ends(boards: Any, foci: Any) -> tuple[Any, Any, Any]:
    """List the positions one turn away from each of many positions.

    Args:
        boards: uint8 of shape (n, SIZE).
        foci: int64 of shape (n, 2): the eras of the focus tokens, first that of the side to act.

    Returns:
        The boards of all of these positions, their foci, and int64 of shape (n + 1,): where those
            of each position begin. A position from which a turn wins at once has none.
    """
    most = 2 * MOST_WAYS * len(boards)
    end_boards, end_foci = np.empty((most, SIZE), np.uint8), np.empty((most, 2), np.int64)
    begins = np.zeros(len(boards) + 1, np.int64)
    after, ways = np.empty((MOST_WAYS, SIZE), np.uint8), np.empty((MOST_WAYS, 3), np.int64)
    count = 0
    for number in range(len(boards)):
        mine, theirs = foci[number]
        for row in range(write_ends(boards[number], mine, after, ways)):
            for focus in range(3):
                if focus != mine:
                    end_boards[count] = after[row]
                    end_foci[count, 0], end_foci[count, 1] = theirs, focus
                    count += 1
        begins[number + 1] = count
    return end_boards[:count], end_foci[:count], begins


@njit(cache=False)
def first_that_does_not_follow(values: Any, end_values: Any, begins: Any) -> int:
    """Return the index of the first position whose value does not follow; -1 if there is none.

    Args:
        values: the values of the positions.
        end_values: the values of all positions one turn away, in the order of `list_ends`.
        begins: where those of each position begin, as `list_ends` returns it.
    """
    for number in range(len(values)):
        if values[number] != worth(end_values[begins[number] : begins[number + 1]]):
            return number
    return -1


@njit(cache=False)
def write_board(board: Any, copies: Any) -> None:
    """Write a board without supplies, with my copies on two spaces and theirs on the others."""
    board[:] = EMPTY
    board[copies[0]] = board[copies[1]] = MINE
    board[copies[2]] = board[copies[3]] = THEIRS


@njit(cache=False)
def value_in(values: Any, board: Any, mine: int, theirs: int) -> int:
    """Return the value of a position with at most two copies a side from what `solve` returns.

    The side to act has copies in two eras.
    """
    if eras_of(board, THEIRS) <= 1:  # it wins, whatever it plays
        return 1
    a = b = c = d = NOWHERE
    for space in range(48):
        if board[space] == MINE:
            a, b = b, space
        elif board[space] == THEIRS:
            c, d = d, space
    return values[a, b, c, d, mine, theirs]


@njit(cache=False)
def list_boards() -> Any:
    """Return the boards with two copies a side, each in two eras: int64 of shape (n, 4).

    Sides with copies in supply are not among them: with at most two copies in all, they stand in
    at most one era. Each row holds my two spaces and their two, both ascending.
    """
    boards = np.empty((768 * 768, 4), np.int64)
    count = 0
    for a in range(48):
        for b in range(a // 16 * 16 + 16, 48):
            for c in range(48):
                for d in range(c // 16 * 16 + 16, 48):
                    if c not in (a, b) and d not in (a, b):
                        boards[count, 0], boards[count, 1] = a, b
                        boards[count, 2], boards[count, 3] = c, d
                        count += 1
    return boards[:count]


@njit(cache=False)
def sweep(boards: Any, values: Any, distance: int) -> int:
    """Find the positions that are decided in a distance, once all shorter distances are known.

    Returns:
        How many there are.
    """
    board = np.empty(SIZE, np.uint8)
    after, ways = np.empty((MOST_WAYS, SIZE), np.uint8), np.empty((MOST_WAYS, 3), np.int64)
    known, found = np.empty(2 * MOST_WAYS, np.int64), 0
    for number in range(len(boards)):
        entry = values[boards[number, 0], boards[number, 1], boards[number, 2], boards[number, 3]]
        for mine in range(3):
            if entry[mine].all():
                continue
            write_board(board, boards[number])
            rows = write_ends(board, mine, after, ways)
            for theirs in range(3):
                if entry[mine, theirs] == 0:
                    count = 0
                    for row in range(rows):
                        for focus in range(3):
                            if focus != mine:
                                known[count] = value_in(values, after[row], theirs, focus)
                                count += 1
                    # What this sweep has found already follows from no value below its distance.
                    if worth(known[:count]) == distance:
                        entry[mine, theirs] = distance
                        found += 1
    return found


def solve() -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """Solve all positions with at most two copies a side, in sweeps over the distance.

    Returns:
        The boards, as `list_boards` returns them, and the values of the positions, uint8 of shape
            (48, 48, 48, 48, 3, 3): by my spaces, their spaces, my focus and their focus.
    """
    boards = list_boards()
    values = np.zeros((48, 48, 48, 48, 3, 3), np.uint8)
    distance = 1
    while sweep(boards, values, distance):
        distance += 1
    return boards, values


class Turn(NamedTuple):
    """A turn: the names of its actions, and where it leads, as the other side sees it."""

    actions: tuple[str, ...]
    board: NDArray[np.uint8]
    mine: int
    theirs: int


def list_turns(board: NDArray[np.uint8], mine: int, theirs: int) -> list[Turn]:
    """All turns of a position."""
    after, ways = np.empty((MOST_WAYS, SIZE), np.uint8), np.empty((MOST_WAYS, 3), np.int64)
    turns = []
    for row in range(write_ways(board, mine, after, ways)):
        space, *actions = ways[row].tolist()
        names = [f"choose {space % 16 + 1}"] if space != NOWHERE else []
        names += [ACTIONS[action] for action in actions if action != NOWHERE]
        turn_round(after[row])
        turns += [
            Turn((*names, f"focus {ERAS[focus]}"), after[row], theirs, focus)
            for focus in range(3)
            if focus != mine
        ]
    return turns


def decided_within(board: NDArray[np.uint8], mine: int, theirs: int, turns: int) -> int:
    """Return the value of a position with that many turns left, by trying everything.

    It is 0 if nobody wins within them.
    """
    if turns == 0:
        return 0
    ends = list_turns(board, mine, theirs)
    if any(eras_of(end.board, MINE) <= 1 for end in ends):
        return 1
    values = [decided_within(end.board, end.mine, end.theirs, turns - 1) for end in ends]
    return worth(np.array(values))
