"""The entry points that play a single game, made from its rules.

They hold the GIL, so that no thread or signal intervenes.
"""

from collections.abc import Callable
from typing import NamedTuple

from tkm_env.compiled.array_types import Actions, Indices, Mask, Row, States, StreamOfEach
from tkm_env.compiled.atomics import stack_row
from tkm_env.compiled.decorators import in_module, kernel
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.kernels import NO_ACTION, REFUSED, UNDECIDED, draw_legal


class SingleGameEntryPoints(NamedTuple):
    """The functions for one game, each described where it is made.

    Those that return an integer return the player to act plus twice the result. The game is the
    only one of ``states`` (1,).
    """

    play_one: Callable[[States, int, Mask], int]
    play_and_observe: Callable[[States, int, Mask, Row], int]
    observe: Callable[[States, int, Row], None]
    play_at_random: Callable[[States, Indices, int, Indices, StreamOfEach, Mask, Actions], int]


def single_game_entry_points_of(rules: EngineRules) -> SingleGameEntryPoints:
    """The functions for one game of the engine with these rules."""
    # Compiled functions refer to plain names, not to fields.
    write_mask, play, write_observation, word = (
        rules.write_mask,
        rules.play,
        rules.write_observation,
        rules.word,
    )
    observed, scratch_dtype, scratch_bytes = rules.observed, rules.scratch, rules.scratch.itemsize
    entry = in_module(rules.module, kernel)

    @entry
    def play_one(states: States, action: int, mask: Mask) -> int:
        """Play an action, unless it is `NO_ACTION`, and write the mask.

        Returns the player to act plus twice the result, or `REFUSED` for an illegal action.
        """
        if action == NO_ACTION:
            write_mask(states[0], mask, stack_row(scratch_bytes).view(scratch_dtype)[0])
        elif mask[action] == 0:
            return REFUSED
        else:
            play(states[0], action, mask, stack_row(scratch_bytes).view(scratch_dtype)[0])
        return states[0].to_act + 2 * states[0].result

    @entry
    def play_and_observe(states: States, action: int, mask: Mask, observation: Row) -> int:
        """As `play_one`; also write what the next player to act sees.

        ``observation`` is int8 of any shape with as many bytes as are observed.
        """
        if mask[action] == 0:
            return REFUSED
        play(states[0], action, mask, stack_row(scratch_bytes).view(scratch_dtype)[0])
        row = observation.reshape(observed)
        write_observation(states[0], states[0].to_act, row, row.view(word))
        return states[0].to_act + 2 * states[0].result

    @entry
    def observe(states: States, viewer: int, observation: Row) -> None:
        """Write what a player sees of the game, as `play_and_observe` does."""
        row = observation.reshape(observed)
        write_observation(states[0], viewer, row, row.view(word))

    @entry
    def play_at_random(
        states: States,
        indices: Indices,
        player: int,
        turns: Indices,
        streams: StreamOfEach,
        mask: Mask,
        played: Actions,
    ) -> int:
        """Play legal actions, all equally likely, in one game or in some of many.

        Args:
            states: the games, (n,).
            indices: in which of them to play, (k,).
            player: whose turn ends the play in a game; `NOBODY` for neither player's.
            turns: the turn that ends it, (k,).
            streams: the random numbers of all games, (n,).
            mask: room for a mask.
            played: empty; or, for a single game, room for its actions after how many they are,
                int64 of shape (1 + most actions,). The play ends when it is full.

        Returns:
            The player to act plus twice the result of the last game.
        """
        scratch = stack_row(scratch_bytes).view(scratch_dtype)[0]
        status, room, count = 0, played.shape[0] - 1, 0
        for number in range(indices.shape[0]):
            game = indices[number]
            state = states[game]
            write_mask(state, mask, scratch)
            while (
                state.result == UNDECIDED
                and state.to_act != player
                and state.turn < turns[number]
                and count != room
            ):
                action = draw_legal(mask, streams, game)
                play(state, action, mask, scratch)
                if room > 0:
                    count += 1
                    played[0], played[count] = count, action
            status = state.to_act + 2 * state.result
        return status

    return SingleGameEntryPoints(play_one, play_and_observe, observe, play_at_random)
