"""Names of actions and texts of positions: both ways, and everything that is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_setting
from tests.games.tkm.positions import REVEALED, START, TALK, VARIED, random_game, with_fields
from tkm_env import (
    ACTIONS,
    Game,
    GameConfig,
    IllegalActionError,
    PositionError,
    TKMError,
    UnknownActionError,
    action_index,
)
from tkm_env.games.tkm.engine.state import CHAPTERS
from tkm_env.games.tkm.notation import CELLS, FIELDS, format_position, parse_position

# Names of actions.

DIRECTIONS = ("north", "east", "south", "west")
#: NOTATION's table, spelt out.
NAMES = {
    *(f"choose {space}" for space in range(1, 17)),
    *(
        f"{verb} {direction}"
        for verb in ("move", "plant", "remove", "build", "exchange")
        for direction in DIRECTIONS
    ),
    *(f"move {direction} pull" for direction in DIRECTIONS),
    *(
        "travel forward",
        "travel backward",
        "travel forward far",
        "travel backward far",
        "travel forward leave",
    ),
    *("plant here", "remove here", "train dark", "train light"),
    *(
        f"command {elephant} {direction}"
        for elephant in ("dark", "light")
        for direction in DIRECTIONS
    ),
    *(
        f"command {elephant} {direction} pull"
        for elephant in ("dark", "light")
        for direction in DIRECTIONS
    ),
    *("focus past", "focus present", "focus future", "overtime", "go first", "go second"),
    *(f"draft {number}" for number in range(1, 5)),
    *("concede", "offer draw", "accept draw", "decline draw"),
}


def test_the_actions_are_those_of_the_notation() -> None:
    assert set(ACTIONS) == NAMES
    assert len(ACTIONS) == len(NAMES)


def test_action_index_is_the_inverse_of_the_table() -> None:
    assert [action_index(name) for name in ACTIONS] == list(range(len(ACTIONS)))


@pytest.mark.parametrize(
    "pattern",
    [
        "move {}",
        "move {} pull",
        "plant {}",
        "remove {}",
        "build {}",
        "command dark {}",
        "command light {}",
        "command dark {} pull",
        "command light {} pull",
        "exchange {}",
    ],
)
def test_directions_come_in_the_order_north_east_south_west(pattern: str) -> None:
    first = action_index(pattern.format("north"))
    assert [action_index(pattern.format(direction)) - first for direction in DIRECTIONS] == [
        0,
        1,
        2,
        3,
    ]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            " ",
            "choose",
            "choose 0",
            "choose 17",
            "choose 01",
            "choose \uff11",
            "choose  1",
            " choose 1",
            "choose 1 ",
            "choose 1\n",
        ),
        *(
            "Choose 1",
            "CONCEDE",
            "move",
            "move up",
            "move North",
            "move here",
            "travel",
            "travel past",
            "build here",
            "draft 0",
        ),
        *(
            "draft 5",
            "train",
            "command north",
            "command dark",
            "focus",
            "focus p",
            "pass",
            "0",
            "None",
        ),
        *(None, 0, 1.5, b"choose 1", ["choose 1"], {}, ("choose 1",)),
    ],
)
def test_unknown_names_are_refused(name: Any) -> None:
    with pytest.raises(UnknownActionError) as refused:
        action_index(name)
    assert repr(name) in str(refused.value)
    assert isinstance(refused.value, (IllegalActionError, TKMError, ValueError))


# Texts of positions.


def board(past: str = "W.../..../..../...B", present: str = "", future: str = "") -> str:
    """A board's text; eras that are not given are as at the start."""
    return "|".join(era or "W.../..../..../...B" for era in (past, present, future))


