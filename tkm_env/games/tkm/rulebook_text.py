"""The rules for players, in this project's own words, each with positions that show it.

`docs/rules.md` and the help of the terminal and the page are made from `SECTIONS`; the powers' texts are those of `POWERS`.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

from tkm_env.game.rulebook_parser import parse_sections
from tkm_env.game.rulebook_text import RulesSection, applicable_sections
from tkm_env.games.tkm.config import CONVERGENCE, GameConfig
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.engine.state import CHAPTERS, NO_POWER

#: What a game that begins with a draft has in play.
TIMELINE: Final = "timeline"

_RULES: Final = """
# The standard game

## goal: How the game is won

White and Black are time travellers who hunt each other across three boards: the past, the present and the future.

On your turn you act twice with one of your copies: it steps, pushes what stands in its way, or travels to another era.

You win if your turn ends with all your opponent's copies in a single era, or with none left.

Each player begins with one copy in each era and four more in supply. Whatever stands in the way is pushed; a copy that is pushed where
it cannot go dies, and dead copies never come back.

The check comes at the end of a turn, and only the player who took that turn can win by it. So you may leave yourself in a single era, or
in none, as long as your opponent is down to one as well: you win.

White has pushed Black's last copy in the past into the wall and ends the turn: Black is left in the present only.
> ..../...W/...B/....|W.../..../..B./...B|W.../..../..../.... - w 2 PF P8 4/4 - ---/--- -/- 7: move south, move south, focus present

## turn: A turn

First choose one of your copies in the era of your focus, marked by the watch in your colour. It is active for the whole turn, wherever
it goes.

Then take two actions with it, any of those below; the same one twice is fine. If it can act it must, so if any of your copies there can
act twice, you choose one that can. If the active copy dies, its remaining action is lost.

Finally, shift your focus to one of the other two eras: your next turn begins there. If you have no copy in the era of your focus, or
none that can act, shifting the focus is all you do.

White chose the copy on space 6 of the present, moved it east and sent it to the future, and now shifts the focus to the past.
> W.../..../..../...B|..../.W../..../...B|W.../..../..../...B - w c NF - 4/4 - ---/--- -/- 7:
  choose 6, move east, travel forward, focus past

## moving: Moving and pushing

A move is one step north, east, south or west. An opponent's copy on that space is pushed one step the same way. If it is pushed into
another of your copies, that one is pushed on as well: a chain.

A copy pushed against a wall dies.

Two copies of the same colour never meet: if one is pushed into another, or you walk into your own, both vanish. That is a paradox.

A step east pushes Black.
> ..../.WB./..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- -/- 7: move east

Pushed against the wall, Black's copy dies.
> ..../..../..../..WB|W.../..../..../...B|W.../..../..../...B - w 2 PF P15 4/4 - ---/--- -/- 7: move east

A chain: White pushes Black, and Black is pushed into White's other copy, which moves on as well.
> W.../..../..../...B|.W../.B../.W../....|W.../..../..../...B - w 2 NF N2 3/4 - ---/--- -/- 7: move south

A paradox: one black copy is pushed into another, and both are gone.
> W.../..../..../...B|..../..../.WBB/....|W.../..../..../...B - w 2 NF N10 4/3 - ---/--- -/- 7: move east

## travelling: Travelling through time

Forward: your copy goes to the same space of the next era. Backward: it goes to the same space of the previous era, and a new copy from
your supply is placed on the space it left. That is how you get more copies; with an empty supply you cannot travel backward.

There must be no copy and no object on the space at the other end. Travelling pushes nothing.

Forward, from the past to the present.
> ..../.W../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- -/- 5: travel forward

Backward, from the present to the past: a new copy stays in the present.
> W.../..../..../...B|..../.W../..../...B|W.../..../..../...B - w 2 NF N6 4/4 - ---/--- -/- 5: travel backward

## ending: Other endings, and further games

You may concede at any point of your turn, and offer a draw once per turn, before you act.

There is no draw by repetition. To make sure that every game ends, a game without a winner is cut off after 200 turns, or however many you
set.

In a series, the loser of a game goes first in the next one; after a draw, the player who went second does. A strong player may start with
one, two or three copies fewer in supply.

# Chapter 1: Growth

## seeds (growth): Seeds, shrubs and trees

New actions: plant a seed on your own space or one beside it, or remove one from there, whoever planted it. A space holds at most one
seed; copies may stand on it and come and go freely.

A seed is a shrub an era later and a tree in the future: if the same space of the next era is empty, a shrub grows there, and a tree after
that. A seed planted in the present becomes a shrub in the future. There are five pieces of each kind; once they run out, nothing more of
that kind grows.

