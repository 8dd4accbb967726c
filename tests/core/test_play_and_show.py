"""A batch that plays, replies and shows in one call does what it does in several."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.games.tictactoe import SPEC
from tkm_env import ArrayError, ConfigError, ObservationEncoder
from tkm_env.compiled.kernels import BEGIN
from tkm_env.core.batch import BaseBatch, Shown
from tkm_env.core.batch_factory import make_batch
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import game_spec

GAMES = 40
#: What the players earn when one of them has won.
WON = {Outcome.won_by(0).value: (1, -1), Outcome.won_by(1).value: (-1, 1)}
SPECS = {"tkm": game_spec("tkm"), "terminus": game_spec("terminus"), "tictactoe": SPEC}
#: What the second player is shown, and how.
VIEWS = [
    (game, observation, canonical)
    for game in SPECS
    for observation in ("planes", "compact")
    for canonical in (False, True)
    if game == "tkm" or not (canonical or (game == "tictactoe" and observation == "compact"))
]


def in_several_calls(
    batch: BaseBatch[Any], actions: Any, players: Any, encoder: ObservationEncoder
) -> Shown:
    """What `BaseBatch.play_and_show` returns, from its description."""
    actors = batch.to_act.copy() if players is None else players
    batch.play_checked(actions)
    if players is not None:
        batch.play_at_random(players)
    viewers = batch.to_act.copy() if players is None else players
    seen, masks = batch.show(viewers, encoder)
    return Shown(seen, masks, viewers, batch.outcomes(actions, actors))


def flat(shown: Shown) -> list[bytes]:
    return [np.array(array).tobytes() for array in (*shown[:3], *shown.outcomes)]


@pytest.mark.parametrize("replies", [False, True])
@pytest.mark.parametrize(("game", "observation", "canonical"), VIEWS)
def test_one_call_does_what_several_do(
    game: str, observation: str, canonical: bool, replies: bool
) -> None:
    spec, drawn = SPECS[game], np.random.default_rng(1)
    one, several = make_batch(spec, GAMES, num_threads=2), make_batch(spec, GAMES)
    encoder = ObservationEncoder(spec.game_class, one.config, observation, canonical)
    for batch in (one, several):
        batch.reset(seed=1)
    players = drawn.integers(0, 2, GAMES)
    held, begun, illegal = [], 0, 0
    for _ in range(60):
        actions = np.where(one.over, BEGIN, one.random_actions())
        assert (several.random_actions() == np.where(actions == BEGIN, -1, actions)).all()
        mistaken = (drawn.random(GAMES) < 0.05) & ~one.over
        actions = np.where(mistaken, one.masks.argmin(1), actions)
        begun, illegal = begun + int((actions == BEGIN).sum()), illegal + int(mistaken.sum())
        given = players if replies else None
        shown = one.play_and_show(actions, given, encoder)
        held.append((shown, flat(shown)))
        assert flat(shown) == flat(in_several_calls(several, actions, given, encoder))
        assert (one.keys == several.keys).all()
        assert (one.illegal == several.illegal).all()
    assert begun > 0
    assert illegal > 0
    assert all(flat(shown) == before for shown, before in held), "what was returned has changed"


@pytest.mark.parametrize("game", SPECS)
def test_outcomes_say_who_earned_what_and_why(game: str) -> None:
    batch = make_batch(SPECS[game], GAMES)
    batch.reset(seed=1)
    for _ in range(300):
        actors, actions = batch.to_act.copy(), batch.random_actions()
        over = batch.over.copy()
        batch.play(actions)
        outcomes = batch.outcomes(np.where(over, BEGIN, actions), actors)
        for number in range(GAMES):
            result = None if over[number] else batch.result(number)
            earned = WON.get(result, (0, 0))
            assert tuple(outcomes.earned[number]) == earned
            assert outcomes.rewards[number] == earned[actors[number]]
            assert outcomes.over[number] == (result is not None)
            assert outcomes.truncated[number] == (result == Outcome.TRUNCATED.value)
            assert outcomes.terminated[number] == (result not in (None, Outcome.TRUNCATED.value))
    assert batch.over.any()


def test_what_cannot_be_shown_is_refused_before_anything_is_played() -> None:
    spec = SPECS["tkm"]
    batch = make_batch(spec, 3)
    batch.reset(seed=1)
    before, actions = batch.keys.copy(), batch.random_actions()
    encoder = ObservationEncoder(spec.game_class, batch.config)
    other = ObservationEncoder(spec.game_class, spec.config({"max_turns": 7}))
    with pytest.raises(ArrayError, match="players"):
        batch.play_and_show(actions, np.full(3, 2), encoder)
    with pytest.raises(ConfigError, match="encoder"):
        batch.play_and_show(actions, None, other)
    assert (batch.keys == before).all()
