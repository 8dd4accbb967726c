"""Keys of positions: different positions have different ones."""

from __future__ import annotations

import itertools

import numpy as np

from tests.cases import each_setting
from tests.games.tkm.positions import VARIED
from tests.players.tkm.search.helpers import MORE, keys, positions, turns_of
from tkm_env import Game
from tkm_env.games.tkm.engine.state import STATE


@each_setting
def test_different_positions_have_different_keys(chapters: tuple[str, ...], edition: str) -> None:
    found: dict[int, bytes] = {}
    for game in positions(chapters, edition, MORE):
        _, after = turns_of(game._states)
        after["turn"] = 1
        for key, content in zip(keys(after), [state.tobytes() for state in after], strict=True):
            assert (
                found.setdefault(key, content[: STATE.fields["chapters"][1]])
                == content[: STATE.fields["chapters"][1]]
            )


def test_positions_that_differ_in_two_places_have_keys_of_their_own() -> None:
    """A key sums up what each word contributes.

    Differences in two words could therefore cancel each other in all positions alike.
    """
    assert STATE.fields is not None
    values = {"cell": (1, 2, 4), "seed": (1, 2, 4, 8, 16, 32, 64, 128)}
    left_out = {
        "turn",
        "power_share",
        "power_texts",
        "chapters",
        "edition",
        "concede",
        "draws",
        "max_turns",
    }
    changes = [
        (place, value)
        for name, (kind, first, *_) in STATE.fields.items()
        if name not in left_out
        for place in range(first, first + (1 if kind == np.int64 else kind.itemsize))
        for value in values.get(name, (1, 2, 3))
    ]
    pairs = np.array([*itertools.combinations(changes, 2)])
    contents = np.zeros((len(pairs), STATE.itemsize), np.uint8)
    for number in range(2):
        contents[np.arange(len(pairs)), pairs[:, number, 0]] ^= pairs[:, number, 1].astype(np.uint8)
    assert len({*keys(contents.view(STATE)[:, 0])}) == len(np.unique(contents, axis=0)) > 20_000


def test_a_key_leaves_out_settings_and_optionally_the_turn_and_the_active_copy() -> None:
    states = np.repeat(Game(position=VARIED[4])._states, 4)
    states["max_turns"][1] = 9
    states["turn"][2] = 15
    states["active_space"][3] = 1
    assert len(set(keys(states))) == 2
    assert len(set(keys(states, with_active=False))) == 1
    assert len(set(keys(states, with_turn=True))) == 3
