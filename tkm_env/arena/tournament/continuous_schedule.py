"""The schedule of a continuous tournament: the most informative pairs of games come next."""

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from tkm_env.arena.game_counts import Played
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.versions import base_of, entered
from tkm_env.arena.rating import Design, Ratings, fit
from tkm_env.arena.tournament.chosen_games import ChosenGames
from tkm_env.arena.tournament.participants import ChangingParticipants, Enter
from tkm_env.arena.tournament.tournament_plan import TournamentPlan
from tkm_env.arena.tournament.tournament_schedule import Pairing, TournamentSchedule, outcome_of
from tkm_env.arena.tournament.trials import Trials
from tkm_env.players.roster import ROSTERS

#: A choice does not depend on the results of this many games before it, so that these games may be
#: played in parallel.
_LAG: Final = 64
#: The difference, in Elo, up to which players count as equal when games are chosen. If only players
#: of similar rating met, errors that make two players seem closer would be corrected, while errors
#: that set them apart would stay, and ratings would spread too far. In leagues of 40 players,
#: simulated as in `benchmarks/league.py`, 95% intervals covered 84% with 0, 94% with 200 and 97%
#: with 300, where errors were smallest, by 29%.
_ALIKE: Final = 300.0


class _Candidates(NamedTuple):
    """The pairs of one game's players that may meet, and what their games would tell."""

    game: str
    names: list[str]  # the players, by their indices in the design
    design: Design

    def two(self, pair: int) -> list[str]:
        """Return the players of the pair with this index in the design."""
        return sorted((self.names[self.design.one[pair]], self.names[self.design.two[pair]]))


