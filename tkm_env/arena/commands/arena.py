"""``tkm arena``: tools for writing bots."""

from pathlib import Path
from typing import Any

import click

from tkm_env.arena.commands.match_options import (
    conditions_options,
    pop_conditions,
    say_what_is_unprotected,
)
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.protocol_check import check
from tkm_env.arena.tournament.submissions import entrants_at
from tkm_env.arena.tournament.tournament_file import read_tournament
from tkm_env.cli.console import echo
from tkm_env.cli.game_options import PlayersCommand
from tkm_env.core.registry import game_spec
from tkm_env.players.roster import ROSTERS

_LINES_SHOWN = 8
_LONGEST_LINE = 300


@click.group("arena")
def command() -> None:
    """Tools for writing bots."""


@command.command("check", cls=PlayersCommand, with_settings=False)
@click.argument("players", nargs=-1, required=True, metavar="PLAYER...")
@conditions_options
def check_command(players: tuple[str, ...], **options: Any) -> None:
    """Check bots against the protocol, step by step, up to the first step that fails.

    A PLAYER is cmd:COMMAND, FILE.py:NAME, policy:FILE or the name of an agent, listed below for
    each game. It may also be the file or folder of a bot, a folder of submissions, or the TOML file
    of a tournament, which sets the games and the conditions. For several bots, only steps that fail
    are shown, with the end of the bot's output.
    """
    examinees = [each for text in players for each in _examinees(text, options)]
    for limits in {
        conditions.limits.isolation: conditions.limits for _, conditions in examinees
    }.values():
        say_what_is_unprotected(limits)
    passed = sum(
        _passes(entrant, conditions, verbose=len(examinees) == 1)
        for entrant, conditions in examinees
    )
    if len(examinees) > 1:
        echo(f"{passed} of {len(examinees)} can play")
    if passed < len(examinees) or not examinees:
        raise click.exceptions.Exit(1)


def _examinees(text: str, options: dict[str, Any]) -> list[tuple[Entrant, Conditions]]:
    """Return the players that an argument stands for, once per game, and their conditions."""
    games = [options["game"]]
    if text.endswith(".toml"):
        tournament = read_tournament(text)
        games = [*dict.fromkeys(settings.spec.name for settings in tournament.settings)]
        entrants, conditions = tournament.players, tournament.conditions
    else:
        is_file = Path(text).exists() and text not in ROSTERS.of(games[0]).agents
        entrants = entrants_at(text) if is_file else (Entrant(text, text),)
        conditions = pop_conditions({**options}, strangers=is_file)
    return [
        (entrant._replace(game=game), conditions.reading(entrant.readable))
        for entrant in entrants
        for game in games
        if entrant.game in (None, game)
    ]


def _passes(entrant: Entrant, conditions: Conditions, *, verbose: bool) -> bool:
    """Check a bot, and show each step if ``verbose``; return whether it passes all steps."""
    name, line, game, *_ = entrant
    title = game_spec(game or "").title
    count = 0
    for count, (step, shown, error, harness) in enumerate(check(line, game, conditions), 1):
        if error is None:
            if verbose:
                echo(f"{count:3}  ok    {step}{f': {shown}' if isinstance(shown, str) else ''}")
            continue
        if not verbose:
            echo(f"{name} cannot play {title}:")
        echo(f"{count:3}  FAIL  {step}: {error.reason} ({error.kind})")
        click.echo("\nThe last lines (> to the bot, < from it):")
        for line in harness.lines[-_LINES_SHOWN:]:
            echo(f"  {line[:_LONGEST_LINE]}{' ...' if len(line) > _LONGEST_LINE else ''}")
        if output := harness.error_output.strip():
            click.echo("\nIts standard error:")
            for line in output.splitlines()[-_LINES_SHOWN:]:
                echo(f"  {line[:_LONGEST_LINE].expandtabs(4)}")
        click.echo()
        return False
    if verbose:
        click.echo(f"\nall {count} steps passed: it can play {title}")
    else:
        echo(f"{name}: all {count} steps passed: it can play {title}")
    return True
