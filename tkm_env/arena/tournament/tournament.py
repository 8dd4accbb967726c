"""Tournaments: many players, several settings, every start from both sides."""

import dataclasses
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from typing import Any

from tkm_env.arena.event_table import EventTable
from tkm_env.arena.playing.ledger import with_kept_seed
from tkm_env.arena.playing.schedule import Schedule, Stoppable
from tkm_env.arena.playing.schedule_run import play_schedule
from tkm_env.arena.playing.versions import base_of, entered
from tkm_env.arena.playing.workers import Workers, local_workers
from tkm_env.arena.tournament.continuous_schedule import ContinuousSchedule
from tkm_env.arena.tournament.participants import Enter
from tkm_env.arena.tournament.submissions import player_copies
from tkm_env.arena.tournament.tournament_plan import TournamentPlan
from tkm_env.arena.tournament.tournament_rounds import (
    KnockoutSchedule,
    RoundsSchedule,
    SwissSchedule,
)
from tkm_env.arena.tournament.tournament_schedule import FixedSchedule


@dataclasses.dataclass(frozen=True)
class Tournament(TournamentPlan, Stoppable):
    """A tournament that can be played, stopped and resumed.

    Each game depends only on the seed, the settings, the names of its two players and its index
    among their games. So the same seed gives the same games on any number of processes or machines
    (with time limits, only as far as timing is reproducible), a stopped tournament continues as if
    it had never stopped, and new players do not change the games of the others.
    """

    @property
    def games(self) -> int | None:
        """The number of games; None if that depends on results."""
        return self.schedule(lambda entrant, _: entrant).games

    def schedule(self, enter: Enter = entered) -> Schedule:
        """Return the schedule of the games, between players as ``enter`` returns them."""
        kinds: dict[str, Callable[[TournamentPlan, Enter], Schedule]] = {
            "continuous": ContinuousSchedule,
            "swiss": SwissSchedule,
            "knockout": KnockoutSchedule,
        }
        return kinds.get(self.kind, FixedSchedule)(self, enter)

    def winner(self, records: Sequence[Mapping[str, Any]]) -> str | None:
        """Find the winner of a knockout by the records of all its games, in order.

        Returns:
            The player's name; None if games are missing, or the tournament is not a knockout.
        """
        table = self.event_table(records) if self.kind == "knockout" else None
        return table.rows[0].player if table is not None and table.is_over else None

    def event_table(self, records: Sequence[Mapping[str, Any]]) -> EventTable | None:
        """Put the players of a tournament in rounds in the order of that event.

        Args:
            records: the records of all its games so far, in order.

        Returns:
            The table; None if the tournament is of another kind.

        Raises:
            ConfigError: if these are not the games of this tournament.
        """
        played = {
            base_of(name)[0]: record.get("digest", {}).get(side)
            for record in records
            for side, name in record["players"].items()
        }
        # Players count as they were then, since their files may have changed.
        schedule = self.schedule(
            lambda entrant, _: entrant._replace(digest=played.get(entrant.name) or "")
        )
        if not isinstance(schedule, RoundsSchedule):
            return None
        schedule.meet(records)
        return schedule.table(records)

    def play(
        self,
        save: str | os.PathLike[str] | None = None,
        *,
        processes: int = 1,
        workers: Callable[[], Workers] | None = None,
        verify: bool = False,
        live: str | os.PathLike[str] = "",
    ) -> Iterator[dict[str, Any]]:
        """Play the games.

        If the file holds games of this tournament, it continues from them. Games of players that
        have left stay in the file, but are not yielded, except in a continuous tournament.

        Args:
            save: the file to which each record is appended; None saves nothing.
            processes: the number of games to play at a time on this machine, 1 to 1024.
            workers: makes other workers instead of these processes.
            verify: whether to replay all saved games, including those that were checked when they
                were written.
            live: the folder for the games in progress, see
                `tkm_env.arena.playing.live.live_games`; empty for none.

        Yields:
            The records in order, including those that were saved before.

        Raises:
            ConfigError: if ``processes`` is invalid.
            FileError: as `tkm_env.arena.playing.ledger.Ledger` does.
        """
        plan = with_kept_seed(self, save)
        with ExitStack() as until_the_end:
            enter = until_the_end.enter_context(player_copies(save)).enter
            schedule = plan.schedule(enter)
            workers = workers or local_workers(
                self.conditions, processes, schedule.games, 2 * self.block
            )
            playing = play_schedule(
                schedule,
                workers,
                save,
                resume=True,
                verify=verify,
                stopping=lambda: self.is_stopped,
                live=live,
            )
            yield from until_the_end.enter_context(closing(playing))