# One position of each kind, to break.
GROWTH = with_fields(START, chapters="G")
INFLUENCE = (
    "W.../..O./..../...B|W.../..O./..../...B|W.../..O./..../...B I w c PF - 4/4 wb ---/--- -/- 1"
)
MEMORY = (
    "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w c PF - 4/4 - ---/--- -/- 1"
)
ACTING = with_fields(START, step="2", active_copy="P1")
SHIFTING = with_fields(START, step="f", active_copy="P1")
DRAFTING = with_fields(START, step="d", focus="--", powers=f"{REVEALED}/-/-")
SHARING = with_fields(START, step="d", focus="--", powers=f"{REVEALED}/-")
ORDERING = with_fields(START, step="o", focus="--", powers=f"{REVEALED}/overtime/express")
OVER = with_fields(START, step="1-0")
#: A copy between two shrubs in a corner of the future, with nobody's seed to take and none left to
#: plant.
STUCK = with_fields(
    START,
    board="W.../.***/.**./...B|W.../..../..../...B|W#../#.../..../...B",
    chapters="G",
    step="2",
    focus="FF",
    active_copy="F1",
)

#: Positions of each kind that the broken texts below are made from.
SOUND = [START, GROWTH, INFLUENCE, MEMORY, ACTING, SHIFTING, DRAFTING, SHARING, ORDERING, OVER]


@pytest.mark.parametrize("text", [*SOUND, *VARIED])
def test_texts_of_positions_come_back_as_they_were(text: str) -> None:
    states = parse_position(text)
    assert states.shape == (1,)
    assert format_position(states[0]) == text
    assert Game(position=text).position == text


@each_setting
def test_positions_of_random_games_come_back_as_they_were(
    chapters: tuple[str, ...], edition: str
) -> None:
    config = GameConfig(chapters=chapters, edition=edition, max_turns=15, **TALK)
    for game in random_game(Game(config), seed=len(chapters)):
        assert Game(config, position=game.position) == game, game.position