class ContinuousSchedule(TournamentSchedule):
    """The games of a continuous tournament: the most informative pairs of games come next.

    The players are chosen by the results of all games but the last few, with
    `tkm_env.arena.rating.Ratings.design`; they meet under the settings under which they have played
    least. The last few games may still be in progress: the design counts that they are played, but
    not how they end.

    All players but the package's own first play a trial pair under each of the settings, and wait
    for its results while others can play. A player that loses a trial game through its own fault is
    out, and so is one that loses ten games in a row that way.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    games = None
    is_open = True
    _participants: ChangingParticipants

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, ChangingParticipants(plan, enter))
        self._trials = Trials(plan.notify)
        self._chosen = ChosenGames(self._pair, self._pairing_of)
        #: The games that had been played when the tournament was resumed.
        self._resumed: list[ScheduledGame] = []
        #: The indices of each game's settings.
        self._settings_of: defaultdict[str, list[int]] = defaultdict(list)
        for index, settings in enumerate(plan.settings):
            self._settings_of[settings.spec.name].append(index)
        #: The results that count so far, by game, and the number of games they come from.
        self._results: dict[str, Counter[Played]] = {game: Counter() for game in self._settings_of}
        self._counted = 0

    def fixtures(self) -> Iterator[ScheduledGame]:
        """Yield all games that were chosen."""
        yield from self._chosen.in_order

    # What is kept, and how the tournament resumes from it.

    def state(self, games: int) -> Any:
        """Return the choices from the last complete pair among the first ``games`` on."""
        begun = games - games % 2
        pairs = self._chosen.in_order[begun::2]
        return [begun, [[self._settings_index(each), *each.players.values()] for each in pairs]]

    def resume(self, played: Sequence[ScheduledGame], state: Any) -> None:
        """Begin with the games that were played; those chosen beyond them follow.

        If the choices were not kept, they are made again. If they then lead to games other than
        those played, because the players have changed, the games that were played stay, in their
        order, and their pairs are completed.

        Args:
            played: the games that were played, in their order.
            state: the last value of `state` that was kept; None if none was.
        """
        self._resumed = [*played]
        self._participants.update()
        kept = self._kept(state)
        if kept is not None:
            begun, pairings = kept
            self._chosen.begin_with(played[:begun], self._participants.players)
            for pairing in pairings:
                self._chosen.append(pairing)
            self._follow_resumed(begun)

    def _kept(self, state: Any) -> tuple[int, list[Pairing]] | None:
        """Parse a value of `state`; None if it is anything else, or some players have left."""
        match state:
            case [int(begun), list(rows)] if begun in range(0, len(self._resumed) + 1, 2) and all(
                map(self._is_pairing, rows)
            ):
                return begun, [Pairing.of(settings, names) for settings, *names in rows]
        return None

    def _is_pairing(self, row: Any) -> bool:
        match row:
            case [int(settings), str(one), str(other)]:
                is_known = {one, other} <= self._participants.players.keys()
                return is_known and one != other and settings in range(len(self.settings))
        return False

    def _follow_resumed(self, first: int) -> None:
        """Fall back to the games that were played, if the chosen ones differ from them.

        Args:
            first: the index from which on they may differ.
        """
        chosen, played = (
            [fixture.seed for fixture in games[first : len(self._resumed)]]
            for games in (self._chosen.in_order, self._resumed)
        )
        if chosen[: len(played)] != played[: len(chosen)] or (played and not chosen):
            self._chosen.begin_with(self._resumed, self._participants.players)

    # What comes next.

    @property
    def _ahead(self) -> int:
        """The number of games before a choice whose results do not affect it."""
        return self._plan.ahead or max(_LAG, 2 * len(self._participants.players))

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """Return the next game, by the results of all but the last ones.

        Args:
            number: the index of the game, as for `Schedule.fixture`.
            results: the records so far, as for `Schedule.fixture`.

        Returns:
            The game, None or ``"wait"``, as `Schedule.fixture` does.
        """
        self.is_new_choice = number == len(self._chosen)
        if self.is_new_choice:
            known = max(self._counted, number - self._ahead)
            if len(results) < known:
                return "wait"
            self._participants.update()
            self._count(known, results)
            for pairing in (*self._due_trials(), *self._requested()):
                self._chosen.append(pairing)
            if number == len(self._chosen):
                self._choose()
            self._follow_resumed(number)
        if number == len(self._chosen):
            return None
        fixture = self._chosen.in_order[number]
        for contestant in fixture.contestants:
            if self._participants.has_changed(contestant):
                self._chosen.leave_out(fixture)
                return dataclasses.replace(fixture, forfeits=contestant.name)
        return fixture

    def _count(self, known: int, results: Sequence[Mapping[str, Any] | None]) -> None:
        """Let the results of the first ``known`` games count."""
        fixtures = self._chosen.in_order[self._counted : known]
        for fixture, record in zip(fixtures, results[self._counted : known], strict=True):
            if record is not None:
                self._results[fixture.game][outcome_of(fixture, record)] += 1
                self._trials.watch(self._settings_index(fixture), record)
        self._counted = known

    def _settings_index(self, fixture: ScheduledGame) -> int:
        return self._index_of[fixture.settings.key]

    def _pairing_of(self, fixture: ScheduledGame) -> Pairing:
        return Pairing.of(self._settings_index(fixture), fixture.players.values())

    # Trials.

    def _due_trials(self) -> Iterator[Pairing]:
        """Yield the trial pairs that are due now.

        Newcomers meet each other; one that is left over meets another player.
        """
        begun = {
            (name, pairing.settings)
            for pairing, count in self._chosen.pairs.items()
            if count
            for name in pairing.names
        }
        for index, settings in enumerate(self.settings):
            playing = self._playing(settings.spec.name)
            due = [
                name
                for name in playing
                if self._is_tried(name, index) and (name, index) not in begun
            ]
            if len(due) % 2 and len(playing) > 1:
                due.append(next((name for name in playing if name not in due), due[0]))
            for two in zip(due[::2], due[1::2], strict=False):
                yield Pairing.of(index, two)

    def _playing(self, game: str) -> list[str]:
        """Return the players of this game that are not out."""
        return [
            name for name in self._participants.of_game(game) if name not in self._trials.benched
        ]

    def _is_tried(self, name: str, settings: int) -> bool:
        """Whether a player has to play a trial: all players but the package's own do."""
        agent = self._participants.players[name].line.partition(":")[0]
        return agent not in ROSTERS.of(self.settings[settings].spec).agents

    def _is_on_trial(self, name: str, game: str) -> bool:
        """Whether some trial games of a player have not ended."""
        return any(
            self._is_tried(name, index) and not self._trials.is_over(name, index)
            for index in self._settings_of[game]
        )

    # Requested games.

    def _requested(self) -> Iterator[Pairing]:
        """Yield a pair of games for each request that is not fulfilled by those chosen.

        Both players must be playing; their trials, if they are due, come before.
        """
        requests = [] if self._plan.requests is None else self._plan.requests()
        if not requests:
            return
        met: Counter[frozenset[str]] = Counter()
        for pairing, count in self._chosen.pairs.items():
            met[frozenset(base_of(name)[0] for name in pairing.names)] += count
        for request in requests:
            two = frozenset((request.one, request.other))
            for game in self._settings_of:
                names = [name for name in self._playing(game) if base_of(name)[0] in two]
                unfinished = self._unfinished(game, names) if len(names) == 2 else []
                if unfinished and met[two] < request.pairs:
                    met[two] += 1
                    yield min(unfinished, key=self._chosen.pairs.__getitem__)

    # The most informative pairs of games.

    def _choose(self) -> None:
        """Choose the most informative pairs of games, unless the ratings are precise enough."""
        all_candidates: list[_Candidates] = []
        is_known = self._plan.within is not None
        for game in self._results:
            names = self._playing(game)
            if len(names) < 2:
                continue
            pending = self._pending(game)
            ratings = self._ratings(game, {*names}.union(*pending))
            is_known = is_known and self._is_known(ratings, names)
            tried = [name for name in names if not self._is_on_trial(name, game)]
            for these in (tried, names):  # if only players on trial are left, they play
                candidates = self._candidates(game, ratings, these, pending)
                if candidates.design.open.any():
                    all_candidates.append(candidates)
                    break
        until = len(self._chosen) + min(len(self._participants.players), self._ahead // 2)
        while all_candidates and not is_known and len(self._chosen) < until:
            bests = [(candidates, *candidates.design.best()) for candidates in all_candidates]
            best, gain, pair = max(bests, key=lambda each: each[1])
            if gain < 0:
                break
            times = self._append_block(best.game, best.two(pair))
            best.design.take(pair, times)
            best.design.open[pair] &= bool(self._unfinished(best.game, best.two(pair)))
            self._close(best)

    def _pending(self, game: str) -> list[tuple[str, ...]]:
        """Return the players of the pairs of games whose results do not all count yet."""
        pairs = {each.seed // 2: each for each in self._chosen.in_order[self._counted :]}
        return [tuple(each.players.values()) for each in pairs.values() if each.game == game]

    def _ratings(self, game: str, players: Collection[str]) -> Ratings:
        """Rate these players by the results that count.

        Games of players that are out are left out, since they say nothing about the others.
        """
        results = [
            result._replace(games=count)
            for result, count in self._results[game].items()
            if self._trials.benched.isdisjoint((result.first, result.second))
        ]
        anchor = self._plan.anchor
        is_playing = anchor is not None and anchor[0] in self._playing(game)
        return fit(results, players=players, anchor=anchor if is_playing else None)

    def _candidates(
        self, game: str, ratings: Ratings, names: Sequence[str], pending: Sequence[Sequence[str]]
    ) -> _Candidates:
        """Return the pairs of these players that may meet, given the pending games."""
        indices = np.array(ratings.numbers_of(names), np.int64)
        pairs = np.column_stack([indices[each] for each in np.triu_indices(len(indices), 1)])
        design = ratings.design(pairs, [*map(ratings.numbers_of, pending)], alike=_ALIKE)
        candidates = _Candidates(game, ratings.names, design)
        self._close(candidates)
        return candidates

    def _append_block(self, game: str, two: Sequence[str]) -> int:
        """Choose a block of pairs of games of two players; return their number.

        The block is cut short if no more pairs are left, or one of the players gets its last game.
        """
        times, short_of_games = 0, self._short_of_games(two)
        while (
            times < self._plan.block
            and self._short_of_games(two) == short_of_games
            and (unfinished := self._unfinished(game, two))
        ):
            self._chosen.append(min(unfinished, key=self._chosen.pairs.__getitem__))
            times += 1
        return times

    def _short_of_games(self, names: Sequence[str]) -> list[str]:
        """Return those of these players that have fewer games than ``games_per_player``."""
        most = self._plan.games_per_player or math.inf
        return [name for name in names if self._chosen.games_of[name] < most]

    def _unfinished(self, game: str, two: Sequence[str]) -> list[Pairing]:
        """Return the pairings of two players in a game that still lack pairs of games."""
        pairings = (Pairing.of(index, two) for index in self._settings_of[game])
        return [
            pairing
            for pairing in pairings
            if self._chosen.pairs[pairing] < (self._most_pairs(pairing.settings) or math.inf)
        ]

    def _close(self, candidates: _Candidates) -> None:
        """Close the pairs of players that need no more games.

        That is, they have played all games between them, or both have all their games. As long as
        other pairs are open, it is enough that one of them has all its games.
        """
        game, names, design = candidates
        if not design.taken and any(map(self._most_pairs, range(len(self.settings)))):
            design.open &= np.array(
                [
                    bool(self._unfinished(game, candidates.two(pair)))
                    for pair in range(len(design.one))
                ],
                np.bool_,
            )
        most = self._plan.games_per_player
        if most is not None:
            is_short = np.array([self._chosen.games_of[name] < most for name in names], np.bool_)
            one, two = is_short[design.one], is_short[design.two]
            both = design.open & one & two
            design.open = both if both.any() else design.open & (one | two)

    def _is_known(self, ratings: Ratings, names: Collection[str]) -> bool:
        """Whether these players' ratings can be compared, and are as precise as required.

        A player that won or lost everything only has to be apart from all others.
        """
        within = self._plan.within
        players = [rating for rating in ratings.players if rating.player in names]
        bounded = [rating.elo for rating in players if rating.is_bounded]
        if not bounded:
            return False
        low, high = min(elo.estimate for elo in bounded), max(elo.estimate for elo in bounded)
        apart = all(
            each.is_bounded or each.elo.high < low or each.elo.low > high for each in players
        )
        widest = max(elo.high - elo.estimate for elo in bounded)
        return within is not None and len(ratings.groups) == 1 and apart and widest <= within
