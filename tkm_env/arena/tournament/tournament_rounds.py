"""Tournaments in rounds: the pairings of a round follow from the earlier results."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from tkm_env.arena.event_table import NOBODY, EventTable, Scores, Two, knockout_table, swiss_table
from tkm_env.arena.game_counts import Played
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.versions import entered
from tkm_env.arena.rating import fit
from tkm_env.arena.tournament.participants import Enter
from tkm_env.arena.tournament.tournament_plan import TournamentPlan, most_rounds
from tkm_env.arena.tournament.tournament_schedule import FixedSchedule, Pairing, outcome_of
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.seeds import derived


class RoundsSchedule(FixedSchedule):
    """Games in rounds, each of which follows from the results of the earlier ones.

    The seed draws the first round.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, enter)
        self._order: list[ScheduledGame] = []
        self._rounds_drawn: list[list[Two]] = []  # who met whom in each round so far

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """Return the next game, once all earlier rounds are over.

        Args:
            number: the index of the game, as for `Schedule.fixture`.
            results: the records so far, as for `Schedule.fixture`.

        Returns:
            The game, None or ``"wait"``, as `Schedule.fixture` does.
        """
        if number == len(self._order):
            if len(results) < number:
                return "wait"
            for two in self._next_round(self._played(results)):
                for settings in range(len(self.settings)):
                    for index in self._pair_indices(settings):
                        self._order += self._pair(Pairing.of(settings, two), index)
        return self._order[number] if number < len(self._order) else None

    def _played(self, results: Sequence[Mapping[str, Any] | None]) -> list[Played]:
        """Return the results of the games so far."""
        return [
            outcome_of(fixture, record)
            for fixture, record in zip(self._order, results, strict=False)
            if record is not None
        ]

    def table(self, results: Sequence[Mapping[str, Any]]) -> EventTable:
        """Put the players in the order of this event.

        Args:
            results: the records of all its games so far, in order.

        Returns:
            The table.

        Raises:
            ConfigError: if these are not the games of this tournament.
        """
        for number, record in enumerate(results):
            fixture = self.fixture(number, results)
            if not isinstance(fixture, ScheduledGame) or fixture.seed != record.get("seed"):
                raise ConfigError("records", f"game {number + 1}", "it is of another tournament")
        is_over = self.fixture(len(results), results) is None
        return self._table(Scores(self._played(results)), is_over=is_over)

    @abstractmethod
    def _table(self, scores: Scores, *, is_over: bool) -> EventTable:
        """Put the players in order by their scores."""

    @abstractmethod
    def _next_round(self, played: Sequence[Played]) -> list[Two]:
        """Return the players that meet after these games, in pairs; none after the last round."""

    def _pair_indices(self, settings: int) -> range:
        """Return the indices of the pairs of games that two players play in a round."""
        return range(self._most_pairs(settings) or 0)

    def _drawn(self) -> list[str]:
        """Return all players, in the order in which the seed draws them."""
        seed = self._plan.seed or 0
        return sorted(self._participants.players, key=lambda name: derived(seed, "draw", name))


class SwissSchedule(RoundsSchedule):
    """In each round, everyone meets a new opponent of the nearest rating so far.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, enter)
        self._met: set[frozenset[str]] = set()
        players = len(self._participants.players)
        self._rounds = plan.rounds or min((players - 1).bit_length(), most_rounds(players))
        pairs = sum(len(self._pair_indices(settings)) for settings in range(len(self.settings)))
        self._games_of_match = 2 * pairs
        self.games = self._rounds * (players // 2) * self._games_of_match

    def _next_round(self, played: Sequence[Played]) -> list[Two]:
        if len(self._rounds_drawn) == self._rounds:
            return []
        drawn = self._drawn()
        # A draw with an imaginary player keeps ratings finite, and connects all players.
        ratings = fit([*played, *(Played(name, NOBODY, 0.5, by_fault=True) for name in drawn)])
        elo = {rating.player: round(rating.elo.estimate, 3) for rating in ratings.players}
        names = sorted(drawn, key=lambda name: -elo[name])
        paired = _paired([*names, NOBODY] if len(names) % 2 else names, self._met)
        self._met |= {frozenset(two) for two in paired}
        self._rounds_drawn.append(paired)
        return [two for two in paired if NOBODY not in two]

    def _table(self, scores: Scores, *, is_over: bool) -> EventTable:
        return swiss_table(
            self._drawn(), self._rounds_drawn, scores, self._games_of_match, is_over=is_over
        )


class KnockoutSchedule(RoundsSchedule):
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
        self._playing: list[Two] = []  # who meets whom in this round
        self._further_pairs = 0  # the number of further pairs of games begun in tied matches

    def _most_pairs(self, settings: int) -> int:
        return 2 * (super()._most_pairs(settings) or 0)

    def _pair_indices(self, settings: int) -> range:
        usual = self._most_pairs(settings) // 2
        if self._further_pairs == 0:
            return range(usual)
        return range(usual + self._further_pairs - 1, usual + self._further_pairs)

    def _next_round(self, played: Sequence[Played]) -> list[Two]:
        scores = Scores(played)
        self.left = self.left or self._drawn()
        tied = [two for two in self._playing if scores.points(*two) == scores.points(*two[::-1])]
        most = min(self._most_pairs(settings) // 2 for settings in range(len(self.settings)))
        if tied and self._further_pairs < most:
            self._further_pairs += 1
            return tied
        for one, other in self._playing:
            is_ahead = scores.points(one, other) >= scores.points(other, one)
            self.left.remove(other if is_ahead else one)
        self._further_pairs = 0
        byes = (1 << (len(self.left) - 1).bit_length()) - len(self.left)
        # The winner of the final is left alone, so that there is no further pair.
        self._playing = [*zip(self.left[byes::2], self.left[byes + 1 :: 2], strict=False)]
        if self._playing:
            self._rounds_drawn.append(self._playing)
        return self._playing

    def _table(self, scores: Scores, *, is_over: bool) -> EventTable:
        left = self.left or self._drawn()
        return knockout_table(self._drawn(), self._rounds_drawn, left, scores, is_over=is_over)


def _paired(names: Sequence[str], met: set[frozenset[str]]) -> list[Two]:
    """Pair an even number of players.

    Beginning with the first, each player meets the next one that it has not met. For players that
    are left over, earlier pairs are split. If no player has met half of the others, this always
    succeeds.

    >>> _paired("abcd", {frozenset("ab"), frozenset("cd")}), _paired("abcd", {frozenset("cd")})
    ([('a', 'c'), ('b', 'd')], [('a', 'c'), ('b', 'd')])
    """
    waiting, alone, pairs = [*names], list[str](), list[Two]()
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
