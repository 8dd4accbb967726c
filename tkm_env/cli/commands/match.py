"""``tkm match``: many games between two players."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click
from rich.table import Table

from tkm_env.arena.json_report import OUTCOME, match_as_json
from tkm_env.arena.kept_seed import with_kept_seed
from tkm_env.arena.match import Match, Standing, standings
from tkm_env.arena.score import PairResults
from tkm_env.arena.sprt import SPRT
from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.ctrl_c import INTERRUPTED, stop_on_ctrl_c
from tkm_env.cli.game_options import PlayersCommand, pop_game
from tkm_env.cli.match_options import (
    conditions_options,
    pop_conditions,
    pop_workers,
    say_what_is_unprotected,
    seed_option,
    show_seed,
    workers_options,
)
from tkm_env.cli.output_files import OUTPUT, console_beside, emit_json
from tkm_env.cli.progress import progress_bar
from tkm_env.cli.tables import describe_faults, print_short_names

_GAMES: Final = 100
_MOST_GAMES: Final = 10_000
#: The columns that a table needs besides the names of two players.
_BESIDE_NAMES: Final = 30


@click.command("match", cls=PlayersCommand)
@click.argument("first")
@click.argument("second")
@click.option(
    "--games",
    type=int,
    show_default=f"{_GAMES}, with --sprt {_MOST_GAMES}",
    help="How many games, with --sprt at most; an odd number is rounded up.",
)
@seed_option
@click.option(
    "--opening-turns",
    type=int,
    show_default="shipped openings first, then 2 and more",
    help="Turns played at random before the players take over; more once there are hardly any other starts.",
)
@click.option("--save", type=click.Path(path_type=Path), help="A file to which each game's record is added.")
@click.option("--resume", is_flag=True, help="Continue with the games in that file.")
@click.option(
    "--sprt",
    metavar="elo0=0,elo1=20",
    help="Stop once a sequential test can tell which is true: an advantage of the first player of elo0 (H0) or of elo1 (H1), in normalised"
    " Elo. The risks of error may follow: alpha=0.05,beta=0.05.",
)
@click.option("--json", "json_file", type=OUTPUT, help="Write the outcome to this file; - for standard output.")
@workers_options
@conditions_options
def command(
    first: str,
    second: str,
    games: int | None,
    seed: int | None,
    opening_turns: int | None,
    save: Path | None,
    resume: bool,
    sprt: str | None,
    json_file: Path | None,
    **options: Any,
) -> None:
    """Play games between two players, each start from both sides.

    A player is an agent's name, listed below for each game, FILE.py:NAME or policy:FILE, with options after a colon: alphabeta:depth=3,
    mcts:seconds=0.5; or cmd:COMMAND, a program that speaks the protocol of docs/protocol.md. The first fault loses a game: an illegal
    action, no answer in time, a crash. Ctrl-C finishes the games that are being played; a second one stops at once.
    """
    test = None if sprt is None else SPRT.from_text(sprt)
    if games is None:
        games = _GAMES if test is None else _MOST_GAMES
    conditions = pop_conditions(options)
    say_what_is_unprotected(conditions.limits)
    workers = pop_workers(options, conditions, games)
    spec, settings = pop_game(options)
    match = Match(first, second, games, spec.config_from_text(settings), seed, opening_turns, spec.name, conditions)
    match = with_kept_seed(match, save, resume=resume)
    played: list[dict[str, Any]] = []
    with progress_bar() as progress:
        task = progress.add_task(f"{first} – {second}", total=match.games)
        with stop_on_ctrl_c(match.stop, progress.console):
            for record in match.play(save, resume=resume, workers=workers, sprt=test):
                played.append(record)
                progress.advance(task)
    is_decided = False
    if played:
        rows = standings(played, match)
        is_decided = test is not None and test.accepted(rows[0].pairs) is not None
        console = console_beside(json_file)
        _show(console, rows)
        for line in filter(None, map(describe_faults, rows)):
            console.print(line, soft_wrap=True)
        if test is not None:
            console.print(_verdict(test, rows[0].pairs))
        if json_file is not None:
            emit_json(json_file, OUTCOME, match_as_json(match, rows, test))
    if len(played) == match.games or is_decided:
        show_seed(console_beside(json_file), match)
    else:
        how = "add --resume to the same command to play the rest" if save is not None else "with --save it could be resumed"
        echo(f"stopped after {len(played)} of {match.games} games: {how}", err=True)
        raise click.exceptions.Exit(INTERRUPTED)


def _show(console: PlainConsole, rows: tuple[Standing, Standing]) -> None:
    """Print a column for each player: wins, draws and losses by side, score and Elo with their intervals, time."""
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


def _verdict(sprt: SPRT, pairs: PairResults) -> str:
    """The verdict of a test after these pairs, in a sentence or two."""
    low, high = sprt.bounds
    meaning = {
        "H0": f"H0 is accepted, an advantage of {sprt.elo0:g} rather than {sprt.elo1:g} normalised Elo",
        "H1": f"H1 is accepted, an advantage of {sprt.elo1:g} rather than {sprt.elo0:g} normalised Elo",
        None: f"undecided between an advantage of {sprt.elo0:g} (H0) and of {sprt.elo1:g} normalised Elo (H1)",
    }[sprt.accepted(pairs)]
    return (
        f"SPRT: {meaning}. After {sum(pairs.counts)} pairs the log-likelihood ratio is {sprt.llr(pairs):.2f}, with bounds {low:.2f} and"
        f" {high:.2f}; Elo {pairs.elo}, normalised {pairs.normalized_elo}."
    )
