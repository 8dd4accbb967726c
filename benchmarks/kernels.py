"""Compiled functions that only benchmarks and tests call."""

from typing import Any

from tkm_env.compiled.decorators import kernel
from tkm_env.compiled.kernels import draw_legal
from tkm_env.games.tkm.engine.actions import CONCEDE, OFFER
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import BLACK, CHOOSE, COPY, OVER, SHIFT, WHITE
from tkm_env.games.tkm.engine.turn import play, write_mask
from tkm_env.players.tkm.search.endgames import turns_to_decision
from tkm_env.players.tkm.search.evaluation_terms import write_terms
from tkm_env.players.tkm.search.survival import cannot_win as is_seen_not_to_win


@kernel
def roll_out(
    start: Any, games: int, results: Any, work: Any, mask: Any, streams: Any, scratch: Any
) -> None:
    """Play random games without conceding or draw offers, and count the results.

    Args:
        start: an array with the state to start from.
        games: how many games.
        results: the counts, by a state's ``result``.
        work: an array with room for a state.
        mask: room for a mask (1, actions).
        streams: the random numbers.
        scratch: workspace of the rules.
    """
    for _ in range(games):
        work[0] = start[0]
        write_mask(work[0], mask[0], scratch[0])
        while work[0].step != OVER:
            mask[0, CONCEDE] = mask[0, OFFER] = 0
            play(work[0], draw_legal(mask[0], streams, 0), mask[0], scratch[0])
        results[work[0].result] += 1


@kernel
def terms_of(states: Any, terms: Any, copies: Any) -> None:
    """Write the terms of each state to ``terms`` (n, NUM_TERMS) int64."""
    for number in range(states.shape[0]):
        write_terms(states[number], terms[number], copies)


@kernel
def cannot_win(states: Any, attacker: int, turns: int) -> bool:
    """Whether the search of proofs sees, without playing, that a player cannot win in time.

    Args:
        states: an array whose first state is asked about.
        attacker: the index of the player.
        turns: within how many turns, at most 4.
    """
    return is_seen_not_to_win(states[0], attacker, turns)


@kernel
def write_entries(boards: Any, foci: Any, states: Any, endgames: Any, values: Any) -> None:
    """Write what a table of endgames says of many positions with white to act.

    Args:
        boards: uint8 of shape (n, 50): each space's piece, then white's and black's supply.
        foci: int64 of shape (n, 2): white's and black's.
        states: an array whose first state has the settings; it is overwritten.
        endgames: the table.
        values: int64 of shape (n,), for the result of `turns_to_decision`.
    """
    state = states[0]
    for number in range(boards.shape[0]):
        focus, step = foci[number, WHITE], SHIFT
        for space in range(NUM_ERAS * NUM_SPACES):
            era = space // NUM_SPACES
            state.cell[era, space % NUM_SPACES] = boards[number, space]
            if era == focus and boards[number, space] == COPY + WHITE:
                step = CHOOSE
        for player in (WHITE, BLACK):
            state.supply[player] = boards[number, NUM_ERAS * NUM_SPACES + player]
            state.focus[player] = foci[number, player]
        state.step = step
        values[number] = turns_to_decision(state, endgames)
