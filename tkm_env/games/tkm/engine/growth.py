"""RULES §5, chapter 1: plant and remove seeds, grow.

Un-growing is in `push`, since many actions can remove a seed.
"""

from tkm_env.compiled.array_types import Mask
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.actions import HERE, PLANTS, REMOVES
from tkm_env.games.tkm.engine.bitboards import count_seeds, has_seed, lay_seed
from tkm_env.games.tkm.engine.event_log import GREW, PLANTED, note
from tkm_env.games.tkm.engine.geometry import FUTURE, NEIGHBOUR, NOWHERE, NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.push import is_empty, remove_seed
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import (
    EDITION_2022,
    EMPTY,
    FALLEN,
    PIECES_OF_GROWTH,
    SEED,
    SHRUB,
    TREE,
    State,
)

_PLACES = 5  # the active copy's own space and the four beside it


@inlined
def _seeds_left(state: State) -> bool:
    return count_seeds(state) < PIECES_OF_GROWTH


@inlined
def _shrubs_left(state: State) -> bool:
    placed = 0
    for era in range(NUM_ERAS):
        for space in range(NUM_SPACES):
            placed += state.cell[era, space] == SHRUB
    return placed < PIECES_OF_GROWTH


@inlined
def _trees_left(state: State) -> bool:
    placed = 0
    for space in range(NUM_SPACES):
        piece = state.cell[FUTURE, space]
        placed += piece == TREE or FALLEN <= piece < FALLEN + 4
    return placed < PIECES_OF_GROWTH


@inlined
def _place(here: int, number: int) -> int:
    """A place by its index: ``here``, then the spaces north, east, south and west of it.

    It is `NOWHERE` beyond a wall.
    """
    return here if number == HERE else NEIGHBOUR[number - 1, here]


@inlined
def _may_plant(state: State, era: int, space: int) -> bool:
    """Whether a seed may be planted on an adjacent space.

    It must be empty; by the revised rules it may also hold a copy (ES 16).
    """
    piece = state.cell[era, space]
    return bool(piece == EMPTY or (state.edition == EDITION_2022 and piece < TREE))


@inlined
def legal(state: State, mask: Mask) -> None:
    """Mark where the active copy may plant and remove seeds.

    Args:
        state: the game, at the step that takes an action.
        mask: where to write: int8 of shape (actions,), with 0 for these actions.
    """
    era, here = state.active_era, state.active_space
    seeds_left = _seeds_left(state)
    for number in range(_PLACES):
        space = _place(here, number)
        if space == NOWHERE:
            continue
        if has_seed(state, era, space):
            mask[REMOVES + number] = 1
        elif seeds_left and (number == HERE or _may_plant(state, era, space)):
            mask[PLANTS + number] = 1


@inlined
def apply(state: State, action: int, scratch: Scratch) -> None:
    """Take a legal plant or remove action.

    Args:
        state: the game.
        action: the action's index.
        scratch: the workspace.
    """
    era, here = state.active_era, state.active_space
    if action >= REMOVES:
        remove_seed(state, era, _place(here, action - REMOVES), scratch)
    else:
        _plant(state, era, _place(here, action - PLANTS), scratch)


@inlined
def _plant(state: State, era: int, space: int, scratch: Scratch) -> None:
    """§5 plant and grow.

    A shrub grows in the next era and a tree in the one after it, as long as spaces are empty and
    supplies last.
    """
    lay_seed(state, era, space)
    note(scratch, PLANTED, era, space, SEED, NOWHERE)
    if era == FUTURE or not is_empty(state, era + 1, space) or not _shrubs_left(state):
        return
    state.cell[era + 1, space] = SHRUB
    note(scratch, GREW, era + 1, space, SHRUB, NOWHERE)
    if era + 1 == FUTURE or not is_empty(state, era + 2, space) or not _trees_left(state):
        return
    state.cell[era + 2, space] = TREE
    note(scratch, GREW, era + 2, space, TREE, NOWHERE)
