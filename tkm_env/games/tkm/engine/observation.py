"""What a player sees, written from the state by one function, plane by plane."""

from typing import Final

from tkm_env.compiled.array_types import Row, Words
from tkm_env.compiled.bits import BYTES, write_equal, write_fill, write_ones
from tkm_env.compiled.decorators import cached_inlined, inlined
from tkm_env.games.tkm.engine.geometry import NOWHERE, NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.planes import NUM_PLANES, PLANES, PLANES_PER_ERA, POWER_PLANES
from tkm_env.games.tkm.engine.state import (
    CHAPTERS,
    COPY,
    ELEPHANT,
    FALLEN,
    GROWTH,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    NOBODY,
    ORANGE,
    OVER,
    SHRUB,
    STATUE,
    TREE,
    State,
)

#: The index of the first plane of a name.
_number_of: Final = [plane.name for plane in PLANES].index
_MINE, _ACTIVE, _SEED, _SHRUB, _TREE, _FALLEN = map(
    _number_of, ("mine", "active", "seed", "shrub", "tree", "fallen north")
)
_ORANGE, _MY_STATUE, _DARK = map(_number_of, ("orange statue", "my statue", "dark elephant"))
_MY_HAT, _MY_FOCUS = map(_number_of, ("my hat", "my focus"))
_WHITE, _TO_ACT, _STEP, _ACTIONS_LEFT = map(
    _number_of, ("white", "to act", "choose", "actions left")
)
_FREE_ACTION, _OFFERED, _MY_SUPPLY = map(_number_of, ("free action", "offered", "my supply"))
_MY_STATUE_UNBUILT, _CHAPTER, _EDITION_2022 = map(
    _number_of, ("my statue unbuilt", "growth", "edition 2022")
)
_MY_POWER, _MY_OVERTIME_SPENT, _REVEALED = map(
    _number_of, ("my power", "my overtime spent", "revealed")
)
_POWER_SHARE, _HUNDREDS, _UNITS = map(_number_of, ("power share", "turn, hundreds", "turn, units"))

#: A plane is written as words of eight spaces, a byte each.
_WORDS: Final = NUM_SPACES // BYTES


@cached_inlined
def write_observation(state: State, viewer: int, spaces: Row, words: Words) -> None:
    """Write what a player sees to one row, which is passed as two views of the same memory.

    Creating these views costs about as much as filling them, so the caller creates them for many
    games at once.

    Args:
        state: the game.
        viewer: the player, 0 or 1.
        spaces: the row as int8, one element for each space of each plane.
        words: the row as uint64.
    """
    for word in range(NUM_PLANES * _WORDS):
        words[word] = 0
    for era in range(NUM_ERAS):
        if state.chapters:
            _write_objects(state, viewer, era, spaces)
        for theirs in range(2):
            write_equal(
                spaces,
                (era * PLANES_PER_ERA + _MINE + theirs) * NUM_SPACES,
                state.cell[era],
                COPY + (viewer ^ theirs),
            )
    if state.active_era != NOWHERE:
        spaces[(state.active_era * PLANES_PER_ERA + _ACTIVE) * NUM_SPACES + state.active_space] = 1
    _write_players(state, viewer, spaces)
    _write_game(state, viewer, spaces)


@inlined
def _write_everywhere(spaces: Row, plane: int, value: int) -> None:
    """Write ``value``, 0 to 127, on all spaces of a plane."""
    # Without numba, ``plane`` may be an integer of eight bits.
    write_fill(spaces, int(plane) * NUM_SPACES, value)


@inlined
def _write_objects(state: State, viewer: int, era: int, spaces: Row) -> None:
    """Write what an era holds besides copies; planes of chapters not in play stay 0."""
    first, cells = era * PLANES_PER_ERA, state.cell[era]
    if state.chapters & GROWTH:
        write_ones(spaces, (first + _SEED) * NUM_SPACES, state.seed[era])
        write_equal(spaces, (first + _SHRUB) * NUM_SPACES, cells, SHRUB)
        write_equal(spaces, (first + _TREE) * NUM_SPACES, cells, TREE)
        for trunk in range(4):
            write_equal(spaces, (first + _FALLEN + trunk) * NUM_SPACES, cells, FALLEN + trunk)
    if state.chapters & INFLUENCE:
        write_equal(spaces, (first + _ORANGE) * NUM_SPACES, cells, ORANGE)
        for theirs in range(2):
            write_equal(
                spaces,
                (first + _MY_STATUE + theirs) * NUM_SPACES,
                cells,
                STATUE + (viewer ^ theirs),
            )
    if state.chapters & MEMORY:
        for elephant in range(2):
            write_equal(spaces, (first + _DARK + elephant) * NUM_SPACES, cells, ELEPHANT + elephant)
            wearer = state.hat[elephant, era]
            if wearer != NOBODY:
                write_equal(
                    spaces,
                    (first + _MY_HAT + int(wearer ^ viewer)) * NUM_SPACES,
                    cells,
                    ELEPHANT + elephant,
                )


@inlined
def _write_players(state: State, viewer: int, spaces: Row) -> None:
    for theirs in range(2):
        player = viewer ^ theirs
        if state.focus[player] != NOWHERE:
            _write_everywhere(spaces, state.focus[player] * PLANES_PER_ERA + _MY_FOCUS + theirs, 1)
        _write_everywhere(spaces, _MY_SUPPLY + theirs, state.supply[player])
        _write_everywhere(spaces, _MY_STATUE_UNBUILT + theirs, state.unbuilt[player])
        _write_everywhere(spaces, _MY_OVERTIME_SPENT + theirs, state.overtime_spent[player])
        if state.power[player] != NO_POWER:
            spaces[(_MY_POWER + theirs * POWER_PLANES) * NUM_SPACES + int(state.power[player])] = 1


@inlined
def _write_game(state: State, viewer: int, spaces: Row) -> None:
    _write_everywhere(spaces, _WHITE, viewer == 0)
    if state.step != OVER:
        _write_everywhere(spaces, _TO_ACT, state.to_act == viewer)
        _write_everywhere(spaces, _STEP + state.step, 1)
    _write_everywhere(spaces, _ACTIONS_LEFT, state.actions_left)
    _write_everywhere(spaces, _FREE_ACTION, state.free_action)
    _write_everywhere(spaces, _OFFERED, state.offered)
    for chapter in range(len(CHAPTERS)):
        _write_everywhere(spaces, _CHAPTER + chapter, (state.chapters >> chapter) & 1)
    _write_everywhere(spaces, _EDITION_2022, state.edition)
    _write_everywhere(spaces, _POWER_SHARE, state.power_share)
    _write_everywhere(spaces, _HUNDREDS, state.turn // 100)
    _write_everywhere(spaces, _UNITS, state.turn % 100)
    for number in range(4):
        if state.revealed[number] != NO_POWER:
            spaces[_REVEALED * NUM_SPACES + int(state.revealed[number])] = number + 1
