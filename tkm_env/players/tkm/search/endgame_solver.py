"""Makes tables of endgames by retrograde analysis in forward sweeps, and proves them.

First the turns of every position are listed, in a file beside the table; positions with a turn that
wins at once are decided by then. After that, a sweep for each distance d from 2 on looks at every
position that is not decided yet, by these lists alone. For odd d, it finds positions from which
some turn leads to a position that is lost for the opponent in d - 1 turns. For even d, it finds
positions from which all turns lead to positions that are won for the opponent. The result of a
sweep depends only on earlier sweeps, so it may be stopped anywhere and repeated.

The proof uses no list, but the rules: it checks that each entry follows from the entries that one
turn leads to. Distances decrease along every line of best play, so an error would require another
one nearer to the end of the game.
"""

import os
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.threads import in_threads
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import failing_as, write_file
from tkm_env.foundations.line_file import LineFile
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import BLACK, CHOOSE, COPY, EMPTY, OVER, SHIFT, WHITE
from tkm_env.games.tkm.engine.turn import write_mask
from tkm_env.games.tkm.engine.turn_generator import (
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
)
from tkm_env.players.tkm.search.endgames import (
    FOCI,
    ON_BOARDS,
    SUPPLY,
    WINS_NOW,
    EndgameFile,
    Numbering,
    number_of,
)

#: More than any distance that a byte can hold. A winning turn is worth this minus its distance, and
#: a losing one the opposite.
_MOST: Final = 1 << 8
#: The number of boards that a thread processes without a break.
_PART: Final = 1 << 14
#: The number of bytes of a word of the lists.
_WORD: Final = 4

# The turns of a position are listed once for the three positions that differ only in the other
# side's focus. A list is its length, followed by a word for each board that a turn leads to: the
# board's index and, above it, a bit for each era in which the focus may be. Turns after which the
# opponent wins whatever it plays are left out.
_BOARD: Final = (1 << 26) - 1
_FIRST_ERA: Final = _BOARD + 1
#: Instead of a length: there is nothing to decide, since a turn wins at once, or two copies would
#: share a space.
_NOTHING: Final = (1 << 32) - 1
#: More than the words of a list: a turn takes two of the six actions of one of three copies.
_MOST_WORDS: Final = 1 + 3 * 6 * 6


class _Workspace(NamedTuple):
    """The workspace of one thread."""

    turns: TurnGenerator
    states: Any  # (1,) STATE
    worth: Any  # (3,) int64: the value of the best turn, by the other side's focus
    listed: Any  # (n,) uint32: the turns of a part