When a seed goes, what grew from it goes too; when a shrub goes, so does its tree, standing or fallen.

Where beside you a seed may be planted depends on the edition: in the 2021 rules only on an empty space, in the 2022 rules also under a
copy of either colour.

A seed in the past is a shrub in the present and a tree in the future.
> ..../.W../..../...B|W.../..../..../...B|W.../..../..../...B G w 2 PF P6 4/4 - ---/--- -/- 5: plant east

Either player can remove it again.
> ..../.WB*/..../....|W.../...#/..../...B|W.../...T/..../...B G b 2 FP P7 4/4 - ---/--- -/- 6: remove east

A copy in the present keeps the shrub, and so the tree, from growing.
> ..../.W../..../...B|W.../..B./..../....|W.../..../..../...B G w 2 PF P6 4/4 - ---/--- -/- 5: plant east

Edition 2022: a seed planted under a black copy.
> edition=2022; ..../.WB./..../....|W.../..../..../...B|W.../..../..../...B G w 2 PF P6 4/4 - ---/--- -/- 5: plant east

## trees (growth): What shrubs and trees do

A shrub blocks like a wall: nothing moves or travels onto it, and a copy pushed against it dies. A fallen tree is just as solid.

A standing tree topples when pushed: it falls onto the next space, its trunk pointing back to where it stood. It crushes any copy there,
removes a seed, and pushes on another tree. It cannot fall onto a wall, a shrub or a fallen tree: then nothing can move into it, and a
copy pushed against it dies.

Pushed against a shrub, Black's copy dies.
> W.../...*/..../...B|..../.WB#/..../....|W.../...T/..../...B G w 2 NF N6 4/4 - ---/--- -/- 7: move east

A tree falls onto a copy and crushes it.
> W.../.*../..../...B|W.../.#../..../...B|..../WTB./..../.... G w 2 FF F5 4/4 - ---/--- -/- 7: move east

One tree fells the next.
> W.../.**./..../...B|W.../.##./..../...B|..../WTTB/..../.... G w 2 FF F5 4/4 - ---/--- -/- 7: move east

# Chapter 2: Influence

## statues (influence): Statues

Every era has an orange statue. Moving into it pushes it one step; when you move directly away from it, you may pull it along, which is an
action of its own. You may push one and pull another in the same move.

A statue pushes the copies and statues in front of it. It does not budge against a wall, a shrub, a fallen tree or an elephant: then
nothing can move into it, and a copy pushed against it dies. Statues are never destroyed.

Whatever a statue does in one era, the same statue repeats in the later ones: it takes the same step from wherever it stands there,
pushing what is in its way. Where it cannot, the step goes no further.

A statue pushed in the past takes the same step in the present and the future, where it pushes Black.
> ..../.WO./..../...B|W.../..O./..../...B|W.../..OB/..../.... I w 2 PF P6 4/4 wb ---/--- -/- 7: move east

Pulling: White moves away from the statue and takes it along.
> W.../..O./..../...B|..../.WO./..../...B|W.../..O./..../...B I w 2 NF N6 4/4 wb ---/--- -/- 7: move west pull

Earlier eras stay as they are. Where the statue stands elsewhere, it takes the same step from there.
> W.../..O./..../...B|..../.WO./..../...B|W.../..../..O./...B I w 2 NF N6 4/4 wb ---/--- -/- 7: move east

## building (influence): Building a statue

Once per game each player may build a statue of their colour on an empty space beside the active copy. It appears on the same space of all
later eras, too, pushing away what stands there in the direction in which it was built. A seed there is removed.

The editions differ if something that cannot be pushed stands there in a later era. 2021: the new statue is thrown back to the first space
in the opposite direction that it can enter, which counts as that many steps. 2022: it is not placed in that era or any later one.

Built in the past, it stands in all eras; in the future it has pushed Black.
> ..../.WO./..../...B|W.../..O./..../...B|W.../..O./.B../.... I w 2 PF P6 4/4 wb ---/--- -/- 7: build south

Edition 2021: in the present a statue against the wall is in the way, so White's own is thrown back.
> edition=2021; W.../..O./..W./...B|W.../..../...O/...B|W.../..O./..../...B I w 2 PF P11 3/4 wb ---/--- -/- 7: build east

Edition 2022: the same statue is built in the past only.
> edition=2022; W.../..O./..W./...B|W.../..../...O/...B|W.../..O./..../...B I w 2 PF P11 3/4 wb ---/--- -/- 7: build east

