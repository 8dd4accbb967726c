"""Random games of Terminus.

This is about what holds in every position, how games end, and whether one game agrees with many.
"""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pytest

from tests.games.terminus.games import (
    DECKS,
    PLAYERS,
    SWAPPED,
    fields_of,
    generator_of,
    random_action,
)
from tkm_env import TerminusBatch, TerminusConfig, TerminusGame
from tkm_env.compiled.decorators import COMPILES, cache_folder, source_digest
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.terminus.engine import state as s
from tkm_env.games.terminus.engine.actions import DONE, FREEZES, GROWS, NUM_ACTIONS, PLAYS, SWAPS
from tkm_env.games.terminus.engine.observation import TERMINUS_FEATURES
from tkm_env.games.terminus.notation import format_position

#: How many games of a batch are compared with single ones.
COMPARED = 32 if COMPILES else 8

HIGHEST = np.repeat(
    [feature.high for feature in TERMINUS_FEATURES],
    [feature.length for feature in TERMINUS_FEATURES],
)


def holds(condition: np.ndarray, states: np.ndarray, what: str) -> None:
    """Fail with the first position in which the condition does not hold."""
    if not condition.all():
        raise AssertionError(f"{what}: {format_position(states[int(np.argmin(condition))])}")


def counts(cards: np.ndarray) -> np.ndarray:
    """How often each card is among some: shape (n, 18)."""
    flat = cards.reshape(len(cards), -1)
    return np.stack([(flat == card).sum(1) for card in range(s.NUM_CARDS)], 1)


def check_cards(states: np.ndarray) -> None:
    timeline, hands, deck = counts(states["card"]), counts(states["hand"]), counts(states["deck"])
    places = (timeline > 0).astype(int) + hands + deck
    holds((places <= 1).all(1), states, "a card is in two places")
    entered = states["approached"] >= 2
    holds(places[:, s.TERMINUS_CARD] == entered, states, "Terminus is in play from the second A on")
    holds((timeline <= 3).all(1), states, "a card shows more than three eras")
    bearing = (states["face"] == s.APPROACHES).any(2)
    holds((~bearing | (places == 1)).all(1), states, "a card that bears an A is wholly covered")
    holds(timeline[:, s.IMPETUS_CARD] >= 1, states, "Impetus is not covered wholly")
    holds(
        ~(states["frozen"].astype(bool) & (hands == 0)).any(1), states, "a frozen card is in a hand"
    )
    holds(states["frozen"][:, s.TERMINUS_CARD] == 0, states, "Terminus is frozen")
    holds(
        (deck.sum(1) == states["deck_size"]) & (states["deck_size"] <= 16),
        states,
        "the deck's size",
    )


def check_timeline(states: np.ndarray) -> None:
    columns = np.arange(s.MAX_LENGTH)
    there = columns < states["length"][:, None]
    holds(
        ((states["era"] != s.NOTHING) == there).all(1),
        states,
        "eras reach to the end and no further",
    )
    holds(
        ((states["card"] != s.NO_CARD) == there).all(1),
        states,
        "cards reach to the end and no further",
    )
    impetus = states["card"] == s.IMPETUS_CARD
    holds(
        ((states["era"] == s.APPROACHES) & ~impetus).sum(1) == states["approached"],
        states,
        "an A is covered",
    )
    printed = (states["face"][:, s.IMPETUS_CARD] == s.IMPETUS).sum(1)
    holds((states["era"] == s.IMPETUS).sum(1) == printed, states, "the I is covered")


def check_hands(states: np.ndarray) -> None:
    numbers = states["hand"].astype(int)
    numbers = np.where(
        (numbers == s.TERMINUS_CARD) & (states["approached"] < 3)[:, None, None], 18, numbers
    )
    numbers = np.where(states["hand"] == s.NO_CARD, 99, numbers)
    holds((np.diff(numbers, axis=2) >= 0).all((1, 2)), states, "a hand in the order of its numbers")


