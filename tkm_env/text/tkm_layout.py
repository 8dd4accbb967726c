"""Positions and spaces of the game in other forms, with their explanation.

A model that knows the usual form from elsewhere has to go by the explanation.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from tkm_env.games.tkm.engine.geometry import ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.events import Event
from tkm_env.text.options import TextOptions

#: The orders of the eras, but for that in time.
_ERA_ORDERS: Final = tuple(itertools.permutations(range(len(ERAS))))[1:]
_NUM_FIELDS: Final = 11
#: The places of fields in the usual form.
_BOARDS, _ACTIVE, _HATS = 0, 5, 8
#: What separates boards, and rows or columns, and what is empty: the usual sign first.
_BOARD_SIGNS: Final = ("|", "&", "@")
_LINE_SIGNS: Final = ("/", ",", ":")
_EMPTY_SIGNS: Final = (".", "_", "0")

#: The sentence about the order of the fields, and that about the boards.
_FIELDS: Final = re.compile(r"(?<=Eleven fields, separated by spaces: )(.*?)(?=\. A field)", re.S)
_ABOUT_BOARDS: Final = re.compile(r"Boards: past, present and future, separated by .*? is empty,")
#: The sentences about the numbers of the spaces.
_ABOUT_NUMBERS: Final = re.compile(r"1 to 4 is the north row, .*?: there is a wall\.", re.S)
#: How the order of the eras is told, where it matters.
_ERAS_OF_HATS: Final = "the past, the present and the future, then"


@dataclasses.dataclass(frozen=True)
class Layout:
    """A form of the text of positions, and of the names of spaces.

    Attributes:
        eras: the indices of the eras, in the order in which they are listed.
        fields: the places of the fields in the usual form, in the order in which they are written.
        is_by_columns: whether boards are written column by column, not row by row.
        from_south: whether rows, or the spaces of a column, are written from south to north.
        from_east: whether columns, or the spaces of a row, are written from east to west.
        board: what separates boards.
        line: what separates the rows or columns of a board.
        empty: the sign of an empty space.
        numbers: the number of each space, row by row from the north, each from west to east.
    """

    eras: Sequence[int] = tuple(range(len(ERAS)))
    fields: Sequence[int] = tuple(range(_NUM_FIELDS))
    is_by_columns: bool = False
    from_south: bool = False
    from_east: bool = False
    board: str = _BOARD_SIGNS[0]
    line: str = _LINE_SIGNS[0]
    empty: str = _EMPTY_SIGNS[0]
    numbers: Sequence[int] = tuple(range(1, NUM_SPACES + 1))

    def position(self, text: str) -> str:
        """The text of a position in this form.

        Args:
            text: the text in the usual form.

        Returns:
            The text.
        """
        fields = text.split(" ")
        boards = fields[_BOARDS].split(_BOARD_SIGNS[0])
        fields[_BOARDS] = self.board.join(self._board(boards[era]) for era in self.eras)
        if fields[_ACTIVE] != "-":
            era, space = fields[_ACTIVE][0], int(fields[_ACTIVE][1:])
            fields[_ACTIVE] = f"{era}{self.numbers[space - 1]}"
        if fields[_HATS] != "-":
            worn = fields[_HATS].split("/")
            fields[_HATS] = "/".join("".join(hats[era] for era in self.eras) for hats in worn)
        return " ".join(fields[place] for place in self.fields)

    def _board(self, board: str) -> str:
        cells = np.array([*board.replace(_LINE_SIGNS[0], "")]).reshape(WIDTH, NUM_SPACES // WIDTH)
        cells = cells[:: -1 if self.from_south else 1, :: -1 if self.from_east else 1]
        lines = cells.T if self.is_by_columns else cells
        told = self.line.join("".join(line) for line in lines)
        return told.replace(_EMPTY_SIGNS[0], self.empty)

    def action(self, name: str) -> str:
        """The name of an action in this form."""
        verb, _, rest = name.partition(" ")
        return f"{verb} {self.numbers[int(rest) - 1]}" if verb == "choose" else name

    def event(self, event: Event) -> Event:
        """What happened, with the numbers of spaces in this form."""
        spaces: dict[str, Any] = {
            field.name: self.numbers[space - 1]
            for field in dataclasses.fields(event)
            if isinstance(space := getattr(event, field.name), int)
        }
        return dataclasses.replace(event, **spaces)

    def notation(self, text: str, dead: Collection[str]) -> str:
        """The explanation of the usual form, changed into that of this form.

        Args:
            text: a paragraph of it.
            dead: the fields that do not matter in a game, as the explanation names them.

        Returns:
            The paragraph.
        """
        *first, last = (ERAS[era] for era in self.eras)
        text = _FIELDS.sub(lambda found: self._fields(found[1].split("; "), dead), text)
        text = _ABOUT_BOARDS.sub(
            f"Boards: {', '.join(first)} and {last}, separated by `{self.board}`; {self._lines()}. "
            f"`{self.empty}` is empty,",
            text,
        )
        if self.numbers != Layout.numbers:
            text = _ABOUT_NUMBERS.sub(self._numbers(), text)
        hats = f"{', '.join(f'the {era}' for era in first)} and the {last}, then"
        return text.replace(_ERAS_OF_HATS, hats)

    def _numbers(self) -> str:
        """Which numbers the spaces have."""
        rows = np.reshape(self.numbers, (WIDTH, -1)).tolist()
        north, second, third, south = (
            f"{', '.join(map(str, first))} and {last}" for *first, last in rows
        )
        return (
            f"From west to east, the spaces of the north row have the numbers {north}; those of "
            f"the next row {second}; then {third}; those of the south row {south}. Around the "
            "rows there is a wall."
        )

    def _fields(self, names: Sequence[str], dead: Collection[str]) -> str:
        """The names of the fields in order; those that do not matter are counted."""
        ordered = [names[place] for place in self.fields]
        told: list[str] = []
        for is_dead, run in itertools.groupby(ordered, key=lambda name: name in dead):
            own = [*run]
            if not is_dead:
                told += own
            elif len(own) == 1:
                told.append("a field that does not matter here")
            else:
                told.append(f"{len(own)} fields that do not matter here")
        return "; ".join(told)

    def _lines(self) -> str:
        """How the spaces of a board follow each other."""
        down = "from south to north" if self.from_south else "from north to south"
        across = "from east to west" if self.from_east else "from west to east"
        lines, along = ("rows", down) if not self.is_by_columns else ("columns", across)
        within = across if not self.is_by_columns else down
        return f"in each the four {lines} {along}, separated by `{self.line}`; " + (
            f"in each four spaces {within}"
        )


@lru_cache(maxsize=64)
def layout_of(options: TextOptions) -> Layout:
    """The form that options ask for.

    Args:
        options: the options of a prompt, of which ``eras``, ``layout`` and ``numbers`` count.

    Returns:
        The form; the usual one if all are None.
    """
    usual = Layout()
    if options.eras is not None:
        usual = dataclasses.replace(usual, eras=_ERA_ORDERS[options.eras % len(_ERA_ORDERS)])
    if options.numbers is not None:
        mixed = np.random.default_rng(options.numbers).permutation(usual.numbers)
        usual = dataclasses.replace(usual, numbers=tuple(mixed.tolist()))
    if options.layout is None:
        return usual
    generator = np.random.default_rng(options.layout)
    while True:
        fields = tuple(generator.permutation(_NUM_FIELDS).tolist())
        by_columns, from_south, from_east = (generator.integers(2, size=3) == 1).tolist()
        board, line, empty = (
            str(generator.choice(signs)) for signs in (_BOARD_SIGNS, _LINE_SIGNS, _EMPTY_SIGNS)
        )
        layout = dataclasses.replace(
            usual,
            fields=fields,
            is_by_columns=by_columns,
            from_south=from_south,
            from_east=from_east,
            board=board,
            line=line,
            empty=empty,
        )
        if layout.line != usual.line or layout.is_by_columns:  # differs at a glance
            return layout
