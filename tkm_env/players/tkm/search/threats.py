"""Estimates of the copies that a side could kill in its turn, made without playing it.

They include most of these copies, and few others. They leave out what two actions achieve together
(unless the second continues the first in a line), statues that a build displaces, and what
elephants push. Of powers, they know those by which copies and elephants reach or push more.
"""

from typing import Any

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.bitboards import (
    ALL_SPACES,
    AT_WALL,
    beside,
    one_step,
    where,
    where_below,
)
from tkm_env.games.tkm.engine.geometry import (
    EAST,
    FUTURE,
    NEIGHBOUR,
    NORTH,
    NOWHERE,
    NUM_ERAS,
    NUM_SPACES,
    OPPOSITE,
    PAST,
    SOUTH,
    WIDTH,
)
from tkm_env.games.tkm.engine.memory import is_loyal, whispers
from tkm_env.games.tkm.engine.powers import (
    BRUSHWOOD,
    BULLDOZE,
    DOORWAY,
    EXCHANGE,
    EXPRESS,
    OVERTIME,
    RIPPLE,
    WHISPERER,
)
from tkm_env.games.tkm.engine.push import chain_end, deaths, gives_way
from tkm_env.games.tkm.engine.state import (
    COPY,
    ELEPHANT,
    EMPTY,
    FALLEN,
    IMMOVABLE,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    NOBODY,
    ORANGE,
    SECOND_TEXTS,
    SHRUB,
    TREE,
)


@inlined
def endangered(state: Any, attacker: int, knows_powers: bool) -> int:
    """Estimate which copies a side could kill in a turn from its focus.

    Args:
        state: of dtype STATE, between two turns; changed during the call and restored.
        attacker: the index of the player who attacks, not necessarily the one to act.
        knows_powers: whether powers count.

    Returns:
        A bit for each copy of the other side in danger: bit ``16 * era + space``.
    """
    era = int(max(state.focus[attacker], 0))  # without numba, an int8 would overflow
    power = state.power[attacker] if knows_powers else NO_POWER
    standing = where(state, era, COPY + attacker)
    killed, reached = _first_move(state, attacker, power, knows_powers, era, standing)
    killed |= _last_action(state, attacker, power, era, reached)
    farthest = 2 if power == EXPRESS else 1
    for other in range(max(era - farthest, PAST), min(era + farthest, FUTURE) + 1):
        if other > era or (other < era and state.supply[attacker]):
            arriving = standing & where(state, other, EMPTY)
            killed |= _last_action(state, attacker, power, other, arriving)
    theirs = 0
    for each in range(NUM_ERAS):
        theirs |= where(state, each, COPY + 1 - attacker) << NUM_SPACES * each
    return killed & theirs


@inlined
def _pushable(state: Any, attacker: int, era: int) -> int:
    """Return the spaces of trees, statues and the other side's copies, which can be pushed."""
    return (
        where_below(state, era, IMMOVABLE)
        ^ where(state, era, EMPTY)
        ^ where(state, era, COPY + attacker)
    )


@inlined
def _entered(movers: int, direction: int, power: int) -> int:
    """Return the spaces that copies enter by a step; with `doorway`, walls do not stop them."""
    entered = one_step(movers, direction)
    if power != DOORWAY:
        return entered
    at_wall, across = movers & AT_WALL[direction], WIDTH - 1
    if direction == NORTH:
        return entered | at_wall << WIDTH * across
    if direction == EAST:
        return entered | at_wall >> across
    return entered | (at_wall >> WIDTH * across if direction == SOUTH else at_wall << across)


@inlined
def _may_command(
    state: Any, attacker: int, power: int, elephant: int, era: int, is_last: bool
) -> bool:
    """Whether the attacker may command an elephant, with a turn's last action or before it."""
    wearing = state.hat[elephant, era]
    return wearing == attacker or (
        wearing == NOBODY and power != NO_POWER and whispers(state, attacker, is_last)
    )