#: What each refused text breaks: the text and the field that the error names.
REFUSED: dict[str, tuple[Any, str]] = {
    # The line.
    "nothing": ("", "position"),
    "a space": (" ", "position"),
    "ten fields": (START.rsplit(" ", 1)[0], "position"),
    "twelve fields": (START + " 1", "position"),
    "two spaces": (START.replace(" w ", "  w "), "position"),
    "a space before": (" " + START, "position"),
    "a space after": (START + " ", "position"),
    "a tab": (START.replace(" w ", "\tw "), "position"),
    "a no-break space": (START.replace(" w ", "\xa0w "), "position"),
    "a newline after": (START + "\n", "turn"),
    "a newline before": ("\n" + START, "board"),
    "a newline within": (START.replace(" w ", "\nw "), "position"),
    "a null character after": (START + "\0", "turn"),
    "no text": (None, "position"),
    "bytes": (START.encode(), "position"),
    "a list of fields": (START.split(" "), "position"),
    "a number": (1, "position"),
    # Board: grammar.
    "no board": (with_fields(START, board=""), "board"),
    "two eras": (with_fields(START, board=board().rsplit("|", 1)[0]), "board"),
    "four eras": (with_fields(START, board=board() + "|W.../..../..../...B"), "board"),
    "an empty era": (with_fields(START, board=board().replace("W.../..../..../...B|", "|", 1)),
        "board"),
    "three rows": (with_fields(START, board=board("W.../..../...B")), "board"),
    "five rows": (with_fields(START, board=board("W.../..../..../..../...B")), "board"),
    "a row of three": (with_fields(START, board=board("W../..../..../...B")), "board"),
    "a row of five": (with_fields(START, board=board("W..../..../..../...B")), "board"),
    "rows of three and five": (with_fields(START, board=board("W../...../..../...B")), "board"),
    "rows not separated": (with_fields(START, board=board("W..............B")), "board"),
    "a wrong separator": (with_fields(START, board=board("W...|..../..../...B")), "board"),
    "digits for empty cells": (with_fields(START, board=board("W3/4/4/3B")), "board"),
    "an unknown cell": (with_fields(START, board=board("W.../.x../..../...B")), "board"),
    "an elephant's letter in lower case": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace("D", "d")), "board"),
    "a wide letter": (with_fields(START, board=board("\uff37.../..../..../...B")), "board"),
    # Board: pieces whose chapter is not in play.
    **{
        f"{cell} in the standard game": (with_fields(START,
            board=board(future=f"W.../.{cell}../..../...B")), "board")
        for cell in "wb*#T^>v<OIEDL"
    },
    "a seed with influence only": (with_fields(INFLUENCE,
        board=INFLUENCE.split(" ")[0].replace("W.", "W*", 1)), "board"),
    "a statue with memory only": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace("W.", "WI", 1)), "board"),
    "an elephant with growth only": (with_fields(GROWTH, board=board("WD../..../..../...B")),
        "board"),
    # Board: Growth.
    "a shrub in the past": (with_fields(GROWTH, board=board("W.../.#../..../...B")), "board"),
    **{
        f"{tree} in the {era}": (with_fields(GROWTH,
            board=board(**{era: f"W.../.{tree}../..../...B"})), "board")
        for tree in "T^>v<"
        for era in ("past", "present")
    },
    "a trunk to the north off the board": (with_fields(GROWTH,
        board=board(future="W^../..../..../...B")), "board"),
    "a trunk to the east off the board": (with_fields(GROWTH,
        board=board(future="W.../...>/..../...B")), "board"),
    "a trunk to the south off the board": (with_fields(GROWTH,
        board=board(future="W.../..../..../v..B")), "board"),
    "a trunk to the west off the board": (with_fields(GROWTH,
        board=board(future="W.../..../<.../...B")), "board"),
    "six seeds": (with_fields(GROWTH, board=board("W***/***./..../...B")), "board"),
    "six seeds, some under copies": (with_fields(GROWTH,
        board=board("w***/..../..../...b", "w.../..../..../...B")), "board"),
    "six shrubs": (with_fields(GROWTH, board=board(present="W###/..../..../...B",
        future="W###/..../..../...B")), "board"),
    "six standing trees": (with_fields(GROWTH, board=board(future="WTTT/TTT./..../...B")), "board"),
    "six trees, some fallen": (with_fields(GROWTH, board=board(future="W.TT/TT../^>../...B")),
        "board"),
    # Board: Influence.
    "no orange statue in an era": (with_fields(INFLUENCE,
        board=INFLUENCE.split(" ")[0].replace("O", ".", 1)), "board"),
    "two orange statues in an era": (with_fields(INFLUENCE,
        board=INFLUENCE.split(" ")[0].replace("O.", "OO", 1)), "board"),
    "two ivory statues in an era": (with_fields(INFLUENCE,
        board=INFLUENCE.split(" ")[0].replace("W..", "WII", 1), statues="b"), "board"),
    "two ebony statues in an era": (with_fields(INFLUENCE,
        board=INFLUENCE.split(" ")[0].replace("W..", "WEE", 1), statues="w"), "board"),
    **{
        f"{statue} in past and future only": (
            with_fields(
                INFLUENCE,
                board=board(f"W{statue}../..O./..../...B", "W.../..O./..../...B",
                    f"W{statue}../..O./..../...B"),
                statues=left,
            ),
            "board",
        )
        for statue, left in ("Ib", "Ew")
    },
    # Board: Memory.
    "no dark elephant in an era": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace("D", ".", 1)), "board"),
    "no light elephant in an era": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace("L", ".", 1)), "board"),
    "two dark elephants in an era": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace(".D", "DD", 1)), "board"),
    "two light elephants in an era": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace("L.", "LL", 1)), "board"),
    "a dark elephant for a light one": (with_fields(MEMORY,
        board=MEMORY.split(" ")[0].replace("L", "D", 1)), "board"),
    # Chapters.
    **{
        f"chapters {text!r}": (with_fields(START, chapters=text), "chapters")
        for text in ("", "X", "g", "GG", "IG", "MI", "MG", "GMI", "IGM", "--", "-G", "G-", "GIMM",
            "G,I", "0", "\uff27", "G\n", "-\n")
    },
    # To act.
    **{f"to act {text!r}": (with_fields(START, to_act=text), "to act") for text in ("", "-", "W",
        "B", "white", "wb", "1", "w\n")},
    # Step: grammar.
    **{
        f"step {text!r}": (with_fields(START, step=text), "step")
        for text in (
            *("", "-", "x", "C", "cc", "choose", "3", "0", "9", "01", "12", "\uff11", "²", "+", "=",
              "c+", "c==", "=c", "f+", "f==", "d="),
            *("o=", "a=", "a+", "d+", "2=", "1=", "2++", "+2", "2+=", "1-0+", "1-0=", "0-1=", "*=",
              "1/2=", "1-1", "0-0", "2-0", "1/2+"),
            *("½", "1/2-1/2", "**", "c\n", "*\n", "1-0\n"),
        )
    },
    # Step: misplaced marks.
    "a free action without green-thumb": (with_fields(ACTING, step="2+"), "step"),
    "a free action of the opponent's green-thumb": (
        with_fields(GROWTH, step="2+", active_copy="P1", powers="-/green-thumb"),
        "step",
    ),
    "a mark = where a copy acted": (with_fields(SHIFTING, step="f="), "step"),
    "a mark = at f where a copy can be chosen": (with_fields(START, step="f="), "step"),
    # Step: nothing to do.
    "nothing to choose for want of copies": (with_fields(START, board=board("..../..../..../...B")),
        "step"),
    "nothing to choose for want of actions": (with_fields(STUCK, step="c", active_copy="-"),
        "step"),
    "no legal action at 2": (STUCK, "step"),
    "no legal action at 1": (with_fields(STUCK, step="1"), "step"),
    # Focus.
    **{
        f"focus {text!r}": (with_fields(START, focus=text), "focus")
        for text in ("", "-", "--", "P", "PFN", "PX", "pf", "P-", "-P", "12", "P/F", "PF\n")
    },
    **{f"focus {text!r} in a draft": (with_fields(DRAFTING, focus=text), "focus") for text in ("",
        "-", "PF", "P-", "---", "--\n")},
    "a focus when the order is decided": (with_fields(ORDERING, focus="PF"), "focus"),
    # Active copy: grammar.
    **{
        f"active copy {text!r}": (with_fields(ACTING, active_copy=text), "active copy")
        for text in (
            *("", "P", "1", "P0", "P17", "P01", "P016", "P1P", "p1", "X1", "P-1", "P\uff11",
              "P1\uff11", "P1\n"),
            *("-P1", "P1P1", "--", "P1.0"),
        )
    },
    # Active copy: against the rest.
    "an active copy on an empty space": (with_fields(ACTING, active_copy="P2"), "active copy"),
    "an active copy of the other side": (with_fields(ACTING, active_copy="P16"), "active copy"),
    "an active copy of the other side at f": (with_fields(SHIFTING, active_copy="P16"),
        "active copy"),
    "an active copy that is an elephant": (with_fields(MEMORY, step="1", active_copy="P4"),
        "active copy"),
    "an active copy that is a statue": (with_fields(INFLUENCE, step="1", active_copy="P7"),
        "active copy"),
    "no active copy at 2": (with_fields(ACTING, active_copy="-"), "active copy"),
    "no active copy at 1": (with_fields(ACTING, step="1", active_copy="-"), "active copy"),
    "an active copy outside the focus at 2": (with_fields(ACTING, active_copy="N1"), "active copy"),
    "an active copy outside the focus at 2+": (
        with_fields(GROWTH, step="2+", active_copy="N1", powers="green-thumb/-"),
        "active copy",
    ),
    **{
        f"an active copy at {step}": (with_fields(text, step=step, active_copy="P1"), "active copy")
        for text, step in (
            *((START, step) for step in ("c", "c=", "a", "1-0", "0-1", "1/2", "*")),
            *((DRAFTING, "d"), (ORDERING, "o")),
        )
    },
    # Supply.
    **{
        f"supply {text!r}": (with_fields(START, supply=text), "supply")
        for text in (
            *("", "4", "4/", "/4", "4/4/4", "04/4", "4/04", "4-4", "-1/4", "8/4", "x/4", "44",
              "\uff14/4"),
            *("4/4\n", "+4/4", "4/4.0", "-/-"),
        )
    },
    "a supply of 5": (with_fields(START, supply="5/4"), "supply"),
    "a supply of 5 for want of copies": (with_fields(START, board=board("..../..../..../...B"),
        supply="5/4", step="f"), "supply"),
    "a supply of 5 with the opponent's second-wind": (
        with_fields(START, board=board("..../..../..../...B"), supply="5/4", step="f",
            powers="-/second-wind"),
        "supply",
    ),
    "eight white copies": (with_fields(START, board=board("WW../..../..../...B")), "supply"),
    "eight black copies": (with_fields(START, board=board("W.../..../..../..BB")), "supply"),
    "eight copies with second-wind": (with_fields(START, supply="5/4", powers="second-wind/-"),
        "supply"),
    "eight copies, one on a seed": (with_fields(GROWTH, board=board("w..w/..../..../...B")),
        "supply"),
    # Statues.
    **{
        f"statues {text!r}": (with_fields(INFLUENCE, statues=text), "statues")
        for text in ("", "bw", "ww", "W", "x", "wbw", "w/b", "--", "w-", "-b", "wb\n")
    },
    "statues to build without influence": (with_fields(START, statues="wb"), "statues"),
    "a statue to build without influence": (with_fields(MEMORY, statues="b"), "statues"),
    "a statue on the board and to build": (
        with_fields(INFLUENCE, board=INFLUENCE.split(" ")[0].replace("W.", "WI", 1)),
        "statues",
    ),
    "a statue in the future and to build": (
        with_fields(INFLUENCE, board=board("W.../..O./..../...B", "W.../..O./..../...B",
            "WE../..O./..../...B")),
        "statues",
    ),
    "a statue neither on the board nor to build": (with_fields(INFLUENCE, statues="w"), "statues"),
    "no statue on the board nor to build": (with_fields(INFLUENCE, statues="-"), "statues"),
    # Hats.
    **{
        f"hats {text!r}": (with_fields(MEMORY, hats=text), "hats")
        for text in (
            *("", "-", "---", "------", "---/--", "--/---", "----/---", "---/---/---"),
            *("W--/---", "x--/---", "---|---", "---/---\n", "w\tw/---"),
        )
    },
    "a hat without memory": (with_fields(START, hats="w--/---"), "hats"),
    "a hat with influence only": (with_fields(INFLUENCE, hats="---/--b"), "hats"),
    **{
        f"two hats of one colour in the {era}": (with_fields(MEMORY, hats=hats), "hats")
        for era, hats in (("past", "w--/w--"), ("present", "-b-/-b-"), ("future", "-bw/b-w"))
    },
    # Powers.
    **{
        f"powers {text!r}": (with_fields(START, powers=text), "powers")
        for text in (
            *("", "-", "--", "/", "-/", "/-", "-/-/-", "overtime", "overtime/", "Overtime/-",
              "over_time/-", "x/-"),
            *("overtime,express/-", "-!/-", "express!/-", "overtime!!/-", "!/-", "!overtime/-",
              "-/-\n"),
            *(f"{REVEALED}/-/-", f"{REVEALED}/-"),
        )
    },
    **{
        f"{power} without its chapter": (with_fields(START, powers=f"-/{power}"), "powers")
        for power in ("brushwood", "green-thumb", "ripple", "impose", "whisperer", "loyalty")
    },
    "brushwood with the other chapters": (
        (
            "W..D/..O./..../L..B|W..D/..O./..../L..B|W..D/..O./..../L..B IM w c PF - 4/4 wb "
            "---/--- brushwood/- 1"
        ),
        "powers",
    ),
    **{
        f"powers {text!r} in a draft": (with_fields(DRAFTING, powers=text), "powers")
        for text in (
            *("-/-", "-", "", REVEALED, f"{REVEALED}/", f"{REVEALED}/-/-/-", f"/{REVEALED}/-",
              f"-/-/{REVEALED}", f"{REVEALED},/-/-"),
            *("overtime,fixation,express/-/-", f"{REVEALED},kinship/-/-",
              "overtime,overtime,express,doorway/-/-"),
            *("overtime,fixation,express,-/-/-", "overtime,fixation,express,x/-/-",
              f"{REVEALED}/-/-/"),
            *(f"{REVEALED}/-/kinship", f"{REVEALED}/-/x", f"{REVEALED}/-/overtime!",
              "overtime!,fixation,express,doorway/-/-"),
        )
    },
    "revealed powers without their chapter": (
        with_fields(DRAFTING, powers="brushwood,fixation,express,doorway/-/-"),
        "powers",
    ),
    "one to draft who has a power": (with_fields(DRAFTING, powers=f"{REVEALED}/overtime/-"),
        "powers"),
    "one to draft when all have a power": (with_fields(DRAFTING,
        powers=f"{REVEALED}/overtime/express"), "powers"),
    "a shared power to draft that is taken": (with_fields(SHARING, powers=f"{REVEALED}/overtime"),
        "powers"),
    "one power taken twice": (with_fields(ORDERING, powers=f"{REVEALED}/overtime/overtime"),
        "powers"),
    "an order to decide before white has a power": (
        with_fields(ORDERING, powers=f"{REVEALED}/-/overtime"), "powers"),
    "an order to decide before black has a power": (
        with_fields(ORDERING, powers=f"{REVEALED}/overtime/-"), "powers"),
    "an order to decide before the shared power is taken": (
        with_fields(ORDERING, powers=f"{REVEALED}/-"), "powers"),
    # Turn.
    **{
        f"turn {text!r}": (with_fields(START, turn=text), "turn")
        for text in (
            *("", "-", "0", "00", "01", "007", "-1", "+1", "1.0", "1e1", "x", "\uff11", "1\uff11",
              "\u0663", "²", "1_0", "0x1"),
            *("201", "9999", "9" * 5000, "1\n", "\n1", "1\r"),
        )
    },
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSED)
def test_broken_texts_are_refused_by_field(what: str) -> None:
    text, field = REFUSED[what]
    with pytest.raises(PositionError) as refused:
        Game(position=text) if text is not None else parse_position(text)
    error = refused.value
    assert error.field == field, str(error)
    assert error.reason
    assert error.reason in str(error)
    assert str(error).startswith(error.field)


