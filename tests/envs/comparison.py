"""Shared by tests of many games: settings, players for the other side, and comparisons.

The settings reach every rule; games are compared as they are played side by side.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.cases import CHAPTER_SETS
from tests.games.tkm.positions import TALK
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.config_values import TIMELINES
from tkm_env.games.tkm.engine.planes import NUM_PLANES
from tkm_env.games.tkm.engine.state import EDITIONS

#: Action names that end a game early when they are picked at random.
ENDS_SOON = ("concede", "accept draw")


def _settings() -> dict[str, dict[str, Any]]:
    """Every set of chapters in both editions, each with another pair of powers.

    Every second one has conceding and draws.
    """
    named: dict[str, dict[str, Any]] = {}
    for edition in EDITIONS:
        for number, chapters in enumerate(CHAPTER_SETS):
            generator = np.random.default_rng(seed_of(chapters, edition, "faces"))
            powers = power_pairs(chapters, generator, 2)[1]
            talk = TALK if number % 2 else {}
            name = "+".join(chapters) or "standard"
            named[f"{name}-{edition}"] = {
                "chapters": chapters,
                "edition": edition,
                "powers": powers,
                **talk,
            }
        named[f"convergence-{edition}"] = {
            "chapters": "convergence",
            "edition": edition,
            "first_player": "black",
            **TALK,
        }
        for timeline in TIMELINES:
            named[f"{timeline}-{edition}"] = {"timeline": timeline, "edition": edition}
    return named


#: Settings by name: all chapters, editions, powers, drafts, talk.
SETTINGS = _settings()
#: The settings of whole games: without compilation, when a game takes a second, a few that reach
#: most rules.
PLAYED = (
    [*SETTINGS]
    if COMPILES
    else ["growth+influence+memory-2021", "influence-2021", "draft_powers-2022", "power_share-2021"]
)
#: Those in which every game starts from the same position.
WITHOUT_DRAWS = {
    name: settings
    for name, settings in SETTINGS.items()
    if isinstance(settings.get("chapters"), tuple)
}


def with_warnings_that_any_dict_observation_gets(test: Callable[..., None]) -> Callable[..., None]:
    """All other warnings are errors."""
    for text in (
        "Observation space for each agent probably should be",
        "Observation is not a NumPy array",
        "Action mask numpy array is all zeros",
    ):
        test = pytest.mark.filterwarnings(f"ignore:{text}")(test)
    return test


def random_legal(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Draw a legal action for each mask; 0 if nothing is legal.

    All are equally likely except those of `ENDS_SOON`, which are rarer.
    """
    weights = masks * generator.random(masks.shape)
    weights[:, [ACTIONS.index(name) for name in ENDS_SOON]] *= 0.6
    return weights.argmax(1)


_WEIGHTS = np.random.default_rng(0).integers(1 << 30, size=NUM_PLANES * 16)


def from_what_it_sees(observation: np.ndarray, info: dict[str, Any]) -> Any:
    """A player of one game or many: its legal action depends only on the observation."""
    masks = info["action_mask"]
    seen = observation.reshape(*observation.shape[:-3], -1).astype(np.int64) @ _WEIGHTS
    nth = seen % masks.sum(-1) + 1
    return ((masks.cumsum(-1) == nth[..., None]) & (masks == 1)).argmax(-1)


def first_legal(observation: np.ndarray, info: dict[str, Any]) -> Any:
    """A player: the legal action of the lowest index; in one game or in many."""
    return info["action_mask"].argmax(-1)


def never_legal(observation: np.ndarray, info: dict[str, Any]) -> Any:
    """A player who breaks the rules; in one game or in many."""
    return info["action_mask"].argmin(-1)


def difference(one: Any, other: Any, at: str = "it") -> str | None:
    """Describe the first difference between two things; None if there is none.

    They are made of arrays, numbers, tuples and dicts.
    """
    if type(one) is not type(other):
        return f"{at} is a {type(one).__name__}, not a {type(other).__name__}"
    if isinstance(one, dict):
        if one.keys() != other.keys():
            return f"{at} has the keys {[*one]}, not {[*other]}"
        parts = [(f"{at}[{key!r}]", one[key], other[key]) for key in one]
    elif isinstance(one, (tuple, list)) or (isinstance(one, np.ndarray) and one.dtype == object):
        if len(one) != len(other):
            return f"{at} has length {len(one)}, not {len(other)}"
        parts = [
            (f"{at}[{number}]", *pair) for number, pair in enumerate(zip(one, other, strict=True))
        ]
    elif isinstance(one, np.ndarray):
        if (one.shape, one.dtype) != (other.shape, other.dtype):
            return f"{at} has {one.shape} and {one.dtype}, not {other.shape} and {other.dtype}"
        places = np.argwhere(one != other)
        where = tuple(places[0].tolist()) if len(places) else None
        return (
            None
            if where is None
            else f"{at} is {one[where]} at {where}, not {other[where]}, "
            f"and differs at {len(places)} places"
        )
    else:
        return None if one == other else f"{at} is {one!r}, not {other!r}"
    return next(
        (found for name, left, right in parts if (found := difference(left, right, name))), None
    )


def assert_same(one: Any, other: Any, about: str) -> None:
    found = difference(one, other)
    assert found is None, f"{about}: {found}"


def assert_row_is(
    game: Game, number: int, *, states: np.ndarray, masks: np.ndarray, about: str = ""
) -> None:
    """One row of arrays of games says what a `Game` says."""
    if game.state.tobytes() != states[number : number + 1].tobytes():
        raise AssertionError(
            f"game {number} is at {Game.from_state(states[number : number + 1])}, "
            f"not at {game}: {about}"
        )
    expected = game.action_mask()
    assert expected.tobytes() == masks[number].tobytes(), (
        f"the mask of game {number} at {game}: {about}"
    )
