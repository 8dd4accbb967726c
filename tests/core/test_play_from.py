"""What searches do with a batch.

They copy it, begin from states, look games up by keys, and play on from many of its games in one
call.
"""

from __future__ import annotations

import copy
import os
import threading
from functools import partial
from typing import Any

import numpy as np
import pytest

from tests.games.tictactoe import SPEC
from tkm_env import (
    NO_ACTION,
    ArrayError,
    Batch,
    ConcurrentUseError,
    ConfigError,
    Game,
    GameConfig,
    TerminusBatch,
)
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.batch import BaseBatch
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.state_arrays import put_states

BATCHES: dict[str, Any] = {
    "tkm": Batch,
    "terminus": TerminusBatch,
    "plain": partial(make_batch, SPEC),
}
COMPILED: list[Any] = [Batch, TerminusBatch]
GAMES = 8
MANY = 4000 if COMPILES else 40


def begun(batch_class: Any, games: int = GAMES, plies: int = 4, **settings: Any) -> Any:
    batch = batch_class(games, **settings)
    batch.reset(seed=1)
    for _ in range(plies):
        batch.play(batch.random_actions())
    return batch


@pytest.fixture(params=BATCHES)
def batch(request: pytest.FixtureRequest) -> BaseBatch[Any]:
    return begun(BATCHES[request.param])


def looks(batch: BaseBatch[Any], numbers: Any = None) -> list[Any]:
    """All that is seen of these games."""
    rows = range(batch.num_games) if numbers is None else numbers
    return [
        (
            batch.game(row),
            batch.masks[row].tolist(),
            batch.result(row),
            bool(batch.illegal[row]),
            int(batch.to_act[row]),
        )
        for row in rows
    ]


# Copies.


def test_a_copy_plays_as_the_batch_would_have(batch: BaseBatch[Any]) -> None:
    twin, other = batch.copy(), batch.copy()
    assert looks(twin) == looks(batch)
    for one in (batch, twin):
        one.play(one.random_actions())
        one.reset(mask=np.arange(GAMES) < 2)
        one.reset(mask=np.arange(GAMES) < 2)
    assert looks(twin) == looks(batch) != looks(other)


def test_a_copy_may_be_used_by_another_thread(batch: BaseBatch[Any]) -> None:
    twin, raised = batch.copy(), []

    def play() -> None:
        try:
            twin.play(twin.random_actions())
        except ConcurrentUseError as error:
            raised.append(error)

    thread = threading.Thread(target=play)
    thread.start()
    thread.join()
    assert not raised


# Keys.


def test_equal_games_have_equal_keys_and_others_do_not(batch: BaseBatch[Any]) -> None:
    keys = batch.keys
    assert (keys.dtype, keys.shape) == (np.uint64, (GAMES,))
    games = [batch.game(number) for number in range(GAMES)]
    assert [[one == other for other in games] for one in games] == (keys[:, None] == keys).tolist()
    assert batch.keys_of(np.array([3, 1])).tolist() == keys[[3, 1]].tolist()
    batch.set_game(0, games[1])
    assert batch.keys[0] == keys[1]


def test_keys_cover_settings_and_what_is_hidden_as_games_compare_them() -> None:
    one, other = Game(max_turns=10), Game(max_turns=11)
    batch = Batch(2)
    for number, game in enumerate((one, other)):
        batch.set_game(number, game)
    assert batch.keys[0] != batch.keys[1]
    hidden = TerminusBatch(2)
    hidden.set_game(1, hidden.game(0).determinize(np.random.default_rng(1)))
    assert hidden.keys[0] != hidden.keys[1]


@pytest.mark.parametrize("batch_class", COMPILED)
def test_very_many_positions_have_keys_of_their_own(batch_class: Any) -> None:
    batch = begun(batch_class, MANY, 8)
    positions, keys = set(), set()
    for _ in range(12):
        batch.play(batch.random_actions())
        positions |= {state.tobytes() for state in batch.states}
        keys |= {*batch.keys.tolist()}
    assert len(keys) == len(positions) > MANY


def test_keys_are_the_same_in_every_process() -> None:
    assert Batch(1).keys.tolist() == [7879502419495072799]


# States.


@pytest.mark.parametrize("batch_class", COMPILED)
def test_a_batch_begins_from_states(batch_class: Any) -> None:
    batch = begun(batch_class, plies=30)
    rows = [2, 0, 0, 5]
    twin = batch_class.from_states(batch.states[rows], num_threads=2)
    assert looks(twin) == looks(batch, rows)
    assert twin.config.max_turns == batch.config.max_turns
    assert (
        batch_class.from_states(batch.states[::3]).states.tobytes() == batch.states[::3].tobytes()
    )


def test_settings_come_from_the_states_or_are_checked() -> None:
    growth = begun(Batch, chapters="growth")
    convergence = GameConfig(chapters="convergence")
    assert Batch.from_states(growth.states).config.chapters == ("growth",)
    drawn = begun(Batch, chapters="convergence")
    assert Batch.from_states(drawn.states, convergence).config == convergence
    with pytest.raises(ConfigError, match=r"^config=.* the state has other settings"):
        Batch.from_states(growth.states, GameConfig(max_turns=50))
    mixed = np.concatenate([growth.states, begun(Batch, max_turns=50).states])
    with pytest.raises(ConfigError, match=r"^config=.* the state has other settings"):
        Batch.from_states(mixed)


@pytest.mark.parametrize("batch_class", COMPILED)
def test_states_that_no_position_has_are_refused_with_their_place(batch_class: Any) -> None:
    states = begun(batch_class).states.copy()
    for value in (-7, 2**40):
        states["to_act"][3] = value
        with pytest.raises(ArrayError, match=r"^invalid states: at index 3, .*no position"):
            batch_class.from_states(states)


