"""Loops over the games of an array, made from a game's rules."""

from collections.abc import Callable
from typing import NamedTuple

from tkm_env.compiled.array_types import (
    Actions,
    Factors,
    Flags,
    Gathered,
    Mask,
    Masks,
    PlayerOfEach,
    Record,
    Results,
    Row,
    Rows,
    States,
    StreamOfEach,
    WordRows,
)
from tkm_env.compiled.decorators import in_module, inlined
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.gather_plan import gather
from tkm_env.compiled.kernels import BEGIN, NO_ACTION, UNDECIDED, draw_legal


class GameLoops(NamedTuple):
    """The loops, for other compiled functions; each is described where it is made."""

    play_or_forfeit: Callable[[Record, int, Mask, Record], bool]
    play_all: Callable[[States, States, Actions, Masks, Results, Flags, Record], None]
    play_all_turns: Callable[[States, Rows, Masks, Results, Flags, Record], None]
    play_all_at_random: Callable[[States, PlayerOfEach, StreamOfEach, Masks, Results, Record], None]
    refresh_all: Callable[[States, Masks, Results, Record], None]
    step_all: Callable[[States, States, Actions, Masks, Rows, Results, Flags, Record], None]
    observe_all: Callable[[States, PlayerOfEach, Rows], None]
    gather_all: Callable[[States, PlayerOfEach, Row, WordRows, Factors, Gathered], None]


def game_loops_of(rules: EngineRules) -> GameLoops:
    """The loops of the engine with these rules."""
    # Compiled functions refer to plain names, not to fields.
    write_mask, play, forfeit, write_observation, word = (
        rules.write_mask,
        rules.play,
        rules.forfeit,
        rules.write_observation,
        rules.word,
    )
    part = in_module(rules.module, inlined)

    @part
    def play_or_forfeit(state: Record, action: int, mask: Mask, scratch: Record) -> bool:
        """Play an action in one game; an illegal one loses it. Returns whether it was illegal.

        A game that is over stays as it is.
        """
        if state.result != UNDECIDED:
            mask[:] = 0
            return False
        illegal = bool(mask[action] == 0)
        if illegal:
            forfeit(state, mask, scratch)
        else:
            play(state, action, mask, scratch)
        return illegal

    @part
    def play_all(
        states: States,
        starts: States,
        actions: Actions,
        masks: Masks,
        results: Results,
        illegal: Flags,
        scratch: Record,
    ) -> None:
        """Play each action, and write the mask and the result.

        `NO_ACTION` leaves a game as it is, `BEGIN` restarts it.
        """
        for game in range(states.shape[0]):
            illegal[game] = False
            if actions[game] >= 0:
                illegal[game] = play_or_forfeit(states[game], actions[game], masks[game], scratch)
            elif actions[game] == BEGIN:
                states[game] = starts[game]
                write_mask(states[game], masks[game], scratch)
            results[game] = states[game].result

    @part
    def play_all_turns(
        states: States, rows: Rows, masks: Masks, results: Results, illegal: Flags, scratch: Record
    ) -> None:
        """Play the actions of each row up to `NO_ACTION`, and write the mask and the result."""
        for game in range(states.shape[0]):
            illegal[game] = False
            for action in rows[game]:
                if action == NO_ACTION:
                    break
                illegal[game] |= play_or_forfeit(states[game], action, masks[game], scratch)
            results[game] = states[game].result

    @part
    def play_all_at_random(
        states: States,
        players: PlayerOfEach,
        streams: StreamOfEach,
        masks: Masks,
        results: Results,
        scratch: Record,
    ) -> None:
        """Play in each game until it is over or ``players[i]`` is to act.

        All legal actions are equally likely.
        """
        for game in range(states.shape[0]):
            mask = masks[game]
            while states[game].result == UNDECIDED and states[game].to_act != players[game]:
                play(states[game], draw_legal(mask, streams, game), mask, scratch)
            results[game] = states[game].result

    @part
    def refresh_all(states: States, masks: Masks, results: Results, scratch: Record) -> None:
        """Recompute the masks and results of states that other code wrote."""
        for game in range(states.shape[0]):
            write_mask(states[game], masks[game], scratch)
            results[game] = states[game].result

    @part
    def step_all(
        states: States,
        starts: States,
        actions: Actions,
        masks: Masks,
        rows: Rows,
        results: Results,
        illegal: Flags,
        scratch: Record,
    ) -> None:
        """Play each action, write its result, and restart the game if it is over.

        Then write the mask and, to ``rows`` (n, observed), what the player to act sees.
        """
        words = rows.view(word)
        for game in range(states.shape[0]):
            illegal[game] = play_or_forfeit(states[game], actions[game], masks[game], scratch)
            results[game] = states[game].result
            if results[game] != UNDECIDED:
                states[game] = starts[game]
                write_mask(states[game], masks[game], scratch)
            write_observation(states[game], states[game].to_act, rows[game], words[game])

    @part
    def observe_all(states: States, viewers: PlayerOfEach, rows: Rows) -> None:
        """Write what player ``viewers[i]`` sees of ``states[i]`` to ``rows[i]``.

        ``rows`` has shape (n, observed).
        """
        words = rows.view(word)
        for game in range(states.shape[0]):
            write_observation(states[game], viewers[game], rows[game], words[game])

    @part
    def gather_all(
        states: States,
        viewers: PlayerOfEach,
        row: Row,
        plans: WordRows,
        factors: Factors,
        gathered: Gathered,
    ) -> None:
        """Gather what player ``viewers[i]`` sees of ``states[i]`` into ``gathered[i]``.

        Each observation is written to ``row``, of shape (observed,), which stays in the processor's
        cache.
        """
        words = row.view(word)
        for game in range(states.shape[0]):
            write_observation(states[game], viewers[game], row, words)
            gather(row, plans[viewers[game]], factors, gathered[game])

    return GameLoops(
        play_or_forfeit=play_or_forfeit,
        play_all=play_all,
        play_all_turns=play_all_turns,
        play_all_at_random=play_all_at_random,
        refresh_all=refresh_all,
        step_all=step_all,
        observe_all=observe_all,
        gather_all=gather_all,
    )