#: Nothing but what NOTATION names is checked: these are odd, and positions all the same.
ACCEPTED = {
    "f without an active copy although copies could act": with_fields(START, step="f"),
    "f with an active copy in another era than the focus": with_fields(SHIFTING, active_copy="F1"),
    "1 with an active copy in another era than the focus": with_fields(ACTING, step="1",
        active_copy="N1"),
    "a copy to choose that can act but once": with_fields(
        STUCK, board=STUCK.split(" ")[0].replace("***", "**.", 1), step="c", active_copy="-"
    ),
    "one side without copies": with_fields(START,
        board="...B/..../..../....|..../..../..../....|..../..../..../....", step="f"),
    "no copies at all": with_fields(START,
        board="..../..../..../....|..../..../..../....|..../..../..../....", step="f",
        supply="0/0"),
    "fewer copies than there are": with_fields(START, supply="0/1"),
    "both tokens in one era": with_fields(START, focus="PP"),
    "black to act with the token in the past": with_fields(START, to_act="b", focus="FP"),
    "black to act in an even turn after white in an even turn": with_fields(START, to_act="b",
        turn="2"),
    "a statue in the past only": with_fields(INFLUENCE,
        board=INFLUENCE.split(" ")[0].replace("W.", "WI", 1), statues="b"),
    "a statue in past and present": with_fields(
        INFLUENCE, board=board("WE../..O./..../...B", "WE../..O./..../...B", "W.../..O./..../...B"),
        statues="w"
    ),
    "a statue in the present only": with_fields(
        INFLUENCE, board=board("W.../..O./..../...B", "WE../..O./..../...B", "W.../..O./..../...B"),
        statues="w"
    ),
    "a statue in the future only": with_fields(
        INFLUENCE, board=board("W.../..O./..../...B", "W.../..O./..../...B", "WE../..O./..../...B"),
        statues="w"
    ),
    "statues that are not aligned": with_fields(
        INFLUENCE, board=board("WIE./..O./..../...B", "W.../O.EI/..../...B", "W.../..../OIE./...B"),
        statues="-"
    ),
    "five seeds, shrubs and trees that do not belong together": with_fields(
        GROWTH, board=board("w..*/.*../..*./...b", "W.../#..#/#..#/.#.B", "Wv>./..TT/.<../...B"),
        turn="99"
    ),
    "a trunk that points at a copy": with_fields(GROWTH, board=board(future="W<../..../..../...B")),
    "hats of both sides in an era": with_fields(MEMORY, hats="wbw/bwb"),
    "hats in the future only": with_fields(MEMORY, hats="---/--w"),
    "a finished game with a board that shows no win": OVER,
    "a finished game without copies": with_fields(OVER,
        board="..../..../..../....|..../..../..../....|..../..../..../....", step="0-1"),
    "a finished game won by the side not to act": with_fields(OVER, to_act="b"),
    "a draw without draws": with_fields(OVER, step="1/2"),
    "a game truncated before the limit": with_fields(OVER, step="*"),
    "a finished game with a power that is spent": with_fields(OVER, powers="overtime!/overtime!"),
    "an answer to give without draws": with_fields(START, step="a"),
    "an offer made without draws": with_fields(START, step="c="),
    "an offer made where nothing can be chosen": with_fields(START,
        board=board("..../..../..../...B"), step="f="),
    "no free action left at 2": with_fields(GROWTH, step="2", active_copy="P1",
        powers="green-thumb/-"),
    "a free action left at 1": with_fields(GROWTH, step="1+", active_copy="P1",
        powers="green-thumb/green-thumb"),
    "a supply of 7 with second-wind": with_fields(
        START, board="..../..../..../...B|..../..../..../...B|..../..../..../...B", step="f",
        supply="7/4", powers="second-wind/-"
    ),
    "a supply of 7 each with second-wind for both": with_fields(
        START, board="..../..../..../....|..../..../..../....|..../..../..../....", step="f",
        supply="7/7", powers="second-wind/second-wind"
    ),
    "a supply of 0 with second-wind": with_fields(START, supply="0/4", powers="second-wind/-"),
    "two powers, one spent": with_fields(START, powers="overtime!/doorway"),
    "one power for both, spent by black": with_fields(START, powers="overtime/overtime!"),
    "a first draft": DRAFTING,
    "a first draft by black": with_fields(DRAFTING, to_act="b"),
    "a second draft by black": with_fields(DRAFTING, to_act="b", powers=f"{REVEALED}/doorway/-"),
    "a second draft by white": with_fields(DRAFTING, powers=f"{REVEALED}/-/doorway"),
    "a draft out of several sets": with_fields(DRAFTING,
        powers="kinship,overtime,grapple,exchange/-/-"),
    "a draft with chapters required": with_fields(DRAFTING, chapters="G",
        powers="brushwood,green-thumb,kinship,overtime/-/-"),
    "a shared power to draft": SHARING,
    "an order for white to decide": ORDERING,
    "an order for black to decide": with_fields(ORDERING, to_act="b"),
    "an order to decide with a shared power": with_fields(ORDERING, to_act="b",
        powers=f"{REVEALED}/express"),
    "a handicap in a draft": with_fields(DRAFTING, supply="1/3"),
    "the last turn": with_fields(START, turn="200"),
}  # fmt: skip


