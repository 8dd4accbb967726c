"""Search one turn deep.

A turn's value is the number of the player's visible eras minus the opponent's; a win is worth more
than any number of eras. Cards drawn at the end of the turn do not count, so the value does not
depend on the order of the deck.
"""

from typing import Final, NamedTuple

import numpy as np

from tkm_env.compiled.array_types import Actions, Masks, PlayerOfEach, Record, States, StreamOfEach
from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.random_numbers import draw
from tkm_env.games.terminus.engine.actions import NUM_ACTIONS
from tkm_env.games.terminus.engine.state import CARD_WIDTH, MAX_LENGTH, OVER, STATE, VICTORY, WON
from tkm_env.games.terminus.engine.turn import play, write_mask

#: The most decisions in a turn: a card covers at most three events, and leaving some out is one
#: more decision.
MAX_ACTIONS: Final = 1 + CARD_WIDTH

#: The value of a win: more than any number of eras.
_WINS: Final = MAX_LENGTH + 1


class TurnSearch(NamedTuple):
    """A workspace for a depth-first walk through the ways to play a turn."""

    states: States  # (MAX_ACTIONS + 1,) STATE: before each decision, and after the last
    masks: Masks  # (MAX_ACTIONS + 1, NUM_ACTIONS) int8
    actions: Actions  # (MAX_ACTIONS + 1,) int64: of the current turn; anything after its last one
    best: Actions  # (MAX_ACTIONS + 1,) int64: of the best turn, likewise


def new_turn_search() -> TurnSearch:
    """Allocate a workspace that can be reused from turn to turn."""
    levels = MAX_ACTIONS + 1
    return TurnSearch(
        np.zeros(levels, STATE),
        np.zeros((levels, NUM_ACTIONS), np.int8),
        np.zeros(levels, np.int64),
        np.zeros(levels, np.int64),
    )


@inlined
def _value(state: Record, player: int) -> int:
    """The value of a position to a player."""
    if state.step == OVER:
        return _WINS if state.result == WON + player else -_WINS
    lead = 0
    for number in range(state.length):
        if state.era[number] == VICTORY + player:
            lead += 1
        elif state.era[number] == VICTORY + 1 - player:
            lead -= 1
    return lead


@inlined
def _find_best(search: TurnSearch, states: States, game: int, streams: StreamOfEach) -> int:
    """Find the best turn, or rest of a turn; ties are broken by the game's random numbers.

    Args:
        search: a workspace; the turn's actions are written to its ``best``.
        states: STATE of shape (n,): the games.
        game: the index of a game that is not over.
        streams: uint64 of shape (n,): the games' streams of random numbers.

    Returns:
        The number of actions in the turn.
    """
    states_of, masks, actions = search.states, search.masks, search.actions
    states_of[0] = states[game]
    write_mask(states_of[0], masks[0])
    player, turn = states_of[0].to_act, states_of[0].turn
    highest, ties, length, level = -_WINS, 0, 0, 0
    actions[0] = -1
    while level >= 0:
        actions[level] += 1
        while actions[level] < NUM_ACTIONS and masks[level, actions[level]] == 0:
            actions[level] += 1
        if actions[level] == NUM_ACTIONS:
            level -= 1
            continue
        states_of[level + 1] = states_of[level]
        after = states_of[level + 1]
        play(after, actions[level], masks[level + 1])
        if after.step != OVER and after.turn == turn:
            level += 1
            actions[level] = -1
            continue
        value = _value(after, player)
        if value > highest:
            highest, ties = value, 0
        if value == highest:
            # Each of k ties is kept with probability 1 / k.
            ties += 1
            if draw(streams, game, ties) == 0:
                length = level + 1
                for number in range(length):
                    search.best[number] = actions[number]
    return length


@kernel
def best_turn(search: TurnSearch, states: States, streams: StreamOfEach) -> int:
    """Find the best turn, or rest of a turn, in a single game.

    Args:
        search: a workspace; the turn's actions are written to its ``best``.
        states: STATE of shape (1,): the game, which is not over; unchanged.
        streams: uint64 of shape (1,): its stream of random numbers, which breaks ties.

    Returns:
        The number of actions in the turn.
    """
    return _find_best(search, states, 0, streams)


@nogil_kernel
def play_greedily(
    search: TurnSearch, states: States, players: PlayerOfEach, streams: StreamOfEach, masks: Masks
) -> None:
    """Play the best turns in each game, until it is over or ``players[i]`` is to act.

    Args:
        search: a workspace.
        states: STATE of shape (n,): the games, which are played on in place.
        players: int64 of shape (n,): for each game, the index of the player to leave to act.
        streams: uint64 of shape (n,): the games' streams of random numbers.
        masks: int8 of shape (n, NUM_ACTIONS): overwritten by the masks of legal actions, in the
            games in which a turn is played.
    """
    for game in range(states.shape[0]):
        while states[game].step != OVER and states[game].to_act != players[game]:
            for number in range(_find_best(search, states, game, streams)):
                play(states[game], search.best[number], masks[game])
