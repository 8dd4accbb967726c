"""The compiled functions of an engine: for one game, for arrays of games, and for XLA."""

from collections.abc import Callable
from typing import NamedTuple

from tkm_env.compiled.array_types import (
    Actions,
    Indices,
    Mask,
    Masks,
    PlayerOfEach,
    Record,
    Results,
    Row,
    States,
    StreamOfEach,
)
from tkm_env.compiled.batch_entry_point import batch_entry_point_of
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.game_loops import game_loops_of
from tkm_env.compiled.single_game_entry_points import single_game_entry_points_of
from tkm_env.compiled.xla_entry_points import xla_entry_points_of


class EntryPoints(NamedTuple):
    """The compiled functions that play a game."""

    # For one game: `tkm_env.compiled.single_game_entry_points`.
    play: Callable[[States, int, Mask], int]
    play_and_observe: Callable[[States, int, Mask, Row], int]
    observe: Callable[[States, int, Row], None]
    play_at_random: Callable[[States, Indices, int, Indices, StreamOfEach, Mask, Actions], int]
    # For a batch: `tkm_env.compiled.batch_entry_point`.
    work: Callable[..., None]
    # For XLA: `tkm_env.compiled.xla_entry_points`.
    xla_play: Callable[[int], int]
    xla_observe: Callable[[int], int]
    # For other compiled functions: `tkm_env.compiled.game_loops`.
    play_or_forfeit: Callable[[Record, int, Mask, Record], bool]
    play_all_at_random: Callable[[States, PlayerOfEach, StreamOfEach, Masks, Results, Record], None]
    #: Sets up games from blank ones, as `tkm_env.compiled.xla.start_arrays` describes; None for a
    #: game whose starts leave nothing to chance.
    xla_start: Callable[[int], int] | None = None


def entry_points_of(rules: EngineRules) -> EntryPoints:
    """The entry points of the engine with these rules."""
    loops = game_loops_of(rules)
    single = single_game_entry_points_of(rules)
    xla = xla_entry_points_of(rules, loops)
    return EntryPoints(
        play=single.play_one,
        play_and_observe=single.play_and_observe,
        observe=single.observe,
        play_at_random=single.play_at_random,
        work=batch_entry_point_of(rules, loops),
        xla_play=xla.play,
        xla_observe=xla.observe,
        play_or_forfeit=loops.play_or_forfeit,
        play_all_at_random=loops.play_all_at_random,
    )
