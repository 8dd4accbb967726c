"""Text of positions, both ways."""

import re
from typing import Final

import numpy as np

from tkm_env.compiled.kernels import NO_ACTION, UNDECIDED
from tkm_env.core.position_parser import PositionParser
from tkm_env.core.state_arrays import fields_of
from tkm_env.foundations.message import Message
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.bitboards import as_spaces
from tkm_env.games.tkm.engine.geometry import (
    DIRECTIONS,
    ERAS,
    FUTURE,
    NEIGHBOUR,
    NOWHERE,
    NUM_ERAS,
    PAST,
    WIDTH,
)
from tkm_env.games.tkm.engine.kernels import ENTRY_POINTS
from tkm_env.games.tkm.engine.planes import MAX_TURNS_LIMIT
from tkm_env.games.tkm.engine.powers import GREEN_THUMB, OVERTIME, POWER_NAMES, POWERS, SECOND_WIND
from tkm_env.games.tkm.engine.state import (
    ACT,
    ANSWER,
    BLACK,
    CHAPTERS,
    CHOOSE,
    COPIES_EACH,
    COPY,
    DRAFT,
    DRAWN,
    EDITIONS,
    ELEPHANT,
    ELEPHANTS,
    EMPTY,
    FALLEN,
    GROWTH,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    NOBODY,
    ORANGE,
    ORDER,
    OVER,
    PIECES_OF_GROWTH,
    PLAYERS,
    SHIFT,
    SHRUB,
    STATE,
    STATUE,
    SUPPLY_AT_START,
    TREE,
    TRUNCATED,
    WHITE,
    WON,
    State,
)

#: The fields of a position: their names, and what they say.
FIELDS: Final = {
    "board": (
        "past, present and future, separated by a vertical bar; four rows from north to "
        "south, separated by `/`; four cells from west to east"
    ),
    "chapters": "letters of `GIM` (Growth, Influence, Memory), or `-`",
    "to act": "`w` or `b`",
    "step": (
        "`c` choose a copy; `2`, `1` actions still to take; `f` shift the focus; `d` draft a "
        "power; `o` decide the order; `a` answer a draw offer; when over `1-0`, `0-1`, "
        "`1/2`, or `*` for truncated"
    ),
    "focus": "white's, then black's era: `P` past, `N` present, `F` future; `--` while drafting",
    "active copy": "era and space, such as `N7`, or `-`",
    "supply": "copies in white's / black's supply",
    "statues": "whose statue is still to be built: `wb`, `w`, `b` or `-`",
    "hats": (
        "of the dark elephant in past, present, future, then of the light one: `w`, `b` or `-`"
    ),
    "powers": (
        "white's / black's, or `-`; `!` once `overtime` is spent; while drafting, the four "
        "revealed ones come first"
    ),
    "turn": "its number, from 1",
}

_CELLS: Final = ".WBTOIE#^>v<DL"  # by piece
#: The same for all 256 bytes, as `bytes.translate` takes it.
_LETTERS: Final = _CELLS.encode().ljust(256, b"?")
_ON_SEED: Final = {EMPTY: "*", COPY + WHITE: "w", COPY + BLACK: "b"}
#: The meaning of a cell's letter: the piece, and 1 where it stands on a seed.
CELLS: Final = {letter: (piece, 0) for piece, letter in enumerate(_CELLS)} | {
    letter: (piece, 1) for piece, letter in _ON_SEED.items()
}
_CHAPTER_LETTERS: Final = "GIM"
#: The chapters' letters, by their bits.
_CHAPTER_TEXTS: Final = ("-", "G", "I", "GI", "M", "GM", "IM", "GIM")
#: The chapter, as a bit, of each letter of a cell; all other letters belong to the standard game.
CHAPTER_OF_CELL: Final = (
    dict.fromkeys("wb*#T^>v<", GROWTH)
    | dict.fromkeys("OIE", INFLUENCE)
    | dict.fromkeys("DL", MEMORY)
)
_PLAYER_LETTERS: Final = "wb"
#: The letters of past, present ("now") and future.
ERA_LETTERS: Final = "PNF"
_STEP_LETTERS: Final = {CHOOSE: "c", SHIFT: "f", DRAFT: "d", ORDER: "o", ANSWER: "a"}
#: The texts of a finished game's results, by the field ``result``.
RESULTS: Final = {WON + WHITE: "1-0", WON + BLACK: "0-1", DRAWN: "1/2", TRUNCATED: "*"}
#: What each text of the step field says.
_STEPS: Final[dict[str, dict[str, int]]] = {
    "c": {"step": CHOOSE},
    "c=": {"step": CHOOSE, "offered": 1},
    **{
        f"{left}{'+' * free}": {"step": ACT, "actions_left": left, "free_action": free}
        for left in (2, 1)
        for free in (0, 1)
    },
    "f": {"step": SHIFT},
    "f=": {"step": SHIFT, "offered": 1},
    "d": {"step": DRAFT},
    "o": {"step": ORDER},
    "a": {"step": ANSWER},
    **{text: {"step": OVER, "result": result} for result, text in RESULTS.items()},
}