@inlined
def _write_board(state: Any, board: int, numbering: Numbering) -> bool:
    """Write a board to ``state``, with white to act; return whether no two copies collide."""
    mine, other = (
        numbering.images[board // numbering.sides.shape[0]],
        numbering.sides[board % numbering.sides.shape[0]],
    )
    state.to_act = WHITE
    state.supply[WHITE] = mine >> SUPPLY
    state.supply[BLACK] = other >> SUPPLY
    for era in range(NUM_ERAS):
        for space in range(NUM_SPACES):
            bit = NUM_SPACES * era + space
            state.cell[era, space] = (
                COPY + WHITE if mine >> bit & 1 else COPY + BLACK if other >> bit & 1 else EMPTY
            )
    return mine & other & ON_BOARDS == 0


@inlined
def _begin(work: _Workspace, numbering: Numbering, first: int) -> bool:
    """Begin the turns of three positions that differ only in the other side's focus.

    Args:
        work: a workspace.
        numbering: the numbering of the positions.
        first: the index of the first of the three positions.

    Returns:
        Whether there are such positions: no two copies share a space.
    """
    turns, state = work.turns, work.states[0]
    state.focus[WHITE] = first // NUM_ERAS % NUM_ERAS
    state.focus[BLACK] = 0
    state.step = CHOOSE
    if not _write_board(state, first // FOCI, numbering):
        return False
    if not write_mask(state, turns.masks[0], turns.scratch[0]):
        state.step = SHIFT
    begin_turns(turns, work.states, 0)
    return True


@nogil_kernel
def _list_turns(work: _Workspace, values: Any, numbering: Numbering, board: int, until: int) -> int:
    """List the turns of all positions of some boards, and decide those that win at once.

    Args:
        work: a workspace; the lists are written to ``listed``.
        values: uint8 of shape (n,): the table.
        numbering: the numbering of its positions.
        board: the index of the first board.
        until: the index after that of the last board.

    Returns:
        The number of words of the lists.
    """
    turns, listed, words = work.turns, work.listed, 0
    for first in range(FOCI * board, FOCI * until, NUM_ERAS):
        length, last = words, -1
        listed[length] = _NOTHING
        words += 1
        if not _begin(work, numbering, first):
            continue
        wins = False
        while not wins and next_turn(turns):
            after = turns.states[turns.length[0]]
            if after.step == OVER:
                wins = True
                continue
            number = number_of(after, numbering)
            if number == WINS_NOW:
                continue
            if number // FOCI != last:
                last = number // FOCI
                listed[words] = last
                words += 1
            listed[words - 1] |= _FIRST_ERA << number % NUM_ERAS
        if wins:
            values[first : first + NUM_ERAS] = 1
            words = length + 1
        else:
            listed[length] = words - length - 1
    return words


@inlined
def _is_decided(turns: Any, values: Any, focus: int, distance: int) -> bool:
    """Whether a position is decided in a distance; all shorter ones must be complete.

    Args:
        turns: uint32 of shape (n,): the words of its turns.
        values: uint8 of shape (n,): the table.
        focus: the era of the other side's focus.
        distance: the distance in turns of both sides, from 2.
    """
    wins = distance & 1 == 1
    for number in range(turns.shape[0]):
        word = np.int64(turns[number])
        first = FOCI * (word & _BOARD) + NUM_ERAS * focus
        for era in range(NUM_ERAS):
            if word & _FIRST_ERA << era == 0:
                continue
            value = np.int64(values[first + era])
            is_known = 0 < value < distance
            if wins and is_known and value & 1 == 0:
                return True
            if not wins and not (is_known and value & 1 == 1):
                return False
    return not wins


@nogil_kernel
def _sweep(listed: Any, values: Any, board: int, until: int, distance: int) -> None:
    """Find the positions of some boards that are decided in a distance.

    Args:
        listed: uint32 of shape (n,): the turns of these boards, as `_list_turns` writes them.
        values: uint8 of shape (n,): the table, in which all shorter distances are complete.
        board: the index of the first board.
        until: the index after that of the last board.
        distance: the distance in turns of both sides, from 2.
    """
    place = np.int64(0)
    for first in range(FOCI * board, FOCI * until, NUM_ERAS):
        length = np.int64(listed[place])
        place += 1
        if length == _NOTHING:
            continue
        turns = listed[place : place + length]
        place += length
        for focus in range(NUM_ERAS):
            if values[first + focus] == 0 and _is_decided(turns, values, focus, distance):
                values[first + focus] = distance


@inlined
def _look_ahead(work: _Workspace, values: Any, numbering: Numbering, first: int) -> None:
    """Find the values of three positions that differ only in the other side's focus.

    Args:
        work: a workspace; its ``worth`` is overwritten by the values.
        values: uint8 of shape (n,): the table.
        numbering: the numbering of its positions.
        first: the index of the first of the three positions.
    """
    turns, worth = work.turns, work.worth
    if not _begin(work, numbering, first):
        worth[:] = 0
        return
    worth[:] = -_MOST
    while next_turn(turns):
        after = turns.states[turns.length[0]]
        if after.step == OVER:
            worth[:] = _MOST
            return
        number = number_of(after, numbering)
        for other in range(NUM_ERAS):
            value = 1 if number == WINS_NOW else int(values[number + NUM_ERAS * other])
            if value == 0:
                worth[other] = max(worth[other], 0)
            else:
                worth[other] = max(worth[other], value - _MOST if value & 1 else _MOST - value)


@nogil_kernel
def _prove(work: _Workspace, values: Any, numbering: Numbering, board: int, until: int) -> int:
    """Prove the entries of some boards.

    Args:
        work: a workspace.
        values: uint8 of shape (n,): the table.
        numbering: the numbering of its positions.
        board: the index of the first board.
        until: the index after that of the last board.

    Returns:
        The index of the first entry that does not follow from those that a turn leads to; -1 if
            there is none.
    """
    for first in range(FOCI * board, FOCI * until, NUM_ERAS):
        _look_ahead(work, values, numbering, first)
        for number in range(first, first + NUM_ERAS):
            worth = work.worth[number - first]
            follows = 0 if worth == 0 else _MOST - abs(worth) + 1
            if values[number] != follows:
                return number
    return -1


class EndgameSolver(EndgameFile):
    """Makes and proves a table in a file, on all cores.

    Args:
        folder: the folder of the file.
        copies: the most copies per side, 2 or 3.

    Raises:
        ConfigError: if ``copies`` is another number.
    """

    def __init__(self, folder: str | os.PathLike[str], copies: int) -> None:
        super().__init__(folder, copies)
        #: The lists of turns while the table is made, part by part: each part is the number of its
        #: words, and the words.
        self._lists = self.path.with_suffix(".turns")
        self._parts = range(0, self.numbering.boards, _PART)

    def solve(self) -> Iterator[tuple[str, int]]:
        """Make the table, or resume with the pass that was interrupted.

        Yields:
            A description of the current pass, and the number of boards processed in it.

        Raises:
            FileError: if a file cannot be read or written.
        """
        with LineFile(f"{self.path}.lock"):
            if not self.path.exists():
                write_file(self.path, bytes(self.size))
            content = self.map("r+")
            if content[-1] == 0:
                yield from self._list(content[:-1])
                lists = self._read_lists()
                distance = max(2, int(content[:-1].max()))
                while content[-1] == 0:
                    yield from self._sweep(lists, content[:-1], distance)
                    content.flush()  # before anything that depends on it is written
                    if distance not in content[:-1]:
                        content[-1] = distance - 1
                        content.flush()
                    distance += 1
                del lists  # where files that are mapped cannot be removed
            with failing_as(self._lists, "removed"):
                self._lists.unlink(missing_ok=True)

    def prove(self) -> Iterator[tuple[str, int]]:
        """Prove every entry from the entries that one turn leads to.

        Yields:
            The same as `solve` does.

        Raises:
            FileError: if an entry does not follow from the others, or the file cannot be read.
        """
        values, threads = np.asarray(self.read().values), _workspaces()
        for parts in self._together(self._parts):
            yield "proving", parts[0]

            def prove(thread: int, parts: range = parts) -> int:
                return _prove(
                    threads[thread], values, self.numbering, parts[thread], self._end(parts[thread])
                )

            wrong = max(in_threads(prove, len(parts)))
            if wrong >= 0:
                raise FileError(
                    self.path,
                    f"entry {wrong} does not follow from its neighbours; "
                    "remove the file and start again",
                )

    def _list(self, values: Any) -> Iterator[tuple[str, int]]:
        """List the turns of all positions, from the first part that is not complete on."""
        values, threads = np.asarray(values), _workspaces()
        with failing_as(self._lists, "written"), self._lists.open("ab+") as file:
            complete = [*self._complete_parts()]
            file.truncate(sum(_WORD * (1 + words) for words in complete))
            for parts in self._together(self._parts[len(complete) :]):
                yield "listing turns", parts[0]

                def list_turns(thread: int, parts: range = parts) -> int:
                    return _list_turns(
                        threads[thread],
                        values,
                        self.numbering,
                        parts[thread],
                        self._end(parts[thread]),
                    )

                for thread, words in zip(threads, in_threads(list_turns, len(parts)), strict=False):
                    file.write(np.uint32(words).tobytes())
                    file.write(thread.listed[:words].tobytes())
                file.flush()

    def _sweep(self, lists: list[Any], values: Any, distance: int) -> Iterator[tuple[str, int]]:
        """Find all positions that are decided in a distance."""
        values = np.asarray(values)
        for parts in self._together(self._parts):
            yield f"decided in {distance}", parts[0]

            def sweep(thread: int, parts: range = parts) -> None:
                board = parts[thread]
                _sweep(lists[board // _PART], values, board, self._end(board), distance)

            in_threads(sweep, len(parts))

    def _complete_parts(self) -> Iterator[int]:
        """Yield the number of words of each part of the lists that was written as a whole."""
        size, place = self._lists.stat().st_size, 0
        with self._lists.open("rb") as file:
            while place + _WORD <= size:
                file.seek(place)
                words = int(np.frombuffer(file.read(_WORD), np.uint32)[0])
                place += _WORD * (1 + words)
                if words and place <= size:
                    yield words

    def _read_lists(self) -> list[Any]:
        """The lists of each part, mapped into memory: uint32 of shape (words,)."""
        with failing_as(self._lists, "read"):
            # Copy-on-write, as in `EndgameFile.read`.
            content = np.asarray(np.memmap(self._lists, np.uint32, "c"))
            ends = np.cumsum([1 + words for words in self._complete_parts()])
        return [part[1:] for part in np.split(content, ends[:-1])]

    def _end(self, board: int) -> int:
        """The index after that of the last board of the part that begins with a board."""
        return min(board + _PART, self.numbering.boards)

    def _together(self, parts: range) -> Iterator[range]:
        """Yield the parts, by their first boards, as many at a time as there are cores."""
        number = cores()
        return (parts[first : first + number] for first in range(0, len(parts), number))


def _workspaces() -> list[_Workspace]:
    """A workspace for each thread."""
    start = GameConfig().starts()[0]
    words = NUM_ERAS * _PART * _MOST_WORDS
    return [
        _Workspace(
            new_turn_generator(),
            start.copy(),
            np.zeros(NUM_ERAS, np.int64),
            np.zeros(words, np.uint32),
        )
        for _ in range(cores())
    ]
