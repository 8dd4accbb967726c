"""``tkm arena``: tools for writing bots."""

from __future__ import annotations

from typing import Any

import click

from tkm_env.arena.protocol_check import check
from tkm_env.cli.console import echo
from tkm_env.cli.game_options import PlayersCommand
from tkm_env.cli.match_options import conditions_options, pop_conditions, say_what_is_unprotected
from tkm_env.game.registry import game_spec

_LINES_SHOWN = 8
_LONGEST_LINE = 300


@click.group("arena")
def command() -> None:
    """Tools for writing bots."""


@command.command("check", cls=PlayersCommand, with_settings=False)
@click.argument("player")
@conditions_options
def check_command(player: str, **options: Any) -> None:
    """Check a bot against the protocol, step by step, and show its own output at the first step that fails.

    PLAYER is cmd:COMMAND, FILE.py:NAME, policy:FILE or an agent's name, listed below for each game.
    """
    conditions = pop_conditions(options)
    say_what_is_unprotected(conditions.limits)
    count = 0
    for count, (step, shown, error, harness) in enumerate(check(player, options["game"], conditions), 1):
        if error is None:
            echo(f"{count:3}  ok    {step}{f': {shown}' if isinstance(shown, str) else ''}")
            continue
        echo(f"{count:3}  FAIL  {step}: {error.reason} ({error.kind})")
        click.echo("\nThe last lines, > to the bot and < from it:")
        for line in harness.lines[-_LINES_SHOWN:]:
            echo(f"  {line[:_LONGEST_LINE]}{' ...' if len(line) > _LONGEST_LINE else ''}")
        if output := harness.error_output.strip():
            click.echo("\nIts standard error:")
            for line in output.splitlines()[-_LINES_SHOWN:]:
                echo(f"  {line[:_LONGEST_LINE].expandtabs(4)}")
        raise click.exceptions.Exit(1)
    click.echo(f"\nall {count} steps passed: it can play {game_spec(options['game']).title}")
