"""RULES §4: how pieces give way, die and leave the board, and how statue steps are passed on, whatever pushes."""

from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.bitboards import has_seed, take_seed
from tkm_env.games.tkm.engine.event_log import (
    CRUSH,
    PARADOX,
    PUSHED,
    REMOVED,
    RETURNED,
    SQUISH,
    TOPPLED,
    note,
)
from tkm_env.games.tkm.engine.geometry import (
    FUTURE,
    NEIGHBOUR,
    NOWHERE,
    NUM_ERAS,
    NUM_SPACES,
    OPPOSITE,
)
from tkm_env.games.tkm.engine.powers import KINSHIP, RIPPLE, SECOND_WIND
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import (
    COPY,
    EMPTY,
    FALLEN,
    IMMOVABLE,
    ORANGE,
    SECOND_TEXTS,
    SEED,
    SHRUB,
    TREE,
    WALL,
    State,
)


@inlined
def kill(state: State, era: int, space: int, how: int, scratch: Scratch) -> None:
    """The copy there dies. It does not return to the supply (§3), but with `second-wind`, by its second text only from the future."""
    copy = state.cell[era, space]
    note(scratch, how, era, space, copy, NOWHERE)
    if state.power[copy - COPY] == SECOND_WIND and (
        era == FUTURE or state.power_texts != SECOND_TEXTS
    ):
        state.supply[copy - COPY] += 1
        note(scratch, RETURNED, era, space, copy, NOWHERE)
    state.cell[era, space] = EMPTY
    if state.active_era == era and state.active_space == space:
        state.active_era = NOWHERE
        state.active_space = NOWHERE


@inlined
def remove(state: State, era: int, space: int, scratch: Scratch) -> None:
    """A tree, standing or fallen, leaves the board."""
    note(scratch, REMOVED, era, space, state.cell[era, space], NOWHERE)
    state.cell[era, space] = EMPTY


@inlined
def remove_shrub(state: State, era: int, space: int, scratch: Scratch) -> None:
    """§5 un-grow: with a shrub go, in the next era, the tree on its space and the fallen trees whose trunk points at it."""
    remove(state, era, space, scratch)
    if era == FUTURE:
        return
    if state.cell[era + 1, space] == TREE:
        remove(state, era + 1, space, scratch)
    for direction in range(4):
        beside = NEIGHBOUR[direction, space]
        if beside != NOWHERE and state.cell[era + 1, beside] == FALLEN + OPPOSITE[direction]:
            remove(state, era + 1, beside, scratch)


@inlined
def remove_seed(state: State, era: int, space: int, scratch: Scratch) -> None:
    """§5 un-grow: with a seed goes a shrub on the same space of the next era."""
    note(scratch, REMOVED, era, space, SEED, NOWHERE)
    take_seed(state, era, space)
    if era != FUTURE and state.cell[era + 1, space] == SHRUB:
        remove_shrub(state, era + 1, space, scratch)


@inlined
def shift(state: State, era: int, space: int, direction: int, how: int, scratch: Scratch) -> None:
    """Move the copy, tree or statue on ``space``, pushed or pulled, one step onto the next space, which is free. Trees and statues remove a
    seed there before they move (R7); a tree falls, its trunk pointing back; a statue's step is recorded.
    """
    piece = state.cell[era, space]
    onward = NEIGHBOUR[direction, space]
    if piece >= TREE and has_seed(state, era, onward):
        remove_seed(state, era, onward, scratch)
    note(scratch, TOPPLED if piece == TREE else how, era, space, piece, onward)
    state.cell[era, space] = EMPTY
    if piece == TREE:
        state.cell[era, onward] = FALLEN + OPPOSITE[direction]
        return
    state.cell[era, onward] = piece
    if piece >= ORANGE:
        scratch.step_statue[scratch.steps] = piece
        scratch.step_direction[scratch.steps] = direction
        scratch.steps += 1
    elif state.active_era == era and state.active_space == space:
        state.active_space = onward


@inlined
def _ahead(state: State, era: int, space: int, direction: int) -> int:
    """What the piece on ``space`` would meet: the piece on the next space, or `WALL`."""
    onward = NEIGHBOUR[direction, space]
    return WALL if onward == NOWHERE else state.cell[era, onward]


@inlined
def _passes_on(state: State, piece: int, ahead: int) -> bool:
    """Whether a pushed ``piece`` pushes on what it meets: a copy one of the other colour, with `kinship` also its own (R12)."""
    if ahead == EMPTY or ahead >= IMMOVABLE:
        return False
    if ahead >= TREE:
        return True
    if piece >= TREE:
        return piece != TREE
    return piece != ahead or state.power[piece - COPY] == KINSHIP


