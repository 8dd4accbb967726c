"""A position as plain values, for everything that displays it.

Drawings, texts, replays and play all use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tkm_env.core.outcome import Outcome
from tkm_env.core.state_arrays import fields_of
from tkm_env.foundations.message import Message
from tkm_env.games.tkm.engine.geometry import ERAS, NOWHERE, NUM_SPACES
from tkm_env.games.tkm.engine.powers import POWER_NAMES
from tkm_env.games.tkm.engine.state import CHAPTERS, NO_POWER, NOBODY, PLAYERS, State
from tkm_env.games.tkm.notation import ERA_LETTERS, cell_letters, format_step

if TYPE_CHECKING:
    from tkm_env.games.tkm.game import Game

_STEPS: Final = {
    "c": "{player} to choose a copy",
    "1": "{player} to act, 1 action left",
    "2": "{player} to act, 2 actions left",
    "f": "{player} to shift the focus",
    "d": "{player} to draft a power",
    "o": "{player} to decide who goes first",
    "a": "{player} to answer a draw offer",
}
_RESULTS: Final = {
    Outcome.FIRST_WON.value: Message("white won"),
    Outcome.SECOND_WON.value: Message("black won"),
    Outcome.DRAWN.value: Message("drawn"),
    Outcome.TRUNCATED.value: Message("cut off at the turn limit"),
}


def space_name(era: int, space: int) -> str:
    """The name of a space, such as "N7".

    Args:
        era: the era, from 0.
        space: the space, from 0.

    Returns:
        The era's letter, and the space counted from 1.
    """
    return f"{ERA_LETTERS[era]}{space + 1}"


#: The names of all spaces, era by era.
SPACE_NAMES: Final = tuple(
    space_name(era, space) for era in range(len(ERAS)) for space in range(NUM_SPACES)
)


class View(NamedTuple):
    """A position. Players, eras, elephants and spaces are indices from 0."""

    cells: str  # the letters of all 48 spaces (NOTATION), era by era
    chapters: tuple[str, ...]  # the names of the chapters in play
    to_act: int  # the player to act
    step: str  # the step field of the text, without its marks
    free_action: bool  # whether a free action is left this turn
    offered: bool  # whether a draw was offered at this step
    focus: tuple[int | None, ...]  # the era of each player's focus; None while drafting
    active: tuple[int, int] | None  # the era and the space of the active copy, or None
    supply: tuple[int, ...]  # how many copies each player has in supply
    unbuilt: tuple[bool, ...]  # for each player, whether the statue is still to build
    #: By elephant and era, the player whose hat it wears, or None.
    hats: tuple[tuple[int | None, ...], ...]
    powers: tuple[str | None, ...]  # each player's power by name, or None
    spent: tuple[bool, ...]  # for each player, whether `overtime` is spent
    power_texts: int  # which texts of the powers hold, 1 or 2
    revealed: tuple[str, ...]  # the powers to draft from; none after the draft
    turn: int  # the number of the turn, from 1

    def era(self, era: int) -> str:
        """The letters of one era's 16 spaces."""
        return self.cells[era * NUM_SPACES : (era + 1) * NUM_SPACES]

    @property
    def is_over(self) -> bool:
        return self.step in _RESULTS

    @property
    def result(self) -> Message | None:
        """How the game ended; None while it goes on."""
        return _RESULTS.get(self.step)

    @property
    def situation(self) -> Message:
        """Who is to act and how, or how the game ended."""
        if self.is_over:
            return Message("over, {result}", result=self.result)
        situation = Message(_STEPS[self.step], player=PLAYERS[self.to_act])
        if self.free_action:
            situation = Message("{situation}, one of them free", situation=situation)
        if self.offered:
            situation = Message("{situation}, a draw was offered", situation=situation)
        return situation


def view_of(game: Game) -> View:
    return view_of_state(game.state[0])


def view_of_state(state: State) -> View:
    """The view of a record of the engine's dtype, whether or not it is a position of the game."""
    state = fields_of(state)
    return View(
        "".join(letter for era in range(len(ERAS)) for letter in cell_letters(state, era)),
        tuple(name for bit, name in enumerate(CHAPTERS) if state.chapters >> bit & 1),
        state.to_act,
        format_step(state).rstrip("+="),
        bool(state.free_action),
        bool(state.offered),
        tuple(None if era == NOWHERE else era for era in state.focus),
        None if state.active_era == NOWHERE else (state.active_era, state.active_space),
        tuple(state.supply),
        tuple(map(bool, state.unbuilt)),
        tuple(tuple(None if player == NOBODY else player for player in hats) for hats in state.hat),
        tuple(None if power == NO_POWER else POWER_NAMES[power] for power in state.power),
        tuple(map(bool, state.overtime_spent)),
        state.power_texts,
        tuple(POWER_NAMES[power] for power in state.revealed if power != NO_POWER),
        state.turn,
    )
