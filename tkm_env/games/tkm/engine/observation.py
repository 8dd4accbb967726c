"""What a player sees: the table of planes, and the one function that writes them.

An observation is an array of shape (`NUM_PLANES`, 4, 4), dtype int8: planes over the spaces, written from one player's side ("mine",
"theirs"). First come three groups of `PLANES_PER_ERA` planes, one group per era, then planes about the whole game.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.bits import BYTES, write_equal, write_fill, write_ones
from tkm_env.compiled.decorators import cached_inlined, inlined
from tkm_env.games.tkm.engine.geometry import ERAS, NOWHERE, NUM_ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import (
    CHAPTERS,
    COPIES_EACH,
    COPY,
    DARK,
    ELEPHANT,
    FALLEN,
    GROWTH,
    LIGHT,
    MEMORY,
    NO_POWER,
    ORANGE,
    OVER,
    SHRUB,
    STATUE,
    TREE,
    State,
)


class Plane(NamedTuple):
    """One plane: its name, its era (None: the whole game), what it shows, its largest value, its layout over the spaces, when it varies.

    ``layout`` is "spaces" (each space describes itself), "everywhere" (one value on all 16) or "numbered" (space n stands for the n-th
    power of the table; in a second such plane, if there is one, for the n-th from the 17th on). ``varies`` says under which settings the
    plane can differ between positions; `tkm_env.Game.observation_parts` interprets it.
    """

    name: str
    era: str | None
    meaning: str
    high: int
    layout: str
    varies: str


_ERA_PLANES: Final[tuple[tuple[str, str, int, str, str], ...]] = (
    ("mine", "my copies", 1, "spaces", "always"),
    ("theirs", "their copies", 1, "spaces", "always"),
    ("active", "the active copy", 1, "spaces", "always"),
    ("seed", "seeds", 1, "spaces", "Growth"),
    ("shrub", "shrubs", 1, "spaces", "Growth, but in the past"),
    ("tree", "standing trees", 1, "spaces", "Growth, in the future"),
    ("fallen north", "fallen trees whose trunk points north", 1, "spaces", "Growth, in the future"),
    ("fallen east", "fallen trees whose trunk points east", 1, "spaces", "Growth, in the future"),
    ("fallen south", "fallen trees whose trunk points south", 1, "spaces", "Growth, in the future"),
    ("fallen west", "fallen trees whose trunk points west", 1, "spaces", "Growth, in the future"),
    ("orange statue", "the orange statue", 1, "spaces", "Influence"),
    ("my statue", "my statue", 1, "spaces", "Influence"),
    ("their statue", "their statue", 1, "spaces", "Influence"),
    ("dark elephant", "the dark elephant", 1, "spaces", "Memory"),
    ("light elephant", "the light elephant", 1, "spaces", "Memory"),
    ("my hat", "the elephant that wears my hat", 1, "spaces", "Memory"),
    ("their hat", "the elephant that wears their hat", 1, "spaces", "Memory"),
    ("my focus", "1 where my focus is in this era", 1, "everywhere", "always"),
    ("their focus", "1 where their focus is in this era", 1, "everywhere", "always"),
)

#: How many planes it takes to show all powers, one per space.
POWER_PLANES: Final = -(-len(POWERS) // NUM_SPACES)


def _power_planes(name: str, meaning: str, high: int, varies: str) -> list[tuple[str, str, int, str, str]]:
    return [(name if number == 0 else f"{name} {number + 1}", meaning, high, "numbered", varies) for number in range(POWER_PLANES)]


#: The highest turn limit: the most that the two planes for the turn can hold.
MAX_TURNS_LIMIT: Final = 9_999

_GAME_PLANES: Final[tuple[tuple[str, str, int, str, str], ...]] = (
    ("white", "1 where I am white", 1, "everywhere", "always"),
    ("to act", "1 where I am to act", 1, "everywhere", "always"),
    ("choose", "1 at the step that chooses a copy", 1, "everywhere", "always"),
    ("act", "1 at the step that takes an action", 1, "everywhere", "always"),
    ("shift", "1 at the step that shifts the focus", 1, "everywhere", "always"),
    ("draft", "1 at the step that takes a power", 1, "everywhere", "a draft"),
    ("order", "1 at the step that decides who goes first", 1, "everywhere", "a draft"),
    ("answer", "1 at the step that answers a draw offer", 1, "everywhere", "draws"),
    ("actions left", "actions still to take", 2, "everywhere", "always"),
    ("free action", "1 while a free action of `green-thumb` is left this turn", 1, "everywhere", "`green-thumb`"),
    ("offered", "1 once a draw was offered at this step", 1, "everywhere", "draws"),
    ("my supply", "copies in my supply", COPIES_EACH, "everywhere", "always"),
    ("their supply", "copies in their supply", COPIES_EACH, "everywhere", "always"),
    ("my statue unbuilt", "1 while my statue is still to build", 1, "everywhere", "Influence"),
    ("their statue unbuilt", "1 while their statue is still to build", 1, "everywhere", "Influence"),
    ("growth", "1 where Growth is in play", 1, "everywhere", "Growth, if drawn"),
    ("influence", "1 where Influence is in play", 1, "everywhere", "Influence, if drawn"),
    ("memory", "1 where Memory is in play", 1, "everywhere", "Memory, if drawn"),
    ("edition 2022", "1 where the revised rules hold", 1, "everywhere", "never"),
    *_power_planes("my power", "1 at my power", 1, "powers"),
    *_power_planes("their power", "1 at their power", 1, "powers"),
    *_power_planes("revealed", "while drafting: the place, 1 to 4, in which the power was revealed", 4, "a draft"),
    ("my overtime spent", "1 once I have used `overtime`", 1, "everywhere", "`overtime`"),
    ("their overtime spent", "1 once they have used `overtime`", 1, "everywhere", "`overtime`"),
    ("power share", "while drafting: 1 where both will use one power", 1, "everywhere", "Power Share"),
    ("turn, hundreds", "the turn's number, divided by 100", MAX_TURNS_LIMIT // 100, "everywhere", "100 turns or more"),
    ("turn, units", "the turn's number, modulo 100", 99, "everywhere", "2 turns or more"),
)

#: The table of planes, in the order of the observation's first axis.
PLANES: Final = tuple(
    Plane(name, era, meaning, high, layout, varies) for era in ERAS for name, meaning, high, layout, varies in _ERA_PLANES
) + tuple(Plane(name, None, meaning, high, layout, varies) for name, meaning, high, layout, varies in _GAME_PLANES)
NUM_PLANES: Final = len(PLANES)
#: The largest value of each element of an observation: int8 of shape (planes, 4, 4).
OBSERVATION_HIGH: Final = np.repeat([plane.high for plane in PLANES], NUM_SPACES).astype(np.int8).reshape(-1, WIDTH, WIDTH)
PLANES_PER_ERA: Final = len(_ERA_PLANES)


def _in_era(name: str) -> int:
    return next(number for number, plane in enumerate(_ERA_PLANES) if plane[0] == name)


def _in_game(name: str) -> int:
    return len(ERAS) * PLANES_PER_ERA + next(number for number, plane in enumerate(_GAME_PLANES) if plane[0] == name)


_MINE, _ACTIVE, _SEED, _SHRUB, _TREE, _FALLEN = map(_in_era, ("mine", "active", "seed", "shrub", "tree", "fallen north"))
_ORANGE, _MY_STATUE, _DARK = map(_in_era, ("orange statue", "my statue", "dark elephant"))
_MY_HAT, _MY_FOCUS = map(_in_era, ("my hat", "my focus"))
_WHITE, _TO_ACT, _STEP, _ACTIONS_LEFT = map(_in_game, ("white", "to act", "choose", "actions left"))
_FREE_ACTION, _OFFERED, _MY_SUPPLY = map(_in_game, ("free action", "offered", "my supply"))
_MY_STATUE_UNBUILT, _CHAPTER, _EDITION_2022 = map(_in_game, ("my statue unbuilt", "growth", "edition 2022"))
_MY_POWER, _MY_OVERTIME_SPENT, _REVEALED = map(_in_game, ("my power", "my overtime spent", "revealed"))
_POWER_SHARE, _HUNDREDS, _UNITS = map(_in_game, ("power share", "turn, hundreds", "turn, units"))

#: For each viewer and each piece code: where the plane that shows the object begins. Anything else goes to the plane of the active copy,
#: which is overwritten afterwards.
_PLANE_OF_OBJECT: Final = np.full((2, ELEPHANT + 2), _ACTIVE * NUM_SPACES, np.uint64)
for _viewer in range(2):
    for _code, _plane in (
        (SHRUB, _SHRUB),
        (TREE, _TREE),
        *((FALLEN + _trunk, _FALLEN + _trunk) for _trunk in range(4)),
        (ORANGE, _ORANGE),
        (STATUE + _viewer, _MY_STATUE),
        (STATUE + 1 - _viewer, _MY_STATUE + 1),
        (ELEPHANT + DARK, _DARK),
        (ELEPHANT + LIGHT, _DARK + 1),
    ):
        _PLANE_OF_OBJECT[_viewer, _code] = _plane * NUM_SPACES

#: A plane is written as words of eight spaces, a byte each.
_WORDS: Final = NUM_SPACES // BYTES


@cached_inlined
def write_observation(state: State, viewer: int, spaces: Any, words: Any) -> None:
    """Write what ``viewer`` sees of ``state``.

    The observation is passed as one row, twice: as int8, one space per element, and as uint64 over the same memory, eight spaces per
    element. Creating these views costs about as much as filling them, so the caller creates them for many games at once.
    """
    for word in range(NUM_PLANES * _WORDS):
        words[word] = 0
    for era in range(NUM_ERAS):
        if state.chapters:
            _write_objects(state, viewer, era, spaces)
        for theirs in range(2):
            write_equal(spaces, (era * PLANES_PER_ERA + _MINE + theirs) * NUM_SPACES, state.cell[era], COPY + (viewer ^ theirs))
    if state.active_era != NOWHERE:
        spaces[(state.active_era * PLANES_PER_ERA + _ACTIVE) * NUM_SPACES + state.active_space] = 1
    _write_players(state, viewer, spaces)
    _write_game(state, viewer, spaces)


@inlined
def _write_everywhere(spaces: Any, plane: int, value: int) -> None:
    """Write ``value``, 0 to 127, on all spaces."""
    write_fill(spaces, plane * NUM_SPACES, value)


@inlined
def _write_objects(state: State, viewer: int, era: int, spaces: Any) -> None:
    """Write what stands in an era besides copies; planes of chapters that are not in play stay 0."""
    first = era * PLANES_PER_ERA
    cells = state.cell[era]
    for space in range(NUM_SPACES):
        spaces[np.uint64(first * NUM_SPACES + space) + _PLANE_OF_OBJECT[viewer, cells[space]]] = 1
    _write_everywhere(spaces, first + _ACTIVE, 0)
    if state.chapters & GROWTH:
        write_ones(spaces, (first + _SEED) * NUM_SPACES, state.seed[era])
    if state.chapters & MEMORY:
        for theirs in range(2):
            for elephant in range(2):
                if state.hat[elephant, era] == viewer ^ theirs:
                    write_equal(spaces, (first + _MY_HAT + theirs) * NUM_SPACES, cells, ELEPHANT + elephant)


@inlined
def _write_players(state: State, viewer: int, spaces: Any) -> None:
    for theirs in range(2):
        player = viewer ^ theirs
        if state.focus[player] != NOWHERE:
            _write_everywhere(spaces, state.focus[player] * PLANES_PER_ERA + _MY_FOCUS + theirs, 1)
        _write_everywhere(spaces, _MY_SUPPLY + theirs, state.supply[player])
        _write_everywhere(spaces, _MY_STATUE_UNBUILT + theirs, state.unbuilt[player])
        _write_everywhere(spaces, _MY_OVERTIME_SPENT + theirs, state.overtime_spent[player])
        if state.power[player] != NO_POWER:
            spaces[(_MY_POWER + theirs * POWER_PLANES) * NUM_SPACES + int(state.power[player])] = 1


@inlined
def _write_game(state: State, viewer: int, spaces: Any) -> None:
    _write_everywhere(spaces, _WHITE, viewer == 0)
    if state.step != OVER:
        _write_everywhere(spaces, _TO_ACT, state.to_act == viewer)
        _write_everywhere(spaces, _STEP + state.step, 1)
    _write_everywhere(spaces, _ACTIONS_LEFT, state.actions_left)
    _write_everywhere(spaces, _FREE_ACTION, state.free_action)
    _write_everywhere(spaces, _OFFERED, state.offered)
    for chapter in range(len(CHAPTERS)):
        _write_everywhere(spaces, _CHAPTER + chapter, (state.chapters >> chapter) & 1)
    _write_everywhere(spaces, _EDITION_2022, state.edition)
    _write_everywhere(spaces, _POWER_SHARE, state.power_share)
    _write_everywhere(spaces, _HUNDREDS, state.turn // 100)
    _write_everywhere(spaces, _UNITS, state.turn % 100)
    for number in range(4):
        if state.revealed[number] != NO_POWER:
            spaces[_REVEALED * NUM_SPACES + int(state.revealed[number])] = number + 1