@pytest.mark.parametrize("what", ACCEPTED)
def test_odd_positions_are_positions(what: str) -> None:
    game = Game(position=ACCEPTED[what])
    assert game.position == ACCEPTED[what]
    assert_goes_on_soundly(game)


def assert_goes_on_soundly(game: Game) -> None:
    """Something is legal unless the game is over, and whatever is legal leads to a position."""
    assert bool(game.legal_actions()) == (game.result is None), game.position
    for action in game.legal_actions():
        after = game.copy()
        after.play(action)
        again = Game(after.config, position=after.position)
        assert again == after, f"{game.position}, {ACTIONS[action]}: {after.position}"
        assert again.legal_actions() == after.legal_actions(), (
            f"{game.position}, {ACTIONS[action]}: {after.position}"
        )


# Texts against settings.


@pytest.mark.parametrize(
    ("max_turns", "turn"), [(1, "2"), (5, "6"), (5, "10"), (9_999, "10000"), (200, "201")]
)
def test_a_turn_above_the_limit_is_refused(max_turns: int, turn: str) -> None:
    text = with_fields(START, turn=turn)
    with pytest.raises(PositionError, match=str(max_turns)) as refused:
        Game(position=text, max_turns=max_turns)
    assert refused.value.field == "turn"


@pytest.mark.parametrize("max_turns", [1, 5, 9_999])
def test_the_last_turn_is_a_turn(max_turns: int) -> None:
    text = with_fields(START, turn=str(max_turns), step="f")
    game = Game(position=text, max_turns=max_turns)
    game.play("focus present")
    assert game.result == "*"
    assert game.turn == max_turns


