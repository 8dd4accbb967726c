"""Whether a side survives the next few turns, as far as that is seen without playing any.

Most questions of a search for proofs are about positions in which the attacker obviously cannot win
so soon. The attacker wins by leaving the other side, the defender, with copies in fewer than two
eras. Its *reach* is the set of spaces where anything may move or die in one of its turns, found by
operations on bits. The defender survives

* one turn of the attacker, if two eras hold copies of the defender out of reach, or if all three
  eras hold its copies and no statue is in play: without statues a turn empties one era at most;
* two turns of the attacker, if no statue is in play and all three eras hold copies of the defender
  out of reach: the first turn then empties no era, and the second one at most one.

Turns of the defender before and between these must not hurt it either. It *passes*: it steps onto a
free space and back, which changes nothing but its focus. So there must be a free space beside a
copy in its focus, and in between the attacker must be unable to take that space away.
"""

from typing import Any, Final, NamedTuple

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import inlined
from tkm_env.games.tkm.engine.bitboards import ALL_SPACES, beside, where, where_below
from tkm_env.games.tkm.engine.geometry import NUM_ERAS
from tkm_env.games.tkm.engine.state import (
    ACT,
    BLACK,
    COPY,
    ELEPHANT,
    EMPTY,
    GROWTH,
    IMMOVABLE,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    ORANGE,
    WHITE,
)

#: With more turns left than this, nothing is seen.
HORIZON: Final = 4


class _Attack(NamedTuple):
    """What the attacker acts with in its turn: the one that has begun, or else its next one."""

    era: int  # where its next action takes place
    copies: int  # the spaces of the copies that may take that action, as bits
    actions: int  # how many actions are left: 0, 1 or 2
    supply: int  # how many copies it has in supply
    can_build: bool  # whether its statue is still unbuilt


@inlined
def cannot_win(state: Any, attacker: int, turns: int) -> bool:
    """Whether the attacker is seen to be unable to win within some turns.

    Args:
        state: a position of dtype STATE, between turns or within one.
        attacker: a player, `WHITE` or `BLACK`.
        turns: how many turns are left, counted over both sides, the last one the attacker's. A turn
            that has begun counts.

    Returns:
        True only if the attacker cannot win. False says nothing.
    """
    if turns == 0:
        return True
    if (
        turns > HORIZON
        or state.power[WHITE] != NO_POWER
        or state.power[BLACK] != NO_POWER
        or state.focus[attacker] < 0
    ):
        return False
    defender = 1 - attacker
    focus = int(state.focus[defender])
    if turns % 2 == 0 and not _can_pass(state, defender, focus):
        return False
    has_statues = state.chapters & INFLUENCE != 0
    is_everywhere = _count_eras(state, defender) == NUM_ERAS
    if turns <= 2 and is_everywhere and not has_statues:
        return True
    if turns > 2 and (has_statues or not is_everywhere):
        return False
    attack = _attack_of(state, attacker)
    safe_eras, will_pass, statues_move = 0, False, False
    for era in range(NUM_ERAS):
        reach = _reach(state, attack, era, statues_move)
        safe = where(state, era, COPY + defender) & ~reach
        safe_eras += safe != 0
        statues_move |= reach & _statues(state, era) != 0
        # With four turns left the defender passes first, and then moves its focus to another era.
        if (turns == 3 and era == focus) or (turns == 4 and era != focus):
            will_pass |= _keeps_a_step(state, attack, era, safe, reach)
    if turns <= 2:
        return bool(safe_eras >= 2)
    return bool(safe_eras == NUM_ERAS and will_pass)


@inlined
def _count_eras(state: Any, player: int) -> int:
    """In how many eras a player has copies."""
    eras = 0
    for era in range(NUM_ERAS):
        eras += where(state, era, COPY + player) != 0
    return eras


@inlined
def _can_pass(state: Any, player: int, era: int) -> bool:
    """Whether a copy of the player's in this era can step onto a free space, and so back again."""
    return beside(where(state, era, COPY + player)) & where(state, era, EMPTY) != 0