@inlined
def chain_end(state: State, era: int, space: int, direction: int) -> int:
    """The last space whose piece a push would change, or `NOWHERE` if the piece on ``space`` would not give way."""
    end = space
    while _passes_on(state, state.cell[era, end], _ahead(state, era, end, direction)):
        end = NEIGHBOUR[direction, end]
    if state.cell[era, end] >= TREE and _ahead(state, era, end, direction) >= IMMOVABLE:
        # A tree or statue is stopped, and so is each one behind it; the first copy behind them is squished against them.
        while state.cell[era, end] >= TREE:
            if end == space:
                return NOWHERE
            end = NEIGHBOUR[OPPOSITE[direction], end]
    return end


@inlined
def _fate(piece: int, ahead: int) -> int:
    """What befalls the last piece of a chain: it is pushed, squished, dies with a copy like it, or crushes the copy that it falls on."""
    if ahead == EMPTY:
        return PUSHED
    if piece >= TREE:
        return CRUSH
    return PARADOX if ahead == piece else SQUISH


@inlined
def deaths(state: State, era: int, space: int, direction: int) -> int:
    """The spaces, as bits, of the copies that would die if what stands on ``space``, a piece that can be pushed, were pushed."""
    end = chain_end(state, era, space, direction)
    if end == NOWHERE:
        return 0
    fate = _fate(state.cell[era, end], _ahead(state, era, end, direction))
    dead = 1 << end if fate in (PARADOX, SQUISH) else 0
    return dead | 1 << NEIGHBOUR[direction, end] if fate in (PARADOX, CRUSH) else dead


@inlined
def gives_way(state: State, era: int, space: int, direction: int) -> bool:
    """Whether ``push`` would return True; changes nothing."""
    piece = state.cell[era, space]
    if piece < TREE:
        return True
    return piece < IMMOVABLE and chain_end(state, era, space, direction) != NOWHERE


@inlined
def push_reaches(state: State, era: int, space: int, direction: int, target: int) -> bool:
    """Whether the push of what stands on ``space``, which gives way, would move the piece on ``target``, further along the line."""
    return state.cell[era, space] != EMPTY and chain_end(state, era, space, direction) == target


@inlined
def push(state: State, era: int, space: int, direction: int, scratch: Scratch) -> bool:
    """§4: make what stands there give way by one step, a chain front to back (R5); returns whether the space is then free."""
    piece = state.cell[era, space]
    if piece == EMPTY:
        return True
    if piece >= IMMOVABLE:
        return False
    end = chain_end(state, era, space, direction)
    if end == NOWHERE:
        return False
    fate = _fate(state.cell[era, end], _ahead(state, era, end, direction))
    if fate in (PARADOX, SQUISH):
        kill(state, era, end, fate, scratch)
    if fate in (PARADOX, CRUSH):
        kill(state, era, NEIGHBOUR[direction, end], fate, scratch)
    if fate in (PUSHED, CRUSH):
        shift(state, era, end, direction, PUSHED, scratch)
    while end != space:
        end = NEIGHBOUR[OPPOSITE[direction], end]
        shift(state, era, end, direction, PUSHED, scratch)
    return True


@inlined
def find(state: State, era: int, piece: int) -> int:
    """The space of that statue or elephant in that era, or `NOWHERE`."""
    for space in range(NUM_SPACES):
        if state.cell[era, space] == piece:
            return space
    return NOWHERE


@inlined
def is_empty(state: State, era: int, space: int) -> bool:
    """§1: no copy, no object and no seed."""
    return state.cell[era, space] == EMPTY and not has_seed(state, era, space)


@inlined
def is_statue(state: State, era: int, space: int) -> bool:
    """Whether a statue stands there; False if ``space`` is `NOWHERE`."""
    return space != NOWHERE and ORANGE <= state.cell[era, space] < IMMOVABLE


@inlined
def take_steps(state: State, era: int, first: int, until: int, scratch: Scratch) -> None:
    """§6 propagate move: try the steps ``first`` to ``until`` that statues took in the previous era, in order, each separately (R5)."""
    for number in range(first, until):
        space = find(state, era, scratch.step_statue[number])
        if space != NOWHERE:
            push(state, era, space, scratch.step_direction[number], scratch)


@inlined
def pass_on_steps(state: State, era: int, scratch: Scratch) -> None:
    """§6: pass the steps that statues took on to the later eras, one after another (R5); with `ripple` then to the earlier (R14)."""
    own = scratch.steps
    first, until = 0, own
    for later in range(era + 1, NUM_ERAS):
        take_steps(state, later, first, until, scratch)
        first, until = until, scratch.steps
    if state.power[state.to_act] == RIPPLE:
        first, until = 0, own
        for distance in range(era):
            before = scratch.steps
            take_steps(state, era - 1 - distance, first, until, scratch)
            first, until = before, scratch.steps