@pytest.mark.parametrize(
    "given",
    [None, Batch(2).states[:0], Batch(2).states[0], Batch(2).masks, TerminusBatch(2).states],
)
def test_anything_but_a_row_of_states_is_refused(given: Any) -> None:
    with pytest.raises(
        ArrayError,
        match=r"^invalid states: shape .* expected states of the engine's dtype, of shape \(n,\)",
    ):
        Batch.from_states(given)


# Play from many games.


def test_games_are_played_on_in_other_rows(batch: BaseBatch[Any]) -> None:
    sources, targets = np.array([0, 0, 1, 3]), np.array([4, 5, 6, 3])
    actions = [
        int(batch.masks[source].nonzero()[0][place])
        for source, place in zip(sources, (0, -1, 0, -1), strict=True)
    ]
    expected = [batch.game(source) for source in sources]
    for game, action in zip(expected, actions, strict=True):
        game.play(action)
    before = looks(batch)
    batch.play_from(sources, np.array(actions), targets)
    for game, target in zip(expected, targets.tolist(), strict=True):
        assert batch.game(target) == game
        assert batch.masks[target].tolist() == game.action_mask().tolist()
        assert batch.result(target) == game.result
        assert batch.to_act[target] == batch.players.index(game.to_act)
        assert not batch.illegal[target]
    for number in {*range(GAMES)} - {*targets.tolist()}:
        assert looks(batch, [number]) == [before[number]]


def test_all_sources_are_read_before_anything_is_written_and_the_last_of_equal_targets_counts(
    batch: BaseBatch[Any],
) -> None:
    before = looks(batch)
    batch.play_from([0, 1, 2, 3], [NO_ACTION] * 4, [1, 0, 7, 7])
    assert looks(batch, [1, 0, 7]) == [before[0], before[1], before[3]]


def test_games_come_from_another_batch(batch: BaseBatch[Any]) -> None:
    other = copy.deepcopy(batch)
    other.play(other.random_actions())
    batch.play_from(np.array([6, 2]), np.full(2, NO_ACTION), np.array([0, 1]), other)
    assert looks(batch, [0, 1]) == looks(other, [6, 2])


def test_an_illegal_action_loses_the_copy_alone(batch: BaseBatch[Any]) -> None:
    illegal = int(batch.masks[0].argmin())
    loser, before = int(batch.to_act[0]), looks(batch, [0])
    batch.play_from([0, 0], [illegal, NO_ACTION], [1, 2])
    assert looks(batch, [0]) == looks(batch, [2]) == before
    assert batch.illegal[:3].tolist() == [False, True, False]
    assert batch.rewards[1, loser] == -1
    assert not batch.masks[1].any()
    batch.play_from([1], [illegal], [1])
    assert batch.rewards[1, loser] == -1, "a game that is over stays so"
    batch.play_from([2], [NO_ACTION], [1])
    assert looks(batch, [1]) == before


@pytest.mark.parametrize("batch_class", COMPILED)
def test_an_interrupt_while_games_are_written_leaves_them_with_their_masks(
    batch_class: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = begun(batch_class)

    def interrupted(*given: Any) -> None:
        put_states(*given)
        raise KeyboardInterrupt

    monkeypatch.setattr("tkm_env.core.compiled_batch.put_states", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batch.play_from(np.arange(GAMES), batch.masks.argmax(1), np.arange(GAMES)[::-1])
    for number in range(GAMES):
        assert batch.masks[number].tolist() == batch.game(number).action_mask().tolist()
        assert batch.result(number) == batch.game(number).result


def test_random_streams_stay_with_their_rows() -> None:
    batch = begun(Batch)
    before = batch.streams.tolist()
    batch.play_from([0, 1], batch.masks[:2].argmax(1), [5, 6])
    assert batch.streams.tolist() == before


def test_no_games_and_numbers_of_any_kind(batch: BaseBatch[Any]) -> None:
    before = looks(batch)
    batch.play_from([], [], [])
    assert looks(batch) == before
    rows = np.arange(2 * GAMES, dtype=np.uint8)[::2] // 2
    batch.play_from(rows, np.full(GAMES, NO_ACTION, np.int8), rows)
    assert looks(batch) == before


@pytest.mark.parametrize(
    ("given", "name"),
    [
        (([8], [0], [0]), "sources"),
        (([-1], [0], [0]), "sources"),
        (([[0]], [0], [0]), "sources"),
        (([0], [0.0], [0]), "actions"),
        (([0], [-2], [0]), "actions"),
        (([0], [0, 0], [0]), "actions"),
        (([0], [10**6], [0]), "actions"),
        (([0, 1], [0, 0], [0, 8]), "targets"),
        (([0, 1], [0, 0], [0]), "targets"),
    ],
)
def test_refused_arrays_change_nothing(batch: BaseBatch[Any], given: Any, name: str) -> None:
    before = looks(batch)
    with pytest.raises(ArrayError, match=f"^invalid {name}: "):
        batch.play_from(*given)
    assert looks(batch) == before


def test_batches_of_other_kinds_and_in_use_are_refused(batch: BaseBatch[Any]) -> None:
    other = begun(BATCHES["terminus" if isinstance(batch, Batch) else "tkm"])
    for given in (other, Game(), batch.states if isinstance(batch, Batch) else 5):
        with pytest.raises(ConfigError, match=r"^batch="):
            batch.play_from([0], [NO_ACTION], [0], given)
    twin = batch.copy()
    twin._users[os.getpid()] = -1
    with pytest.raises(ConcurrentUseError):
        batch.play_from([0], [NO_ACTION], [0], twin)