def check_turn(states: np.ndarray, masks: np.ndarray) -> None:
    step, over = states["step"], states["step"] == s.OVER
    holds((states["result"] != UNDECIDED) == over, states, "a result exactly when it is over")
    holds(masks.any(1) == ~over, states, "something is legal exactly while the game goes on")
    holds((step != s.PLAY) | ~masks[:, GROWS:].any(1), states, "only plays at the step that plays")
    holds(
        (step != s.RESOLVE) | (~masks[:, PLAYS:GROWS].any(1) & (masks[:, DONE] == 1)),
        states,
        "events, and done, while resolving",
    )
    for first, end, event in ((GROWS, FREEZES, 0), (FREEZES, SWAPS, 1), (SWAPS, DONE, 2)):
        holds(
            ~masks[:, first:end].any(1) | (states["covered"][:, event] > 0),
            states,
            "an event that was not covered",
        )
    holds(
        (step == s.RESOLVE) | (states["covered"] == 0).all(1),
        states,
        "events are left only while resolving",
    )
    holds(
        (states["covered"].sum(1) <= 3) & (states["turn"] <= 18),
        states,
        "three events a turn, 17 turns",
    )
    terminus = (states["card"] == s.TERMINUS_CARD).any(1)
    holds(terminus == over, states, "the game is over when Terminus is played")
    red, blue = ((states["era"] == s.VICTORY + player).sum(1) for player in range(2))
    won = np.where(red == blue, 1 - states["to_act"], np.where(red > blue, s.RED, s.BLUE))
    holds(~over | (states["result"] == s.WON + won), states, "the result")


@pytest.mark.parametrize("deck", DECKS)
def test_invariants_hold_in_random_games(deck: str, pytestconfig: pytest.Config) -> None:
    games = pytestconfig.getoption("games")
    batch = TerminusBatch(games, deck=DECKS[deck])
    batch.reset(seed=11)
    observations = batch.new_observations()
    steps = 0
    while not batch.over.all():
        check_cards(batch.states)
        check_timeline(batch.states)
        check_hands(batch.states)
        check_turn(batch.states, batch.masks)
        batch.observe(observations, np.full(games, steps % 2))
        assert ((observations >= 0) & (observations <= HIGHEST)).all(), (
            "an observation exceeds its bounds"
        )
        batch.play(batch.random_actions())
        assert not batch.illegal.any()
        steps += 1
        assert steps < 18 * 5, "every game ends"
    check_cards(batch.states)
    check_timeline(batch.states)
    check_turn(batch.states, batch.masks)
    assert not batch.truncated.any()
    assert (batch.rewards.sum(1) == 0).all()
    assert (np.abs(batch.rewards) == 1).all(), "there are no draws"


def test_red_and_blue_win_equally_often_at_random(pytestconfig: pytest.Config) -> None:
    """A deviation of five standard errors would fail.

    The deck and its twin with red and blue exchanged are used in turn, since numbers favour one
    colour a little.
    """
    games = 10 * pytestconfig.getoption("games")
    won = 0
    for deck in (None, SWAPPED):
        batch = TerminusBatch(games, deck=deck)
        batch.reset(seed=3)
        _play_out(batch)
        won += int((batch.results == s.WON + s.RED).sum())
    assert abs(won / (2 * games) - 0.5) < 5 * 0.5 / math.sqrt(2 * games), (
        f"red won {won} of {2 * games}"
    )


def _play_out(batch: TerminusBatch) -> None:
    while not batch.over.all():
        batch.play(batch.random_actions())


def check_agreement(game: TerminusGame) -> None:
    """What a game reports about one position agrees with itself."""
    legal = game.legal_actions()
    assert legal == sorted(set(legal)) == np.flatnonzero(game.action_mask()).tolist()
    assert bool(legal) == (game.result is None)
    assert TerminusGame(game.config, position=game.position) == game, game.position
    for twin in (
        game.copy(),
        copy.deepcopy(game),
        copy.copy(game),
        pickle.loads(pickle.dumps(game)),
    ):
        assert twin == game
        assert hash(twin) == hash(game)
        assert twin.history == game.history
        assert (twin.observation() == game.observation()).all()
    assert game.position_for("red") == game.position_for("blue")
    seen = TerminusGame(game.config, position=game.position_for("red"), seed=1)
    assert seen.position_for("red") == game.position_for("red")
    assert seen.legal_actions() == legal, "what is legal depends on what is seen"


@pytest.mark.parametrize("deck", DECKS)
def test_games_agree_with_themselves_at_every_step(deck: str) -> None:
    generator = generator_of("agree", deck)
    for seed in range(4 if COMPILES else 2):
        game = TerminusGame(seed=seed, deck=DECKS[deck])
        check_agreement(game)
        while game.result is None:
            action = random_action(game, generator)
            twin = game.copy()
            observed = game.play_and_observe(action)
            assert (observed == game.observation()).all()
            assert twin != game
            twin.play(game.action_names[action])
            assert twin == game
            check_agreement(game)
        again = TerminusGame(seed=seed, deck=DECKS[deck])
        for action in game.history:
            again.play(action)
        assert again == game, "the same seed and the same actions, the same game, with its shuffles"


