"""``tkm tournament``: many players, several settings, and a table of ratings; it can be stopped and resumed."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, Final

import click
from click.core import ParameterSource

from tkm_env.agents.paid_answers import Budget
from tkm_env.arena.ledger import with_kept_seed
from tkm_env.arena.report import ReportBuilder
from tkm_env.arena.tournament_file import read_tournament, tournament_of
from tkm_env.arena.tournament_plan import KINDS
from tkm_env.cli.console import PlainConsole, echo
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
from tkm_env.cli.options import INPUT, anchor_option, options_for
from tkm_env.cli.progress import exit_stopped, read_with_progress, with_progress
from tkm_env.cli.tables import describe_faults, print_ratings
from tkm_env.game.record_schema import START
from tkm_env.game.records import read_records

#: The options of a run, which go with a FILE; the others describe a tournament without one.
_OF_THE_RUN: Final = ("file", "save", "processes", "engine", "address", "anchor", "verify", *Budget._fields)
#: Options that are keys of a tournament's file.
_OF_THE_TOURNAMENT: Final = ("submissions", "kind", "challengers", "pairs", "rounds", "within", "seed")


@click.command("tournament", cls=PlayersCommand)
@click.argument("file", required=False, type=INPUT)
@options_for(
    "tournament",
    submissions={"type": click.Path(exists=True, file_okay=False)},
    kind={"type": click.Choice(KINDS), "default": KINDS[0]},
)
@seed_option
@workers_options
@anchor_option
@conditions_options
def command(
    file: Path | None,
    players: tuple[str, ...],
    save: Path | None,
    anchor: tuple[str, float] | None,
    verify: bool,
    **options: Any,
) -> None:
    """Play a tournament, described in a TOML FILE (docs/tournaments.md) or by options, and rate its players.

    The same command resumes a tournament that was stopped, however it was stopped. Ctrl-C finishes the games that are being played; a
    second one stops at once. `tkm report` makes a page of the results, even while games are being played.
    """
    if file is not None:
        context = click.get_current_context()
        for parameter in context.command.get_params(context):
            is_given = context.get_parameter_source(parameter.name or "") == ParameterSource.COMMANDLINE
            if is_given and parameter.name not in _OF_THE_RUN:
                raise click.UsageError(f"{parameter.opts[0]} is for a tournament without a FILE; write it into {file}")
        tournament = read_tournament(file)
    else:
        content = {key: value for key in _OF_THE_TOURNAMENT if (value := options.pop(key)) is not None}
        content["players"] = [_player(text) for text in players]
        spec, settings = pop_game(options)
        content["settings"] = [{"game": spec.name} | {key: value for key, value in settings.items() if value is not None}]
        tournament = tournament_of(content, conditions=pop_conditions(options, strangers="submissions" in content))
    if save is None:
        save = Path("tournament.jsonl") if file is None else file.with_suffix(".jsonl")
    tournament = with_kept_seed(tournament, save)
    say_what_is_unprotected(tournament.conditions.limits)
    workers, answers = pop_workers(options, tournament.conditions, save, tournament.games, 2 * tournament.block)
    games = tournament.play(save, workers=workers, verify=verify)
    who = f"{len(tournament.players)} players"
    played = sum(1 for _ in with_progress(games, who, tournament.games, tournament.stop, answers))
    if played:
        _show(save, anchor, tournament.anchor)
    if (tournament.games is not None and played < tournament.games) or tournament.is_stopped:
        total = "" if tournament.games is None else f" of {tournament.games}"
        exit_stopped(f" after {played}{total} games: the same command plays the rest")
    if (winner := tournament.winner([record for _, record in read_records(save)])) is not None:
        echo(f"{winner} wins the knockout")
    show_seed(PlainConsole(), tournament)


def _show(save: Path, anchor: tuple[str, float] | None, planned: tuple[str, float] | None) -> None:
    builder = ReportBuilder()
    read_with_progress([save], builder.read)
    anchor = anchor or (planned if planned and planned[0] in builder.players else None)
    report = builder.report(anchor)
    console = PlainConsole()
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
    console.print(f"The games are in {save}; tkm report {shlex.quote(str(save))} makes a page of them.", soft_wrap=True)


def _player(text: str) -> dict[str, str]:
    """A player, with its name if an equals sign comes before any colon."""
    name, given, line = text.partition("=")
    return {"name": name, "player": line} if given and ":" not in name else {"player": text}