@inlined
def _first_move(
    state: Any, attacker: int, power: int, knows_powers: bool, era: int, standing: int
) -> tuple[int, int]:
    """Find what a first action leads to.

    Args:
        state: of dtype STATE; changed during the call and restored.
        attacker: the index of the player who attacks.
        power: the attacker's power, or `NO_POWER`.
        knows_powers: whether the other side's power counts.
        era: the era of the attacker's focus.
        standing: the spaces of the attacker's copies there, as bits.

    Returns:
        The spaces where something dies by a second action that continues the first, over all eras;
        and the spaces of ``era`` that the attacker's copies can be on after at most one move.
    """
    free, pushable = where(state, era, EMPTY), _pushable(state, attacker, era)
    if power == BRUSHWOOD:
        free |= where_below(state, era, ELEPHANT) ^ where_below(state, era, IMMOVABLE)
    if power == EXCHANGE:
        free |= where_below(state, era, TREE)
    killed, reached = 0, standing
    for direction in range(4):
        entered = _entered(standing, direction, power)
        reached |= entered & free
        entered &= pushable
        while entered:
            space = count_bits((entered & -entered) - 1)
            entered &= entered - 1
            if chain_end(state, era, space, direction) != NOWHERE:
                reached |= 1 << space
                killed |= _second_push(state, era, space, direction)
                if state.chapters & INFLUENCE:
                    killed |= _by_pushed_statues(state, power, era, space, direction, True)
    if state.chapters & INFLUENCE and state.unbuilt[attacker]:
        killed |= _by_built_statues(state, era, standing, True)
    if state.chapters & MEMORY and standing:
        for elephant in range(2):
            here = where(state, era, ELEPHANT + elephant)
            if _may_command(state, attacker, power, elephant, era, False):
                killed |= (
                    beside(here | beside(here) & where_below(state, era, TREE)) << NUM_SPACES * era
                )
                if power == WHISPERER:  # with it, elephants act often: what they push counts
                    killed |= _by_elephant(state, power, era, elephant, True)
            elif beside(here) & standing and not (
                knows_powers and is_loyal(state, attacker, elephant, era)
            ):
                killed |= beside(here) << NUM_SPACES * era
    if power == OVERTIME and not state.overtime_spent[attacker]:
        reached |= beside(reached) & free
    return killed, reached


@inlined
def _last_action(state: Any, attacker: int, power: int, era: int, movers: int) -> int:
    """Find where something dies by one action of an attacker's copy on one of these spaces."""
    if movers == 0:
        return 0
    killed = 0
    pushable = _pushable(state, attacker, era)
    for direction in range(4):
        entered = _entered(movers, direction, power) & pushable
        while entered:
            space = count_bits((entered & -entered) - 1)
            entered &= entered - 1
            if (
                power == BULLDOZE
                and state.cell[era, space] < TREE
                and state.power_texts != SECOND_TEXTS
                and chain_end(state, era, space, direction) != NOWHERE
            ):
                killed |= _second_push(state, era, space, direction)
            killed |= deaths(state, era, space, direction) << NUM_SPACES * era
            if state.chapters & INFLUENCE:
                killed |= _by_pushed_statues(state, power, era, space, direction, False)
    if state.chapters & INFLUENCE:
        killed |= _by_pulled_statues(state, power, era, movers)
        if state.unbuilt[attacker]:
            killed |= _by_built_statues(state, era, movers, False)
    if state.chapters & MEMORY:
        for elephant in range(2):
            if _may_command(state, attacker, power, elephant, era, True):
                killed |= beside(where(state, era, ELEPHANT + elephant)) << NUM_SPACES * era
                if power == WHISPERER:
                    killed |= _by_elephant(state, power, era, elephant, False)
    return killed


@inlined
def _by_elephant(state: Any, power: int, era: int, elephant: int, twice: bool) -> int:
    """Find where something dies by what an elephant pushes.

    With ``twice``, deaths count by a command that continues a first one, or follows it.
    """
    here = count_bits(where(state, era, ELEPHANT + elephant) - 1)
    killed = _by_elephant_on(state, power, era, here, twice)
    if twice:
        for direction in range(4):
            there = NEIGHBOUR[direction, here]
            if there == NOWHERE:
                continue
            entered = state.cell[era, there]
            if entered < TREE or SHRUB <= entered < ELEPHANT:
                killed |= _by_elephant_on(state, power, era, there, False)
    return killed


@inlined
def _by_elephant_on(state: Any, power: int, era: int, here: int, twice: bool) -> int:
    """Find where something dies by what an elephant on a space pushes."""
    killed = 0
    for direction in range(4):
        there = NEIGHBOUR[direction, here]
        if there == NOWHERE or not TREE <= state.cell[era, there] < SHRUB:
            continue
        if gives_way(state, era, there, direction):
            killed |= _pushed(state, era, there, direction, twice)
            if state.chapters & INFLUENCE:
                killed |= _by_pushed_statues(state, power, era, there, direction, twice)
    return killed


