"""The rules for players, in this project's own words, each with positions that show it.

`docs/rules.md` and the help of the terminal and the page are made from `SECTIONS`; the powers' texts are those of `POWERS`.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from tkm_env.game.rulebook_text import Example, Section, those_that_matter
from tkm_env.games.tkm.config import CONVERGENCE, GameConfig
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import CHAPTERS, NO_POWER

#: The game in three lines.
GOAL: Final = (
    "White and Black are two travellers in time who hunt each other on three boards: the past, the present and the future.",
    "On your turn you act twice with one of your copies: it steps, pushes what stands in its way, or travels to another era.",
    "You win when your turn ends and your opponent has copies in one era at most.",
)

#: What a game that begins with a draft has in play.
TIMELINE: Final = "timeline"

_2021: Final = {"edition": "2021"}
_2022: Final = {"edition": "2022"}

_BASICS: Final = (
    Section(
        "goal",
        "How the game is won",
        (
            *GOAL,
            "Each player begins with one copy in each era and four more in supply. What stands in the way is pushed; a copy that "
            "is pushed where it cannot go dies, and dead copies never come back.",
            "Who has won is checked when a turn ends, and only the player who took that turn can have won. So you may leave "
            "yourself in a single era, or in none, if your opponent is left in one as well: you win.",
        ),
        (
            Example(
                "White has pushed Black's last copy of the past into the wall, and ends the turn: Black stands in the present "
                "only.",
                "..../...W/...B/....|W.../..../..B./...B|W.../..../..../.... - w 2 PF P8 4/4 - ---/--- -/- 7",
                ("move south", "move south", "focus present"),
            ),
        ),
    ),
    Section(
        "turn",
        "A turn",
        (
            "First choose one of your copies in the era where your focus lies, the watch in your colour. It is active for the "
            "whole turn, wherever it goes.",
            "Then take two actions with it: any of those below, also the same one twice. If it can act it must, so you choose a "
            "copy that can act twice if there is one. If it dies, the other action is lost.",
            "Last, shift your focus to one of the two other eras: your next turn begins there. If you have no copy in the era of "
            "your focus, or none that can act, shifting the focus is all that you do.",
        ),
        (
            Example(
                "White chose the copy on space 6 of the present, moved it east and sent it to the future, and shifts the focus to"
                " the past.",
                "W.../..../..../...B|..../.W../..../...B|W.../..../..../...B - w c NF - 4/4 - ---/--- -/- 7",
                ("choose 6", "move east", "travel forward", "focus past"),
            ),
        ),
    ),
    Section(
        "moving",
        "Moving and pushing",
        (
            "A move is one step north, east, south or west. A copy of your opponent on that space is pushed one step the same "
            "way. If it is pushed into another of your copies, that one is pushed on as well: a chain.",
            "A copy that is pushed against a wall dies.",
            "Two copies of one colour never meet: where one is pushed into another, or you walk into your own, both vanish. That "
            "is a paradox.",
        ),
        (
            Example(
                "A step east pushes Black.",
                "..../.WB./..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- -/- 7",
                ("move east",),
            ),
            Example(
                "Pushed against the wall, Black's copy dies.",
                "..../..../..../..WB|W.../..../..../...B|W.../..../..../...B - w 2 PF P15 4/4 - ---/--- -/- 7",
                ("move east",),
            ),
            Example(
                "A chain: White pushes Black, and Black is pushed into White's other copy, which moves on as well.",
                "W.../..../..../...B|.W../.B../.W../....|W.../..../..../...B - w 2 NF N2 3/4 - ---/--- -/- 7",
                ("move south",),
            ),
            Example(
                "A paradox: one black copy is pushed into another, and both are gone.",
                "W.../..../..../...B|..../..../.WBB/....|W.../..../..../...B - w 2 NF N10 4/3 - ---/--- -/- 7",
                ("move east",),
            ),
        ),
    ),
    Section(
        "travelling",
        "Travelling through time",
        (
            "Forward: your copy goes to the same space of the next era. Backward: it goes to the same space of the era before, "
            "and a new copy from your supply is placed on the space that it left. That is how you come by more copies; with an "
            "empty supply nobody travels backward.",
            "The space at the other end must hold no copy and no object. A traveller pushes nothing.",
        ),
        (
            Example(
                "Forward, from the past to the present.",
                "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- -/- 5",
                ("travel forward",),
            ),
            Example(
                "Backward, from the present to the past: a new copy stays in the present.",
                "W.../..../..../...B|..../.W../..../...B|W.../..../..../...B - w 2 NF N6 4/4 - ---/--- -/- 5",
                ("travel backward",),
            ),
        ),
    ),
    Section(
        "ending",
        "Other ends, and further games",
        (
            "You may concede at any point of your turn, and offer a draw once a turn before you act.",
            "The rules know no draw by repetition; so that every game ends, a game without a winner is broken off after 200 "
            "turns, or as many as you set.",
            "In a series, the loser of a game goes first in the next one; after a draw, the player who went second does. A strong"
            " player may begin with one, two or three copies fewer in supply.",
        ),
    ),
)

_GROWTH: Final = (
    Section(
        "seeds",
        "Seeds, shrubs and trees",
        (
            "New actions: plant a seed on your own space or on one beside it, or remove one there, whoever planted it. A space "
            "has at most one seed; copies may stand on it, come and go.",
            "A seed is a shrub an era later and a tree in the future: if the same space of the next era is empty, a shrub"
            " grows there, and from a shrub a tree. A seed that is planted in the present is a shrub in the future. There"
            " are five pieces of each kind, and of what has run out nothing more grows.",
            "When a seed is gone, so is what grew from it; when a shrub is gone, so is its tree, standing or fallen.",
            "On which spaces beside you a seed may be planted depends on the edition: by the rules of 2021 only on an empty one; "
            "by those of 2022 also under a copy of either colour.",
        ),
        (
            Example(
                "A seed in the past is a shrub in the present and a tree in the future.",
                "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B G w 2 PF P6 4/4 - ---/--- -/- 5",
                ("plant east",),
            ),
            Example(
                "Removed again, by either player.",
                "..../.WB*/..../....|W.../...#/..../...B|W.../...T/..../...B G b 2 FP P7 4/4 - ---/--- -/- 6",
                ("remove east",),
            ),
            Example(
                "A copy in the present keeps the shrub from growing there, and so the tree.",
                "..../.W../..../...B|W.../..B./..../....|W.../..../..../...B G w 2 PF P6 4/4 - ---/--- -/- 5",
                ("plant east",),
            ),
            Example(
                "Edition 2022: a seed planted under a black copy.",
                "..../.WB./..../....|W.../..../..../...B|W.../..../..../...B G w 2 PF P6 4/4 - ---/--- -/- 5",
                ("plant east",),
                _2022,
            ),
        ),
    ),
    Section(
        "trees",
        "What shrubs and trees do",
        (
            "A shrub stands like a wall: nobody moves or travels onto it, and a copy that is pushed against it dies. A fallen "
            "tree is as solid as a shrub.",
            "A standing tree topples when it is pushed: it falls onto the next space, with its trunk towards where it "
            "stood. It crushes a copy there, whose ever it is, removes a seed, and pushes on another tree. It does not "
            "fall onto a wall, a shrub or a fallen tree: then nobody can move into it, and a copy that is pushed against "
            "it dies.",
        ),
        (
            Example(
                "Pushed against a shrub, Black's copy dies.",
                "W.../...*/..../...B|..../.WB#/..../....|W.../...T/..../...B G w 2 NF N6 4/4 - ---/--- -/- 7",
                ("move east",),
            ),
            Example(
                "A tree falls onto a copy and crushes it.",
                "W.../.*../..../...B|W.../.#../..../...B|..../WTB./..../.... G w 2 FF F5 4/4 - ---/--- -/- 7",
                ("move east",),
            ),
            Example(
                "One tree fells the next.",
                "W.../.**./..../...B|W.../.##./..../...B|..../WTTB/..../.... G w 2 FF F5 4/4 - ---/--- -/- 7",
                ("move east",),
            ),
        ),
    ),
)

_INFLUENCE: Final = (
    Section(
        "statues",
        "Statues",
        (
            "An orange statue stands in every era. Whoever moves into it pushes it one step; whoever moves directly away from it "
            "may pull it along, which is an action of its own. Pushing one and pulling another in the same move is allowed.",
            "A statue pushes copies and other statues in front of it. Against a wall, a shrub, a fallen tree or an elephant it "
            "stands fast: nobody can move into it then, and a copy that is pushed against it dies. Statues are never destroyed.",
            "What a statue does in one era, the same statue does again in the eras after it: it takes the same step from wherever"
            " it stands there, and pushes what is in its way. Where it cannot, that step goes no further.",
        ),
        (
            Example(
                "A statue pushed in the past takes the same step in the present and the future, and pushes Black there.",
                "..../.WO./..../...B|W.../..O./..../...B|W.../..OB/..../.... I w 2 PF P6 4/4 wb ---/--- -/- 7",
                ("move east",),
            ),
            Example(
                "Pulled along: White moves away from the statue and takes it with her.",
                "W.../..O./..../...B|..../.WO./..../...B|W.../..O./..../...B I w 2 NF N6 4/4 wb ---/--- -/- 7",
                ("move west pull",),
            ),
            Example(
                "The eras before it stay as they are, and where the statue stands elsewhere it takes the same step from there.",
                "W.../..O./..../...B|..../.WO./..../...B|W.../..../..O./...B I w 2 NF N6 4/4 wb ---/--- -/- 7",
                ("move east",),
            ),
        ),
    ),
    Section(
        "building",
        "Building a statue",
        (
            "Once in the game each player may build a statue of their own colour, on an empty space beside the active copy. It "
            "appears on that space in all later eras, too, and pushes away what stands there, in the direction in which it was "
            "built. A seed there is removed.",
            "If in a later era something stands there that cannot be pushed, the editions differ. 2021: the new statue is thrown "
            "back, to the first space in the opposite direction that it can enter, and has then moved that many steps. 2022: it "
            "is not placed in that era, nor in a later one.",
        ),
        (
            Example(
                "Built in the past it stands in all eras; in the future it has pushed Black.",
                "..../.WO./..../...B|W.../..O./..../...B|W.../..O./.B../.... I w 2 PF P6 4/4 wb ---/--- -/- 7",
                ("build south",),
            ),
            Example(
                "Edition 2021: in the present a statue against the wall is in the way, so that White's own is thrown back.",
                "W.../..O./..W./...B|W.../..../...O/...B|W.../..O./..../...B I w 2 PF P11 3/4 wb ---/--- -/- 7",
                ("build east",),
                _2021,
            ),
            Example(
                "Edition 2022: the same statue is built in the past only.",
                "W.../..O./..W./...B|W.../..../...O/...B|W.../..O./..../...B I w 2 PF P11 3/4 wb ---/--- -/- 7",
                ("build east",),
                _2022,
            ),
        ),
    ),
)

_MEMORY: Final = (
    Section(
        "elephants",
        "Elephants",
        (
            "A dark and a light elephant live in every era. Nobody moves into them, and a copy that is pushed against one dies.",
            "Train: an elephant beside your active copy puts on a hat of yours. An opponent's hat comes off, and if your hat was "
            "on the other elephant of that era, it moves over: you have one elephant in each era at most.",
            "Elephants remember: the same elephant of the next era puts on your hat as well, and so on, up to one that already "
            "wears it.",
        ),
        (
            Example(
                "Trained in the past, the dark elephant wears White's hat in all eras.",
                "..WD/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w 2 PF P3 4/4 - ---/--- -/- 7",
                ("train dark",),
            ),
            Example(
                "The light elephant is trained in the present, so White's hat in the future moves over to it.",
                "W..D/..../..../L..B|...D/..../W.../L..B|W..D/..../..../L..B M w 2 NF N9 4/4 - --w/--- -/- 7",
                ("train light",),
            ),
        ),
    ),
    Section(
        "commands",
        "Commanding an elephant",
        (
            "Command: an elephant that wears your hat, in the era of your active copy and however far away, takes one step. It "
            "tramples a copy that stands there, whose ever it is. It cannot step into a wall or the other elephant.",
            "Only the elephant of that era moves. Nothing but a command moves an elephant, and what it does is not repeated in "
            "other eras.",
        ),
        (
            Example(
                "White commands her elephant from afar, and it tramples Black.",
                "W..D/..../..../L..B|W..D/...B/..../L...|W..D/..../..../L..B M w 2 NF N1 4/4 - -w-/--- -/- 7",
                ("command dark south",),
            ),
        ),
    ),
)

_TOGETHER: Final = (
    Section(
        "convergence",
        "Chapter 4: two chapters at once",
        (
            "For each game, two of the three chapters are drawn, and the rules of both apply. These are the cases in which they "
            "meet.",
        ),
        needs=frozenset({"convergence"}),
    ),
    Section(
        "trees-and-statues",
        "Growth and Influence",
        (
            "A statue that enters a space with a seed removes it, and first of all what grew from it. It topples a standing tree,"
            " and is stopped by a shrub or a fallen tree. A tree that falls onto a statue pushes it. A statue is not built where "
            "a seed lies.",
        ),
        (
            Example(
                "The statue removes the seed, shrub and tree vanish, and then the later statues move in.",
                "..../.WO*/..../...B|W.../..O#/..../...B|W.../..OT/..../...B GI w 2 PF P6 4/4 wb ---/--- -/- 7",
                ("move east",),
            ),
            Example(
                "A falling tree pushes a statue, and the statue pushes Black.",
                "W.../.*O./..../...B|W.../.#O./..../...B|..../WTOB/..../.... GI w 2 FF F5 4/4 wb ---/--- -/- 7",
                ("move east",),
            ),
        ),
        frozenset({"growth", "influence"}),
    ),
    Section(
        "trees-and-elephants",
        "Growth and Memory",
        (
            "An elephant that steps onto a seed, a shrub or a fallen tree removes it, with what grew from it. A standing tree "
            "topples before it; where it cannot fall, the elephant cannot go.",
        ),
        (
            Example(
                "The elephant removes a seed of the past, and with it the shrub and the tree.",
                "W..D/...*/..../L..B|W..D/...#/..../L..B|W..D/...T/..../L..B GM w 2 PF P1 4/4 - w--/--- -/- 7",
                ("command dark south",),
            ),
        ),
        frozenset({"growth", "memory"}),
    ),
    Section(
        "statues-and-elephants",
        "Influence and Memory",
        (
            "An elephant pushes the statue that it steps into, and may pull one that stands directly behind it. The later statues"
            " follow; the later elephants do not. A statue cannot be pushed into an elephant.",
        ),
        (
            Example(
                "An elephant pulls a statue and tramples Black; the statue of the future takes the same step.",
                "W..D/...O/..../L..B|W.../...O/...D/L..B|W..D/...O/..../L..B IM w 2 NF N1 4/4 wb -w-/--- -/- 7",
                ("command dark south pull",),
            ),
        ),
        frozenset({"influence", "memory"}),
    ),
)

_CODA: Final = (
    Section(
        "timelines",
        "The Coda: alternate timelines",
        (
            "Every game of the Coda is an alternate timeline. Four powers of one set are revealed, and the players choose one of "
            "two cards.",
            "Draft Powers: the first player takes a power, the second one of the other three; each uses their own. Power Share: "
            "the first player takes a power, and both use it. Either way the second player then decides who takes the first turn.",
            "Chapters that the powers require are in play. If they require none, two cards are drawn from the three chapters and "
            "Basics, if they require one, one more; Basics adds nothing.",
            'A power\'s text comes before the rules. "You" and "your active copy" are the copy that acts; each power belongs to a player.',
        ),
        (
            Example(
                "Black takes one of the four powers; then White takes one of the other three.",
                "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - b d -- - 4/4 - ---/--- "
                "overtime,fixation,express,doorway/-/- 1",
                ("draft 3",),
            ),
        ),
        frozenset({TIMELINE}),
    ),
    Section(
        "envelopes",
        "The Coda: envelopes",
        (
            "In a campaign, chapters 1 to 4 are played at least three times each, and then the Coda for as long as you like. "
            "Reaching it opens the first set of powers. The first player ever to complete a certain feat signs its envelope; some"
            " envelopes hold another set. It is used in the next game, and the player who signed goes first in it.",
        ),
        needs=frozenset({TIMELINE}),
    ),
)

#: What shows each power.
_EXAMPLES_OF_POWERS: Final = {
    "overtime": Example(
        "After two moves the same copy takes a third.",
        "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- overtime/- 3",
        ("choose 1", "move east", "move east", "overtime", "move south"),
    ),
    "fixation": Example(
        "White's focus stays in the past, and so her next turn begins there again.",
        "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B - w f PF P6 4/4 - ---/--- fixation/- 3",
        ("focus past",),
    ),
    "express": Example(
        "From the past to the future, although Black stands in between.",
        "..../.W../..../...B|..../.B../..../....|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- express/- 5",
        ("travel forward far",),
    ),
    "doorway": Example(
        "Off the east edge, in at the west, and Black is pushed on.",
        "..../B..W/..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P8 4/4 - ---/--- doorway/- 5",
        ("move east",),
    ),
    "second-wind": Example(
        "Black's copy dies and goes back to his supply, which is 3 now.",
        "..../..WB/..../....|..../.B../..../...B|W.../..../..../...B - w 2 PF P7 4/2 - ---/--- -/second-wind 7",
        ("move east",),
    ),
    "afterimage": Example(
        "She goes to the present, and a new copy stays in the past.",
        ".W../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P2 4/4 - ---/--- afterimage/- 5",
        ("travel forward leave",),
    ),
    "exchange": Example(
        "The two change places.",
        "..../.WB./..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- exchange/- 5",
        ("exchange east",),
    ),
    "kinship": Example(
        "White walks into her own copy and pushes it on, without a paradox.",
        "..../.WW./..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 3/4 - ---/--- kinship/- 5",
        ("move east",),
    ),
    "brushwood": Example(
        "She moves into the shrub, which is gone, and its tree with it.",
        "W.../..*./..../...B|..../.W#./..../...B|W.../..T./..../...B G w 2 NF N6 4/4 - ---/--- brushwood/- 7",
        ("move east",),
    ),
    "green-thumb": Example(
        "After planting a seed White still has both of her actions.",
        "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B G w 2+ PF P6 4/4 - ---/--- green-thumb/- 7",
        ("plant east",),
    ),
    "ripple": Example(
        "A statue pushed in the present takes the step in the future, and in the past as well.",
        "W.../..O./..../...B|..../.WO./..../...B|W.../..O./..../...B I w 2 NF N6 4/4 wb ---/--- ripple/- 7",
        ("move east",),
    ),
    "impose": Example(
        "She builds where Black stands and pushes him on.",
        "W.../..O./..../...B|W.../..O./..../...B|..../..O./.WB./.... I w 2 FF F10 4/4 wb ---/--- impose/- 7",
        ("build east",),
    ),
    "whisperer": Example(
        "An elephant that nobody has trained obeys her.",
        "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w 2 NF N1 4/4 - ---/--- whisperer/- 7",
        ("command light north",),
    ),
    "loyalty": Example(
        "Black trains the elephant of the past; White's elephant in the present keeps her hat, and memory stops there.",
        "W.BD/..../..../L...|W..D/..../..../L..B|W..D/..../..../L..B M b 2 FP P3 4/4 - -w-/--- loyalty/- 8",
        ("train dark",),
    ),
    "grapple": Example(
        "Moving away from Black she draws him along.",
        "..../BW../..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- grapple/- 7",
        ("move east pull",),
    ),
    "bulldoze": Example(
        "Black is pushed two spaces, while White moves one.",
        "..../WB../..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P5 4/4 - ---/--- bulldoze/- 7",
        ("move east",),
    ),
}

_POWERS: Final = tuple(
    Section(
        power.name,
        power.name,
        (power.effect, f"Set: {power.set}."),
        (_EXAMPLES_OF_POWERS[power.name],),
        frozenset({power.name}),
    )
    for power in POWERS
)


def _grouped(group: str, sections: tuple[Section, ...], needs: str | None = None) -> tuple[Section, ...]:
    return tuple(
        section._replace(group=group, needs=section.needs if needs is None else frozenset({needs})) for section in sections
    )


#: All rules, in the order in which players meet them.
SECTIONS: Final = (
    *_grouped("The standard game", _BASICS),
    *_grouped("Chapter 1: Growth", _GROWTH, "growth"),
    *_grouped("Chapter 2: Influence", _INFLUENCE, "influence"),
    *_grouped("Chapter 3: Memory", _MEMORY, "memory"),
    *_grouped("Chapter 4: Convergence", _TOGETHER),
    *_grouped("The Coda", _CODA),
    *_grouped("Powers", _POWERS),
)


def rules_for(config: GameConfig | None = None) -> list[Section]:
    """The sections that can matter in games under these settings, in the order of `SECTIONS`; for None all of them.

    >>> [section.name for section in rules_for(GameConfig(chapters="memory"))]
    ['goal', 'turn', 'moving', 'travelling', 'ending', 'elephants', 'commands']
    """
    if config is None:
        return list(SECTIONS)
    in_play = {*itertools.chain.from_iterable(map(in_play_at, config.starts()[0]))}
    if config.chapters == CONVERGENCE:
        in_play.add(CONVERGENCE)
    return those_that_matter(SECTIONS, in_play, {"edition": config.edition})


def in_play_at(state: Any) -> set[str]:
    """What is in play in a record of the engine's dtype: chapters, powers, those to draft from, and whether there is a draft."""
    chapters = {name for bit, name in enumerate(CHAPTERS) if state["chapters"] >> bit & 1}
    revealed = {POWERS[power].name for power in (*state["power"], *state["revealed"]) if power != NO_POWER}
    drafting = {TIMELINE} if (state["revealed"] != NO_POWER).any() else set()
    return chapters | revealed | drafting
