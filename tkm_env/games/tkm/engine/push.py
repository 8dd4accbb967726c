"""RULES §4: how pieces give way, die and leave the board, whatever pushes them.

It is also about how statue steps are passed on (§6).
"""

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
    """Kill a copy.

    It does not return to the supply (§3) unless its owner has `second-wind`; by that power's second
    text, only copies that die in the future return.

    Args:
        state: the game.
        era: the era of the copy, 0 to 2.
        space: its space, 0 to 15.
        how: the kind of its death, an index into `KINDS`.
        scratch: the workspace.
    """
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
    """Take a shrub or a tree, standing or fallen, off the board.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space of the piece, 0 to 15.
        scratch: the workspace.
    """
    note(scratch, REMOVED, era, space, state.cell[era, space], NOWHERE)
    state.cell[era, space] = EMPTY


@inlined
def remove_shrub(state: State, era: int, space: int, scratch: Scratch) -> None:
    """Take a shrub off the board; §5 un-grow.

    In the next era the standing tree on its space leaves the board, too, and every fallen tree
    whose trunk points at that space.

    Args:
        state: the game.
        era: the era of the shrub, 0 to 2.
        space: its space, 0 to 15.
        scratch: the workspace.
    """
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
    """Take a seed off the board; §5 un-grow.

    A shrub on the same space of the next era leaves the board, too.

    Args:
        state: the game.
        era: the era of the seed, 0 to 2.
        space: its space, 0 to 15.
        scratch: the workspace.
    """
    note(scratch, REMOVED, era, space, SEED, NOWHERE)
    take_seed(state, era, space)
    if era != FUTURE and state.cell[era + 1, space] == SHRUB:
        remove_shrub(state, era + 1, space, scratch)


