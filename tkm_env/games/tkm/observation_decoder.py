"""Decoding an observation back into the position it shows."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.foundations.checks import as_array
from tkm_env.foundations.errors import ArrayError, PositionError
from tkm_env.games.tkm.engine.bitboards import as_bits
from tkm_env.games.tkm.engine.geometry import DIRECTIONS, ERAS, NOWHERE, NUM_SPACES
from tkm_env.games.tkm.engine.kernels import ENTRY_POINTS
from tkm_env.games.tkm.engine.planes import MAX_TURNS_LIMIT, OBSERVATION_HIGH, PLANES, POWER_PLANES
from tkm_env.games.tkm.engine.state import (
    CHAPTERS,
    COPY,
    EDITIONS,
    ELEPHANT,
    ELEPHANTS,
    FALLEN,
    NO_POWER,
    NOBODY,
    ORANGE,
    SHRUB,
    STATE,
    STATUE,
    TREE,
)
from tkm_env.games.tkm.notation import format_position, parse_position

_NUMBER_OF: Final = {(plane.era, plane.name): number for number, plane in enumerate(PLANES)}
_STEPS: Final = ("choose", "act", "shift", "draft", "order", "answer")


def decode_observation(observation: NDArray[np.int8]) -> str:
    """The text of the position that an observation shows, whichever player sees it.

    Args:
        observation: integers of shape (84, 4, 4), the observation of an unfinished game.

    Returns:
        The text of the position.

    Raises:
        ArrayError: if it shows no position, or a finished game, whose result observations do not
            contain.

    >>> from tkm_env import Game
    >>> game = Game(chapters="memory")
    >>> decode_observation(game.observation("black")) == game.position
    True
    """
    given, wanted = (
        as_array(observation),
        f"integers of shape {OBSERVATION_HIGH.shape} that show an unfinished game",
    )
    if given.shape != OBSERVATION_HIGH.shape or given.dtype.kind not in "iu":
        raise ArrayError("observation", f"shape {given.shape} and dtype {given.dtype}", wanted)
    if (given < 0).any() or (given > OBSERVATION_HIGH).any():
        raise ArrayError("observation", "numbers that no observation has", wanted)
    planes = given.reshape(len(PLANES), NUM_SPACES)
    steps = [planes[_NUMBER_OF[None, step]] for step in _STEPS]
    if not np.any(steps):
        raise ArrayError(
            "observation", "a finished game, whose result is not in observations", wanted
        )
    if not np.any([step[0] for step in steps]):
        raise ArrayError("observation", "no step of a turn", wanted)
    decoder = _Decoder(planes)
    try:
        position = format_position(decoder.state)
        edition = EDITIONS[decoder.value("edition 2022")]
        states = parse_position(position, edition=edition, max_turns=MAX_TURNS_LIMIT, draws=True)
    except (PositionError, LookupError) as error:
        raise ArrayError("observation", f"an impossible position: {error}", wanted) from None
    encoded = np.zeros_like(OBSERVATION_HIGH)
    ENTRY_POINTS.observe(states, decoder.viewer, encoded)
    if not np.array_equal(encoded, given):
        raise ArrayError("observation", "contradictory planes", wanted)
    return position


class _Decoder:
    """Fills a state from the planes."""

    def __init__(self, planes: NDArray[np.int8]) -> None:
        self.planes = planes
        self.state: Any = np.zeros(1, STATE)[0]
        self.viewer = 0 if self.value("white") else 1
        for era in range(len(ERAS)):
            self.read_era(era)
        self.read_players()
        self.read_game()

    def plane(self, name: str, era: int | None = None) -> NDArray[np.int8]:
        return self.planes[_NUMBER_OF[None if era is None else ERAS[era], name]]

    def value(self, name: str, era: int | None = None) -> int:
        return int(self.plane(name, era)[0])

    def power_planes(self, name: str) -> NDArray[np.int8]:
        """The consecutive planes, from this one on, that show one power per space, as one row."""
        first = _NUMBER_OF[None, name]
        return self.planes[first : first + POWER_PLANES].ravel()

    def sides(self, mine: str, theirs: str) -> tuple[tuple[int, str], tuple[int, str]]:
        """Both players, each with the name of their plane."""
        return (self.viewer, mine), (1 - self.viewer, theirs)

    def read_era(self, era: int) -> None:
        state = self.state
        pieces = {"tree": TREE, "orange statue": ORANGE, "shrub": SHRUB}
        pieces |= {name: COPY + player for player, name in self.sides("mine", "theirs")}
        pieces |= {
            name: STATUE + player for player, name in self.sides("my statue", "their statue")
        }
        pieces |= {
            f"fallen {direction}": FALLEN + number for number, direction in enumerate(DIRECTIONS)
        }
        pieces |= {f"{name} elephant": ELEPHANT + number for number, name in enumerate(ELEPHANTS)}
        for name, piece in pieces.items():
            state.cell[era][self.plane(name, era) == 1] = piece
        state.seed[era] = as_bits(self.plane("seed", era))
        for elephant in range(len(ELEPHANTS)):
            state.hat[elephant, era] = NOBODY
            for player, name in self.sides("my hat", "their hat"):
                if self.plane(name, era)[state.cell[era] == ELEPHANT + elephant].any():
                    state.hat[elephant, era] = player

    def read_players(self) -> None:
        state = self.state
        state.focus[:] = NOWHERE
        for player, name in self.sides("my focus", "their focus"):
            for era in range(len(ERAS)):
                if self.value(name, era):
                    state.focus[player] = era
        for player, whose in self.sides("my", "their"):
            state.supply[player] = self.value(f"{whose} supply")
            state.unbuilt[player] = self.value(f"{whose} statue unbuilt")
            state.overtime_spent[player] = self.value(f"{whose} overtime spent")
            power = self.power_planes(f"{whose} power")
            state.power[player] = power.argmax() if power.any() else NO_POWER

    def read_game(self) -> None:
        state = self.state
        state.to_act = self.viewer if self.value("to act") else 1 - self.viewer
        state.step = next(step for step, name in enumerate(_STEPS) if self.value(name))
        state.actions_left = self.value("actions left")
        state.free_action = self.value("free action")
        state.offered = self.value("offered")
        state.chapters = sum(1 << bit for bit, name in enumerate(CHAPTERS) if self.value(name))
        revealed = self.power_planes("revealed")
        state.revealed[:] = NO_POWER
        for power in revealed.nonzero()[0]:
            state.revealed[revealed[power] - 1] = power
        state.power_share = self.value("power share")
        state.turn = 100 * self.value("turn, hundreds") + self.value("turn, units")
        state.active_era = state.active_space = NOWHERE
        for era in range(len(ERAS)):
            if (active := self.plane("active", era)).any():
                state.active_era, state.active_space = era, active.argmax()