@pytest.mark.parametrize("edition", ["2021", "2022"])
def test_a_text_is_the_same_under_all_settings_that_it_does_not_tell(edition: str) -> None:
    for text in VARIED:
        assert Game(position=text, edition=edition, max_turns=9_999, **TALK).position == text


# Texts that nobody wrote.

_REAL = [
    *VARIED,
    *ACCEPTED.values(),
    *(
        game.position
        for chapters in (CHAPTERS[:2], CHAPTERS[1:], CHAPTERS[::2], CHAPTERS)
        for game in random_game(Game(chapters=chapters, max_turns=16, **TALK), seed=1)
    ),
]
_ALPHABET = "".join(sorted({*"".join(_REAL), *CELLS, *"\uff10\uff11²½\n\t+=!,x"}))


def parsed(text: str) -> Game | PositionError:
    """The game, or the refusal; any other exception is a failure."""
    try:
        return Game(position=text)
    except PositionError as error:
        return error


def assert_parsed_exactly_or_refused(text: str) -> None:
    game = parsed(text)
    if isinstance(game, PositionError):
        assert game.field in (*FIELDS, "position")
        assert game.reason
    else:
        assert game.position == text, "a text was repaired silently"
        assert_goes_on_soundly(game)


@given(st.text(max_size=120) | st.text(_ALPHABET, max_size=120))
def test_arbitrary_text_is_refused_or_taken_exactly(text: str) -> None:
    assert_parsed_exactly_or_refused(text)