def format_position(state: State) -> str:
    """The text of the position in ``state``, a record of the engine's dtype."""
    state = fields_of(state)
    fields = (
        "|".join([_format_era(state, era) for era in range(NUM_ERAS)]),
        _CHAPTER_TEXTS[state.chapters],
        _PLAYER_LETTERS[state.to_act],
        format_step(state),
        "".join(["-" if era == NOWHERE else ERA_LETTERS[era] for era in state.focus]),
        "-"
        if state.active_era == NOWHERE
        else f"{ERA_LETTERS[state.active_era]}{state.active_space + 1}",
        f"{state.supply[WHITE]}/{state.supply[BLACK]}",
        "".join(
            [letter for letter, there in zip(_PLAYER_LETTERS, state.unbuilt, strict=True) if there]
        )
        or "-",
        "/".join(
            [
                "".join(["-" if player == NOBODY else _PLAYER_LETTERS[player] for player in hats])
                for hats in state.hat
            ]
        ),
        format_powers(state),
        str(state.turn),
    )
    return " ".join(fields)


def cell_letters(state: State, era: int) -> list[str]:
    """The letters of an era's 16 spaces.

    Args:
        state: a record of the engine's dtype.
        era: the era, from 0.

    Returns:
        One letter for each space.
    """
    seeds = int(state.seed[era])
    return [
        _ON_SEED[piece] if seeds >> space & 1 else _CELLS[piece]
        for space, piece in enumerate(state.cell[era])
    ]


def _format_era(state: State, era: int) -> str:
    cells = (
        "".join(cell_letters(state, era))
        if state.seed[era]
        else bytes(state.cell[era]).translate(_LETTERS).decode()
    )
    return f"{cells[:4]}/{cells[4:8]}/{cells[8:12]}/{cells[12:]}"


def format_step(state: State) -> str:
    if state.step == OVER:
        return RESULTS[int(state.result)]
    if state.step == ACT:
        return f"{state.actions_left}{'+' if state.free_action else ''}"
    return f"{_STEP_LETTERS[int(state.step)]}{'=' if state.offered else ''}"


def format_powers(state: State) -> str:
    slots = [
        "-" if power == NO_POWER else POWER_NAMES[power] + ("!" if spent else "")
        for power, spent in zip(state.power, state.overtime_spent, strict=True)
    ]
    if state.step not in (DRAFT, ORDER):
        return "/".join(slots)
    revealed = ",".join(POWER_NAMES[power] for power in state.revealed)
    return "/".join([revealed, *(slots[:1] if state.power_share else slots)])


#: The settings that the text of a position leaves open, which `parse_position` takes.
OPEN_SETTINGS: Final = ("edition", "power_texts", "max_turns", "concede", "draws")


