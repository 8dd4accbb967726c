"""The schedules of tournaments: everyone against everyone, challengers against the others, or the most informative pair next."""

import dataclasses
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import numpy as np

from tkm_env.arena.rating import Design, Played, Ratings, fit
from tkm_env.arena.referee import Conditions
from tkm_env.arena.schedule import (
    Entrant,
    Schedule,
    ScheduledGame,
    has_swapped_sides,
    pair_of_games,
)
from tkm_env.arena.tournament_plan import TournamentPlan
from tkm_env.arena.versions import Versions, base_of, entered
from tkm_env.core.settings import changed_settings
from tkm_env.evaluation.score import points_of
from tkm_env.evaluation.starts import Starts, settings_key
from tkm_env.foundations.errors import ConfigError, FileError
from tkm_env.foundations.seeds import derived
from tkm_env.players.roster import ROSTERS

#: How many pairs of games two players play under each of the settings, unless that is chosen.
_PAIRS: Final = 10

#: In a continuous tournament, a pair depends on no result of this many games before its own, so that these may be played side by side.
_LAG: Final = 64
#: Elo by which players may differ and still count as equal when games are chosen. If only who seem equal met, an error that makes two seem
#: closer would be found out, and one that sets them apart would stay: ratings would spread too far. In leagues of 40 players, simulated as
#: in `benchmarks/league.py`, 95% intervals covered 84% with 0, 94% with 200 and 97% with 300, where errors were smallest, by 29%.
_ALIKE: Final = 300.0
#: Who loses so many games in a row by its own faults is benched.
_MOST_FAULTS: Final = 10


#: What a player is as it enters; raises a `FileError` if its files are gone or no player's any more.
Enter: TypeAlias = Callable[[Entrant, Conditions], Entrant]


class Pairing(NamedTuple):
    """Two players, in alphabetical order, and the number of the settings under which they play."""

    where: int
    one: str
    other: str


def outcome_of(fixture: ScheduledGame, record: Mapping[str, Any]) -> Played:
    """How a game ended, for ratings."""
    first, second = fixture.players.values()
    return Played(first, second, points_of(record["result"], 0), by_fault="fault" in record)