# Chapter 3: Memory

## elephants (memory): Elephants

A dark and a light elephant live in every era. Nothing moves into them, and a copy pushed against one dies.

Train: an elephant beside your active copy puts on one of your hats. An opponent's hat comes off, and a hat of yours on the other elephant
of that era moves over: you never have more than one elephant in an era.

Elephants remember: the same elephant of the next era puts on your hat as well, and so on, up to one that already wears it.

Trained in the past, the dark elephant wears White's hat in all eras.
> ..WD/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w 2 PF P3 4/4 - ---/--- -/- 7: train dark

The light elephant is trained in the present, so White's hat in the future moves over to it.
> W..D/..../..../L..B|...D/..../W.../L..B|W..D/..../..../L..B M w 2 NF N9 4/4 - --w/--- -/- 7: train light

## commands (memory): Commanding an elephant

Command: an elephant that wears your hat, anywhere in the era of your active copy, takes one step. It tramples any copy there, even your
own. It cannot step into a wall or the other elephant.

Only the elephant of that era moves. Nothing but a command moves an elephant, and its step is not repeated in other eras.

White commands her elephant from afar, and it tramples Black.
> W..D/..../..../L..B|W..D/...B/..../L...|W..D/..../..../L..B M w 2 NF N1 4/4 - -w-/--- -/- 7: command dark south

# Chapter 4: Convergence

## convergence (convergence): Chapter 4: two chapters at once

For each game, two of the three chapters are drawn, and the rules of both apply. This is how they interact.

## trees-and-statues (growth, influence): Growth and Influence

A statue that enters a space with a seed removes it, and first everything that grew from it. It topples a standing tree, and is stopped by
a shrub or a fallen tree. A tree that falls onto a statue pushes it. You cannot build a statue on a seed.

The statue removes the seed, the shrub and the tree vanish, and then the later statues move in.
> ..../.WO*/..../...B|W.../..O#/..../...B|W.../..OT/..../...B GI w 2 PF P6 4/4 wb ---/--- -/- 7: move east

A falling tree pushes a statue, and the statue pushes Black.
> W.../.*O./..../...B|W.../.#O./..../...B|..../WTOB/..../.... GI w 2 FF F5 4/4 wb ---/--- -/- 7: move east

## trees-and-elephants (growth, memory): Growth and Memory

An elephant that steps onto a seed, a shrub or a fallen tree removes it, along with what grew from it. A standing tree topples before it;
if the tree cannot fall, the elephant cannot go there.

The elephant removes a seed in the past, and with it the shrub and the tree.
> W..D/...*/..../L..B|W..D/...#/..../L..B|W..D/...T/..../L..B GM w 2 PF P1 4/4 - w--/--- -/- 7: command dark south

## statues-and-elephants (influence, memory): Influence and Memory

An elephant pushes a statue it steps into, and may pull one that stands directly behind it. The statues of later eras follow; the
elephants do not. A statue cannot be pushed into an elephant.

An elephant pulls a statue and tramples Black; the statue in the future takes the same step.
> W..D/...O/..../L..B|W.../...O/...D/L..B|W..D/...O/..../L..B IM w 2 NF N1 4/4 wb -w-/--- -/- 7: command dark south pull

# The Coda

## timelines (timeline): The Coda: alternate timelines

Every game of the Coda is an alternate timeline. Four powers of one set are revealed, and the players choose one of two cards.

Draft Powers: the first player takes a power, then the second player takes one of the other three; each uses their own. Power Share: the
first player takes a power, and both use it. Either way, the second player then decides who takes the first turn.

The chapters that the powers require are in play. If they require none, two cards are drawn from the three chapters and Basics; if they
require one, one more is drawn. Basics adds nothing.

A power's text overrides the rules. "You" and "your active copy" mean the copy that acts; a power belongs to its player.

Black takes one of the four powers; then White takes one of the other three.
> W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - b d -- - 4/4 - ---/--- overtime,fixation,express,doorway/-/- 1: draft 3

## envelopes (timeline): The Coda: envelopes

In a campaign, chapters 1 to 4 are played at least three times each, and then the Coda for as long as you like. Reaching it opens the first
set of powers. The first player ever to complete a feat signs its envelope, and some envelopes hold another set. That set is used in the
next game, in which the player who signed goes first.

# Powers

## overtime (overtime): overtime

After two moves the same copy makes a third.
> W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- overtime/- 3:
  choose 1, move east, move east, overtime, move south

## fixation (fixation): fixation