def parse_position(
    text: str,
    *,
    edition: str = "2021",
    power_texts: int = 1,
    max_turns: int = 200,
    concede: bool = False,
    draws: bool = False,
) -> np.ndarray:
    """The position that a text describes.

    Args:
        text: the text.
        edition: the rulebook, "2021" or "2022".
        power_texts: which texts the powers have, 1 or 2.
        max_turns: the turn limit.
        concede: whether conceding is an action.
        draws: whether draws may be offered.

    Returns:
        The position, of shape (1,) and the engine's dtype.

    Raises:
        PositionError: naming the field and the reason, if the text is not a position.
    """
    blank = np.zeros(1, STATE)
    blank["edition"], blank["power_texts"], blank["max_turns"] = (
        EDITIONS.index(edition),
        power_texts,
        max_turns,
    )
    blank["concede"], blank["draws"] = concede, draws
    return _TKMParser(text, blank).states


def read_position(text: str) -> np.ndarray:
    """The record that a text describes, even if it cannot occur in the game: for editors.

    Raises:
        PositionError: naming the field that is malformed.
    """
    blank = np.zeros(1, STATE)
    blank["max_turns"], blank["power_texts"] = MAX_TURNS_LIMIT, 1
    return _TKMParser(text, blank, by_form=True).states