class _TournamentSchedule(Schedule):
    """What the schedules of all tournaments have in common: which games there may be."""

    title = "tournament"

    def __init__(self, tournament: TournamentPlan, enter: Enter = entered) -> None:
        self.conditions = tournament.conditions
        self._as_entered = enter
        self.drawn_seed = tournament.seed if tournament.is_seed_drawn else None
        self._tournament = tournament
        self.settings = tournament.settings
        self.identity = repr((tournament.seed, tournament.settings))
        self._versions = Versions()
        self._enter(tournament.players)
        self._number_of = {
            settings.key: number for number, settings in enumerate(tournament.settings)
        }
        self._starts: dict[Pairing, Starts] = {}
        self._by_seed: dict[Pairing, dict[int, ScheduledGame]] = {}

    def _enter(self, players: Iterable[Entrant]) -> None:
        """Have these play, each under the name of its version; who cannot enter any more does not."""
        here = filter(None, map(self._entering, players))
        versions = [
            entrant._replace(name=self._versions.name_of(entrant.name, entrant.digest))
            for entrant in here
        ]
        self._entrants = {entrant.name: entrant for entrant in versions}

    def _entering(self, entrant: Entrant) -> Entrant | None:
        """A player as it enters now; None, and others are told, if its files are gone or no player's any more."""
        try:
            return self._as_entered(entrant, self.conditions)
        except FileError as error:
            self._tournament.notify(
                entrant.name, entrant.digest, f"{entrant.name} does not take part: {error}"
            )
            return None

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Find out who is a new version of a player that played before."""
        self._versions = Versions()
        for record in records:
            for side, name in record.get("players", {}).items():
                self._versions.name_of(name, record.get("digest", {}).get(side))
        self._enter(self._tournament.players)

    def _pairings(self) -> list[Pairing]:
        """All who play each other, by settings."""
        challengers = self._tournament.challengers
        found = []
        for where, settings in enumerate(self._tournament.settings):
            names = [
                name
                for name, entrant in self._entrants.items()
                if entrant.game in (None, settings.game)
            ]
            for one, other in itertools.combinations(names, 2):
                if not challengers or (base_of(one)[0] in challengers) != (
                    base_of(other)[0] in challengers
                ):
                    found.append(Pairing(where, *sorted((one, other))))
        return found

    def _most(self, where: int) -> int | None:
        """The most pairs of games that two players play under the settings of this number; None if nothing limits them."""
        openings = len(self._tournament.settings[where].openings)
        if self._tournament.pairs is not None:
            return self._tournament.pairs
        return (
            openings or None
            if self._tournament.kind == "continuous"
            else min(_PAIRS, openings or _PAIRS)
        )

    def _pair(self, pairing: Pairing, number: int) -> tuple[ScheduledGame, ScheduledGame]:
        """A pair of games of two players, the same whoever else plays."""
        where, *names = pairing
        settings = self._tournament.settings[where]
        if (
            pairing not in self._starts
        ):  # what is derived from this secret says nothing about the games of others
            self._starts[pairing] = Starts(
                settings, derived(self._tournament.seed or 0, settings.key, *names)
            )
        one, other = (self._entrants.get(name, Entrant(name, "")) for name in names)
        return pair_of_games(
            settings.spec.name, settings.config, *self._starts[pairing][number], (one, other)
        )

    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """The game of this tournament to which this record may belong, even if its players have left since."""
        names = sorted({*record.get("players", {}).values()})
        where = self._number_of.get(settings_key(record["game"], record["config"]))
        if where is None or len(names) != 2:
            return None
        pairing = Pairing(where, *names)
        known, seed = self._by_seed.setdefault(pairing, {}), record.get("seed", -1)
        most = self._most(where) or len(known) // 2 + _LAG
        while seed not in known and len(known) // 2 < most:
            known.update(
                {fixture.seed: fixture for fixture in self._pair(pairing, len(known) // 2)}
            )
        return known.get(seed)


class FixedSchedule(_TournamentSchedule):
    """The games of a round robin or a gauntlet: a block of pairs of games of each two players under all settings, then another."""

    def __init__(self, tournament: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(tournament, enter)
        self.games = 2 * sum(self._most(pairing.where) or 0 for pairing in self._pairings())

    def fixtures(self) -> Iterator[ScheduledGame]:
        pairings, block = self._pairings(), self._tournament.block
        most = {where: self._most(where) or 0 for where in range(len(self._tournament.settings))}
        for first in range(0, max(most.values()), block):
            for pairing in pairings:
                for number in range(first, min(first + block, most[pairing.where])):
                    yield from self._pair(pairing, number)


class ContinuousSchedule(_TournamentSchedule):
    """The games of a continuous tournament: next are the most informative pairs of games.

    The players follow from the results of all games but the last few, by `tkm_env.arena.rating.Ratings.design`; they play under the
    settings under which they have played least. The last few games may still be going on: it counts that they are played, not how
    they end.

    All but the package's own players first play a trial pair under each of the settings, and then, where others can, wait for how these
    end. Who loses a trial by its own fault plays no more, and neither does who loses ten games in a row so.
    """

    games = None
    is_open = True

    def __init__(self, tournament: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(tournament, enter)
        self._order: list[ScheduledGame] = []
        #: The games that had been played when it was resumed.
        self._given: list[ScheduledGame] = []
        #: Half the seeds of all games in that order, which is what the games of a pair have in common.
        self._taken: set[int] = set()
        self._pairs: Counter[Pairing] = Counter()
        #: How many games of each player are in that order.
        self._games_of: Counter[str] = Counter()
        #: The numbers of the settings of each game.
        self._settings_of: defaultdict[str, list[int]] = defaultdict(list)
        for where, settings in enumerate(tournament.settings):
            self._settings_of[settings.spec.name].append(where)
        self._played: dict[str, Counter[Played]] = {game: Counter() for game in self._settings_of}
        self._counted = 0
        #: The names of all that ever were newcomers, and whether each of them was admitted, by what it was.
        self._came: set[str] = set()
        self._admitted: dict[Entrant, bool] = {}
        #: Who was there when somebody last looked.
        self._present: Sequence[Entrant] = tournament.players
        self._benched: set[str] = set()
        #: How many games each player has ended under each of the settings, and how many it has lost by its own faults since another end.
        self._ended: Counter[tuple[str, int]] = Counter()
        self._faults: Counter[str] = Counter()

    def fixtures(self) -> Iterator[ScheduledGame]:
        """All games that were chosen."""
        yield from self._order

    def state(self, games: int) -> Any:
        """Who play from the last whole pair of so many games on."""
        begun = games - games % 2
        return [
            begun,
            [[self._where(each), *each.players.values()] for each in self._order[begun::2]],
        ]

    def resume(self, played: Sequence[ScheduledGame], state: Any) -> None:
        """Begin with these games in their order. What had been chosen follows. If that was not kept, the choices are made once more; if
        others than those were played, since there were other players, their order stays and their pairs are completed.
        """
        self._given = [*played]
        self._admit()
        kept = self._kept(state)
        if kept is not None:
            begun, pairings = kept
            self._begin(played[:begun])
            for pairing in pairings:
                self._append(pairing)
            self._compare(len(played), begun)

    def _kept(self, state: Any) -> tuple[int, list[Pairing]] | None:
        """What `state` returned; None if it was something else, or some of those players have left."""
        match state:
            case [int(begun), list(rows)] if begun in range(0, len(self._given) + 1, 2) and all(
                map(self._is_pairing, rows)
            ):
                return begun, [Pairing(where, *sorted(names)) for where, *names in rows]
        return None

    def _is_pairing(self, row: Any) -> bool:
        match row:
            case [int(where), str(one), str(other)]:
                is_known = {one, other} <= self._entrants.keys()
                return is_known and one != other and where in range(len(self._tournament.settings))
        return False

    def _compare(self, number: int, begun: int = 0) -> None:
        """If the games from this one on are not those that were played, go on with these."""
        chosen, given = (
            [fixture.seed for fixture in games[begun:number]]
            for games in (self._order, self._given)
        )
        if chosen[: len(given)] != given[: len(chosen)] or (given and not chosen):
            self._begin(self._given)

    def _begin(self, played: Sequence[ScheduledGame]) -> None:
        """Begin with these games, and complete their pairs."""
        self._pairs.clear()
        self._games_of.clear()
        self._taken.clear()
        seeds = {fixture.seed for fixture in played}
        for fixture in played:
            if fixture.seed // 2 not in self._taken:
                self._count(
                    Pairing(self._where(fixture), *sorted(fixture.players.values())), fixture
                )
        self._order = [*played]
        for fixture in played:
            if fixture.seed ^ 1 not in seeds and all(
                name in self._entrants for name in fixture.players.values()
            ):
                second, first = (self._entrants[name] for name in fixture.players.values())
                self._order.append(
                    dataclasses.replace(fixture, seed=fixture.seed ^ 1, contestants=(first, second))
                )

    @property
    def _ahead(self) -> int:
        """A choice depends on no result of so many games before its own, so that these may be played side by side."""
        return self._tournament.ahead or max(_LAG, 2 * len(self._entrants))

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """The next game, by the results of all but the last ones."""
        self.is_new_choice = number == len(self._order)
        if self.is_new_choice:
            known = max(self._counted, number - self._ahead)
            if len(results) < known:
                return "wait"
            self._admit()
            for fixture, record in zip(
                self._order[self._counted : known], results[self._counted : known], strict=True
            ):
                if record is not None:
                    self._played[fixture.game][outcome_of(fixture, record)] += 1
                    self._watch(self._where(fixture), record)
            self._counted = known
            for pairing in self._trials():
                self._append(pairing)
            if number == len(self._order):
                self._choose()
            self._compare(len(self._given), number)
        if number == len(self._order):
            return None
        fixture = self._order[number]
        gone = next((each.name for each in fixture.contestants if not self._is_as_it_was(each)), "")
        if not gone:
            return fixture
        self._uncount(fixture)
        return dataclasses.replace(fixture, forfeits=gone)

    def _uncount(self, fixture: ScheduledGame) -> None:
        """Leave a game out: it is no part of what its players have played, and they may need another trial."""
        self._games_of.subtract(fixture.players.values())
        if not has_swapped_sides(fixture.seed):
            pairing = Pairing(self._where(fixture), *sorted(fixture.players.values()))
            self._pairs[pairing] -= 1

    def _is_as_it_was(self, contestant: Entrant) -> bool:
        """Whether what a stranger handed in is still what plays."""
        if not contestant.submitted:
            return True
        base = base_of(contestant.name)[0]
        now = next((each for each in self._present if base_of(each.name)[0] == base), None)
        with suppress(FileError):  # it is gone
            return (
                now is not None
                and self._as_entered(now, self.conditions).digest == contestant.digest
            )
        return False

    def _append(self, pairing: Pairing) -> None:
        """Have the next pair of games of these players played."""
        each = self._pairs[pairing]
        while self._pair(pairing, each)[0].seed // 2 in self._taken:
            each += 1
        pair = self._pair(pairing, each)
        self._count(pairing, pair[0])
        self._order.extend(pair)

    def _count(self, pairing: Pairing, fixture: ScheduledGame) -> None:
        self._pairs[pairing] += 1
        self._games_of.update(dict.fromkeys(pairing[1:], 2))
        self._taken.add(fixture.seed // 2)

    def _where(self, fixture: ScheduledGame) -> int:
        return self._number_of[settings_key(fixture.game, changed_settings(fixture.config))]

    def _watch(self, where: int, record: Mapping[str, Any]) -> None:
        """Bench who lost a trial by its own fault, or game after game."""
        fault = record.get("fault")
        for side, name in record["players"].items():
            self._ended[name, where] += 1
            if fault is None or fault["player"] != side:
                self._faults[name] = 0
                continue
            self._faults[name] += 1
            is_trial = self._ended[name, where] <= 2
            if name not in self._benched and (is_trial or self._faults[name] >= _MOST_FAULTS):
                self._benched.add(name)
                lost = "a trial game" if is_trial else "game after game"
                why = f"{name} plays no more: it lost {lost} by {fault['kind']}, {fault['seen']}"
                self._tournament.notify(name, record.get("digest", {}).get(side, ""), why)

    def _trials(self) -> Iterator[Pairing]:
        """Who play their trial pairs now: newcomers among themselves, and the one that is left over against another."""
        begun = {
            (name, where)
            for (where, *names), count in self._pairs.items()
            if count
            for name in names
        }
        for where in range(len(self._tournament.settings)):
            here = self._here(self._tournament.settings[where].spec.name)
            new = [
                name for name in here if self._is_tried(name, where) and (name, where) not in begun
            ]
            if len(new) % 2 and len(here) > 1:
                new.append(next((name for name in here if name not in new), new[0]))
            yield from (
                Pairing(where, *sorted(two)) for two in zip(new[::2], new[1::2], strict=False)
            )

    def _here(self, game: str) -> list[str]:
        """Who plays this game, and is not benched."""
        return [
            name
            for name, entrant in self._entrants.items()
            if entrant.game in (None, game) and name not in self._benched
        ]

    def _is_tried(self, name: str, where: int) -> bool:
        """Whether it has to play a trial: all but the package's own players."""
        return (
            self._entrants[name].line.partition(":")[0]
            not in ROSTERS.of(self._tournament.settings[where].spec).agents
        )

    def _admit(self) -> None:
        """Let newcomers and new versions in, and those leave who have gone; one who cannot play is refused with a warning."""
        tournament = self._tournament
        if tournament.newcomers is None:
            return
        coming = {entrant.name: entrant for entrant in tournament.newcomers()}
        admitted = [
            entrant
            for entrant in tournament.players
            if entrant.name not in self._came | coming.keys()
        ]
        self._came |= coming.keys()
        for entrant in coming.values():
            if (known := self._entering(entrant)) is None:
                continue
            if known not in self._admitted:
                try:
                    tournament.check(entrant, [])
                except ConfigError as error:
                    tournament.notify(
                        known.name, known.digest, f"a newcomer does not take part: {error}"
                    )
                    self._admitted[known] = False
                else:
                    self._admitted[known] = True
            admitted += [entrant] * self._admitted[known]
        self._present = admitted
        self._enter(admitted)

    def _choose(self) -> None:
        """Have the most informative pairs of games played, unless all is known precisely enough."""
        plan = self._tournament
        pending = {fixture.seed // 2: fixture for fixture in self._order[self._counted :]}
        choices: list[tuple[str, list[str], Design]] = []
        is_known = plan.within is not None
        for game, played in self._played.items():
            names = self._here(game)
            if len(names) < 2:
                continue
            waiting = [
                (*fixture.players.values(),) for fixture in pending.values() if fixture.game == game
            ]
            rows = [
                row._replace(games=count)
                for row, count in played.items()
                if self._benched.isdisjoint((row.first, row.second))
            ]
            anchor = plan.anchor if plan.anchor and plan.anchor[0] in names else None
            ratings = fit(rows, players={*names}.union(*waiting), anchor=anchor)
            is_known = is_known and self._is_known(ratings, names)
            tried = [name for name in names if not self._is_on_trial(name, game)]
            for candidates in (
                tried,
                names,
            ):  # if only some whose trials have not ended can play, they do
                numbers = np.array(ratings.numbers_of(candidates), np.int64)
                pairs = np.column_stack(
                    [numbers[each] for each in np.triu_indices(len(numbers), 1)]
                )
                design = ratings.design(pairs, [*map(ratings.numbers_of, waiting)], alike=_ALIKE)
                self._close(game, ratings.names, design)
                if design.open.any():
                    choices.append((game, ratings.names, design))
                    break
        until = len(self._order) + min(len(self._entrants), self._ahead // 2)
        while choices and not is_known and len(self._order) < until:
            (gain, number), (game, called, design) = max(
                ((choice[-1].best(), choice) for choice in choices), key=lambda each: each[0][0]
            )
            if gain < 0:
                break
            one, other = sorted((called[design.one[number]], called[design.two[number]]))
            times, lacking = 0, self._lacking(one, other)
            while (
                times < plan.block
                and self._lacking(one, other) == lacking
                and (wheres := self._left(game, one, other))
            ):
                self._append(min(wheres, key=self._pairs.__getitem__))
                times += 1
            design.take(number, times)
            design.open[number] &= bool(self._left(game, one, other))
            self._close(game, called, design)

    def _lacking(self, *names: str) -> list[str]:
        """Those of them who have not got all their games."""
        return [
            name
            for name in names
            if self._games_of[name] < (self._tournament.games_per_player or math.inf)
        ]

    def _left(self, game: str, one: str, other: str) -> list[Pairing]:
        """The settings under which two players have not played all their pairs of games."""
        here = [Pairing(where, one, other) for where in self._settings_of[game]]
        return [
            pairing
            for pairing in here
            if self._pairs[pairing] < (self._most(pairing.where) or math.inf)
        ]

    def _is_on_trial(self, name: str, game: str) -> bool:
        """Whether trial games of a player have not ended."""
        return any(
            self._is_tried(name, where) and self._ended[name, where] < 2
            for where in self._settings_of[game]
        )

    def _close(self, game: str, called: Sequence[str], design: Design) -> None:
        """Close the pairs of players who have all their games: between themselves, or with whomever if others have not."""
        most = self._tournament.games_per_player
        if not design.taken and any(self._most(where) for where in self._number_of.values()):
            names = [
                (called[one], called[two]) for one, two in zip(design.one, design.two, strict=True)
            ]
            design.open &= np.array(
                [bool(self._left(game, *sorted(two))) for two in names], np.bool_
            )
        if most is not None:
            under = np.array([self._games_of[name] < most for name in called], np.bool_)
            both = design.open & under[design.one] & under[design.two]
            design.open = (
                both if both.any() else design.open & (under[design.one] | under[design.two])
            )

    def _is_known(self, ratings: Ratings, names: Collection[str]) -> bool:
        """Whether these players' ratings can be compared, and are as precise as required; or, of who won or lost everything, apart."""
        within = self._tournament.within
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
