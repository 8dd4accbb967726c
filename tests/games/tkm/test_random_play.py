"""Random games of every configuration.

This is about invariants in each position, and whether a game agrees with itself where it reports
something in several ways.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from tests.cases import EDITIONS, each_setting
from tests.games.tkm.random_games import power_pairs, seed_of
from tests.games.tkm.simulation import check_invariants, play_games, sampled
from tkm_env import ACTIONS, Game, GameConfig
from tkm_env.games.tkm.notation import format_position, parse_position
from tkm_env.games.tkm.observation_decoder import decode_observation


@each_setting
@pytest.mark.slow
def test_invariants_hold_in_random_games(
    chapters: tuple[str, ...], edition: str, pytestconfig: pytest.Config
) -> None:
    generator = np.random.default_rng(seed_of(chapters, edition))

    def visit(states: np.ndarray, masks: np.ndarray, observations: np.ndarray) -> None:
        check_invariants(states, masks, observations)
        for state in sampled(states, generator, 0.001):
            text = format_position(state)
            settings = {"edition": edition, "max_turns": int(state.max_turns)}
            assert parse_position(text, **settings).tobytes() == state.tobytes(), text

    games = pytestconfig.getoption("games")
    config = GameConfig(chapters=chapters, edition=edition)
    results = play_games(config, games, seed_of(chapters, edition), visit)
    assert results.total() == games


@each_setting
@pytest.mark.slow
def test_invariants_hold_with_random_pairs_of_powers(
    chapters: tuple[str, ...], edition: str, pytestconfig: pytest.Config
) -> None:
    generator = np.random.default_rng(seed_of(chapters, edition, "powers"))
    pairs = max(2, pytestconfig.getoption("games") // 20)
    for powers in power_pairs(chapters, generator, pairs):
        config = GameConfig(
            chapters=chapters, edition=edition, powers=powers, concede=True, draws=True
        )
        results = play_games(config, 20, seed_of(chapters, edition, powers), check_invariants)
        assert results.total() == 20


@pytest.mark.parametrize("edition", EDITIONS)
@pytest.mark.slow
@pytest.mark.parametrize("timeline", ["draft_powers", "power_share"])
def test_invariants_hold_with_drafts(
    timeline: str, edition: str, pytestconfig: pytest.Config
) -> None:
    games = pytestconfig.getoption("games")
    config = GameConfig(timeline=timeline, edition=edition, draws=True)
    assert play_games(config, games, seed_of(timeline, edition), check_invariants).total() == games


@pytest.mark.parametrize("first_player", ["white", "black"])
@pytest.mark.parametrize("handicap", [(0, 0), (3, 0), (1, 2)])
def test_invariants_hold_with_every_first_player_and_handicap(
    first_player: str, handicap: tuple[int, int]
) -> None:
    config = GameConfig(
        chapters="convergence",
        first_player=first_player,
        handicap=handicap,
        concede=True,
        draws=True,
        max_turns=30,
    )
    results = play_games(config, 40, seed_of(first_player, handicap), check_invariants)
    assert results.total() == 40


def check_agreement(game: Game) -> None:
    """What a game reports about one position agrees with itself."""
    legal = game.legal_actions()
    assert legal == sorted(set(legal)) == np.flatnonzero(game.action_mask()).tolist()
    assert bool(legal) == (game.result is None)
    settings = {"config": game.config, "position": game.position}
    assert Game(**settings) == game, game.position
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
    if game.result is None:
        for player in ("white", "black"):
            assert decode_observation(game.observation(player)) == game.position


@each_setting
def test_games_agree_with_themselves_at_every_step(chapters: tuple[str, ...], edition: str) -> None:
    generator = np.random.default_rng(seed_of(chapters, edition))
    powers = power_pairs(chapters, generator, 2)[1]
    game = Game(
        chapters=chapters, edition=edition, powers=powers, concede=True, draws=True, max_turns=12
    )
    check_agreement(game)
    while game.result is None:
        legal = [action for action in game.legal_actions() if ACTIONS[action] != "concede"]
        action = int(generator.choice(legal))
        twin = game.copy()
        game.play(action)
        assert twin != game
        twin.play(ACTIONS[action])
        assert twin == game
        check_agreement(game)


def test_same_seed_gives_the_same_chapters() -> None:
    drawn = [Game(chapters="convergence", seed=seed).position for seed in range(30)]
    assert drawn == [Game(chapters="convergence", seed=seed).position for seed in range(30)]
    assert {position.split(" ")[1] for position in drawn} == {"GI", "GM", "IM"}


@pytest.mark.slow
def test_white_and_black_win_equally_often_at_random() -> None:
    """Random play shows no disadvantage of the second player.

    A deviation of 5 standard errors would fail.
    """
    for first_player in ("white", "black"):
        results = play_games(GameConfig(first_player=first_player), 4000, 5, lambda *_: None)
        decided = results[1] + results[2]
        assert decided > 3900
        share = results[1] / decided
        assert abs(share - 0.5) < 0.08, (
            f"white won {share:.3f} of {decided} with {first_player} first"
        )


def test_a_game_over_has_nothing_legal() -> None:
    game = Game(max_turns=1)
    for action in ("choose 1", "move east", "move east", "focus present"):
        game.play(action)
    assert game.result == "*"
    assert game.is_truncated
    assert game.winner is None
    assert game.legal_actions() == []
