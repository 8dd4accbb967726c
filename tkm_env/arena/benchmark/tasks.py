"""The tasks of the benchmark, fixed for each version, and their opponents' ratings."""

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.core.registry import GameSpec, game_spec
from tkm_env.evaluation.starts import openings_for
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.files import read_json

#: The version of the benchmark; any change of its games needs a new one.
VERSION: Final = "v1"
#: The seed of all starts without an opening, and of all random numbers of players.
SEED: Final = 1
#: The number of starts played against each opponent, from both sides.
STARTS: Final = 100
#: The number of random turns, besides a draft, that begin a game without an opening.
OPENING_TURNS: Final = 2
#: The kind of the file with the opponents' ratings, which `benchmarks/panel.py` writes.
PANEL: Final = "tkm_env benchmark panel"
PANEL_FILE: Final = Path(__file__).with_name("panel.json")

# The strength of these opponents does not depend on the machine, and they take at most a few
# milliseconds per action. Later improvements of the agents are switched off, so that the panel
# stays the same.
_PANEL: Final = {
    "random": "random",
    "greedy": "greedy:history=False",
    "mcts:iterations=50": "mcts:iterations=50,history=False,endgames=False",
    "alphabeta:depth=3": "alphabeta:depth=3,net=None,endgames=False",
}
_TERMINUS_PANEL: Final = {
    line: line for line in ("random", "ismcts:iterations=50", "greedy", "ismcts:iterations=400")
}
_ALL_CHAPTERS: Final = "growth+influence+memory"


class Task(NamedTuple):
    """A game, its settings and the opponents."""

    name: str
    settings: Mapping[str, Any]
    #: The opponents by name, as `tkm_env.players.factory.make_agent` reads them.
    panel: Mapping[str, str] = _PANEL
    game: str = "tkm"

    @property
    def spec(self) -> GameSpec:
        return game_spec(self.game)

    @property
    def config(self) -> Any:
        return self.spec.config_from_text(self.settings)

    @property
    def starts(self) -> Sequence[str | int]:
        """How the games begin: the shipped openings, or numbers of random turns.

        They are as in `tkm_env.arena.playing.schedule.ScheduledGame.opening`.
        """
        return openings_for(self.spec, self.config, None)[:STARTS] or (OPENING_TURNS,) * STARTS

    @property
    def games(self) -> int:
        return 2 * STARTS * len(self.panel)

    @property
    def ratings(self) -> Mapping[str, float]:
        """The opponents' ratings in Elo, on a scale of this task on which ``greedy`` has 1000."""
        return _ratings()[self.name]


#: All tasks, in the order of tables.
TASKS: Final = {
    task.name: task
    for task in (
        *(
            Task(chapter, {"chapters": chapter})
            for chapter in ("standard", "growth", "influence", "memory")
        ),
        Task("powers", {"chapters": _ALL_CHAPTERS, "timeline": "draft_powers"}),
        Task("terminus", {}, _TERMINUS_PANEL, "terminus"),
    )
}


def tasks_of(names: Sequence[str]) -> tuple[Task, ...]:
    """Return the tasks with these names, in the order of tables.

    Raises:
        ConfigError: if there is no such task, or no name is given.
    """
    for name in names or ("",):
        if name not in TASKS:
            raise ConfigError("tasks", name, f"the tasks are {', '.join(TASKS)}")
    return tuple(task for name, task in TASKS.items() if name in names)


@cache
def _ratings() -> Mapping[str, Mapping[str, float]]:
    ratings: Mapping[str, Mapping[str, float]] = read_json(
        PANEL_FILE, PANEL, ("benchmark", "package", "made", "ratings")
    )["ratings"]
    return ratings
