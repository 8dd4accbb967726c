"""Symmetries: a game and its image play alike, to the end, in every configuration."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.envs.comparison import SETTINGS, random_legal
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import ACTIONS, Batch, Game, ObservationEncoder, symmetries
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.state_arrays import put_states
from tkm_env.games.tkm.engine.bitboards import as_bits, as_spaces
from tkm_env.games.tkm.engine.geometry import NOWHERE, NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import BLACK, NOBODY, STATE, WHITE, WON
from tkm_env.games.tkm.notation import format_position
from tkm_env.games.tkm.symmetries import SYMMETRIES, Symmetry, canonical

TALK: dict[str, Any] = {"concede": True, "draws": True}


def image_of(game: Game, symmetry: Symmetry) -> Game:
    return Game(game.config, position=format_position(symmetry.states(game.state)[0]))


def play_alike(game: Game, symmetries: list[Symmetry], generator: np.random.Generator) -> None:
    """Play at random to the end, and the same in all images, which stay images."""
    actions = [symmetry.actions() for symmetry in symmetries]
    images = [image_of(game, symmetry) for symmetry in symmetries]
    while True:
        legal = game.legal_actions()
        for symmetry, becomes, image in zip(symmetries, actions, images, strict=True):
            assert image.state.tobytes() == symmetry.states(game.state).tobytes(), (
                symmetry,
                game.position,
            )
            assert image.legal_actions() == sorted(becomes[legal].tolist()), (
                symmetry,
                game.position,
            )
        if game.result is not None:
            return
        quiet = [action for action in legal if ACTIONS[action] not in ("concede", "offer draw")]
        action = int(generator.choice(quiet if generator.random() < 0.99 else legal))
        game.play(action)
        for becomes, image in zip(actions, images, strict=True):
            image.play(int(becomes[action]))


def some(generator: np.random.Generator, number: int = 3) -> list[Symmetry]:
    return [SYMMETRIES[index] for index in generator.choice(len(SYMMETRIES), number, replace=False)]


@each_setting
def test_images_play_identically(chapters: tuple[str, ...], edition: str) -> None:
    generator = np.random.default_rng(seed_of("symmetries", chapters, edition))
    for powers in power_pairs(chapters, generator, 3):
        play_alike(
            Game(chapters=chapters, edition=edition, powers=powers, max_turns=40, **TALK),
            some(generator),
            generator,
        )


@pytest.mark.parametrize("timeline", ["draft_powers", "power_share"])
def test_images_of_drafts_play_identically(timeline: str) -> None:
    generator = np.random.default_rng(seed_of(timeline))
    play_alike(Game(timeline=timeline, seed=1, max_turns=20), some(generator), generator)


def test_every_symmetry_plays_identically() -> None:
    generator = np.random.default_rng(1)
    play_alike(
        Game(chapters=["growth", "influence", "memory"], max_turns=12), list(SYMMETRIES), generator
    )


# As tables over what is seen and done.


@pytest.mark.parametrize("observation", ["planes", "compact"])
@pytest.mark.parametrize("name", SETTINGS)
def test_tables_turn_observations_masks_and_actions_as_the_rules_do(
    name: str, observation: str
) -> None:
    """The image of an observation is the observation of the image, and so on, in random games."""
    settings = SETTINGS[name]
    generator = np.random.default_rng(seed_of(name, observation))
    batch, images = (Batch(30 if COMPILES else 3, **settings) for _ in range(2))
    batch.reset(seed=2)
    encoder = ObservationEncoder(Game, batch.config, observation)
    tables = symmetries(observation=observation, **settings)
    assert len(tables) in (16, 32)
    for _ in range(12 if COMPILES else 3):
        number = int(generator.integers(len(tables)))
        symmetry, table = SYMMETRIES[number], tables[number]
        assert (table.name == "unchanged") == (number == 0)
        expected = symmetry.states(batch.states)
        images.let_play(
            lambda states, streams, masks, now=expected: put_states(
                states, np.arange(len(states)), now
            )
        )
        assert (images.masks == table.transform_actions(batch.masks)).all()
        assert (table.inverse_actions(images.masks) == batch.masks).all()
        for viewer in range(2):
            viewers = np.full(batch.num_games, viewer)
            seen = batch.observations_of(np.arange(batch.num_games), viewers, encoder)
            of_images = images.observations_of(
                np.arange(batch.num_games), viewers ^ symmetry.colours, encoder
            )
            assert (table.transform_observations(seen) == of_images).all()
        actions = random_legal(batch.masks, generator)
        going_on = ~batch.over
        batch.play(actions)
        images.play(np.argsort(table.actions)[actions])
        assert (images.states == symmetry.states(batch.states))[going_on].all()
        for _ in range(7):
            batch.begin(batch.over)
            batch.play(random_legal(batch.masks, generator))


def test_symmetries_of_canonical_views_do_not_exchange_colours() -> None:
    for observation in ("planes", "compact"):
        tables = symmetries(observation=observation, canonical=True, chapters="memory")
        assert len(tables) == 16
        assert not any(table.flipped.any() for table in tables)
        assert len({table.elements.tobytes() for table in tables}) == 16


def test_other_games_have_no_symmetry_but_the_one_that_changes_nothing() -> None:
    (table,) = symmetries("terminus")
    assert table.name == "unchanged"
    assert table.elements.tolist() == list(range(838))


def middle() -> Game:
    """A position without any symmetry of its own, with active copy and hats."""
    return Game(
        position=(
            "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L.>B GIM w 2 NF N1 2/3 b "
            "-w-/--b green-thumb/loyalty 12"
        )
    )


def test_there_are_16_symmetries_and_twice_as_many_with_elephants() -> None:
    images = {symmetry.states(middle().state).tobytes() for symmetry in SYMMETRIES}
    assert len(images) == len(SYMMETRIES) == 32
    assert (
        len(
            {
                symmetry.states(middle().state).tobytes()
                for symmetry in SYMMETRIES
                if not symmetry.elephants
            }
        )
        == 16
    )


def test_the_first_symmetry_changes_nothing() -> None:
    assert SYMMETRIES[0].states(middle().state).tobytes() == middle().state.tobytes()
    assert SYMMETRIES[0].actions().tolist() == list(range(len(ACTIONS)))


def test_one_symmetry_after_another_is_a_third() -> None:
    state = middle().state
    images = {
        symmetry.states(state).tobytes(): symmetry.actions().tolist() for symmetry in SYMMETRIES
    }
    for first, second in itertools.product(SYMMETRIES, repeat=2):
        image = second.states(first.states(state)).tobytes()
        assert images[image] == second.actions()[first.actions()].tolist()


def test_images_have_one_canonical_form_and_other_positions_have_others() -> None:
    images = np.concatenate([symmetry.states(middle().state) for symmetry in SYMMETRIES]).view(
        STATE
    )
    forms = canonical(images)
    assert len({form.tobytes() for form in forms}) == 1
    assert forms[:1].tobytes() in {
        images[number : number + 1].tobytes() for number in range(len(images))
    }
    other = middle()
    other.play("move east")
    assert canonical(other.state).tobytes() != forms[:1].tobytes()


def image_by_parts(symmetry: Symmetry, state: Any) -> bytes:
    """The image of one position, read off part by part."""
    image = state.copy()
    spaces, pieces = symmetry.spaces(), symmetry.pieces()
    seeds = as_spaces(state["seed"])
    image_seeds = np.zeros_like(seeds)
    for era, space in itertools.product(range(NUM_ERAS), range(NUM_SPACES)):
        image["cell"][era, spaces[space]] = pieces[state["cell"][era, space]]
        image_seeds[era, spaces[space]] = seeds[era, space]
    image["seed"] = as_bits(image_seeds)
    if state["active_space"] != NOWHERE:
        image["active_space"] = spaces[state["active_space"]]
    players = {NOBODY: NOBODY, WHITE: BLACK, BLACK: WHITE} if symmetry.colours else {}
    for elephant, era in itertools.product(range(2), range(NUM_ERAS)):
        owner = state["hat"][elephant, era]
        image["hat"][elephant ^ symmetry.elephants, era] = players.get(owner, owner)
    image["to_act"] = players.get(state["to_act"], state["to_act"])
    if state["result"] in (WON + WHITE, WON + BLACK):
        winner = state["result"] - WON
        image["result"] = WON + players.get(winner, winner)
    for field in ("supply", "unbuilt", "overtime_spent", "focus", "power"):
        for player in range(2):
            image[field][players.get(player, player)] = state[field][player]
    return bytes(image.tobytes())


@pytest.mark.parametrize("name", SETTINGS)
def test_images_made_at_once_are_those_made_one_by_one(name: str) -> None:
    batch = Batch(8 if COMPILES else 2, **SETTINGS[name])
    batch.reset(seed=seed_of(name))
    for _ in range(4 if COMPILES else 2):
        for _ in range(9):
            batch.begin(batch.over)
            batch.play(batch.random_actions())
        states = batch.states
        by_parts = [[image_by_parts(s, state) for s in SYMMETRIES] for state in states]
        for number, symmetry in enumerate(SYMMETRIES):
            at_once = symmetry.states(states).tobytes()
            assert at_once == b"".join(images[number] for images in by_parts)
        assert canonical(states).tobytes() == b"".join(map(min, by_parts))


def test_positions_are_not_changed_by_making_their_images() -> None:
    state = middle().state
    for symmetry in SYMMETRIES:
        symmetry.states(state)
    canonical(state)
    assert state.tobytes() == middle().state.tobytes()