White's focus stays in the past, so her next turn begins there again.
> ..../.W../..../...B|W.../..../..../...B|W.../..../..../...B - w f PF P6 4/4 - ---/--- fixation/- 3: focus past

## express (express): express

From the past to the future, even though Black stands in between.
> ..../.W../..../...B|..../.B../..../....|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- express/- 5: travel forward far

## doorway (doorway): doorway

Off the east edge and in from the west, pushing Black.
> ..../B..W/..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P8 4/4 - ---/--- doorway/- 5: move east

## second-wind (second-wind): second-wind

Black's copy dies and returns to his supply, which is now 3.
> ..../..WB/..../....|..../.B../..../...B|W.../..../..../...B - w 2 PF P7 4/2 - ---/--- -/second-wind 7: move east

## afterimage (afterimage): afterimage

White goes to the present, and a new copy stays in the past.
> .W../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P2 4/4 - ---/--- afterimage/- 5: travel forward leave

## exchange (exchange): exchange

The two swap places.
> ..../.WB./..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- exchange/- 5: exchange east

## kinship (kinship): kinship

White walks into her own copy and pushes it on, without a paradox.
> ..../.WW./..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 3/4 - ---/--- kinship/- 5: move east

## brushwood (brushwood): brushwood

White moves into the shrub, which is removed, and its tree with it.
> W.../..*./..../...B|..../.W#./..../...B|W.../..T./..../...B G w 2 NF N6 4/4 - ---/--- brushwood/- 7: move east

## green-thumb (green-thumb): green-thumb

After planting a seed White still has both of her actions.
> ..../.W../..../...B|W.../..../..../...B|W.../..../..../...B G w 2+ PF P6 4/4 - ---/--- green-thumb/- 7: plant east

## ripple (ripple): ripple

A statue pushed in the present takes the same step in the future, and in the past as well.
> W.../..O./..../...B|..../.WO./..../...B|W.../..O./..../...B I w 2 NF N6 4/4 wb ---/--- ripple/- 7: move east

## impose (impose): impose

White builds where Black stands and pushes him on.
> W.../..O./..../...B|W.../..O./..../...B|..../..O./.WB./.... I w 2 FF F10 4/4 wb ---/--- impose/- 7: build east

## whisperer (whisperer): whisperer

An elephant that nobody has trained obeys White.
> W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w 2 NF N1 4/4 - ---/--- whisperer/- 7: command light north

## loyalty (loyalty): loyalty

Black trains the elephant in the past; White's elephant in the present keeps her hat, and memory stops there.
> W.BD/..../..../L...|W..D/..../..../L..B|W..D/..../..../L..B M b 2 FP P3 4/4 - -w-/--- loyalty/- 8: train dark

## grapple (grapple): grapple

Moving away from Black, White pulls him along.
> ..../BW../..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P6 4/4 - ---/--- grapple/- 7: move east pull

## bulldoze (bulldoze): bulldoze

Black is pushed two spaces while White moves one.
> ..../WB../..../....|W.../..../..../...B|W.../..../..../...B - w 2 PF P5 4/4 - ---/--- bulldoze/- 7: move east
"""

_TEXT_OF: Final = {power.name: (power.effect, f"Set: {power.set}.") for power in POWERS}

#: All rules, in the order in which players meet them.
SECTIONS: Final = tuple(section._replace(text=_TEXT_OF.get(section.name, section.text)) for section in parse_sections(_RULES))

#: The game in three lines.
GOAL: Final = SECTIONS[0].text[:3]


def rules_for(config: GameConfig | None = None) -> list[RulesSection]:
    """The sections that can matter in games under these settings, in the order of `SECTIONS`; for None all of them.

    >>> [section.name for section in rules_for(GameConfig(chapters="memory"))]
    ['goal', 'turn', 'moving', 'travelling', 'ending', 'elephants', 'commands']
    """
    if config is None:
        return list(SECTIONS)
    in_play = {*itertools.chain.from_iterable(map(in_play_at, config.starts()[0]))}
    if config.chapters == CONVERGENCE:
        in_play.add(CONVERGENCE)
    return applicable_sections(SECTIONS, in_play, {"edition": config.edition})


def in_play_at(state: Any) -> set[str]:
    """What is in play in a record of the engine's dtype: chapters, powers, those to draft from, and whether there is a draft."""
    chapters = {name for bit, name in enumerate(CHAPTERS) if state["chapters"] >> bit & 1}
    revealed = {POWERS[power].name for power in (*state["power"], *state["revealed"]) if power != NO_POWER}
    drafting = {TIMELINE} if (state["revealed"] != NO_POWER).any() else set()
    return chapters | revealed | drafting