@given(st.lists(st.text(_ALPHABET, max_size=8), min_size=11, max_size=11))
def test_eleven_arbitrary_fields_are_refused_or_taken_exactly(fields: list[str]) -> None:
    assert_parsed_exactly_or_refused(" ".join(fields))


@given(st.data())
def test_a_changed_character_is_refused_or_taken_exactly(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(_REAL))
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text) - 1))
        new = data.draw(st.sampled_from(["", *_ALPHABET]))
        text = text[:at] + new + text[at + data.draw(st.integers(0, 1)) :]
    assert_parsed_exactly_or_refused(text)


@pytest.mark.slow
@given(st.data())
def test_fields_of_different_positions_are_refused_or_taken_exactly(data: st.DataObject) -> None:
    fields = data.draw(st.sampled_from(_REAL)).split(" ")
    for _ in range(data.draw(st.integers(1, 3))):
        number = data.draw(st.integers(0, len(fields) - 1))
        fields[number] = data.draw(st.sampled_from(_REAL)).split(" ")[number]
    assert_parsed_exactly_or_refused(" ".join(fields))


@given(st.sampled_from(_REAL).flatmap(lambda text: st.permutations(text.split(" "))))
def test_fields_in_another_order_are_refused_or_taken_exactly(fields: list[str]) -> None:
    assert_parsed_exactly_or_refused(" ".join(fields))
