"""The endgame tasks: an agent plays a turn in solved positions, and some wins to the end."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.arena.benchmark.endgame_report import EndgameResult, PlayedTurn
from tkm_env.arena.benchmark.run import FixedGames, FixedSchedule
from tkm_env.arena.benchmark.tasks import SEED
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions, Player
from tkm_env.arena.playing.schedule import Entrant, ScheduledGame, pair_of_games
from tkm_env.core.record_files import from_record
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.starts import Settings
from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.seeds import derived
from tkm_env.players.solved_positions import SolvedPosition, read_solved_positions

#: The word for all endgame tasks in commands.
ENDGAMES: Final = "endgames"
#: The number of positions, of those that are won, that are played to the end.
PLAYED_OUT: Final = 500
#: The number of turns, of both sides, after which a game that is played out stops: more than twice
#: the longest win.
_MOST_TURNS: Final = 60
#: Plays the longest defence, which it reads from the table of solved endgames.
DEFENDER: Final = "alphabeta:depth=1,net=None"
#: Stands for the other side in games of one turn, and is never asked.
_NOBODY: Final = Entrant("nobody", "random")


class EndgameTask(NamedTuple):
    """Solved positions of a game, in a file beside this one.

    ``tkm endgames --split test`` made it.
    """

    name: str
    copies: int  # the most copies of a side
    is_played_out: bool = False  # whether the defender has the table that this needs
    game: str = "tkm"

    @property
    def positions(self) -> list[SolvedPosition]:
        """The positions, in random order."""
        return _positions(self.name)

    @property
    def settings(self) -> Settings:
        """The settings of its games: the defaults."""
        return Settings(self.game, game_spec(self.game).config({}))


#: The endgame tasks, in the order of tables.
ENDGAME_TASKS: Final = {
    task.name: task
    for task in (EndgameTask("endgames-2", 2, is_played_out=True), EndgameTask("endgames-3", 3))
}


@cache
def _positions(name: str) -> list[SolvedPosition]:
    return read_solved_positions(Path(__file__).with_name(f"{name}.jsonl.gz"))[1]


@dataclasses.dataclass(frozen=True)
class EndgameBenchmark(FixedGames):
    """All endgame tasks of one agent.

    Raises:
        ConfigError: if the agent cannot play them.
    """

    agent: str  # a player, as `tkm_env.players.factory.make_agent` reads it
    #: The number of positions of each task, from the first on; None for all of them.
    most_positions: int | None = None
    conditions: Conditions = DEFAULT_CONDITIONS  # where it runs, and how long it may think

    def __post_init__(self) -> None:
        if self.most_positions is not None:
            checked_integer("positions", self.most_positions, 1, 10**6)
        for task in ENDGAME_TASKS.values():
            Player(
                self.agent,
                task.game,
                self.conditions,
                f"agent, task {task.name}",
                task.settings.config,
            )

    def schedule(self) -> EndgameSchedule:
        """Return the games of the tasks."""
        return EndgameSchedule(self.agent, self.most_positions, self.conditions)

    @property
    def games(self) -> int:
        """The number of games; most stop after one turn."""
        return self.schedule().games

    def _start(self) -> tuple[str, Any]:
        task = next(iter(ENDGAME_TASKS.values()))
        return task.game, task.settings.config


class _Planned(NamedTuple):
    """A game of the schedule."""

    fixture: ScheduledGame
    task: EndgameTask
    solved: SolvedPosition


class EndgameSchedule(FixedSchedule):
    """The games of one agent: one turn in each position of each task, then wins played out.

    Args:
        agent: the agent, as `tkm_env.players.factory.make_agent` reads it.
        most_positions: the number of positions of each task; None for all.
        conditions: the conditions under which the agent plays.
    """

    title = "benchmark of endgames"
    drawn_seed = None
    games: int

    def __init__(self, agent: str, most_positions: int | None, conditions: Conditions) -> None:
        self.conditions = conditions
        self._agent = Entrant(agent, agent)
        self._most = most_positions
        self.games = len(self._planned)

    def fixtures(self) -> Iterator[ScheduledGame]:
        return (planned.fixture for planned in self._planned.values())

    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """Find the game of this agent to which a record may belong."""
        found = self._planned.get(record.get("seed", -1))
        return None if found is None else found.fixture

    @cached_property
    def _planned(self) -> dict[int, _Planned]:
        """All games by seed, in order."""
        planned = (
            game
            for task in ENDGAME_TASKS.values()
            for games in (self._turns(task), self._played_out(task))
            for game in games
        )
        return {game.fixture.seed: game for game in planned}

    def _turns(self, task: EndgameTask) -> Iterator[_Planned]:
        """The games of one turn."""
        for number, solved in enumerate(task.positions[: self._most]):
            fixture = self._fixture(task, solved, _NOBODY, derived(SEED, task.name, number))
            yield _Planned(dataclasses.replace(fixture, turns=1), task, solved)

    def _played_out(self, task: EndgameTask) -> Iterator[_Planned]:
        """The games from positions that are won, unless the first turn may win at once."""
        won = [solved for solved in task.positions if solved.outcome % 2 and solved.outcome > 1]
        # The same share of these positions as of all, if only some are played.
        most = (
            PLAYED_OUT if self._most is None else -(-PLAYED_OUT * self._most // len(task.positions))
        )
        defender = Entrant("defender", DEFENDER)
        for number, solved in enumerate(won[: most * task.is_played_out]):
            secret = derived(SEED, task.name, "played out", number)
            fixture = self._fixture(task, solved, defender, secret)
            yield _Planned(dataclasses.replace(fixture, turns=_MOST_TURNS), task, solved)

    def _fixture(
        self, task: EndgameTask, solved: SolvedPosition, other: Entrant, secret: int
    ) -> ScheduledGame:
        """A game from a position in which the agent is to act."""
        settings = task.settings
        two = pair_of_games(settings, solved.position, secret, (self._agent, other))
        return two[settings.sides.index(two[0].begin().to_act)]

    def results(self, records: Iterable[Mapping[str, Any]]) -> list[EndgameResult]:
        """Compute the agent's result in each task, by the records of all games."""
        turns: dict[str, list[PlayedTurn]] = {name: [] for name in ENDGAME_TASKS}
        won: dict[str, list[tuple[SolvedPosition, int | None]]] = {
            name: [] for name in ENDGAME_TASKS
        }
        for record in records:
            fixture, task, solved = self._planned[record["seed"]]
            if fixture.turns == 1:
                turns[task.name].append(_played_turn(fixture, solved, record))
            else:
                won[task.name].append((solved, _turns_to_win(fixture, record)))
        return [EndgameResult(name, turns[name], won[name]) for name in ENDGAME_TASKS]


def _played_turn(
    fixture: ScheduledGame, solved: SolvedPosition, record: Mapping[str, Any]
) -> PlayedTurn:
    """Return what the agent did in a position; a fault has no outcome."""
    before, after = fixture.begin(), from_record(record)
    expected = record.get("expected", {}).get(before.to_act)
    if "fault" in record:
        return PlayedTurn(solved, None, expected)
    return PlayedTurn(solved, solved.outcome_of(before, after), expected)


def _turns_to_win(fixture: ScheduledGame, record: Mapping[str, Any]) -> int | None:
    """Return the number of turns of both sides in which the agent won; None if it did not."""
    before, after = fixture.begin(), from_record(record)
    outcome = after.outcome
    agent = before.players.index(before.to_act)
    if "fault" in record or outcome is None or outcome.winner != agent:
        return None
    return after.turn - before.turn + 1
