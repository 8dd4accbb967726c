"""Compact observations: what they hold is the scaled features that vary with the deck, and what they leave out is constant."""

from __future__ import annotations

import numpy as np
import pytest

from tests.games.terminus.games import DECKS
from tkm_env import TERMINUS_FEATURES, ObservationEncoder, TerminusBatch, TerminusConfig, TerminusGame, compact_layout
from tkm_env.compiled.decorators import COMPILES

GAMES, STEPS = (200, 40) if COMPILES else (3, 20)
#: Nothing but victories and what a deck must have: no events.
QUIET = (".I.", *("RBR", "BRB") * 7, "RRB", "BAA")
#: Decks with which random play reaches everything.
REACHED = (DECKS["default"], DECKS["eventful"], DECKS["swapped"])


@pytest.mark.parametrize("deck", [*DECKS.values(), QUIET], ids=[*DECKS, "quiet"])
def test_compact_observations_are_the_scaled_features_that_vary(deck: tuple[str, ...]) -> None:
    batch = TerminusBatch(GAMES, deck=deck)
    batch.reset(seed=1)
    encoder = ObservationEncoder(TerminusGame, TerminusConfig(deck=deck), "compact")
    rows = {row.name: row for row in compact_layout("terminus", deck=deck)}
    planes, compact = batch.new_observations(), batch.new_observations(encoder)
    seen: list[list[np.ndarray]] = [[], []]
    for step in range(STEPS):
        for viewer in range(2):
            viewers = np.full(GAMES, viewer)
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
                [name in row.meaning.split(": ")[1].split(", ") for name in feature.meaning.split(": ")[1].split(", ")]
            )
            kept = np.tile(kinds, 3)
            assert not varying[~kept].any(), feature.name
            np.testing.assert_allclose(taken, elements[:, kept])
        assert varying.any() or deck not in REACHED or not COMPILES, f"{feature.name} is shown and never varies"
    assert length == shown.shape[1]
