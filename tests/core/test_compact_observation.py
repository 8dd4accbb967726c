"""Compact observations hold scaled planes or features that vary.

What they leave out is constant.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.envs.comparison import PLAYED, SETTINGS, random_legal
from tests.games.terminus.games import DECKS
from tests.games.tkm.random_games import seed_of
from tkm_env import (
    PLANES,
    TERMINUS_FEATURES,
    ArrayError,
    Batch,
    ConfigError,
    Game,
    GameConfig,
    ObservationEncoder,
    TerminusBatch,
    TerminusConfig,
    TerminusGame,
    compact_layout,
)
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.powers import POWERS

GAMES, STEPS = (40, 12) if COMPILES else (4, 4)
POWER_NAMES = [power.name for power in POWERS]


def expected(observations: np.ndarray, settings: dict[str, Any]) -> tuple[np.ndarray, list[int]]:
    """What the layout's rows say about observations, and the planes that no row is about.

    It is read from the planes by name.
    """
    columns = []
    unused = dict(enumerate(PLANES))
    for row in compact_layout(**settings):
        name, _, power = row.name.partition(": ")
        number = next(
            number
            for number, plane in enumerate(PLANES)
            if (plane.era, plane.name) == (row.era, name)
        )
        plane = PLANES[number]
        cells = observations[:, number].reshape(len(observations), 16)
        shown = (
            [POWER_NAMES.index(power)] if power else range(16) if plane.layout == "spaces" else [0]
        )
        assert (row.start, row.length, row.high) == (
            sum(column.shape[1] for column in columns),
            len(shown),
            plane.high,
        )
        columns.append(cells[:, shown] / np.float32(plane.high))
        if plane.layout != "spaces":
            rest = cells[:, [cell for cell in range(16) if cell not in shown]]
            assert plane.layout == "numbered" or (rest == cells[:, :1]).all()
        unused.pop(number, None)
    return np.concatenate(columns, 1), [*unused]


def played(
    settings: dict[str, Any], generator: np.random.Generator, games: int = GAMES, steps: int = STEPS
) -> Any:
    """A batch at random play, every few steps, with games that have just ended."""
    batch = Batch(games, **settings)
    batch.reset(seed=int(generator.integers(1000)))
    for _ in range(steps):
        yield batch
        for _ in range(9):
            batch.begin(batch.over)
            batch.play(random_legal(batch.masks, generator))


@pytest.mark.parametrize("name", PLAYED)
def test_compact_observations_are_the_scaled_planes_that_vary(name: str) -> None:
    settings = SETTINGS[name]
    encoder = ObservationEncoder(Game, GameConfig(**settings), "compact")
    constant: np.ndarray | None = None
    for batch in played(settings, np.random.default_rng(seed_of(name))):
        for viewer in range(2):
            viewers = np.full(batch.num_games, viewer)
            planes, compact = batch.new_observations(), batch.new_observations(encoder)
            batch.observe(planes, viewers)
            batch.observe(compact, viewers, encoder)
            right, unused = expected(planes, settings)
            assert compact.dtype == np.float32
            np.testing.assert_allclose(compact, right, rtol=1e-6)
            constant = planes[0, unused] if constant is None else constant
            assert (planes[:, unused] == constant).all()


@pytest.mark.parametrize("observation", ["planes", "compact"])
def test_canonical_batches_show_what_canonical_games_show(observation: str) -> None:
    settings = {"chapters": ["growth", "influence", "memory"], "powers": ("express", "loyalty")}
    encoder = ObservationEncoder(Game, GameConfig(**settings), observation, canonical=True)
    for batch in played(settings, np.random.default_rng(2), games=6, steps=4):
        shown, masks = batch.new_observations(encoder), np.empty_like(batch.masks)
        batch.observe(shown, encoder=encoder)
        encoder.write_masks(batch.masks, batch.to_act, masks)
        for number in range(batch.num_games):
            assert (shown[number] == encoder.observation(batch.game(number))).all()
            assert (masks[number] == encoder.action_mask(batch.game(number))).all()


#: Settings under which random play reaches everything, but for turns from the 100th on.
REACHED = {
    name: settings | {"max_turns": 99, "draws": True}
    for name, settings in {
        "standard": {},
        "growth": {"chapters": "growth", "powers": ("green-thumb", "brushwood")},
        "influence": {"chapters": "influence", "powers": ("overtime", None)},
        "memory": {"chapters": "memory", "edition": "2022", "powers": ("loyalty", "loyalty")},
        "convergence": {"chapters": "convergence", "handicap": (1, 0)},
        "draft": {"timeline": "draft_powers"},
        "share": {"timeline": "power_share"},
    }.items()
}


@pytest.mark.skipif(not COMPILES, reason="needs many games")
@pytest.mark.parametrize("name", REACHED)
def test_everything_in_a_compact_observation_varies(name: str) -> None:
    settings = REACHED[name]
    encoder = ObservationEncoder(Game, GameConfig(**settings), "compact")
    lowest, highest = np.ones(encoder.high.shape), np.zeros(encoder.high.shape)
    for batch in played(settings, np.random.default_rng(1), 300, 40):
        for viewer in range(2):
            compact = batch.new_observations(encoder)
            batch.observe(compact, np.full(batch.num_games, viewer), encoder)
            lowest, highest = (
                np.minimum(lowest, compact.min(0)),
                np.maximum(highest, compact.max(0)),
            )
    for row in compact_layout(**settings):
        elements = slice(row.start, row.start + row.length)
        assert (lowest[elements] < highest[elements]).any(), row


# Terminus

TERMINUS_GAMES, TERMINUS_STEPS = (200, 40) if COMPILES else (3, 20)
#: Nothing but victories and what a deck must have: no events.
QUIET = (".I.", *("RBR", "BRB") * 7, "RRB", "BAA")
#: Decks with which random play reaches everything.
REACHED_BY_DECK = (DECKS["default"], DECKS["eventful"], DECKS["swapped"])


@pytest.mark.parametrize("deck", [*DECKS.values(), QUIET])
def test_compact_observations_are_the_scaled_features_that_vary(deck: tuple[str, ...]) -> None:
    batch = TerminusBatch(TERMINUS_GAMES, deck=deck)
    batch.reset(seed=1)
    encoder = ObservationEncoder(TerminusGame, TerminusConfig(deck=deck), "compact")
    rows = {row.name: row for row in compact_layout("terminus", deck=deck)}
    planes, compact = batch.new_observations(), batch.new_observations(encoder)
    seen: list[list[np.ndarray]] = [[], []]
    for step in range(TERMINUS_STEPS):
        for viewer in range(2):
            viewers = np.full(TERMINUS_GAMES, viewer)
            batch.observe(planes, viewers)
            batch.observe(compact, viewers, encoder)
            seen[0].append(planes.copy())
            seen[1].append(compact.copy())
        batch.begin(batch.over & (step % 2 == 1))
        batch.play(batch.random_actions())
    whole, shown = (np.concatenate(one) for one in seen)
    first = length = 0
    for feature in TERMINUS_FEATURES:
        elements = whole[:, first : first + feature.length]
        first += feature.length
        row = rows.get(feature.name)
        varying = elements.min(0) < elements.max(0)
        if row is None:
            assert not varying.any(), feature.name
            continue
        assert (row.start, row.high) == (length, feature.high)
        length += row.length
        taken = shown[:, row.start : length]
        if row.length == feature.length:
            np.testing.assert_allclose(taken, elements / feature.high, rtol=1e-6)
        else:  # some kinds of eras are in no hand
            kinds = np.array(
                [
                    name in row.meaning.split(": ")[1].split(", ")
                    for name in feature.meaning.split(": ")[1].split(", ")
                ]
            )
            kept = np.tile(kinds, 3)
            assert not varying[~kept].any(), feature.name
            np.testing.assert_allclose(taken, elements[:, kept])
        assert varying.any() or deck not in REACHED_BY_DECK or not COMPILES, (
            f"{feature.name} is shown and never varies"
        )
    assert length == shown.shape[1]


@pytest.mark.parametrize("canonical", [False, True])
@pytest.mark.parametrize("observation", ["planes", "compact"])
def test_a_batch_shows_what_it_writes_apart_and_never_changes_it(
    observation: str, canonical: bool
) -> None:
    encoder = ObservationEncoder(Game, GameConfig(), observation, canonical)
    batch, held = Batch(9), []
    batch.reset(seed=1)
    for number in range(12):
        viewers = (np.arange(9) + number) % 2
        seen, masks = batch.new_observations(encoder), np.empty_like(batch.masks)
        batch.observe(seen, viewers, encoder)
        encoder.write_masks(batch.masks, viewers, masks)
        held.append((batch.show(viewers, encoder), (seen, masks)))
        batch.play(batch.random_actions())
    for shown, apart in held:
        assert [array.tobytes() for array in shown] == [array.tobytes() for array in apart]
    with pytest.raises(ArrayError, match="viewers"):
        batch.show(np.full(9, 2), encoder)
    with pytest.raises(ConfigError, match="encoder"):
        batch.show(viewers, ObservationEncoder(Game, GameConfig(max_turns=7), observation))
