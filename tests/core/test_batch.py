"""What can be done to a batch from outside.

Its arrays cannot be written to, games are put into it, and damaged pickles are refused.
"""

from __future__ import annotations

import copy
import pickle
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.pickles import loaded_damaged
from tests.games.tictactoe import SPEC
from tkm_env import Batch, ConfigError, Game, TerminusBatch, TerminusGame
from tkm_env.core.batch import BaseBatch
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.compiled_batch import CompiledBatch

WON = "W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"


def begun(batch_class: type[Any], games: int = 12, steps: int = 20) -> Any:
    batch = batch_class(games)
    batch.reset(seed=1)
    for _ in range(steps):
        batch.step(batch.random_actions(), batch.new_observations())
    return batch


BATCHES = {"tkm": Batch, "terminus": TerminusBatch, "plain": partial(make_batch, SPEC)}


@pytest.fixture(params=BATCHES)
def batch(request: pytest.FixtureRequest) -> BaseBatch[Any]:
    return begun(BATCHES[request.param], 3, 2)


def seen(batch: BaseBatch[Any]) -> list[str]:
    """The arrays that a batch shows."""
    compiled = ["states", "streams", "to_act"] if isinstance(batch, CompiledBatch) else []
    return ["masks", "results", "illegal", *compiled]


# Arrays.


def test_what_a_batch_shows_cannot_be_written_to(batch: BaseBatch[Any]) -> None:
    for name in seen(batch):
        with pytest.raises(ValueError, match="read-only"):
            getattr(batch, name)[0] = getattr(batch, name)[1]


def test_what_a_batch_shows_cannot_be_replaced(batch: BaseBatch[Any]) -> None:
    for name in seen(batch):
        with pytest.raises(AttributeError):
            setattr(batch, name, getattr(batch, name).copy())


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda batch: pickle.loads(pickle.dumps(batch))])
def test_what_a_copied_batch_shows_is_its_own(batch: BaseBatch[Any], copied: Any) -> None:
    twin = copied(batch)
    before = {name: getattr(batch, name).tobytes() for name in seen(batch)}
    assert {name: getattr(twin, name).tobytes() for name in seen(twin)} == before
    twin.play(twin.random_actions())
    assert {name: getattr(batch, name).tobytes() for name in seen(batch)} == before
    assert twin.masks.tobytes() != batch.masks.tobytes(), (
        "the copy shows what it was, not what it is"
    )


# Games.


def test_a_game_put_into_a_batch_is_played_on_from_there() -> None:
    batch, won = Batch(3), Game(position=WON)
    batch.set_game(1, won)
    assert [batch.game(number) == won for number in range(3)] == [False, True, False]
    assert batch.masks[1].tolist() == won.action_mask().tolist()
    won.play("focus present")
    batch.set_game(1, won)
    assert batch.over.tolist() == [False, True, False]
    assert not batch.masks[1].any()
    assert batch.result(1) == "1-0"
    batch.set_game(1, Game(chapters="growth"))
    assert not batch.over.any()
    assert batch.masks[1].tolist() == Game(chapters="growth").action_mask().tolist()


def test_a_game_can_be_taken_out_and_put_back(batch: BaseBatch[Any]) -> None:
    game = batch.game(0)
    before = batch.masks.copy()
    batch.play(batch.random_actions())
    batch.set_game(0, game)
    assert batch.game(0) == game
    assert batch.masks[0].tolist() == before[0].tolist()
    assert not batch.illegal[0]


@pytest.mark.parametrize("given", [None, "game", Game().state, TerminusGame(seed=1)])
def test_nothing_but_a_game_of_its_kind_can_be_put_into_a_batch(given: Any) -> None:
    batch = begun(Batch)
    before = batch.states.tobytes(), batch.masks.tobytes()
    with pytest.raises(ConfigError, match=r"game=.* must be a Game"):
        batch.set_game(0, given)
    assert (batch.states.tobytes(), batch.masks.tobytes()) == before


# Pickles.

PICKLES = {batch_class: pickle.dumps(begun(batch_class)) for batch_class in (Batch, TerminusBatch)}


@pytest.mark.parametrize("batch_class", PICKLES)
@given(data=st.data())
def test_a_damaged_pickle_is_a_python_error_or_the_batch_as_it_was(
    batch_class: type[Any], data: st.DataObject
) -> None:
    batch = loaded_damaged(PICKLES[batch_class], data)
    if type(batch) is batch_class:
        original = pickle.loads(PICKLES[batch_class])
        assert batch.states.tobytes() == original.states.tobytes()
        observations = batch.new_observations()
        batch.step(batch.random_actions(), observations)
        original.step(original.random_actions(), observations)
        assert batch.states.tobytes() == original.states.tobytes()
