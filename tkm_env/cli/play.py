"""``tkm play``: a person against an agent or another person. Imports `play`, `settings`, `records`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console

from tkm_env.cli.settings import game_settings
from tkm_env.play.killed_me import KILLED_ME
from tkm_env.play.session import PERSON, RANDOM_SIDE, Session
from tkm_env.play.terminal import play_in_terminal
from tkm_env.records import write_record


@click.command("play")
@click.option("--opponent", default="random", show_default=True, help=f"An agent's line, or {PERSON}: two people at one screen.")
@click.option(
    "--side", type=click.Choice([*KILLED_ME.players, RANDOM_SIDE]), default="white", show_default=True, help="Whom you play."
)
@click.option("--position", help="A position to begin in.")
@click.option("--seed", type=click.IntRange(0), help="For what is left to chance; the system's, if it is not given.")
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), help="A file to which the game's record is added at the end."
)
@game_settings
def command(opponent: str, side: str, position: str | None, seed: int | None, save: Path | None, **settings: Any) -> None:
    """Play in the terminal."""
    session = Session(KILLED_ME, settings, opponent=opponent, side=side, seed=seed, position=position)
    play_in_terminal(session, Console())
    if session.game.result is None:
        click.echo(f"left at: {session.game.position}")
    if save is not None:
        write_record(save, session.to_record())
