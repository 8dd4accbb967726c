"""A match as commands play it: with progress, stopped by Ctrl-C, shown as a table, and with a word on how it goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.table import Table

from tkm_env.arena.ledger import with_kept_seed
from tkm_env.arena.match import Match, Standing
from tkm_env.arena.referee import Conditions
from tkm_env.arena.sprt import SPRT
from tkm_env.cli.console import PlainConsole
from tkm_env.cli.game_options import pop_game
from tkm_env.cli.match_options import pop_workers, show_seed
from tkm_env.cli.progress import exit_stopped, with_progress
from tkm_env.cli.tables import describe_faults, print_short_names

#: The columns that a table needs besides the names of two players.
_BESIDE_NAMES: Final = 30


def play_match(
    two: tuple[str, str], games: int, conditions: Conditions, options: dict[str, Any], sprt: SPRT | None = None
) -> tuple[Match, list[dict[str, Any]]]:
    """Play the match of two players that a command's options describe, up to its end or Ctrl-C; the records of its games, in order."""
    seed, turns, save, resume = (options.pop(name) for name in ("seed", "opening_turns", "save", "resume"))
    workers, answers = pop_workers(options, conditions, save, games)
    spec, settings = pop_game(options)
    match = Match(*two, games, spec.config_from_text(settings), seed, turns, spec.name, conditions)
    match = with_kept_seed(match, save, resume=resume)
    played = match.play(save, resume=resume, workers=workers, sprt=sprt)
    return match, [*with_progress(played, " – ".join(two), match.games, match.stop, answers)]


def end_match(match: Match, played: int, save: Path | None, console: Console, *, is_decided: bool = False) -> None:
    """Say which seed plays these games again or, if the match was stopped, how it goes on, and end the command."""
    if played == match.games or is_decided:
        show_seed(console, match)
        return
    how = "add --resume to the same command to play the rest" if save is not None else "with --save it could be resumed"
    exit_stopped(f" after {played} of {match.games} games: {how}")


def show_standings(console: PlainConsole, rows: tuple[Standing, Standing]) -> None:
    """Print a column for each player: wins, draws and losses by side, score and Elo with their intervals, time; then faults."""
    lines = [row.player for row in rows]
    if lines[0] == lines[1]:
        lines = [f"{line} ({which})" for line, which in zip(lines, ("first", "second"), strict=True)]
    names = print_short_names(console, lines, max(24, (console.width - _BESIDE_NAMES) // 2)).values()
    first = rows[0]
    title = f"{first.games} games, {first.turns:.1f} turns each on average"
    if unfinished := sum(first.pairs.single):
        title += f"; {unfinished} of them without their pair"
    table = Table("", title=title, title_justify="left")
    for name in names:
        table.add_column(name, justify="right")
    counts = [{**row.by_side, "all": tuple(map(sum, zip(*row.by_side.values(), strict=True)))} for row in rows]
    for side in counts[0]:
        table.add_row(side if side == "all" else f"as {side}", *("+{} ={} −{}".format(*each[side]) for each in counts))
    table.add_row("score (95% interval)", *(str(row.score) for row in rows))
    table.add_row("Elo (95% interval)", *(str(row.pairs.elo) for row in rows))
    table.add_row("ms a decision", *(f"{1000 * row.seconds:.3f}" for row in rows))
    console.print(table)
    if first.repeated:
        console.print(
            f"Games that repeat earlier ones, which is no new evidence, are not counted: {first.repeated}.", soft_wrap=True
        )
    for line in filter(None, map(describe_faults, rows)):
        console.print(line, soft_wrap=True)
