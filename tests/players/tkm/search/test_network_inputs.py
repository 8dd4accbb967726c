"""The inputs of value networks agree with a slow reading of the position and the symmetries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.random_games import power_pairs, seed_of
from tests.players.tkm.search.helpers import DANGERS, inputs_of
from tkm_env import Game
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import EDITION_2022, NO_POWER, NOBODY, PIECES
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.tkm.search.network_inputs import (
    GROUPS,
    KINDS,
    NUM_INPUTS,
    factorized_inputs,
    images,
)

FIRSTS = dict(
    zip(
        [group.name for group in GROUPS],
        np.cumsum([0, *(group.size for group in GROUPS)]),
        strict=False,
    )
)
SHAPES = {group.name: group.shape for group in GROUPS}
NAMES = {
    "standing tree": "tree",
    "fallen tree, trunk to the north": "fallen north",
    "fallen tree, trunk to the east": "fallen east",
    "fallen tree, trunk to the south": "fallen south",
    "fallen tree, trunk to the west": "fallen west",
}


def number(group: str, *index: int) -> int:
    return int(FIRSTS[group] + np.ravel_multi_index(index, SHAPES[group]))


def kind_of(piece: int, me: int) -> int:
    name = PIECES[piece]
    for player, colour in enumerate(("white", "black")):
        whose = "my" if player == me else "their"
        name = name.replace(f"{colour}'s statue", f"{whose} statue").replace(
            f"{colour} copy", f"{whose} copy"
        )
    return KINDS.index(NAMES.get(name, name))


def read_slowly(state: Any) -> set[int]:
    me, they = state.to_act, 1 - state.to_act
    focuses = max(state.focus[me], 0), max(state.focus[they], 0)
    found = set()
    for era, space in np.ndindex(3, 16):
        if state.cell[era, space]:
            found.add(number("pieces", *focuses, kind_of(state.cell[era, space], me), era, space))
        if state.seed[era] >> space & 1:
            found.add(number("pieces", *focuses, KINDS.index("seed"), era, space))
    for whose, player in enumerate((me, they)):
        for era in range(3):
            found.add(
                number("copies", *focuses, whose, era, int((state.cell[era] == 1 + player).sum()))
            )
            for elephant in range(2):
                if state.hat[elephant, era] not in (NOBODY, 1 - player):
                    found.add(number("hats", whose, elephant, era))
        found.add(number("supply", whose, state.supply[player]))
        if state.unbuilt[player]:
            found.add(number("unbuilt", whose))
        if state.power[player] != NO_POWER:
            found.add(number("power", whose, state.power[player]))
        if state.overtime_spent[player]:
            found.add(number("overtime", whose))
    if state.edition == EDITION_2022:
        found.add(number("edition", 0))
    return found


def random_positions(chapters: tuple[str, ...], edition: str, games: int = 4) -> list[np.ndarray]:
    generator = np.random.default_rng(seed_of("inputs", chapters, edition))
    states = []
    for powers in power_pairs(chapters, generator, games):
        game = Game(chapters=chapters, edition=edition, powers=powers, max_turns=40)
        while game.result is None:
            states.append(game.state)
            game.play(int(generator.choice(game.legal_actions())))
    return states


@pytest.mark.slow
@each_setting
def test_inputs_but_dangers_are_what_a_slow_reading_of_the_position_says(
    chapters: tuple[str, ...], edition: str
) -> None:
    for states in random_positions(chapters, edition):
        assert inputs_of(states) - DANGERS == read_slowly(states[0])


@each_setting
def test_inputs_of_an_image_are_images_of_the_inputs(
    chapters: tuple[str, ...], edition: str
) -> None:
    kept = [symmetry for symmetry in SYMMETRIES if not symmetry.colours]
    for states in random_positions(chapters, edition, 2)[::7]:
        on = sorted(inputs_of(states))
        for symmetry, table in zip(kept, images(), strict=True):
            assert inputs_of(symmetry.states(states)) == set(table[on].tolist()), symmetry


@each_setting
def test_inputs_do_not_depend_on_the_colour_of_the_side_to_act(
    chapters: tuple[str, ...], edition: str
) -> None:
    exchange = next(symmetry for symmetry in SYMMETRIES if symmetry.colours)
    for states in random_positions(chapters, edition, 2)[::7]:
        assert inputs_of(exchange.states(states)) == inputs_of(states)


def test_companions_are_shared_by_inputs_that_differ_in_the_focuses_alone() -> None:
    shared = factorized_inputs()
    assert shared.shape == (NUM_INPUTS,)
    for group in ("pieces", "copies"):
        rows = shared[FIRSTS[group] : FIRSTS[group] + np.prod(SHAPES[group])].reshape(9, -1)
        assert (rows == rows[0]).all()
        assert len(set(rows[0].tolist())) == rows.shape[1]
    assert sorted(set(shared[shared >= 0].tolist())) == list(range(NUM_INPUTS, shared.max() + 1))
    assert (shared[FIRSTS["supply"] :] == -1).all()


@pytest.mark.parametrize("power", range(len(POWERS)))
def test_every_power_has_an_input(power: int) -> None:
    chapters = ("growth", "influence", "memory")
    game = Game(chapters=chapters, powers=(POWERS[power].name, None))
    assert number("power", 0, power) in inputs_of(game.state)
