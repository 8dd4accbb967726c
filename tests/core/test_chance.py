"""Games draw by draw.

They are the games that the engines play, with every outcome and its probability known.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest

from tests.games.tictactoe import SPEC
from tkm_env import ConfigError, Game, GameConfig, IllegalActionError, TerminusConfig, TerminusGame
from tkm_env.core.chance import Chance, ChanceState, NoChance
from tkm_env.games.terminus.chance import CardChance
from tkm_env.games.tkm.chance import StartChance

CARDS = CardChance(TerminusGame, TerminusConfig())


def moments(chance: Chance, seed: int) -> Iterator[ChanceState]:
    """The moments of a random game."""
    generator = np.random.default_rng(seed)
    moment = chance.begin()
    yield moment
    while moment.undrawn or moment.game.result is None:
        if moment.undrawn:
            outcomes, probabilities = zip(*chance.outcomes(moment), strict=True)
            moment = chance.draw(moment, int(generator.choice(outcomes, p=probabilities)))
        else:
            moment = chance.play(moment, int(generator.choice(moment.game.legal_actions())))
        yield moment


def held(game: TerminusGame) -> list[int]:
    return game.state["hand"][0].ravel().tolist()


@pytest.mark.parametrize("seed", range(30))
def test_drawing_what_the_engine_drew_leads_to_the_same_game(seed: int) -> None:
    engine, generator = TerminusGame(seed=seed), np.random.default_rng(seed)
    moment = CARDS.begin()
    for card in held(engine):
        moment = CARDS.draw(moment, card)
    while engine.result is None:
        assert moment.game.visible_position == engine.visible_position
        assert moment.game.legal_actions() == engine.legal_actions()
        action, before = int(generator.choice(engine.legal_actions())), held(engine)
        engine.play(action)
        moment = CARDS.play(moment, action)
        drawn = sorted({*held(engine)} - {*before, -1})
        assert len(moment.undrawn) == len(drawn)
        for card in drawn:
            moment = CARDS.draw(moment, card)
    assert moment.game.visible_position == engine.visible_position


@pytest.mark.parametrize("seed", range(10))
def test_every_position_between_draws_is_one_of_the_rules(seed: int) -> None:
    for moment in moments(CARDS, seed):
        assert TerminusGame(position=moment.game.position) == moment.game
        assert {*moment.undrawn} <= {*held(moment.game)}


@pytest.mark.parametrize(
    "chance", [CARDS, StartChance(Game, GameConfig(timeline="draft_powers", max_turns=10))]
)
def test_probabilities_add_up_to_one_and_no_game_has_more_draws_than_said(chance: Chance) -> None:
    for seed in range(10):
        draws = [moment for moment in moments(chance, seed) if moment.undrawn]
        assert len(draws) <= chance.most_draws
        for moment in draws:
            outcomes = chance.outcomes(moment)
            assert outcomes == sorted(outcomes)
            assert math.isclose(sum(probability for _, probability in outcomes), 1)
            assert all(0 <= outcome < len(chance.outcome_names) for outcome, _ in outcomes)


def test_any_card_left_in_the_deck_is_as_likely_as_any_other() -> None:
    moment = CARDS.begin()
    assert CARDS.outcomes(moment) == [(card, 1 / 16) for card in range(2, 18)]
    assert CARDS.outcomes(CARDS.draw(moment, 7)) == [
        (card, 1 / 15) for card in range(2, 18) if card != 7
    ]


def test_terminus_can_be_drawn_in_the_turn_in_which_it_enters_and_not_before() -> None:
    entered = 0
    for seed in range(30):
        game = [moment for moment in moments(CARDS, seed) if len(moment.undrawn) > 0]
        for moment in game:
            visible = moment.game.state["approached"][0] >= 2 and 0 not in {*held(moment.game)} - {
                *moment.undrawn
            }
            assert ((0, 1 / len(CARDS.outcomes(moment))) in CARDS.outcomes(moment)) == visible
            entered += visible
    assert entered


def test_outcomes_of_a_start_are_the_starts_that_the_settings_allow() -> None:
    config = GameConfig(chapters="convergence")
    chance = StartChance(Game, config)
    starts, probabilities = config.starts()
    assert chance.outcomes(chance.begin()) == list(enumerate(probabilities.tolist()))
    assert [chance.draw(chance.begin(), number).game for number in range(3)] == [
        Game.from_state(start, config) for start in starts
    ]


def test_settings_that_leave_nothing_to_chance_have_no_draws() -> None:
    chance = StartChance(Game, GameConfig(chapters="memory"))
    assert (chance.most_draws, chance.outcome_names, chance.begin().undrawn) == (0, (), ())


@pytest.mark.parametrize("outcome", [-1, 1, 18])
def test_what_cannot_be_drawn_is_refused(outcome: int) -> None:
    with pytest.raises(IllegalActionError, match=f"{outcome} cannot be drawn; outcomes: 2, 3, "):
        CARDS.draw(CARDS.begin(), outcome)


def test_nothing_can_be_drawn_where_chance_decides_nothing() -> None:
    chance = NoChance(SPEC.game_class, SPEC.config({}))
    with pytest.raises(IllegalActionError, match="outcomes: none"):
        chance.draw(chance.begin(), 0)


def test_a_game_whose_row_says_nothing_of_its_chance_is_refused() -> None:
    with pytest.raises(
        ConfigError, match="game='terminus' is invalid: it leaves something to chance"
    ):
        NoChance(TerminusGame, TerminusConfig())
    with pytest.raises(ConfigError, match="game='tkm' is invalid: it leaves something to chance"):
        NoChance(Game, GameConfig(chapters="convergence"))
