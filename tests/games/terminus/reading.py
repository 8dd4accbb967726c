"""A second, slow reading of the rules of Terminus, in plain Python.

No line of it comes from the engine. The timeline is kept as piles of eras, so what is covered and
what is visible is looked up, not remembered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

RED, BLUE = "red", "blue"
OTHER = {RED: BLUE, BLUE: RED}
COLOUR = {RED: "R", BLUE: "B"}
SPECIAL = {"G": "grow", "F": "freeze", "S": "swap"}
FIXED = "AI"
TERMINUS = "Terminus"
RANKS = ("first", "second", "third")
ENDS = ("left", "right")


@dataclass
class Reading:
    """One game.

    ``eras`` has the eras of cards 1 to 17. ``piles`` go from left to right, each a list of (card,
    era) from the bottom to the top.
    """

    eras: dict[object, str]
    hands: dict[str, list[object]]
    deck: list[object]
    to_act: str = ""
    piles: list[list[tuple[object, str]]] = field(default_factory=list)
    frozen: set[object] = field(default_factory=set)
    approached: int = 0
    left_to_resolve: list[str] = field(default_factory=list)
    resolving: bool = False
    last_turn: dict[str, list[object]] = field(default_factory=lambda: {RED: [], BLUE: []})
    out: set[str] = field(default_factory=set)
    winner: str | None = None
    turn: int = 1
    #: Which order a shuffle gives these cards; the last is drawn next.
    shuffled: Callable[[list[object]], list[object]] = list

    def __post_init__(self) -> None:
        self.eras = {**self.eras, TERMINUS: "TTT"}
        self.piles = [[(1, era)] for era in self.eras[1]]
        self.to_act = min(
            self.hands, key=lambda player: min(self.hands[player])
        )  # whoever holds the lowest number

    # What can be seen.

    def visible(self) -> str:
        return "".join(pile[-1][1] for pile in self.piles)

    def owners(self) -> list[object]:
        return [pile[-1][0] for pile in self.piles]

    def number(self, card: object) -> int:
        if card == TERMINUS:
            return 0 if self.approached >= 3 else 18
        return card

    def hand(self, player: str) -> list[object]:
        """The cards a player controls, the lowest number first."""
        return sorted(self.hands[player], key=self.number)

    def wholly_visible(self, card: object) -> bool:
        return self.owners().count(card) == 3

    # What is legal.

    def legal(self) -> set[str]:
        if self.winner:
            return set()
        if not self.resolving:
            return {name for name, _ in self.plays("play", self.places())}
        names = set()
        mine, theirs = self.hand(self.to_act), self.hand(OTHER[self.to_act])
        if "G" in self.left_to_resolve:
            names |= {name for name, _ in self.plays("grow", ENDS)}
        if "F" in self.left_to_resolve:
            names |= {
                f"freeze {RANKS[rank]}"
                for rank, card in enumerate(mine)
                if card not in self.frozen and card != TERMINUS
            }
        if "S" in self.left_to_resolve:
            for rank, card in enumerate(mine):
                for other_rank, other in enumerate(theirs):
                    if other not in self.frozen or card in self.frozen or card == TERMINUS:
                        names.add(f"swap {RANKS[rank]} for {RANKS[other_rank]}")
        return names | {"done"} if names else names

    def playable(self) -> list[object]:
        """The lowest-numbered of the unfrozen cards, and any frozen one."""
        hand = self.hand(self.to_act)
        unfrozen = [card for card in hand if card not in self.frozen]
        return [card for card in hand if card in self.frozen or card == unfrozen[0]]

    def plays(
        self, verb: str, places: tuple[str, ...]
    ) -> list[tuple[str, tuple[object, bool, str]]]:
        found = []
        for card in self.playable():
            rank = RANKS[self.hand(self.to_act).index(card)]
            for flipped in (False, True):
                if flipped and self.eras[card] == self.eras[card][::-1]:
                    continue
                name = f"{verb} {rank} flipped" if flipped else f"{verb} {rank}"
                found += [(f"{name} at {place}", (card, flipped, place)) for place in places]
        return found

    def under(self, place: str) -> list[int]:
        """The piles, by their numbers from 0, on which a card at that place would lie."""
        if place in ENDS:
            return []
        right = int(place) - 1
        return [number for number in (right - 2, right - 1, right) if 0 <= number < len(self.piles)]

    def places(self) -> tuple[str, ...]:
        covering = [str(place) for place in range(1, len(self.piles) + 3)]
        return (*ENDS, *(place for place in covering if self.may_cover(self.under(place))))

    def may_cover(self, piles: list[int]) -> bool:
        covered = [self.piles[number][-1] for number in piles]
        if any(era in FIXED for _, era in covered):
            return False
        return not any(
            [card for card, _ in covered].count(card) == 3
            for card in self.last_turn[OTHER[self.to_act]]
        )

    # What happens.

    def play(self, name: str) -> None:
        verb, *words = name.split(" ")
        if verb == "play":
            self.last_turn[self.to_act] = []
            covered = self.put(*dict(self.plays("play", self.places()))[name])
            self.left_to_resolve = [era for era in covered if era in SPECIAL]
            self.resolving = True
        elif verb == "grow":
            self.left_to_resolve.remove("G")
            self.put(*dict(self.plays("grow", ENDS))[name])
        elif verb == "freeze":
            self.left_to_resolve.remove("F")
            self.frozen.add(self.hand(self.to_act)[RANKS.index(words[0])])
        elif verb == "swap":
            self.left_to_resolve.remove("S")
            mine = self.hand(self.to_act)[RANKS.index(words[0])]
            theirs = self.hand(OTHER[self.to_act])[RANKS.index(words[2])]
            self.hands[self.to_act].remove(mine)
            self.hands[OTHER[self.to_act]].remove(theirs)
            self.hands[self.to_act].append(theirs)
            self.hands[OTHER[self.to_act]].append(mine)
        else:
            self.left_to_resolve = []
        if not self.winner and not self.legal():
            self.finish_turn()

    def put(self, card: object, flipped: bool, place: str) -> list[str]:
        """Put a card of the player to act there; the eras that it covers."""
        player, eras = self.to_act, self.eras[card][::-1] if flipped else self.eras[card]
        covered = [self.piles[number][-1][1] for number in self.under(place)]
        new = [(card, era) for era in eras]
        if place == "left":
            self.piles = [[era] for era in new] + self.piles
        elif place == "right":
            self.piles += [[era] for era in new]
        else:
            first = int(place) - 3
            while first < 0:
                self.piles.insert(0, [])
                first += 1
            while len(self.piles) < first + 3:
                self.piles.append([])
            for number, era in enumerate(new, first):
                self.piles[number].append(era)
        self.hands[player].remove(card)
        self.frozen.discard(card)
        if card == TERMINUS:
            mine, theirs = (self.visible().count(COLOUR[who]) for who in (player, OTHER[player]))
            self.winner = player if mine > theirs else OTHER[player]
            return []
        self.last_turn[player].append(card)
        for era in eras:
            if era == "A":
                self.approached += 1
                if self.approached == 2:
                    self.deck = self.shuffled([*self.deck, TERMINUS])
        return covered

    def finish_turn(self) -> None:
        self.left_to_resolve, self.resolving = [], False
        hand = self.hands[self.to_act]
        while len(hand) < 3 and self.deck:
            hand.append(self.deck.pop())
        if not hand:
            self.out.add(self.to_act)
        if OTHER[self.to_act] not in self.out:
            self.to_act = OTHER[self.to_act]
        self.turn += 1
