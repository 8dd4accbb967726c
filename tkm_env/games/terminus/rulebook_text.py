"""The rules for players, in this project's own words, each with positions that show it."""

from __future__ import annotations

from typing import Final

from tkm_env.game.rulebook_parser import parse_sections
from tkm_env.game.rulebook_text import RulesSection
from tkm_env.games.terminus.config import TerminusConfig

_RULES: Final = """
## goal: How the game is won

Red and Blue write history: a single row of eras, on which both lay cards, covering what is there.

On your turn you play your lowest card, resolve the events it covers, and draw up to three cards.

The game ends when Terminus is played: you win if more visible eras are of your colour. On a tie, whoever played Terminus loses.

Card 1, Impetus, begins the timeline. Each player has three cards, visible to both; the other cards lie face down in the deck, and
Terminus waits beside it. Whoever has the lowest card goes first.

Red plays Terminus with four visible victories each, and so loses: a tie goes to the other player.
> 14:RS.|16:AR|6:BAR|12:R|1:I.|2:G|11:BA|5:BF.|10:BR r p T,3,13/8,15,17 ?0 -/5 11 -: play first at 3

## playing: Playing a card

Play your lowest-numbered card, as it is or flipped, so that it reads from right to left. Lay it directly at either end of the timeline,
or over one, two or three whole eras; it may stick out beyond an end. What it covers no longer counts.

You may not cover an A or an I. Nor may you cover all three eras of a card that your opponent has just played; one or two of them is fine.

Red lays card 2 at the left end.
> 1:.I. r p 2,6,11/4,9,17 ?10 -/- 1 -: play first at left

Blue lays card 4 over two eras of red's card and one of Impetus.
> 2:R.G|1:.I. b p 6,10,11/4,9,17 ?9 2/- 2 -: play first at 4

## terminus: The A, and Terminus

An A means that Terminus approaches. The first A played does nothing. The second shuffles Terminus into the deck. Terminus counts as 18,
so it stays in a hand for a while; from the third A on it counts as 0 and has to be played next.

There are no draws, and every game ends.

## grow: Event: grow

An event happens when the card you have just played covers it. Resolve the events you covered in any order, each at most once; you may
skip any of them.

Grow: play another card by the same rule, at either end of the timeline, so that it covers nothing.

Blue has covered grow, and adds card 9 at the right end.
> 2:R.G|1:.I. b p 6,10,11/4,9,17 ?9 2/- 2 -: play first at 4, grow first at right

## freeze: Event: freeze

Freeze: one of your cards, other than Terminus, is frozen until it is played, even in another hand. A frozen card may be played whenever you
like, whatever its number, and it does not hold up your other cards.

Red has covered freeze, and freezes card 11.
> 4:RF.|1:.I. r p 2,6,11/5,9,17 ?9 -/4 2 -: play first at 2, freeze second

## swap: Event: swap

Swap: exchange one of your cards for one of your opponent's. Their frozen card costs you a frozen card, or Terminus.

Red has covered swap, and takes card 17 for card 6.
> 7:RSR|1:.I. r p 2,6,11/4,9,17 ?9 -/7 2 -: play first at 2, swap first for third

## drawing: Drawing

After your events you draw up to three cards, while the deck lasts. Once the deck is empty, a player with no cards left takes no more
turns; the other plays on.
"""

#: All rules, in the order in which players meet them.
SECTIONS: Final = parse_sections(_RULES)

#: The game in three lines.
GOAL: Final = SECTIONS[0].text[:3]


def rules_for(config: TerminusConfig | None = None) -> list[RulesSection]:
    """The sections that can matter in games under these settings: all of them, in the order of `SECTIONS`.

    >>> [section.name for section in rules_for()]
    ['goal', 'playing', 'terminus', 'grow', 'freeze', 'swap', 'drawing']
    """
    return list(SECTIONS)