def test_the_seed_alone_decides_how_a_game_begins() -> None:
    starts = [TerminusGame(seed=seed).position for seed in range(50)]
    assert starts == [TerminusGame(seed=seed).position for seed in range(50)]
    assert len(set(starts)) == 50
    assert {fields_of(start)["to act"] for start in starts} == {"r", "b"}


def test_every_deal_is_equally_likely(pytestconfig: pytest.Config) -> None:
    games = 40 * pytestconfig.getoption("games")
    batch = TerminusBatch(games)
    batch.reset(seed=5)
    for player in range(2):
        held = counts(batch.states["hand"][:, player])[:, 2:].mean(0)
        assert np.abs(held - 3 / 16).max() < 5 * math.sqrt(3 / 16 * 13 / 16 / games), (
            f"{PLAYERS[player]} is dealt {held}"
        )
    top = batch.states["deck"][np.arange(games), batch.states["deck_size"] - 1]
    shares = np.bincount(top, minlength=18)[2:] / games
    assert np.abs(shares - 1 / 16).max() < 5 * math.sqrt(1 / 16 * 15 / 16 / games), shares


def assert_row_is(
    game: TerminusGame, number: int, batch: TerminusBatch, observations: np.ndarray
) -> None:
    """One row of a batch says what a game says."""
    assert game.state.tobytes() == batch.states[[number]].tobytes(), (
        f"game {number} is at {batch.game(number)}, not at {game}"
    )
    assert game.action_mask().tobytes() == batch.masks[number].tobytes(), (
        f"the mask of game {number} at {game}"
    )
    assert game.observation().tobytes() == observations[number].tobytes(), (
        f"the observation of game {number} at {game}"
    )


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_batch_steps_through_the_same_games_as_single_ones(
    num_threads: int, pytestconfig: pytest.Config
) -> None:
    games = max(COMPARED, pytestconfig.getoption("games"))
    batch = TerminusBatch(games, num_threads=num_threads)
    batch.reset(seed=7)
    single = [batch.game(number) for number in range(games)]
    observations = batch.new_observations()
    for _ in range(40):
        actions, actors = batch.random_actions(), batch.to_act.copy()
        batch.step(actions, observations)
        for number, game in enumerate(single):
            game.play(int(actions[number]))
            assert batch.result(number) == game.result
            if game.result is not None:
                assert batch.rewards[number, actors[number]] == (
                    1 if game.winner == PLAYERS[actors[number]] else -1
                )
                single[number] = batch.game(number)
                assert single[number].turn == 1, "a game that ended is restarted"
            assert_row_is(single[number], number, batch, observations)


def test_a_batch_plays_the_same_games_as_single_ones_to_their_ends() -> None:
    batch = TerminusBatch(COMPARED)
    batch.reset(seed=8)
    single = [batch.game(number) for number in range(COMPARED)]
    observations = batch.new_observations()
    while not batch.over.all():
        actions = batch.random_actions()
        batch.play(actions)
        batch.observe(observations)
        for number, game in enumerate(single):
            if game.result is None:
                game.play(int(actions[number]))
            assert batch.result(number) == game.result
            assert_row_is(game, number, batch, observations)


def test_the_state_has_no_padding_so_that_bytes_are_its_value() -> None:
    assert s.STATE.fields is not None
    assert sum(field[0].itemsize for field in s.STATE.fields.values()) == s.STATE.itemsize


def test_an_illegal_action_loses_a_game_of_a_batch() -> None:
    batch = TerminusBatch(2)
    batch.reset(seed=1)
    actors = batch.to_act.copy()
    batch.play(np.array([DONE, int(batch.masks[1].argmax())]))
    assert batch.illegal.tolist() == [True, False]
    assert batch.result(0) == ("0-1" if actors[0] == 0 else "1-0")
    assert not batch.masks[0].any()
    assert batch.rewards[0, actors[0]] == -1
    lost = batch.game(0)
    assert TerminusGame(position=lost.position) == lost


def test_configurations_with_the_same_deck_are_equal() -> None:
    assert TerminusConfig() == TerminusConfig(deck=DECKS["default"])
    assert TerminusConfig() != TerminusConfig(deck=SWAPPED)
    assert NUM_ACTIONS == 355


def test_machine_code_is_kept_under_a_digest_of_its_own_engine() -> None:
    engine = "tkm_env.games.terminus.engine"
    folder = cache_folder(engine)
    assert folder is None or source_digest(engine) in folder
