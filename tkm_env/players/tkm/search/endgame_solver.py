"""Makes tables of endgames by retrograde analysis in forward sweeps, and proves them.

The sweep for a distance d looks at every position that is not decided yet. For odd d, it finds
positions from which some turn leads to a position that is lost for the opponent in d - 1 turns. For
even d, it finds positions from which all turns lead to positions that are won for the opponent. The
result of a sweep depends only on earlier sweeps, so it may be stopped anywhere and repeated.

The proof checks that each entry follows from the entries that one turn leads to. Distances decrease
along every line of best play, so an error would require another one nearer to the end of the game.
"""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.threads import in_threads
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import write_file
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
#: As the distance of a sweep, this stands for the proof, in which all entries count.
_PROOF: Final = _MOST + 1
#: The number of boards processed without a break.
_PART: Final = 1 << 14


class _Workspace(NamedTuple):
    """The workspace of one thread."""

    turns: TurnGenerator
    states: Any  # (1,) STATE
    worth: Any  # (3,) int64: the value of the best turn, by the other side's focus


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
def _look_ahead(
    work: _Workspace, values: Any, numbering: Numbering, first: int, distance: int
) -> None:
    """Find the values of three positions that differ only in the other side's focus.

    Args:
        work: a workspace; its ``worth`` is overwritten by the values.
        values: uint8 of shape (n,): the table.
        numbering: the numbering of its positions.
        first: the index of the first of the three positions.
        distance: only entries below this count. If it is even, only losses matter, so the search
            ends when none of the positions can be lost.
    """
    turns, state, worth = work.turns, work.states[0], work.worth
    state.focus[WHITE] = first // NUM_ERAS % NUM_ERAS
    state.focus[BLACK] = 0
    state.step = CHOOSE
    if not _write_board(state, first // FOCI, numbering):
        worth[:] = 0
        return
    if not write_mask(state, turns.masks[0], turns.scratch[0]):
        state.step = SHIFT
    worth[:] = -_MOST
    begin_turns(turns, work.states, 0)
    while next_turn(turns):
        after = turns.states[turns.length[0]]
        if after.step == OVER:
            worth[:] = _MOST
            return
        number = number_of(after, numbering)
        for other in range(NUM_ERAS):
            value = 1 if number == WINS_NOW else int(values[number + NUM_ERAS * other])
            if value == 0 or value >= distance:
                worth[other] = max(worth[other], 0)
            else:
                worth[other] = max(worth[other], value - _MOST if value & 1 else _MOST - value)
        if distance & 1 == 0 and worth[0] >= 0 and worth[1] >= 0 and worth[2] >= 0:
            return


@nogil_kernel
def _sweep(
    work: _Workspace, values: Any, numbering: Numbering, board: int, until: int, distance: int
) -> int:
    """Find the positions of some boards that are decided in a distance, or prove entries.

    Args:
        work: a workspace.
        values: uint8 of shape (n,): the table, in which all shorter distances are complete.
        numbering: the numbering of its positions.
        board: the index of the first board.
        until: the index after that of the last board.
        distance: the distance in turns of both sides; `_PROOF` to prove the entries instead.

    Returns:
        In a proof, the index of the first entry that does not follow from those that a turn leads
            to; -1 if there is none, and in a sweep.
    """
    for first in range(FOCI * board, FOCI * until, NUM_ERAS):
        if (
            distance == _PROOF
            or values[first] == 0
            or values[first + 1] == 0
            or values[first + 2] == 0
        ):
            _look_ahead(work, values, numbering, first, distance)
            for number in range(first, first + NUM_ERAS):
                worth = work.worth[number - first]
                follows = 0 if worth == 0 else _MOST - abs(worth) + 1
                if distance == _PROOF and values[number] != follows:
                    return number
                if values[number] == 0 and follows == distance:
                    values[number] = distance
    return -1


class EndgameSolver(EndgameFile):
    """Makes and proves a table in a file, on all cores."""

    def solve(self) -> Iterator[tuple[str, int]]:
        """Make the table, or resume with the sweep that was interrupted.

        Yields:
            A description of the current pass, and the number of boards processed in it.

        Raises:
            FileError: if the file cannot be read or written.
        """
        with LineFile(f"{self.path}.lock"):
            if not self.path.exists():
                write_file(self.path, bytes(self.size))
            content = self.map("r+")
            distance = max(1, int(content[:-1].max()))
            while content[-1] == 0:
                yield from self._pass(content[:-1], distance, f"decided in {distance}")
                content.flush()  # before anything that depends on it is written
                if distance not in content[:-1]:
                    content[-1] = distance - 1
                    content.flush()
                distance += 1

    def prove(self) -> Iterator[tuple[str, int]]:
        """Prove every entry from the entries that one turn leads to.

        Yields:
            The same as `solve` does.

        Raises:
            FileError: if an entry does not follow from the others, or the file cannot be read.
        """
        yield from self._pass(self.read().values, _PROOF, "proving")

    def _pass(self, values: Any, distance: int, doing: str) -> Iterator[tuple[str, int]]:
        """Make a pass through the table, on all cores, described as ``doing``."""
        states = GameConfig().starts()[0]
        threads = [
            _Workspace(new_turn_generator(), states.copy(), np.zeros(NUM_ERAS, np.int64))
            for _ in range(cores())
        ]
        bounds = np.zeros(len(threads) + 1, np.int64)

        def look(thread: int) -> int:
            return _sweep(
                threads[thread],
                np.asarray(values),
                self.numbering,
                bounds[thread],
                bounds[thread + 1],
                distance,
            )

        for first in range(0, self.numbering.boards, _PART):
            yield doing, first
            bounds[:] = np.linspace(first, min(first + _PART, self.numbering.boards), len(bounds))
            wrong = max(in_threads(look, len(threads)))
            if wrong >= 0:
                raise FileError(
                    self.path,
                    f"entry {wrong} does not follow from its neighbours; "
                    "remove the file and start again",
                )
