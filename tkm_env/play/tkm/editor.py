"""Edit a position by hand, piece by piece."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from tkm_env.foundations.errors import ConfigError, PositionError
from tkm_env.foundations.message import Message
from tkm_env.games.tkm.config_values import STANDARD
from tkm_env.games.tkm.engine.bitboards import as_bits, as_spaces
from tkm_env.games.tkm.engine.geometry import ERAS, FUTURE, NOWHERE, NUM_SPACES, PAST
from tkm_env.games.tkm.engine.powers import POWER_NAMES
from tkm_env.games.tkm.engine.state import (
    CHAPTERS,
    CHOOSE,
    COPIES_EACH,
    COPY,
    ELEPHANT,
    EMPTY,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    NOBODY,
    ORANGE,
    PLAYERS,
    SHIFT,
    STATUE,
    TREE,
    State,
)
from tkm_env.games.tkm.notation import (
    CELLS,
    CHAPTER_OF_CELL,
    OPEN_SETTINGS,
    format_position,
    parse_position,
    read_position,
)
from tkm_env.games.tkm.render.svg import parts, symbol_of
from tkm_env.games.tkm.view import SPACE_NAMES, View, view_of_state
from tkm_env.play.adapter import EditorField, EditorState, EditorTool
from tkm_env.play.tkm.tooltips import PIECES
from tkm_env.render.canvas import Scene
from tkm_env.render.shapes import use

#: The bits of each set of chapters, by its name.
_MIXTURES: Final = {
    " and ".join(name for bit, name in enumerate(CHAPTERS) if bits >> bit & 1) or STANDARD: bits
    for bits in range(1 << len(CHAPTERS))
}
#: By chapter, the pieces of which each era holds one, with the space on which each begins.
_FIXED: Final = {INFLUENCE: {ORANGE: 6}, MEMORY: {ELEPHANT: 3, ELEPHANT + 1: 12}}
_HATS: Final = {f"{player} hat": number for number, player in enumerate(PLAYERS)}
#: The possible values of each player's fields: the focus, the supply and the power.
_VALUES: Final[Mapping[str, Mapping[str, int]]] = {
    "focus": {era: number for number, era in enumerate(ERAS)},
    "supply": {str(number): number for number in range(COPIES_EACH + 1)},
    "power": {"none": NO_POWER} | {name: number for number, name in enumerate(POWER_NAMES)},
}


class PositionEditor:
    """Changes a position piece by piece, and completes it.

    It fills in what the board determines: the statues still to build, and the hats of elephants.
    """

    def edit(self, position: str, field: str, value: str, *, config: Any) -> EditorState:
        """Return a position after a change.

        Args:
            position: the text of the position before the change.
            field: a space, such as ``"N7"``, to put a piece on; or the name of a field; empty for
                no change.
            value: the letter of a piece, or a hat; or the field's new value.
            config: the settings of the game that is to start from the position.

        Returns:
            The position after the change.

        Raises:
            PositionError: if the text cannot be read.
            ConfigError: if there is no such field or value.
        """
        state: Any = read_position(position)[0]
        _begin_turn(state)
        if field:
            _change(state, field, value)
        _complete(state)
        problem = _problem(state, config)
        if problem:
            state.step = SHIFT
            if _problem(state, config):
                state.step = CHOOSE
            else:  # no copy can be chosen, so the turn is skipped
                problem = ""
        view = view_of_state(state)
        labels: dict[str, str] = {
            name: Message("{space}: {piece}", space=name, piece=PIECES[letter].name)
            for name, letter in zip(SPACE_NAMES, view.cells, strict=True)
        }
        labels |= {era: Message(era) for era in ERAS}
        return EditorState(
            format_position(state), problem, parts(Scene(view)), labels, _tools(view), _fields(view)
        )


def _begin_turn(state: State) -> None:
    """Make the game begin here: no powers to draft, nothing done yet this turn."""
    if state.focus[0] == NOWHERE:
        state.focus[:] = PAST, FUTURE
        state.power[:] = NO_POWER
    for name, value in {
        "step": CHOOSE,
        "turn": 1,
        "active_era": NOWHERE,
        "active_space": NOWHERE,
        "revealed": NO_POWER,
    }.items():
        state[name] = value
    for name in (
        "actions_left",
        "free_action",
        "offered",
        "overtime_spent",
        "power_share",
        "result",
    ):
        state[name] = 0


def _change(state: State, field: str, value: str) -> None:
    """Make one change.

    Raises:
        ConfigError: if there is no such field or value.
    """
    player, _, kind = field.partition("'s ")
    if field not in (*SPACE_NAMES, "chapters", "to act") and (
        player not in PLAYERS or kind not in _VALUES
    ):
        raise ConfigError("field", field, "it must be a space such as 'N7', or one of the fields")
    try:
        if field in SPACE_NAMES:
            _place(state, *divmod(SPACE_NAMES.index(field), NUM_SPACES), value)
        elif field == "chapters":
            _choose_chapters(state, _MIXTURES[value])
        elif field == "to act":
            state.to_act = PLAYERS.index(value)
        else:
            state[kind][PLAYERS.index(player)] = _VALUES[kind][value]
    except (LookupError, ValueError):
        raise ConfigError(field, value, "there is no such value") from None


def _place(state: State, era: int, space: int, value: str) -> None:
    """Put a piece on a space, or a hat on an elephant.

    A piece of which an era holds only one moves there.
    """
    cells = state.cell[era]
    if value in _HATS:
        if cells[space] >= ELEPHANT:
            hats = state.hat[cells[space] - ELEPHANT]
            hats[era] = NOBODY if hats[era] == _HATS[value] else _HATS[value]
        return
    piece, seed = CELLS[value]
    if ORANGE <= piece < STATUE + len(PLAYERS) or piece >= ELEPHANT:
        cells[cells == piece] = EMPTY
    cells[space] = piece
    seeds = as_spaces(state.seed)
    seeds[era, space] = seed
    state.seed[:] = as_bits(seeds)


def _choose_chapters(state: State, bits: int) -> None:
    """Remove the pieces of other chapters, and put down those that these chapters require."""
    state.chapters = bits
    seeds = as_spaces(state.seed)
    for number, letter in enumerate(view_of_state(state).cells):
        if CHAPTER_OF_CELL.get(letter, 0) & ~bits:
            era, space = divmod(number, NUM_SPACES)
            seeds[era, space] = 0
            if state.cell[era, space] >= TREE:
                state.cell[era, space] = EMPTY
    state.seed[:] = as_bits(seeds)
    for piece, space in (
        item for chapter, pieces in _FIXED.items() if chapter & bits for item in pieces.items()
    ):
        for cells, occupied in zip(state.cell, seeds, strict=True):
            free = (cells == EMPTY) & (occupied == 0)
            if piece not in cells and free.any():
                cells[space if free[space] else free.argmax()] = piece


def _complete(state: State) -> None:
    """Fill in what follows from the rest: statues and copies are on the board or to come."""
    for player in range(len(PLAYERS)):
        copies = int((state.cell == COPY + player).sum())
        state.supply[player] = min(state.supply[player], max(COPIES_EACH - copies, 0))
        state.unbuilt[player] = (
            bool(state.chapters & INFLUENCE) and STATUE + player not in state.cell
        )
    if not state.chapters & MEMORY:
        state.hat[:] = NOBODY


def _problem(state: State, config: Any) -> str:
    """Why no game can start there; empty if one can."""
    settings = {keyword: getattr(config, keyword) for keyword in OPEN_SETTINGS}
    try:
        parse_position(format_position(state), **settings)
    except PositionError as error:
        return error.reason
    missing = (
        name for player, name in enumerate(PLAYERS) if not np.any(state.cell == COPY + player)
    )
    return next((Message("{player} has no copies", player=name) for name in missing), "")


def _tools(view: View) -> list[EditorTool]:
    """The pieces of the chapters in play."""
    bits = sum(1 << CHAPTERS.index(name) for name in view.chapters)
    tools = [
        EditorTool(letter, piece.name, piece.tip, symbol_of(letter))
        for letter, piece in PIECES.items()
        if not CHAPTER_OF_CELL.get(letter, 0) & ~bits
    ]
    if bits & MEMORY:
        tip = Message("Put it on an elephant; do so again to take it off.")
        tools += [
            EditorTool(name, Message(name), tip, use(name.replace(" ", "-"), scale=2))
            for name in _HATS
        ]
    return tools


def _fields(view: View) -> list[EditorField]:
    fields = [
        EditorField("chapters", [*_MIXTURES], " and ".join(view.chapters) or STANDARD),
        EditorField("to act", PLAYERS, PLAYERS[view.to_act]),
    ]
    for number, player in enumerate(PLAYERS):
        values = {
            "focus": ERAS[view.focus[number] or 0],
            "supply": str(view.supply[number]),
            "power": view.powers[number] or "none",
        }
        fields += [
            EditorField(f"{player}'s {kind}", [*_VALUES[kind]], value)
            for kind, value in values.items()
        ]
    return fields


EDITOR: Final = PositionEditor()
