"""``tkm tournament``: many players, several settings, and a table of ratings."""

import shlex
from pathlib import Path
from typing import Any

import click

from tkm_env.arena.commands.match_options import (
    pop_workers,
    say_what_is_unprotected,
    show_seed,
    workers_options,
)
from tkm_env.arena.commands.rating_tables import describe_faults, print_event, print_ratings
from tkm_env.arena.playing.ledger import with_kept_seed
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.arena.tournament.tournament_file import read_tournament
from tkm_env.cli.console import PlainConsole
from tkm_env.cli.options import INPUT
from tkm_env.cli.progress import exit_stopped, read_with_progress, with_progress
from tkm_env.core.record_files import read_records
from tkm_env.core.record_schema import START


@click.command("tournament")
@click.argument("file", type=INPUT)
@click.option(
    "--save",
    type=click.Path(path_type=Path),
    show_default="FILE.jsonl",
    help="The file for the records of the games.",
)
@click.option(
    "--verify",
    is_flag=True,
    help="Check all games played before by replaying them, which takes longer.",
)
@workers_options
def command(file: Path, save: Path | None, verify: bool, **options: Any) -> None:
    """Play the tournament described in FILE, and rate its players.

    FILE is TOML, see docs/tournaments.md. If the tournament is interrupted, the same command
    resumes it. Ctrl-C finishes the games in progress; a second one stops at once. `tkm report`
    makes a page of the results, even while games are being played.
    """
    tournament = read_tournament(file)
    save = save or file.with_suffix(".jsonl")
    tournament = with_kept_seed(tournament, save)
    say_what_is_unprotected(tournament.conditions.limits)
    workers, answers = pop_workers(
        options, tournament.conditions, save, tournament.games, 2 * tournament.block
    )
    games = tournament.play(save, workers=workers, verify=verify)
    who = f"{len(tournament.players)} players"
    played = sum(1 for _ in with_progress(games, who, tournament.games, tournament.stop, answers))
    if played:
        _show(save, tournament)
    if (tournament.games is not None and played < tournament.games) or tournament.is_stopped:
        total = "" if tournament.games is None else f" of {tournament.games}"
        exit_stopped(f" after {played}{total} games: the same command plays the rest")
    show_seed(PlainConsole(), tournament)


def _show(save: Path, tournament: Tournament) -> None:
    builder = ReportBuilder()
    read_with_progress([save], builder.read)
    planned = tournament.anchor
    anchor = planned if planned and planned[0] in builder.players else None
    report = builder.report(anchor)
    console = PlainConsole()
    event = tournament.event_table([record for _, record in read_records(save)])
    if event is not None:
        print_event(console, event)
    for section in report.sections:
        for part in section.parts:
            title = part.name if len(report.sections) == 1 else f"{section.title}, {part.name}"
            print_ratings(console, title, part.ratings, anchor)
        for gain in section.gains:
            console.print(str(gain), soft_wrap=True)
        why = {lost.player: lost.seen for lost in section.lost if lost.ply == START}
        for conduct in section.whole.players:
            if line := describe_faults(conduct):
                reason = f": {why[conduct.player]}" if conduct.player in why else ""
                console.print(f"{line}{reason}", soft_wrap=True)
    console.print(
        f"The games are in {save}; tkm report {shlex.quote(str(save))} makes a page of them.",
        soft_wrap=True,
    )