@inlined
def _second_push(state: Any, era: int, space: int, direction: int) -> int:
    """Find where something dies by the second of two pushes of the object on ``space``.

    The object must give way to the first push. The cells are changed and restored.
    """
    cells, end = state.cell[era], chain_end(state, era, space, direction)
    free = NEIGHBOUR[direction, end]
    if free == NOWHERE or cells[free] != EMPTY:
        if end == space:
            return 0
        # The last one dies here, or rarely another behind it.
        free, end = end, NEIGHBOUR[OPPOSITE[direction], end]
    first, last, step = cells[free], cells[end], free - end
    for place in range(free, space, -step):
        cells[place] = cells[place - step]
    cells[space] = EMPTY
    if last == TREE:
        cells[free] = FALLEN + OPPOSITE[direction]
    killed = deaths(state, era, space + step, direction) if cells[space + step] < IMMOVABLE else 0
    for place in range(space, end, step):
        cells[place] = cells[place + step]
    cells[end], cells[free] = last, first
    beyond = one_step(1 << free, direction)
    return (killed & beyond | one_step(killed & ~beyond, OPPOSITE[direction])) << NUM_SPACES * era


@inlined
def _by_pushed_statues(
    state: Any, power: int, era: int, space: int, direction: int, twice: bool
) -> int:
    """Find where something dies in other eras by statues that a push moves.

    The object on ``space`` is pushed; with ``twice``, deaths by the second of two such pushes
    count.
    """
    end, killed = chain_end(state, era, space, direction), 0
    while end != NOWHERE:
        if ORANGE <= state.cell[era, end] < IMMOVABLE:
            killed |= _by_steps(state, power, era, state.cell[era, end], direction, twice)
        end = NEIGHBOUR[OPPOSITE[direction], end] if end != space else NOWHERE
    return killed


@inlined
def _by_steps(state: Any, power: int, era: int, statue: int, direction: int, twice: bool) -> int:
    """Find where something dies in other eras by a statue's step in this one.

    Steps are passed on to later eras and, with `ripple`, to earlier ones. With ``twice``, deaths by
    the second step count.
    """
    killed = 0
    for onward in range(1, -2 if power == RIPPLE else 0, -2):
        other = era + onward
        while PAST <= other <= FUTURE:
            standing = where(state, other, statue)
            if standing == 0:
                break
            space = count_bits(standing - 1)
            if not gives_way(state, other, space, direction):
                break
            killed |= _pushed(state, other, space, direction, twice)
            other += onward
    return killed


@inlined
def _pushed(state: Any, era: int, space: int, direction: int, twice: bool) -> int:
    """Find where something dies by a push of the object on ``space``.

    With ``twice``, deaths by the second of two such pushes count.
    """
    if twice:
        return _second_push(state, era, space, direction)
    return deaths(state, era, space, direction) << NUM_SPACES * era


@inlined
def _by_pulled_statues(state: Any, power: int, era: int, movers: int) -> int:
    """Find where something dies in other eras when a copy on one of ``movers`` pulls a statue."""
    killed, empty = 0, where(state, era, EMPTY)
    statues = where_below(state, era, IMMOVABLE) ^ where_below(state, era, ORANGE)
    for direction in range(4):
        pulled = (
            one_step(one_step(empty, OPPOSITE[direction]) & movers, OPPOSITE[direction]) & statues
        )
        while pulled:
            space = count_bits((pulled & -pulled) - 1)
            pulled &= pulled - 1
            killed |= _by_steps(state, power, era, state.cell[era, space], direction, False)
    return killed


@inlined
def _by_built_statues(state: Any, era: int, movers: int, twice: bool) -> int:
    """Find where something dies in later eras when a copy on one of ``movers`` builds one.

    With ``twice``, deaths count when the copy then pushes that statue.
    """
    killed, empty, occupied = 0, where(state, era, EMPTY), 0
    for later in range(era + 1, NUM_ERAS):
        occupied |= ALL_SPACES ^ where(state, later, EMPTY)
    for direction in range(4):
        built = one_step(movers, direction) & empty & occupied
        while built:
            space = count_bits((built & -built) - 1)
            built &= built - 1
            for later in range(era + 1, NUM_ERAS):
                if state.cell[later, space] == EMPTY:
                    continue
                if not gives_way(state, later, space, direction):
                    break
                killed |= _pushed(state, later, space, direction, twice)
    return killed
