"""The participants of a tournament, each under the name of its version."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.playing.versions import Versions, base_of, entered
from tkm_env.arena.tournament.tournament_plan import TournamentPlan
from tkm_env.foundations.errors import ConfigError, FileError

#: Returns a player as it enters; raises a `FileError` if its files are gone or hold no player.
Enter: TypeAlias = Callable[[Entrant, Conditions], Entrant]


class Participants:
    """The players of a tournament as they entered.

    Args:
        plan: the tournament.
        enter: returns a player as it enters.
    """

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        self._plan = plan
        self._enter = enter
        self._versions = Versions()
        self.players: dict[str, Entrant] = {}  # by the names of their versions
        self._fill(plan.players)

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:
        """Find out which players are new versions of players in these records."""
        self._versions = Versions()
        for record in records:
            for side, name in record.get("players", {}).items():
                self._versions.name_of(name, record.get("digest", {}).get(side))
        self._fill(self._plan.players)

    def of_game(self, game: str) -> list[str]:
        """Return the names of the players of a game."""
        return [name for name, entrant in self.players.items() if entrant.game in (None, game)]

    def _fill(self, players: Iterable[Entrant]) -> None:
        """Let exactly these players take part, except those that cannot enter."""
        versions = [
            entrant._replace(name=self._versions.name_of(entrant.name, entrant.digest))
            for entrant in filter(None, map(self._as_entered, players))
        ]
        self.players = {entrant.name: entrant for entrant in versions}

    def _as_entered(self, entrant: Entrant) -> Entrant | None:
        """Return a player as it enters now; None, with a notice, if its files hold no player."""
        try:
            return self._enter(entrant, self._plan.conditions)
        except FileError as error:
            self._plan.notify(
                entrant.name, entrant.digest, f"{entrant.name} cannot take part: {error}"
            )
            return None


class ChangingParticipants(Participants):
    """The participants of a continuous tournament, who may join, change and leave."""

    def __init__(self, plan: TournamentPlan, enter: Enter = entered) -> None:
        super().__init__(plan, enter)
        self._newcomers_so_far: set[str] = set()  # their names, including those that have left
        self._is_admitted: dict[Entrant, bool] = {}  # whether each newcomer, as it was, may play
        self._present: Sequence[Entrant] = plan.players  # the players at the last `update`

    def update(self) -> None:
        """Admit newcomers and new versions, and remove players that have left.

        A newcomer that cannot play is refused, with a single notice.
        """
        if self._plan.newcomers is None:
            return
        newcomers = {entrant.name: entrant for entrant in self._plan.newcomers()}
        present = [
            entrant
            for entrant in self._plan.players
            if entrant.name not in self._newcomers_so_far | newcomers.keys()
        ]
        self._newcomers_so_far |= newcomers.keys()
        self._present = present + [each for each in newcomers.values() if self._admits(each)]
        self._fill(self._present)

    def _admits(self, newcomer: Entrant) -> bool:
        entering = self._as_entered(newcomer)
        if entering is None:
            return False
        if entering not in self._is_admitted:
            try:
                self._plan.check(newcomer, [])
                self._is_admitted[entering] = True
            except ConfigError as error:
                self._is_admitted[entering] = False
                self._plan.notify(
                    entering.name, entering.digest, f"a newcomer cannot take part: {error}"
                )
        return self._is_admitted[entering]

    def has_changed(self, contestant: Entrant) -> bool:
        """Whether a submitted player has changed since it entered."""
        if not contestant.submitted:
            return False
        base = base_of(contestant.name)[0]
        now = next((each for each in self._present if base_of(each.name)[0] == base), None)
        if now is None:
            return True
        with suppress(FileError):  # it is gone
            return self._enter(now, self._plan.conditions).digest != contestant.digest
        return True
