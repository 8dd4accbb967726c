"""``tkm analyse``: the best lines from a position."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Final

import click
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tkm_env.cli.console import PlainConsole
from tkm_env.cli.game_options import GameCommand, pop_position, position_options
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.factory import make_agent, options_of
from tkm_env.players.solvers import solver

ANALYST: Final = "alphabeta"


@click.command("analyse", cls=GameCommand)
@click.option(
    "--agent",
    default="alphabeta:seconds=5",
    show_default=True,
    help="The analyst: alphabeta with depth or seconds.",
)
@click.option(
    "--lines",
    type=click.IntRange(1, 100),
    default=3,
    show_default=True,
    help="How many lines to show, each with a different first turn.",
)
@position_options
def command(agent: str, lines: int, **options: Any) -> None:
    """Show the best lines from the start, or from POSITION, turn by turn.

    Forced wins and losses are counted in turns; they are proven, not estimated.
    """
    spec, game = pop_position(options)
    analyse, limits = analysis_of("agent", agent, spec)
    console = PlainConsole()
    console.print(Text(str(game)))
    thinking = _Thinking(agent)
    with Live(thinking, console=console, transient=True) if console.is_terminal else nullcontext():
        found = analyse(game.state, lines=lines, on_depth=thinking.show, **limits)
    console.print(_table(found) if found else f"the game is over: {game.result}")


def analysis_of(keyword: str, agent: str, spec: GameSpec) -> tuple[Any, dict[str, Any]]:
    """Return a game's analysis, and the limits under which it runs.

    Args:
        keyword: the option that names the agent, for messages.
        agent: the analyst with its limits, such as ``alphabeta:depth=4``.
        spec: the game's row in the registry.

    Returns:
        The function that analyses a state, and the limits as its keyword arguments.

    Raises:
        ConfigError: if the game has no analysis, or the agent cannot analyse.
    """
    analyse = solver(spec.name, "analyse", "analysis is")
    name, limits = options_of(agent)
    if name != ANALYST or not set(limits) <= {"depth", "seconds"}:
        raise ConfigError(
            keyword, agent, f"it must be {ANALYST}, with the options depth and seconds"
        )
    make_agent(agent, keyword, spec.name)  # refuses limits that the search does not take
    return analyse, limits


def _table(lines: Sequence[Any]) -> Table:
    table = Table("score", "line", show_lines=True)
    for line in lines:
        table.add_row(
            Text(line.worth.replace(", ", "\n")),
            Text("\n".join(", ".join(turn) for turn in line.turns)),
        )
    return table


class _Thinking:
    """What a terminal shows during an analysis: how long it has taken, and the lines so far."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._began = time.monotonic()
        self._lines: Sequence[Any] = ()

    def show(self, lines: Sequence[Any]) -> None:
        self._lines = lines

    def __rich__(self) -> Group:
        waited = f"{self._agent} has been thinking for {time.monotonic() - self._began:.0f} s"
        return Group(_table(self._lines), waited) if self._lines else Group(waited)
