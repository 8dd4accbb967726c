"""Whole turns, against playing every order of actions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.positions import TALK, VARIED
from tests.games.tkm.random_games import seed_of
from tests.players.tkm.search.helpers import MORE, positions
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.powers import POWER_NAMES
from tkm_env.games.tkm.engine.state import CHAPTERS
from tkm_env.games.tkm.engine.turn_generator import pack_actions, unpack_turn

#: Two copies to choose from, with `overtime`: they may both be where they were after two actions,
#: one of them active.
OVERTIME_WITH_TWO = (
    "W.W./..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 3/4 - ---/--- "
    "overtime/- 1"
)


def brute_force(game: Game) -> list[tuple[tuple[int, ...], Game]]:
    """Every position that the turn can lead to, with the first actions that lead there.

    They are found by playing every order of actions.
    """
    found: dict[Game, tuple[int, ...]] = {}
    player = game.to_act

    def go(now: Game, taken: tuple[int, ...]) -> None:
        if taken and (now.result is not None or now.to_act != player):
            found.setdefault(now, taken)
            return
        for action in now.legal_actions():
            if ACTIONS[action] not in ("concede", "offer draw"):
                after = now.copy()
                after.play(action)
                go(after, (*taken, action))

    go(game, ())
    return [(actions, after) for after, actions in found.items()]


@each_setting
def test_turns_are_all_positions_one_turn_leads_to_each_once(
    chapters: tuple[str, ...], edition: str
) -> None:
    for game in positions(chapters, edition, MORE // 2 or 1, **TALK):
        assert list(game.turns()) == brute_force(game)


@pytest.mark.parametrize("power", POWER_NAMES if COMPILES else ())
def test_turns_are_all_positions_with_every_power(power: str) -> None:
    generator = np.random.default_rng(seed_of(power))
    for handicap in ((0, 0), (2, 1)):
        game = Game(chapters=CHAPTERS, powers=(power, power), handicap=handicap)
        for ply in range(48):
            if ply % 4 == 0:
                assert list(game.turns()) == brute_force(game)
            if game.result is None:
                game.play(int(generator.choice(game.legal_actions())))


@pytest.mark.parametrize("position", [*VARIED, OVERTIME_WITH_TWO])
def test_turns_are_found_at_every_step(position: str) -> None:
    game = Game(position=position, **TALK)
    assert list(game.turns()) == brute_force(game)


@pytest.mark.parametrize("timeline", ["draft_powers", "power_share"])
def test_who_decides_to_go_first_plays_the_first_turn_in_the_same_turn(timeline: str) -> None:
    game = Game(timeline=timeline, seed=1)
    while game.step_text != "o":
        game.play(game.legal_actions()[0])
    lengths = {len(turn.actions) for turn in game.turns()}
    assert min(lengths) == 1
    assert max(lengths) >= 5
    assert list(game.turns()) == brute_force(game)


def test_a_packed_turn_holds_the_longest_turn() -> None:
    longest = [NUM_ACTIONS - 1] * 9
    assert unpack_turn(pack_actions(longest)) == longest
    assert 0 < pack_actions(longest) < 2**63
