"""Whether a side survives the next few turns, as far as can be seen without playing any.

Most questions of a search for proofs are about positions in which the attacker obviously cannot win
so soon. The attacker wins by leaving the other side, the defender, with copies in fewer than two
eras. Its *reach* is the set of spaces where anything may move or die in one of its turns, found by
operations on bits. The defender survives

* one turn of the attacker, if two eras hold copies of the defender out of reach, or if all three
  eras hold its copies and no statue is in play: without statues a turn empties at most one era;
* two turns of the attacker, if no statue is in play and all three eras hold copies of the defender
  out of reach: the first turn then empties no era, and the second one at most one.

Turns of the defender before and between these must not hurt it either. It *passes*: it steps onto a
free space and back, which changes nothing but its focus. So there must be a free space beside a
copy in its focus, and in between the attacker must be unable to take that space away.
"""

from typing import Any, Final

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
    if turns % 2 == 0 and not _can_pass(state, defender, state.focus[defender]):
        return False
    loses_one_era = state.chapters & INFLUENCE == 0 and _count_eras(state, defender) == NUM_ERAS
    if turns <= 2:
        return loses_one_era or _survives_turn(state, attacker)
    return loses_one_era and _survives_two_turns(state, attacker, turns)


@inlined
def _survives_turn(state: Any, attacker: int) -> bool:
    """Whether copies in two eras are out of reach in the attacker's turn."""
    safe_eras, statues_move = 0, False
    for era in range(NUM_ERAS):
        reach = _reach(state, attacker, era, statues_move)
        safe_eras += where(state, era, COPY + 1 - attacker) & ~reach != 0
        statues_move |= reach & _statues(state, era) != 0
    return safe_eras >= 2


@inlined
def _survives_two_turns(state: Any, attacker: int, turns: int) -> bool:
    """Whether copies in all eras are out of reach, and the defender can pass in between.

    Args:
        state: a position of dtype STATE, without statues.
        attacker: a player, `WHITE` or `BLACK`.
        turns: how many turns are left, 3 or 4. With four the defender passes first, and then moves
            its focus to another era.
    """
    will_pass = False
    for era in range(NUM_ERAS):
        reach = _reach(state, attacker, era, False)
        safe = where(state, era, COPY + 1 - attacker) & ~reach
        if safe == 0:
            return False
        if (era == state.focus[1 - attacker]) == (turns == 3):
            will_pass |= _keeps_a_step(state, attacker, era, safe, reach)
    return will_pass


@inlined
def _count_eras(state: Any, player: int) -> int:
    """In how many eras a player has copies."""
    eras = 0
    for era in range(NUM_ERAS):
        eras += where(state, era, COPY + player) != 0
    return eras


@inlined
def _can_pass(state: Any, player: int, era: int) -> bool:
    """Whether one of the player's copies in this era can step onto a free space, and back."""
    return beside(where(state, era, COPY + player)) & where(state, era, EMPTY) != 0


@inlined
def _statues(state: Any, era: int) -> int:
    """The spaces of the era with a statue."""
    return where_below(state, era, IMMOVABLE) ^ where_below(state, era, ORANGE)


@inlined
def _acting_era(state: Any, attacker: int) -> int:
    """The era of the attacker's next action, in the turn that has begun or in its next one."""
    return int(state.active_era if state.step == ACT else state.focus[attacker])


@inlined
def _acting_copies(state: Any, attacker: int) -> int:
    """The spaces of the copies that may take the attacker's next action, as bits."""
    if state.step == ACT:
        return 1 << int(state.active_space)
    return where(state, state.focus[attacker], COPY + attacker)


@inlined
def _actions_left(state: Any) -> int:
    """How many actions the attacker has left in the turn that has begun, or in its next one."""
    return int(state.actions_left) if state.step == ACT else 2


@inlined
def _reach(state: Any, attacker: int, era: int, statues_move: bool) -> int:
    """The spaces of an era where something may move or die in a turn, and perhaps more.

    Args:
        state: a position of dtype STATE.
        attacker: the player whose turn it is.
        era: whose spaces.
        statues_move: whether a statue of an earlier era may move. Its images in later eras move
            with it, so that all their spaces count (RULES §6).
    """
    occupied = ALL_SPACES ^ where(state, era, EMPTY)
    acting_era = _acting_era(state, attacker)
    pushing = _copies_in(state, attacker, era, occupied)
    if pushing and state.chapters & MEMORY:
        pushing |= where(state, era, ELEPHANT) | where(state, era, ELEPHANT + 1)
    # Copies and elephants push rows of pieces (RULES §3 to §5, §7), twice if two actions are left
    # here.
    reach = _connected(pushing, occupied)
    if era == acting_era and _actions_left(state) == 2:
        reach = _connected(reach | beside(reach), occupied)
    copies = _acting_copies(state, attacker)
    if state.chapters & INFLUENCE and copies:
        if state.unbuilt[attacker] and era >= acting_era + (state.supply[attacker] == 0):
            # A statue built in an earlier era also appears here, and pushes away what stands there.
            built = _connected(_within_two_steps(copies) & occupied, occupied)
            reach |= _connected(built | beside(built), occupied) if built else 0
            copies = where(state, era, COPY + WHITE) | where(state, era, COPY + BLACK)
            statues_move |= built & ~copies != 0
        if statues_move:
            return ALL_SPACES
    return reach


@inlined
def _copies_in(state: Any, attacker: int, era: int, occupied: int) -> int:
    """The spaces of an era from which the attacker's copies may act, perhaps after a travel."""
    copies, acting_era = _acting_copies(state, attacker), _acting_era(state, attacker)
    if era == acting_era:
        return copies
    forward, backward = era - acting_era == 1, acting_era - era == 1
    travels = forward or (backward and state.supply[attacker] > 0)
    return copies & ~occupied if travels and _actions_left(state) == 2 else 0


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
def _keeps_a_step(state: Any, attacker: int, era: int, safe: int, reach: int) -> bool:
    """Whether the defender can pass in this era after a turn, which may fill free spaces.

    The attacker fills a space by pushing something onto it, by travelling to it, or by planting on
    the same space of an earlier era, since what grows also stands in later ones. An action fills
    one space of an era at most, and the first action only one near the copy that takes it.

    Args:
        state: a position of dtype STATE.
        attacker: the player whose turn it is.
        era: where the defender is to pass.
        safe: the spaces of its copies there that are out of reach, as bits.
        reach: the attacker's reach in the era, as bits.
    """
    actions, first = _actions_left(state), _acting_copies(state, attacker)
    if state.chapters & GROWTH:
        first |= beside(first)
    second = first | beside(first) if actions == 2 else first
    pushed = reach | beside(reach)
    free = beside(safe) & where(state, era, EMPTY)
    if free & ~(second | pushed) != 0:
        return True
    fills = actions - (free & (first | pushed) == 0)
    return count_bits(free) > fills
