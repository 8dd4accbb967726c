"""The schedules of tournaments: everyone against everyone, challengers against the others, or the most informative pair next."""

from __future__ import annotations

import dataclasses
import itertools
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from tkm_env.arena.rating import Played, Ratings, fit
from tkm_env.arena.record_results import RecordedGame
from tkm_env.arena.schedule import Entrant, Schedule, ScheduledGame, pair_of_games, settings_key
from tkm_env.arena.starts import Starts
from tkm_env.arena.tournament_plan import TournamentPlan
from tkm_env.arena.versions import Versions, base_of, entered
from tkm_env.errors import ConfigError
from tkm_env.game.settings import changed_settings
from tkm_env.seeds import derived

#: How many pairs of games two players play under each of the settings, unless that is chosen.
_PAIRS: Final = 10

#: In a continuous tournament, a pair depends on no result of this many games before its own, so that these may be played side by side.
_LAG: Final = 64
#: Who loses so many games in a row by its own faults is benched.
_MOST_FAULTS: Final = 10


class _Pairing(NamedTuple):
    """Two players, in alphabetical order, and the number of the settings under which they play."""

    where: int
    one: str
    other: str


class _TournamentSchedule(Schedule):
    """What the schedules of all tournaments have in common: which games there may be."""

    title = "tournament"

    def __init__(self, tournament: TournamentPlan) -> None:
        self.conditions = tournament.conditions
        self.drawn_seed = tournament.seed if tournament.is_seed_drawn else None
        self._tournament = tournament
        self._versions = Versions()
        self._enter(tournament.players)
        self._number_of = {settings.key: number for number, settings in enumerate(tournament.settings)}
        self._starts: dict[_Pairing, Starts] = {}
        self._by_seed: dict[_Pairing, dict[int, ScheduledGame]] = {}

    def _enter(self, players: Iterable[Entrant]) -> None:
        """Have these play, each under the name of its version."""
        here = [entered(entrant, self.conditions) for entrant in players]
        versions = [entrant._replace(name=self._versions.name_of(entrant.name, entrant.digest)) for entrant in here]
        self._entrants = {entrant.name: entrant for entrant in versions}

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Find out who is a new version of a player that played before."""
        self._versions = Versions()
        for record in records:
            for side, name in record.get("players", {}).items():
                self._versions.name_of(name, record.get("digest", {}).get(side))
        self._enter(self._tournament.players)

    def _pairings(self) -> list[_Pairing]:
        """All who play each other, by settings."""
        challengers = self._tournament.challengers
        found = []
        for where, settings in enumerate(self._tournament.settings):
            names = [name for name, entrant in self._entrants.items() if entrant.game in (None, settings.game)]
            for one, other in itertools.combinations(names, 2):
                if not challengers or (base_of(one)[0] in challengers) != (base_of(other)[0] in challengers):
                    found.append(_Pairing(where, *sorted((one, other))))
        return found

    def _most(self, where: int) -> int | None:
        """The most pairs of games that two players play under the settings of this number; None if nothing limits them."""
        openings = len(self._tournament.settings[where].openings)
        if self._tournament.pairs is not None:
            return self._tournament.pairs
        return openings or None if self._tournament.kind == "continuous" else min(_PAIRS, openings or _PAIRS)

    def _pair(self, pairing: _Pairing, number: int) -> tuple[ScheduledGame, ScheduledGame]:
        """A pair of games of two players, the same whoever else plays."""
        where, *names = pairing
        settings = self._tournament.settings[where]
        if pairing not in self._starts:
            self._starts[pairing] = Starts(settings, self._secret(pairing))
        one, other = (self._entrants.get(name, Entrant(name, "")) for name in names)
        return pair_of_games(settings.spec.name, settings.config, *self._starts[pairing][number], (one, other))

    def _secret(self, pairing: _Pairing) -> int:
        """What all games of two players under these settings are derived from: others' games say nothing about theirs."""
        assert self._tournament.seed is not None
        return derived(self._tournament.seed, self._tournament.settings[pairing.where].key, pairing.one, pairing.other)

    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """The game of this tournament to which this record may belong, even if its players have left since."""
        names = sorted({*record.get("players", {}).values()})
        where = self._number_of.get(settings_key(record["game"], record["config"]))
        if where is None or len(names) != 2:
            return None
        pairing = _Pairing(where, *names)
        known, seed = self._by_seed.setdefault(pairing, {}), record.get("seed", -1)
        most = self._most(where) or len(known) // 2 + _LAG
        while seed not in known and len(known) // 2 < most:
            known.update({fixture.seed: fixture for fixture in self._pair(pairing, len(known) // 2)})
        return known.get(seed)


class FixedSchedule(_TournamentSchedule):
    """The games of a round robin or a gauntlet: one pair of games of each two players under all settings, then another, and so on."""

    def __init__(self, tournament: TournamentPlan) -> None:
        super().__init__(tournament)
        self.games = 2 * sum(self._most(pairing.where) or 0 for pairing in self._pairings())

    def fixtures(self) -> Iterator[ScheduledGame]:
        """All games, in order."""
        pairings = self._pairings()
        most = {where: self._most(where) or 0 for where in range(len(self._tournament.settings))}
        for number in range(max(most.values())):
            for pairing in pairings:
                if number < most[pairing.where]:
                    yield from self._pair(pairing, number)


class ContinuousSchedule(_TournamentSchedule):
    """The games of a continuous tournament: next is the most informative pair of games.

    The two players follow from the results of all games but the last few, by `tkm_env.arena.rating.Ratings.information`; they play under
    the settings under which they have played least. The last few games may still be going on: it counts that they are played, not how
    they end.

    All but the package's own players first play a trial pair under each of the settings, and then, where others can, wait for how these
    end. Who loses a trial by its own fault plays no more, and neither does who loses ten games in a row so.
    """

    games = None
    lag = _LAG
    is_open = True

    def __init__(self, tournament: TournamentPlan) -> None:
        super().__init__(tournament)
        self._order: list[ScheduledGame] = []
        #: Half the seeds of all games in that order, which is what the games of a pair have in common.
        self._taken: set[int] = set()
        self._pairs: Counter[_Pairing] = Counter()
        self._played: dict[str, Counter[Played]] = {settings.spec.name: Counter() for settings in tournament.settings}
        self._counted = 0
        #: The names of all that ever were newcomers, and whether each of them was admitted, by what it was.
        self._came: set[str] = set()
        self._admitted: dict[Entrant, bool] = {}
        self._benched: set[str] = set()
        #: How many games each player has ended under each of the settings, and how many it has lost by its own faults since another end.
        self._ended: Counter[tuple[str, int]] = Counter()
        self._faults: Counter[str] = Counter()

    def fixtures(self) -> Iterator[ScheduledGame]:
        """All games that can be among the next ones, and more besides."""
        for pairing in self._pairings():
            number = len(self._by_seed.get(pairing, ())) // 2 + _LAG
            for each in range(min(filter(None, (number, self._most(pairing.where))))):
                yield from self._pair(pairing, each)

    def resume(self, played: Sequence[ScheduledGame]) -> None:
        """Begin with these games in their order, whatever would be chosen now, and complete their pairs."""
        seeds = {fixture.seed for fixture in played}
        for fixture in played:
            if fixture.seed // 2 not in self._taken:
                self._pairs[_Pairing(self._where(fixture), *sorted(fixture.players.values()))] += 1
                self._taken.add(fixture.seed // 2)
        self._order = [*played]
        for fixture in played:
            if fixture.seed ^ 1 not in seeds and all(name in self._entrants for name in fixture.players.values()):
                swapped = fixture.contestants[::-1]
                self._order.append(dataclasses.replace(fixture, seed=fixture.seed ^ 1, contestants=swapped))

    def fixture(self, number: int, results: Sequence[Mapping[str, Any] | None]) -> ScheduledGame | None:
        """The next game, by the results of all but the last ones."""
        if number == len(self._order):
            self._admit()
            known = max(0, number - _LAG)
            for fixture, record in zip(self._order[self._counted : known], results[self._counted : known], strict=True):
                if record is not None:
                    played = RecordedGame.of(record).played
                    assert played is not None
                    self._played[fixture.game][played] += 1
                    self._watch(self._where(fixture), record)
            self._counted = known
            pairing = self._choice(self._order[known:])
            if pairing is None:
                return None
            each = self._pairs[pairing]
            while self._pair(pairing, each)[0].seed // 2 in self._taken:
                each += 1
            pair = self._pair(pairing, each)
            self._pairs[pairing] += 1
            self._taken.add(pair[0].seed // 2)
            self._order.extend(pair)
        return self._order[number]

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
                warnings.warn(why, RuntimeWarning, stacklevel=2)

    def _open(self) -> list[_Pairing]:
        """The pairings that may be next: of trials, if there are any to begin; or else of those whose trials have ended well, if any."""
        here = [pairing for pairing in self._pairings() if not self._benched.intersection(pairing[1:])]
        tried = {(name, where) for where, *names in here for name in names if self._is_tried(name, where)}
        begun = {(name, where) for (where, *names), pairs in self._pairs.items() if pairs for name in names}
        new = [sum((name, where) in tried - begun for name in names) for where, *names in here]
        if any(new):
            return [here[new.index(max(new))]]
        waiting = {name for name, where in tried if self._ended[name, where] < 2}
        left = [pairing for pairing in here if not waiting.intersection(pairing[1:])]
        return [pairing for pairing in left if self._is_left(pairing)] or here

    def _is_tried(self, name: str, where: int) -> bool:
        """Whether it has to play a trial: all but the package's own players."""
        return self._entrants[name].line.partition(":")[0] not in self._tournament.settings[where].spec.agents

    def _is_left(self, pairing: _Pairing) -> bool:
        """Whether the two have not played all their pairs of games."""
        most = self._most(pairing.where)
        return most is None or self._pairs[pairing] < most

    def _admit(self) -> None:
        """Let newcomers and new versions in, and those leave who have gone; one who cannot play is refused with a warning."""
        tournament = self._tournament
        if tournament.newcomers is None:
            return
        coming = {entrant.name: entrant for entrant in tournament.newcomers()}
        admitted = [entrant for entrant in tournament.players if entrant.name not in self._came | coming.keys()]
        self._came |= coming.keys()
        for entrant in coming.values():
            known = entered(entrant, self.conditions)
            if known not in self._admitted:
                try:
                    tournament.check(entrant, [])
                except ConfigError as error:
                    warnings.warn(f"a newcomer does not take part: {error}", RuntimeWarning, stacklevel=2)
                    self._admitted[known] = False
                else:
                    self._admitted[known] = True
            admitted += [entrant] * self._admitted[known]
        self._enter(admitted)

    def _choice(self, pending: Sequence[ScheduledGame]) -> _Pairing | None:
        """Who plays next; None if everything is played, or known precisely enough."""
        best: tuple[float, _Pairing] | None = None
        pairings = self._open()
        rated = {name for pairing in self._pairings() for name in pairing[1:]} - self._benched
        is_known = self._tournament.within is not None
        for game, played in self._played.items():
            here = [pairing for pairing in pairings if self._tournament.settings[pairing.where].game == game]
            if not here:
                continue
            waiting = {fixture.seed // 2: (*fixture.players.values(),) for fixture in pending if fixture.game == game}
            names = {name for name in rated if self._entrants[name].game in (None, game)}.union(*waiting.values())
            anchor = self._tournament.anchor if self._tournament.anchor and self._tournament.anchor[0] in names else None
            counted = {row: count for row, count in played.items() if not self._benched.intersection((row.first, row.second))}
            ratings = fit([row._replace(games=count) for row, count in counted.items()], players=names, anchor=anchor)
            is_known = is_known and self._is_known(ratings, names)
            least: dict[tuple[str, str], _Pairing] = {}
            for pairing in here:
                rival = least.get(pairing[1:])
                if self._is_left(pairing) and (rival is None or self._pairs[pairing] < self._pairs[rival]):
                    least[pairing[1:]] = pairing
            gains = ratings.information([*least], [(one, other) for one, other in waiting.values()]).round(9)
            for gain, pairing in zip(gains.tolist(), least.values(), strict=True):
                if best is None or gain > best[0]:
                    best = gain, pairing
        return None if best is None or is_known else best[1]

    def _is_known(self, ratings: Ratings, names: Collection[str]) -> bool:
        """Whether these players' ratings can be compared, and are as precise as required; or, of who won or lost everything, apart."""
        within = self._tournament.within
        players = [rating for rating in ratings.players if rating.player in names]
        bounded = [rating.elo for rating in players if rating.is_bounded]
        if not bounded:
            return False
        low, high = min(elo.estimate for elo in bounded), max(elo.estimate for elo in bounded)
        apart = all(each.is_bounded or each.elo.high < low or each.elo.low > high for each in players)
        widest = max(elo.high - elo.estimate for elo in bounded)
        return within is not None and len(ratings.groups) == 1 and apart and widest <= within
