"""The schedules of tournaments: their possible games, and schedules of a fixed order."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from tkm_env.arena.game_counts import Played
from tkm_env.arena.playing.schedule import Entrant, Schedule, ScheduledGame, pair_of_games
from tkm_env.arena.playing.versions import base_of, entered
from tkm_env.arena.tournament.participants import Enter, Participants
from tkm_env.arena.tournament.tournament_plan import TournamentPlan
from tkm_env.evaluation.score import points_of
from tkm_env.evaluation.starts import Starts, settings_key
from tkm_env.foundations.seeds import derived

#: The default number of pairs of games that two players play under each of the settings.
_PAIRS: Final = 10
#: The number of pairs of games beyond the known ones that are searched for a record's game, if
#: their number is not limited.
_SEARCHED: Final = 64


class Pairing(NamedTuple):
    """Two players under some settings."""

    settings: int  # the index of the settings
    one: str  # the player whose name comes first in alphabetical order
    other: str

    @classmethod
    def of(cls, settings: int, names: Iterable[str]) -> "Pairing":
        """Make the pairing of two players.

        Args:
            settings: the index of the settings.
            names: the names of the players, in any order.

        Returns:
            The pairing.
        """
        one, other = sorted(names)
        return cls(settings, one, other)

    @property
    def names(self) -> tuple[str, str]:
        return self.one, self.other


def outcome_of(fixture: ScheduledGame, record: Mapping[str, Any]) -> Played:
    """Return the result of a game, for ratings.

    Args:
        fixture: the game.
        record: the game's record.

    Returns:
        The result.
    """
    first, second = fixture.players.values()
    return Played(first, second, points_of(record["result"], 0), by_fault="fault" in record)


class TournamentSchedule(Schedule):
    """The base of all tournaments' schedules, which knows their possible games.

    Args:
        plan: the tournament.
        participants: its players.
    """

    title = "tournament"

    def __init__(self, plan: TournamentPlan, participants: Participants) -> None:
        self._plan, self._participants = plan, participants
        self.conditions = plan.conditions
        self.drawn_seed = plan.seed if plan.is_seed_drawn else None
        self.settings = plan.settings
        self.identity = repr((plan.seed, plan.settings))
        self._settings_of_games = [settings.without_openings() for settings in plan.settings]
        self._index_of = {settings.key: index for index, settings in enumerate(plan.settings)}
        self._starts: dict[Pairing, Starts] = {}
        self._by_seed: dict[Pairing, dict[int, ScheduledGame]] = {}

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Find out which players are new versions of players that played before."""
        self._participants.meet(records)

    def _pairings(self) -> list[Pairing]:
        """Return the pairings of all players that meet each other."""
        challengers = self._plan.challengers
        return [
            Pairing.of(index, two)
            for index, settings in enumerate(self.settings)
            for two in itertools.combinations(self._participants.of_game(settings.spec.name), 2)
            if not challengers or sum(base_of(name)[0] in challengers for name in two) == 1
        ]

    def _most_pairs(self, settings: int) -> int | None:
        """Return the most pairs of games of two players under the settings with this index.

        Returns:
            The number; None if it is not limited.
        """
        openings = len(self.settings[settings].openings)
        if self._plan.pairs is not None:
            return self._plan.pairs
        if self._plan.kind == "continuous":
            return openings or None
        return min(_PAIRS, openings or _PAIRS)

    def _pair(self, pairing: Pairing, index: int) -> tuple[ScheduledGame, ScheduledGame]:
        """Return a pair of games of two players, which does not depend on other players."""
        if pairing not in self._starts:
            settings = self.settings[pairing.settings]
            # This secret reveals nothing about the games of others.
            secret = derived(self._plan.seed or 0, settings.key, *pairing.names)
            self._starts[pairing] = Starts(settings, secret)
        one, other = (
            self._participants.players.get(name, Entrant(name, "")) for name in pairing.names
        )
        settings_of_game = self._settings_of_games[pairing.settings]
        return pair_of_games(settings_of_game, *self._starts[pairing][index], (one, other))

    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """Find the game to which a record may belong, even if its players have left."""
        names = {*record.get("players", {}).values()}
        settings = self._index_of.get(settings_key(record["game"], record["config"]))
        if settings is None or len(names) != 2:
            return None
        pairing = Pairing.of(settings, names)
        known, seed = self._by_seed.setdefault(pairing, {}), record.get("seed", -1)
        most = self._most_pairs(settings) or len(known) // 2 + _SEARCHED
        while seed not in known and len(known) // 2 < most:
            pair = self._pair(pairing, len(known) // 2)
            known.update({fixture.seed: fixture for fixture in pair})
        return known.get(seed)


class FixedSchedule(TournamentSchedule):
    """The games of a round robin or a gauntlet.

    Every pairing plays a block of pairs of games under all settings; then all play another block.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, Participants(plan, enter))
        self.games = 2 * sum(
            self._most_pairs(pairing.settings) or 0 for pairing in self._pairings()
        )

    def fixtures(self) -> Iterator[ScheduledGame]:
        pairings, block = self._pairings(), self._plan.block
        most = [self._most_pairs(index) or 0 for index in range(len(self.settings))]
        for first in range(0, max(most), block):
            for pairing in pairings:
                for index in range(first, min(first + block, most[pairing.settings])):
                    yield from self._pair(pairing, index)