@inlined
def _statues(state: Any, era: int) -> int:
    """The spaces of the era with a statue."""
    return where_below(state, era, IMMOVABLE) ^ where_below(state, era, ORANGE)


@inlined
def _attack_of(state: Any, attacker: int) -> _Attack:
    """What the attacker acts with."""
    if state.step == ACT:
        era, actions = int(state.active_era), int(state.actions_left)
        copies = 1 << int(state.active_space)
    else:
        era, actions = int(state.focus[attacker]), 2
        copies = where(state, era, COPY + attacker)
    can_build = state.unbuilt[attacker] != 0
    return _Attack(era, copies, actions, int(state.supply[attacker]), can_build)


@inlined
def _reach(state: Any, attack: _Attack, era: int, statues_move: bool) -> int:
    """The spaces of an era where something may move or die in the attack, and perhaps more.

    Args:
        state: a position of dtype STATE.
        attack: what the attacker acts with.
        era: whose spaces.
        statues_move: whether a statue of an earlier era may move. Its images in later eras move
            with it, so that all their spaces count (RULES §6).
    """
    occupied = ALL_SPACES ^ where(state, era, EMPTY)
    pushing = _copies_in(state, attack, era, occupied)
    if pushing and state.chapters & MEMORY:
        pushing |= where(state, era, ELEPHANT) | where(state, era, ELEPHANT + 1)
    # Copies and elephants push rows of pieces (RULES §3 to §5, §7), twice if two actions are left
    # here.
    reach = _connected(pushing, occupied)
    if era == attack.era and attack.actions == 2:
        reach = _connected(reach | beside(reach), occupied)
    if state.chapters & INFLUENCE and attack.copies:
        if attack.can_build and era >= attack.era + (attack.supply == 0):
            # A statue built in an earlier era also appears here, and pushes away what stands there.
            built = _connected(_within_two_steps(attack.copies) & occupied, occupied)
            reach |= _connected(built | beside(built), occupied) if built else 0
            copies = where(state, era, COPY + WHITE) | where(state, era, COPY + BLACK)
            statues_move |= built & ~copies != 0
        if statues_move:
            return ALL_SPACES
    return reach


@inlined
def _copies_in(state: Any, attack: _Attack, era: int, occupied: int) -> int:
    """The spaces of an era from which the attacker's copies may act, perhaps after a travel."""
    if era == attack.era:
        return attack.copies
    forward, backward = era - attack.era == 1, attack.era - era == 1
    travels = attack.actions == 2 and (forward or (backward and attack.supply > 0))
    return attack.copies & ~occupied if travels else 0


@inlined
def _connected(spaces: int, occupied: int) -> int:
    """These spaces, and the occupied ones that chains of occupied ones connect with them."""
    grown = spaces | beside(spaces) & occupied
    while grown != spaces:
        spaces = grown
        grown = spaces | beside(spaces) & occupied
    return spaces


@inlined
def _within_two_steps(spaces: int) -> int:
    """The spaces that are at most two steps away from these."""
    near = spaces | beside(spaces)
    return near | beside(near)


@inlined
def _keeps_a_step(state: Any, attack: _Attack, era: int, safe: int, reach: int) -> bool:
    """Whether the defender can pass in this era after the attack, which may fill free spaces.

    The attacker fills a space by pushing something onto it, by travelling to it, or by planting on
    the same space of an earlier era, since what grows also stands in later ones. An action fills
    one space of an era at most, and the first action only one near the copy that takes it.

    Args:
        state: a position of dtype STATE.
        attack: what the attacker acts with.
        era: where the defender is to pass.
        safe: the spaces of its copies there that are out of reach, as bits.
        reach: the attacker's reach in the era, as bits.
    """
    first = attack.copies | beside(attack.copies) if state.chapters & GROWTH else attack.copies
    second = first | beside(first) if attack.actions == 2 else first
    pushed = reach | beside(reach)
    free = beside(safe) & where(state, era, EMPTY)
    if free & ~(second | pushed) != 0:
        return True
    fills = attack.actions - (free & (first | pushed) == 0)
    return count_bits(free) > fills