class _TKMParser(PositionParser):
    """Each method reads one field, and may use those read before it.

    `refuse` reports what is malformed, `forbid` what no game contains.
    """

    def __init__(self, text: str, states: np.ndarray, *, by_form: bool = False) -> None:
        super().__init__(text, FIELDS, states)
        self.by_form = by_form
        self.read_chapters()
        self.read_board()
        self.read_to_act(_PLAYER_LETTERS)
        self.read_step()
        self.read_focus()
        self.read_active_copy()
        self.read_powers()
        self.read_supply()
        self.read_statues()
        self.read_hats()
        self.read_turn()
        if not by_form:
            self.check_marks()
            self.check_something_to_do()

    def forbid(self, field: str, reason: str) -> None:
        if not self.by_form:
            self.refuse(field, reason)

    def read_chapters(self) -> None:
        text = self.fields["chapters"]
        if text != "-" and not re.fullmatch("(?=.)G?I?M?", text):
            self.refuse("chapters", Message("letters of GIM in that order, or '-', are needed"))
        self.state.chapters = sum(
            1 << bit for bit, letter in enumerate(_CHAPTER_LETTERS) if letter in text
        )

    def read_board(self) -> None:
        eras = self.fields["board"].split("|")
        if len(eras) != NUM_ERAS:
            self.refuse(
                "board",
                Message("three eras separated by '|' are needed, not {count}", count=len(eras)),
            )
        # Reading one of these fields takes longer than reading a cell.
        chapters, cells, seeds = int(self.state.chapters), self.state.cell, self.state.seed
        for era, text in enumerate(eras):
            rows = text.split("/")
            if [len(row) for row in rows] != [WIDTH] * WIDTH:
                self.refuse(
                    "board",
                    Message(
                        "the {era} needs four rows of four cells separated by '/'", era=ERAS[era]
                    ),
                )
            for space, letter in enumerate("".join(rows)):
                if letter != ".":
                    cells[era, space], seed = self.read_cell(chapters, era, space, letter)
                    seeds[era] |= seed << space
        self.check_growth()
        self.check_influence()
        self.check_memory()

    def read_cell(self, chapters: int, era: int, space: int, letter: str) -> tuple[int, int]:
        where = Message("space {space} of the {era}", space=space + 1, era=ERAS[era])
        if letter not in CELLS:
            self.refuse(
                "board",
                Message(
                    "{letter!r} on {where} is not one of {known!r}",
                    letter=letter,
                    where=where,
                    known="".join(CELLS),
                ),
            )
        chapter = CHAPTER_OF_CELL.get(letter, 0)
        if chapter & ~chapters:
            self.forbid(
                "board",
                Message(
                    "{letter!r} on {where} belongs to {chapter}, which is not in play",
                    letter=letter,
                    where=where,
                    chapter=CHAPTERS[chapter.bit_length() - 1],
                ),
            )
        piece, seed = CELLS[letter]
        if piece == SHRUB and era == PAST:
            self.forbid(
                "board", Message("{where} holds a shrub, which the past never does", where=where)
            )
        if (piece == TREE or FALLEN <= piece < FALLEN + len(DIRECTIONS)) and era != FUTURE:
            self.forbid(
                "board", Message("{where} holds a tree, which only the future does", where=where)
            )
        if (
            FALLEN <= piece < FALLEN + len(DIRECTIONS)
            and NEIGHBOUR[piece - FALLEN, space] == NOWHERE
        ):
            self.forbid("board", Message("the trunk on {where} points off the board", where=where))
        return piece, seed

    def check_growth(self) -> None:
        cells = self.state.cell
        trees = (cells == TREE) | ((cells >= FALLEN) & (cells < FALLEN + len(DIRECTIONS)))
        for name, there in {
            "seeds": as_spaces(self.state.seed),
            "shrubs": cells == SHRUB,
            "trees": trees,
        }.items():
            if (count := there.sum()) > PIECES_OF_GROWTH:
                self.forbid(
                    "board",
                    Message(
                        "there are {most} {name}, not {count}",
                        most=PIECES_OF_GROWTH,
                        name=name,
                        count=count,
                    ),
                )

    def check_influence(self) -> None:
        if not self.state.chapters & INFLUENCE:
            return
        for era in range(NUM_ERAS):
            if (count := self.count(ORANGE, era)) != 1:
                self.forbid(
                    "board",
                    Message(
                        "the {era} needs one orange statue, not {count}", era=ERAS[era], count=count
                    ),
                )
            for player in (WHITE, BLACK):
                if self.count(STATUE + player, era) > 1:
                    self.forbid(
                        "board",
                        Message(
                            "the {era} holds two statues of {player}",
                            era=ERAS[era],
                            player=PLAYERS[player],
                        ),
                    )
        for player in (WHITE, BLACK):
            past, present, future = (self.count(STATUE + player, era) for era in range(NUM_ERAS))
            if past and future and not present:
                self.forbid(
                    "board",
                    Message(
                        "the statue of {player} is in the past and the future, but not in the "
                        "present",
                        player=PLAYERS[player],
                    ),
                )

    def check_memory(self) -> None:
        if not self.state.chapters & MEMORY:
            return
        for era in range(NUM_ERAS):
            for number, name in enumerate(ELEPHANTS):
                if (count := self.count(ELEPHANT + number, era)) != 1:
                    self.forbid(
                        "board",
                        Message(
                            "the {era} needs one {name} elephant, not {count}",
                            era=ERAS[era],
                            name=name,
                            count=count,
                        ),
                    )

    def count(self, piece: int, era: int | None = None) -> int:
        cells = self.state.cell if era is None else self.state.cell[era]
        return int((cells == piece).sum())

    def read_step(self) -> None:
        text = self.fields["step"]
        if text not in _STEPS:
            self.refuse("step", Message("one of {names} is needed", names=", ".join(_STEPS)))
        for name, value in ({"result": UNDECIDED} | _STEPS[text]).items():
            self.state[name] = value

    def read_focus(self) -> None:
        text = self.fields["focus"]
        if self.state.step in (DRAFT, ORDER):
            if text != "--":
                self.refuse("focus", Message("'--' is needed while drafting"))
            self.state.focus[:] = NOWHERE
        elif re.fullmatch("[PNF]{2}", text):
            self.state.focus[:] = [ERA_LETTERS.index(letter) for letter in text]
        else:
            self.refuse("focus", Message("two of the letters P, N, F are needed"))

    def read_active_copy(self) -> None:
        text = self.fields["active copy"]
        state = self.state
        state.active_era = state.active_space = NOWHERE
        if text == "-":
            if state.step == ACT:
                self.forbid("active copy", Message("it is missing while actions are left"))
            return
        if not re.fullmatch("[PNF]([1-9]|1[0-6])", text):
            self.refuse(
                "active copy", Message("an era's letter and a space, like 'N7', or '-' is needed")
            )
        if state.step not in (ACT, SHIFT):
            self.forbid(
                "active copy", Message("there is none at step {step!r}", step=self.fields["step"])
            )
        state.active_era, state.active_space = ERA_LETTERS.index(text[0]), int(text[1:]) - 1
        if state.cell[state.active_era, state.active_space] != COPY + state.to_act:
            self.forbid(
                "active copy",
                Message(
                    "no copy of {player}, who is to act, stands there", player=PLAYERS[state.to_act]
                ),
            )
        if state.actions_left == 2 and state.active_era != (focus := state.focus[state.to_act]):
            self.forbid(
                "active copy",
                Message(
                    "with 2 actions left it must be in the {era}, where the focus is",
                    era=ERAS[focus],
                ),
            )

    def read_powers(self) -> None:
        state = self.state
        state.power[:] = NO_POWER
        state.revealed[:] = NO_POWER
        slots = self.fields["powers"].split("/")
        if state.step in (DRAFT, ORDER):
            self.read_draft(slots[0], slots[1:])
        elif len(slots) == len(PLAYERS):
            for player, slot in enumerate(slots):
                name = slot.removesuffix("!")
                state.power[player] = self.power(name)
                state.overtime_spent[player] = name != slot
                if name != slot and state.power[player] != OVERTIME:
                    self.forbid("powers", Message("only overtime can be spent"))
        else:
            self.refuse(
                "powers", Message("white's and black's power, separated by '/', are needed")
            )

    def power(self, name: str) -> int:
        if name == "-":
            return NO_POWER
        if name not in POWER_NAMES:
            self.refuse(
                "powers",
                Message("{name!r} is not one of {names}", name=name, names=", ".join(POWER_NAMES)),
            )
        number = POWER_NAMES.index(name)
        if missing := POWERS[number].requires & ~int(self.state.chapters):
            self.forbid(
                "powers",
                Message(
                    "{name} requires {chapter}, which is not in play",
                    name=name,
                    chapter=CHAPTERS[missing.bit_length() - 1],
                ),
            )
        return number

    def read_draft(self, revealed: str, slots: list[str]) -> None:
        state = self.state
        names = revealed.split(",")
        if len(names) != len(state.revealed) or "-" in names or len(set(names)) != len(names):
            self.refuse(
                "powers",
                Message("while drafting, four different powers separated by ',' come first"),
            )
        if len(slots) not in (1, len(PLAYERS)):
            self.refuse(
                "powers",
                Message(
                    "while drafting, the powers that were taken come next: one slot with "
                    "Power Share, otherwise white's and black's"
                ),
            )
        state.revealed[:] = [self.power(name) for name in names]
        state.power_share = len(slots) == 1
        for slot in slots:
            if slot not in ("-", *names):
                self.refuse(
                    "powers", Message("{slot!r} is not among the revealed powers", slot=slot)
                )
        taken = [self.power(slot) for slot in (slots * 2 if state.power_share else slots)]
        state.power[:] = taken
        if not state.power_share and taken[WHITE] == taken[BLACK] != NO_POWER:
            self.refuse("powers", Message("both players cannot take the same power"))
        if state.step == ORDER and NO_POWER in taken:
            self.refuse("powers", Message("all must be taken before the order is decided"))
        if state.step == DRAFT and taken[state.to_act] != NO_POWER:
            self.refuse(
                "powers",
                Message("{player} is to draft, but has a power", player=PLAYERS[state.to_act]),
            )

    def read_supply(self) -> None:
        text = self.fields["supply"]
        if not re.fullmatch("[0-7]/[0-7]", text):
            self.refuse(
                "supply", Message("two numbers of copies, 0 to 7, separated by '/', are needed")
            )
        for player, supply in enumerate(map(int, text[::2])):
            name = PLAYERS[player]
            self.state.supply[player] = supply
            if supply > SUPPLY_AT_START and self.state.power[player] != SECOND_WIND:
                self.forbid(
                    "supply",
                    Message(
                        "{name} can have more than {most} only with second-wind",
                        name=name,
                        most=SUPPLY_AT_START,
                    ),
                )
            if (copies := self.count(COPY + player)) + supply > COPIES_EACH:
                self.forbid(
                    "supply",
                    Message(
                        "{name} has {most} copies, not {copies} on the board and {supply} in "
                        "supply",
                        name=name,
                        most=COPIES_EACH,
                        copies=copies,
                        supply=supply,
                    ),
                )

    def read_statues(self) -> None:
        text = self.fields["statues"]
        if text not in ("wb", "w", "b", "-"):
            self.refuse("statues", Message("'wb', 'w', 'b' or '-' is needed"))
        if text != "-" and not self.state.chapters & INFLUENCE:
            self.forbid("statues", Message("there are none, since influence is not in play"))
        for player, letter in enumerate(_PLAYER_LETTERS):
            unbuilt = letter in text
            built = self.count(STATUE + player) > 0
            self.state.unbuilt[player] = unbuilt
            if unbuilt and built:
                self.forbid(
                    "statues",
                    Message(
                        "the statue of {player} is already on the board", player=PLAYERS[player]
                    ),
                )
            if self.state.chapters & INFLUENCE and not unbuilt and not built:
                self.forbid(
                    "statues",
                    Message(
                        "the statue of {player} is neither on the board nor still to build",
                        player=PLAYERS[player],
                    ),
                )

    def read_hats(self) -> None:
        text = self.fields["hats"]
        if not re.fullmatch("[wb-]{3}/[wb-]{3}", text):
            self.refuse(
                "hats",
                Message("three of 'w', 'b', '-' for each elephant, separated by '/', are needed"),
            )
        if text != "---/---" and not self.state.chapters & MEMORY:
            self.forbid("hats", Message("there are none, since memory is not in play"))
        for elephant, letters in enumerate(text.split("/")):
            self.state.hat[elephant] = [
                NOBODY if letter == "-" else _PLAYER_LETTERS.index(letter) for letter in letters
            ]
        for era, (dark, light) in enumerate(self.state.hat.T):
            if dark == light != NOBODY:
                self.forbid(
                    "hats",
                    Message(
                        "{player} has two hats in the {era}", player=PLAYERS[dark], era=ERAS[era]
                    ),
                )

    def read_turn(self) -> None:
        text, limit = self.fields["turn"], self.state.max_turns
        if not re.fullmatch("[1-9][0-9]*", text):
            self.refuse("turn", Message("a number from 1 on, without leading zeros, is needed"))
        if len(text) > len(str(limit)) or int(text) > limit:
            self.refuse("turn", Message("the turn limit is {limit}", limit=limit))
        self.state.turn = int(text)

    def check_marks(self) -> None:
        state = self.state
        if state.free_action and state.power[state.to_act] != GREEN_THUMB:
            self.refuse(
                "step",
                Message(
                    "'+' is a mark of green-thumb, which {player} does not have",
                    player=PLAYERS[state.to_act],
                ),
            )
        if (
            state.step == SHIFT
            and state.offered
            and (state.active_era != NOWHERE or self.legal_at(CHOOSE))
        ):
            self.refuse("step", Message("no draw can have been offered at this 'f'"))

    def check_something_to_do(self) -> None:
        if self.state.step == CHOOSE and not self.legal_at(CHOOSE):
            self.refuse(
                "step", Message("{player} has nothing to choose", player=PLAYERS[self.state.to_act])
            )
        if self.state.step == ACT and not self.legal_at(ACT):
            self.refuse("step", Message("the active copy has no legal action"))

    def legal_at(self, step: int) -> bool:
        """Whether any action would be legal at that step."""
        trial = self.states.copy()
        trial[0].step = step
        mask = np.zeros(NUM_ACTIONS, np.int8)
        ENTRY_POINTS.play(trial, NO_ACTION, mask)
        return bool(mask.any())
