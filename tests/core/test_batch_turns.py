"""Whole turns of many games at once, against those of each game."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tkm_env import (
    NO_ACTION,
    ArrayError,
    Batch,
    ConfigError,
    Game,
    ObservationEncoder,
    TerminusBatch,
    TerminusGame,
)
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core import turns as whole_turns
from tkm_env.core.batch_turns import BatchTurns
from tkm_env.core.turns import TurnRows, list_turns

SETTINGS: list[dict[str, Any]] = [
    {},
    {
        "chapters": ("growth", "influence", "memory"),
        "powers": ("overtime", "green-thumb"),
        "concede": True,
        "draws": True,
    },
    {"timeline": "draft_powers"},
]


def mid_games(games: int = 12 if COMPILES else 3, steps: int = 40, **settings: Any) -> Batch:
    """Games after some random actions, the first of them over."""
    batch = Batch(games, **settings)
    batch.reset(seed=4)
    for _ in range(steps):
        batch.play(batch.random_actions())
    batch.play(
        np.where(np.arange(games) == 0, batch.masks.argmin(1), NO_ACTION)
    )  # an illegal action loses
    return batch


def first_rows(turns: BatchTurns) -> np.ndarray[Any, Any]:
    """The first turn of each game that has any."""
    return turns.offsets[:-1][turns.counts > 0]


@pytest.mark.parametrize("settings", SETTINGS)
def test_turns_of_a_batch_are_those_of_its_games(settings: dict[str, Any]) -> None:
    batch = mid_games(**settings)
    turns = batch.turns()
    assert turns.counts[0] == 0
    for number, (first, end) in enumerate(zip(turns.offsets, turns.offsets[1:], strict=False)):
        rows, own = slice(first, end), [] if batch.over[number] else batch.game(number).turns()
        assert turns.keys[rows].tolist() == [turn.key for turn in own]
        assert [tuple(row[row != NO_ACTION].tolist()) for row in turns.actions[rows]] == [
            turn.actions for turn in own
        ]
        assert [Game.from_state(turns.states[[row]]) for row in range(first, end)] == [
            turn.after for turn in own
        ]
        assert batch.ends.texts[turns.results[rows]].tolist() == [turn.result for turn in own]
        assert (turns.owners[rows] == number).all()


def test_turns_of_some_games_do_not_depend_on_the_others_nor_on_threads() -> None:
    games = 1100 if COMPILES else 3  # enough for two threads
    whole = mid_games(games, 30).turns()
    batch = mid_games(games, 30, num_threads=2)
    for array, again in zip(whole, batch.turns(), strict=True):
        assert array.tobytes() == again.tobytes()
    picked = np.array([2, 0, 2, 1])
    some = batch.turns(picked)
    assert some.counts.tolist() == whole.counts[picked].tolist()
    assert some.keys[some.owners == 2].tolist() == whole.keys[whole.owners == 2].tolist()
    assert len(batch.turns(np.zeros(0, np.int64)).keys) == 0


@pytest.mark.skipif(not COMPILES, reason="uncompiled, one thread lists all turns")
@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("kept", [(60, 64), (4096, 2), (4096, 64)])
@pytest.mark.parametrize("room", [1, 100, 100_000])
def test_threads_write_the_list_of_one(
    monkeypatch: pytest.MonkeyPatch, threads: int, kept: tuple[int, int], room: int
) -> None:
    monkeypatch.setattr(whole_turns, "_KEPT", kept)
    batch = mid_games(200, **SETTINGS[1])
    kernels, games = Game.turn_kernels, np.random.default_rng(1).permutation(200)
    rooms = iter([room])

    def room_for(rows: int) -> TurnRows:
        size = next(rooms, rows)
        return TurnRows.empty(size, batch.states.dtype, kernels.longest)

    wanted = list_turns(kernels, batch.states, games)
    listed = list_turns(kernels, batch.states, games, room_for, threads)
    assert listed[0].tolist() == wanted[0].tolist()
    for name, one, many in zip(TurnRows._fields, wanted[1], listed[1], strict=True):
        assert one.tobytes() == many.tobytes(), name


def test_a_list_that_is_held_never_changes() -> None:
    batch = mid_games()
    held, seen, kept = [], [], []
    for _ in range(8):
        turns = batch.turns()
        held.append(turns)
        seen.append(batch.observe_turns(turns))
        kept.append(([array.copy() for array in turns], seen[-1].copy()))
        batch.play_turns(turns, first_rows(turns))
    for turns, observed, (arrays, observations) in zip(held, seen, kept, strict=True):
        assert all((array == copy).all() for array, copy in zip(turns, arrays, strict=True))
        assert (observed == observations).all()


@pytest.mark.parametrize("settings", SETTINGS)
def test_playing_a_turn_leads_to_its_row(settings: dict[str, Any]) -> None:
    batch = mid_games(**settings)
    turns, streams, before = batch.turns(), batch.streams.copy(), batch.keys
    rows = turns.best(np.random.default_rng(1).random(len(turns.keys)))[:-1]
    games, others = turns.owners[rows], np.setdiff1d(np.arange(batch.num_games), turns.owners[rows])
    batch.play_turns(turns, rows)
    assert batch.keys[games].tolist() == turns.keys[rows].tolist()
    assert batch.results[games].tolist() == turns.results[rows].tolist()
    assert batch.keys[others].tolist() == before[others].tolist()
    assert (batch.streams == streams).all()
    for number in range(batch.num_games):
        assert (
            batch.masks[number].tolist()
            == (batch.game(number).action_mask() * (not batch.over[number])).tolist()
        )


def test_threads_play_turns_as_one_does() -> None:
    games = 1_500 if COMPILES else 3  # enough to wake another thread
    alone, together = mid_games(games, 30), mid_games(games, 30, num_threads=2)
    for batch in (alone, together):
        turns = batch.turns()
        batch.play_turns(turns, first_rows(turns)[::-1])
    assert (alone.keys == together.keys).all()
    assert (alone.masks == together.masks).all()
    assert (alone.results == together.results).all()


def test_the_best_turn_of_each_game_is_the_first_of_the_highest_value() -> None:
    turns = mid_games().turns()
    values = np.random.default_rng(1).integers(0, 3, len(turns.keys))
    expected = [
        first + int(values[first:end].argmax())
        for first, end in zip(turns.offsets, turns.offsets[1:], strict=False)
        if end > first
    ]
    assert turns.best(values).tolist() == expected


@pytest.mark.parametrize(
    "shown", [("planes", False), ("planes", True), ("compact", False), ("compact", True)]
)
def test_ends_are_observed_as_the_games_that_they_are(shown: tuple[str, bool]) -> None:
    batch = mid_games(chapters="growth")
    encoder = ObservationEncoder(Game, batch.config, *shown)
    turns = batch.turns()
    seen, by_white = (
        batch.observe_turns(turns, encoder=encoder),
        batch.observe_turns(turns, turns.owners * 0, encoder),
    )
    for row in range(0, len(turns.keys), 7):
        after = Game.from_state(turns.states[[row]], batch.config)
        player = batch.players[turns.players[turns.owners[row]]]
        assert (seen[row] == encoder.observation(after, player)).all()
        assert (by_white[row] == encoder.observation(after, "white")).all()


def test_turns_that_cannot_be_played_change_nothing() -> None:
    batch = mid_games()
    turns = batch.turns()
    rows = first_rows(turns)
    moved = batch.copy()
    moved.play(moved.random_actions())
    for chosen, given, message in (
        (batch, [len(turns.keys)], "numbers from 0"),
        (batch, [[0]], "integers of shape"),
        (batch, [rows[0], rows[0] + 1], "at most one turn per game"),
        (
            moved,
            rows,
            "those of an earlier position of game 1; expected those of the games as they are now",
        ),
    ):
        before = chosen.keys
        with pytest.raises(ArrayError, match=message):
            chosen.play_turns(turns, np.array(given))
        assert (chosen.keys == before).all()
    for actions, message in (
        (turns.actions.astype(np.int64), "turns.actions: .*dtype int64; expected int8 of shape"),
        (turns.actions[:-1], "turns.actions: .*; expected int8 of shape .*, longest turn"),
        (turns.actions + np.int8(100), "numbers from -1"),
        (turns.actions - np.int8(1), "numbers from -1"),
    ):
        before = batch.keys
        with pytest.raises(ArrayError, match=message):
            batch.play_turns(turns._replace(actions=actions), rows)
        assert (batch.keys == before).all()
    with pytest.raises(ArrayError, match="viewers"):
        batch.observe_turns(turns, np.zeros(1, np.int64))
    with pytest.raises(ArrayError, match="values"):
        turns.best(np.zeros(1))
    with pytest.raises(ArrayError, match="indices"):
        batch.turns(np.array([-1]))


def test_a_game_without_compiled_turns_lists_them_one_game_at_a_time() -> None:
    with pytest.raises(ConfigError, match=r"TerminusGame\.turns"):
        TerminusBatch(2).turns()
    game = TerminusGame(seed=1)
    ends = game.turns()
    assert len({turn.after for turn in ends}) == len(ends) > 1
    for turn in ends[:20]:
        trial = game.copy()
        for action in turn.actions:
            assert trial.to_act == game.to_act
            trial.play(action)
        assert trial == turn.after
        assert (trial.to_act, trial.turn) != (game.to_act, game.turn) or trial.result is not None
