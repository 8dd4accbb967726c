"""Tournaments in rounds: the pairings of a round follow from the earlier results."""

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.versions import entered
from tkm_env.arena.rating import Played, fit
from tkm_env.arena.tournament.participants import Enter
from tkm_env.arena.tournament.tournament_plan import TournamentPlan, most_rounds
from tkm_env.arena.tournament.tournament_schedule import FixedSchedule, Pairing, outcome_of
from tkm_env.foundations.seeds import derived

_Two: TypeAlias = tuple[str, str]
#: The opponent of the player that is left over in a round; no player can have this name.
_NOBODY: Final = "nobody@0"


class _RoundsSchedule(FixedSchedule):
    """Games in rounds, each of which follows from the results of the earlier ones.

    The seed draws the first round.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, enter)
        self._order: list[ScheduledGame] = []

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """Return the next game, once all earlier rounds are over; see `Schedule.fixture`."""
        if number == len(self._order):
            if len(results) < number:
                return "wait"
            played = [
                outcome_of(fixture, record)
                for fixture, record in zip(self._order, results, strict=False)
                if record is not None
            ]
            for two in self._next_round(played):
                for settings in range(len(self.settings)):
                    for index in self._pair_indices(settings):
                        self._order += self._pair(Pairing.of(settings, two), index)
        return self._order[number] if number < len(self._order) else None

    @abstractmethod
    def _next_round(self, played: Sequence[Played]) -> list[_Two]:
        """Return the players that meet after these games, in pairs; none after the last round."""

    def _pair_indices(self, settings: int) -> range:
        """Return the indices of the pairs of games that two players play in a round."""
        return range(self._most_pairs(settings) or 0)

    def _drawn(self) -> list[str]:
        """Return all players, in the order in which the seed draws them."""
        seed = self._plan.seed or 0
        return sorted(self._participants.players, key=lambda name: derived(seed, "draw", name))


class SwissSchedule(_RoundsSchedule):
    """In each round, everyone meets a new opponent of the nearest rating so far.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, enter)
        self._round = 0
        self._met: set[frozenset[str]] = set()
        players = len(self._participants.players)
        self._rounds = plan.rounds or min((players - 1).bit_length(), most_rounds(players))
        pairs = sum(len(self._pair_indices(settings)) for settings in range(len(self.settings)))
        self.games = 2 * self._rounds * (players // 2) * pairs

    def _next_round(self, played: Sequence[Played]) -> list[_Two]:
        if self._round == self._rounds:
            return []
        self._round += 1
        drawn = self._drawn()
        # A draw with an imaginary player keeps ratings finite, and connects all players.
        ratings = fit([*played, *(Played(name, _NOBODY, 0.5, by_fault=True) for name in drawn)])
        elo = {rating.player: round(rating.elo.estimate, 3) for rating in ratings.players}
        names = sorted(drawn, key=lambda name: -elo[name])
        paired = _paired([*names, _NOBODY] if len(names) % 2 else names, self._met)
        self._met |= {frozenset(two) for two in paired}
        return [two for two in paired if _NOBODY not in two]


class KnockoutSchedule(_RoundsSchedule):
    """A knockout: the loser of a match is out.

    A tied match continues with further pairs of games, at most as many again; if it is still tied
    then, the player that was drawn first advances.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, enter)
        self.games = None
        self.left: list[str] = []  # the players that are not out, once the first round is drawn
        self._playing: list[_Two] = []
        self._further_pairs = 0  # the number of further pairs of games begun in tied matches

    def _most_pairs(self, settings: int) -> int:
        return 2 * (super()._most_pairs(settings) or 0)

    def _pair_indices(self, settings: int) -> range:
        usual = self._most_pairs(settings) // 2
        if self._further_pairs == 0:
            return range(usual)
        return range(usual + self._further_pairs - 1, usual + self._further_pairs)

    def _next_round(self, played: Sequence[Played]) -> list[_Two]:
        points: defaultdict[_Two, float] = defaultdict(float)
        for first, second, gained, *_ in played:
            points[first, second] += gained
            points[second, first] += 1 - gained
        self.left = self.left or self._drawn()
        tied = [two for two in self._playing if points[two] == points[two[::-1]]]
        most = min(self._most_pairs(settings) // 2 for settings in range(len(self.settings)))
        if tied and self._further_pairs < most:
            self._further_pairs += 1
            return tied
        for one, other in self._playing:
            self.left.remove(other if points[one, other] >= points[other, one] else one)
        self._further_pairs = 0
        byes = (1 << (len(self.left) - 1).bit_length()) - len(self.left)
        # The winner of the final is left alone, so that there is no further pair.
        self._playing = [*zip(self.left[byes::2], self.left[byes + 1 :: 2], strict=False)]
        return self._playing


def _paired(names: Sequence[str], met: set[frozenset[str]]) -> list[_Two]:
    """Pair an even number of players.

    Beginning with the first, each player meets the next one that it has not met. For players that
    are left over, earlier pairs are split. If no player has met half of the others, this always
    succeeds.

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
