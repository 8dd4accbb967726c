"""Tournaments in rounds: who meets whom follows from the results of the rounds before."""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from tkm_env.arena.rating import Played, fit
from tkm_env.arena.schedule import ScheduledGame
from tkm_env.arena.tournament_plan import TournamentPlan, most_rounds
from tkm_env.arena.tournament_schedule import Enter, FixedSchedule, Pairing, outcome_of
from tkm_env.arena.versions import entered
from tkm_env.foundations.seeds import derived

_Two: TypeAlias = tuple[str, str]
#: Whom one of an odd number of players meets. No player is called so.
_NOBODY: Final = "nobody@0"


class _RoundsSchedule(FixedSchedule):
    """The games of a round follow from the results of the rounds before; the first one is drawn by the seed."""

    def __init__(self, tournament: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(tournament, enter)
        self._order: list[ScheduledGame] = []

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """The game of this number, once all games of the rounds before are over."""
        if number == len(self._order):
            if len(results) < number:
                return "wait"
            played = [
                outcome_of(fixture, record)
                for fixture, record in zip(self._order, results, strict=False)
                if record is not None
            ]
            for two in self._following(played):
                for where in range(len(self.settings)):
                    for each in self._numbers(where):
                        self._order += self._pair(Pairing(where, *sorted(two)), each)
        return self._order[number] if number < len(self._order) else None

    @abstractmethod
    def _following(self, played: Sequence[Played]) -> list[_Two]:
        """Who meet next, after these games; nobody after the last round."""

    def _numbers(self, where: int) -> range:
        """Which of their pairs of games they play then, under the settings of this number."""
        return range(self._most(where) or 0)

    def _drawn(self) -> list[str]:
        """All players, in the order in which the seed draws them."""
        seed = self._tournament.seed or 0
        return sorted(self._entrants, key=lambda name: derived(seed, "draw", name))


class SwissSchedule(_RoundsSchedule):
    """In each round everyone plays somebody new whose rating by the games so far is as near as can be."""

    def __init__(self, tournament: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(tournament, enter)
        self._round = 0
        self._met: set[frozenset[str]] = set()
        players = len(self._entrants)
        self._rounds = tournament.rounds or min((players - 1).bit_length(), most_rounds(players))
        pairs = sum(len(self._numbers(where)) for where in range(len(self.settings)))
        self.games = 2 * self._rounds * (players // 2) * pairs

    def _following(self, played: Sequence[Played]) -> list[_Two]:
        if self._round == self._rounds:
            return []
        self._round += 1
        drawn = self._drawn()
        # A draw with somebody imaginary keeps ratings finite, and those of players whose games are not connected comparable.
        ratings = fit([*played, *(Played(name, _NOBODY, 0.5, by_fault=True) for name in drawn)])
        elo = {rating.player: round(rating.elo.estimate, 3) for rating in ratings.players}
        names = sorted(drawn, key=lambda name: -elo[name])
        paired = _paired([*names, _NOBODY] if len(names) % 2 else names, self._met)
        self._met |= {frozenset(two) for two in paired}
        return [two for two in paired if _NOBODY not in two]


class KnockoutSchedule(_RoundsSchedule):
    """Who loses is out. Who are level play further pairs of games, at most as many again; then the one who was drawn first goes on."""

    def __init__(self, tournament: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(tournament, enter)
        self.games = None
        self.left: list[str] = []  # who is not out, once the first round is drawn
        self._playing: list[_Two] = []
        self._further = 0

    def _most(self, where: int) -> int:
        return 2 * (super()._most(where) or 0)

    def _numbers(self, where: int) -> range:
        usual = self._most(where) // 2
        return (
            range(usual)
            if self._further == 0
            else range(usual + self._further - 1, usual + self._further)
        )

    def _following(self, played: Sequence[Played]) -> list[_Two]:
        points: defaultdict[_Two, float] = defaultdict(float)
        for first, second, gained, *_ in played:
            points[first, second] += gained
            points[second, first] += 1 - gained
        self.left = self.left or self._drawn()
        level = [two for two in self._playing if points[two] == points[two[::-1]]]
        if level and self._further < min(
            self._most(where) // 2 for where in range(len(self.settings))
        ):
            self._further += 1
            return level
        for one, other in self._playing:
            self.left.remove(other if points[one, other] >= points[other, one] else one)
        self._further = 0
        through = (1 << (len(self.left) - 1).bit_length()) - len(self.left)
        self._playing = [
            *zip(self.left[through::2], self.left[through + 1 :: 2], strict=False)
        ]  # the last one meets nobody
        return self._playing


def _paired(names: Sequence[str], met: set[frozenset[str]]) -> list[_Two]:
    """An even number of players in pairs: each with the next one whom it has not met, from the first on; for those who are left over, pairs
    before are split. If nobody has met half of the others, these always suffice.

    >>> _paired("abcd", {frozenset("ab"), frozenset("cd")}), _paired("abcd", {frozenset("cd")})
    ([('a', 'c'), ('b', 'd')], [('a', 'c'), ('b', 'd')])
    """
    waiting, alone, pairs = [*names], list[str](), list[_Two]()
    while waiting:
        one = waiting.pop(0)
        other = next((other for other in waiting if frozenset((one, other)) not in met), None)
        if other is None:
            alone.append(one)
        else:
            waiting.remove(other)
            pairs.append((one, other))
    for one, other in zip(alone[::2], alone[1::2], strict=True):
        splits = (
            (number, two)
            for number in reversed(range(len(pairs)))
            for two in (pairs[number], pairs[number][::-1])
        )
        number, (first, second) = next(
            (number, two)
            for number, two in splits
            if not met & {frozenset((one, two[0])), frozenset((other, two[1]))}
        )
        pairs[number : number + 1] = [(first, one), (second, other)]
    return pairs