@inlined
def shift(state: State, era: int, space: int, direction: int, how: int, scratch: Scratch) -> None:
    """Move a copy, tree or statue, pushed or pulled, one step onto a free space.

    A tree or statue first removes a seed there (R7). A tree falls, with its trunk pointing back. A
    statue's step is recorded.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space of the piece, 0 to 15.
        direction: the direction of the step, 0 to 3.
        how: the kind of event to log unless a tree topples, an index into `KINDS`.
        scratch: the workspace.
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
    """The piece that the piece on ``space`` would meet on the next space, or `WALL`."""
    onward = NEIGHBOUR[direction, space]
    return WALL if onward == NOWHERE else state.cell[era, onward]


@inlined
def _passes_on(state: State, piece: int, ahead: int) -> bool:
    """Whether a pushed ``piece`` pushes the piece ahead of it.

    A copy pushes on a copy of the other colour; with `kinship` also one of its own (R12).
    """
    if ahead == EMPTY or ahead >= IMMOVABLE:
        return False
    if ahead >= TREE:
        return True
    if piece >= TREE:
        return piece != TREE
    return piece != ahead or state.power[piece - COPY] == KINSHIP


@inlined
def chain_end(state: State, era: int, space: int, direction: int) -> int:
    """The space of the foremost piece in the chain that a push would affect.

    Whatever is ahead of that piece stays, or is a copy that dies with it or under it.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space of the piece that is pushed, 0 to 15.
        direction: the direction of the push, 0 to 3.

    Returns:
        The space; `NOWHERE` if the piece on ``space`` would not give way.
    """
    end = space
    while _passes_on(state, state.cell[era, end], _ahead(state, era, end, direction)):
        end = NEIGHBOUR[direction, end]
    if state.cell[era, end] >= TREE and _ahead(state, era, end, direction) >= IMMOVABLE:
        # A tree or statue cannot move, and neither can those directly behind it. The first copy
        # behind them is squished against them.
        while state.cell[era, end] >= TREE:
            if end == space:
                return NOWHERE
            end = NEIGHBOUR[OPPOSITE[direction], end]
    return end


@inlined
def _fate(piece: int, ahead: int) -> int:
    """What happens to the last piece of a chain.

    It is pushed, squished, dies with a copy of its colour, or crushes the copy that it falls on.
    """
    if ahead == EMPTY:
        return PUSHED
    if piece >= TREE:
        return CRUSH
    return PARADOX if ahead == piece else SQUISH


@inlined
def deaths(state: State, era: int, space: int, direction: int) -> int:
    """The copies that would die if a piece were pushed.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space of the piece, 0 to 15; it must be one that can be pushed.
        direction: the direction of the push, 0 to 3.

    Returns:
        The spaces of these copies, as bits.
    """
    end = chain_end(state, era, space, direction)
    if end == NOWHERE:
        return 0
    fate = _fate(state.cell[era, end], _ahead(state, era, end, direction))
    dead = 1 << end if fate in (PARADOX, SQUISH) else 0
    return dead | 1 << NEIGHBOUR[direction, end] if fate in (PARADOX, CRUSH) else dead


@inlined
def gives_way(state: State, era: int, space: int, direction: int) -> bool:
    """Whether `push` would return True; changes nothing.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space to be made free, 0 to 15.
        direction: the direction of the push, 0 to 3.

    Returns:
        Whether the space would be free.
    """
    piece = state.cell[era, space]
    if piece < TREE:
        return True
    return piece < IMMOVABLE and chain_end(state, era, space, direction) != NOWHERE


@inlined
def push_reaches(state: State, era: int, space: int, direction: int, target: int) -> bool:
    """Whether a push would move the piece on another space further along the line.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space to be made free, 0 to 15, which gives way.
        direction: the direction of the push, 0 to 3.
        target: the other space, 0 to 15.

    Returns:
        Whether the push ends there.
    """
    return state.cell[era, space] != EMPTY and chain_end(state, era, space, direction) == target


@inlined
def push(state: State, era: int, space: int, direction: int, scratch: Scratch) -> bool:
    """§4: make what stands on a space give way by one step.

    A chain moves front to back (R5).

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space to be made free, 0 to 15.
        direction: the direction of the push, 0 to 3.
        scratch: the workspace.

    Returns:
        Whether the space is free afterwards; if not, nothing has changed.
    """
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
    """The space of a statue or an elephant.

    Args:
        state: the game.
        era: the era, 0 to 2.
        piece: the code of the statue or elephant.

    Returns:
        Its space, or `NOWHERE`.
    """
    for space in range(NUM_SPACES):
        if state.cell[era, space] == piece:
            return space
    return NOWHERE


@inlined
def is_empty(state: State, era: int, space: int) -> bool:
    """§1: whether a space has no copy, no object and no seed.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space, 0 to 15.

    Returns:
        Whether it is empty.
    """
    return state.cell[era, space] == EMPTY and not has_seed(state, era, space)


@inlined
def is_statue(state: State, era: int, space: int) -> bool:
    """Whether a statue stands on a space.

    Args:
        state: the game.
        era: the era, 0 to 2.
        space: the space, 0 to 15, or `NOWHERE`, where there is none.

    Returns:
        Whether there is one.
    """
    return space != NOWHERE and ORANGE <= state.cell[era, space] < IMMOVABLE


@inlined
def take_steps(state: State, era: int, first: int, until: int, scratch: Scratch) -> None:
    """§6 propagate move: try steps that statues took in another era.

    They are tried in order, each separately (R5).

    Args:
        state: the game.
        era: the era in which to try them, 0 to 2.
        first: the index of the first of these steps in the workspace.
        until: the index after the last one.
        scratch: the workspace, which also records the steps that succeed.
    """
    for number in range(first, until):
        space = find(state, era, scratch.step_statue[number])
        if space != NOWHERE:
            push(state, era, space, scratch.step_direction[number], scratch)


@inlined
def pass_on_steps(state: State, era: int, scratch: Scratch) -> None:
    """§6: pass the steps of statues on to the later eras, one era after another (R5).

    With `ripple` the steps of the action's own era then go to the earlier eras, too (R14).

    Args:
        state: the game.
        era: the era of the action, 0 to 2.
        scratch: the workspace, which holds the steps taken in that era.
    """
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
