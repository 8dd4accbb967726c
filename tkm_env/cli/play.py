"""``tkm play``: a person against an agent or another person. Imports `play`, `settings`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console

from tkm_env.cli.settings import config_of, game_settings
from tkm_env.engine.state import PLAYERS
from tkm_env.play.session import PERSON, Session
from tkm_env.play.terminal import play_in_terminal
from tkm_env.records import write_record


@click.command("play")
@click.option("--opponent", default="random", show_default=True, help=f"An agent's line, or {PERSON}: two people at one screen.")
@click.option("--side", type=click.Choice([*PLAYERS, "random"]), default="white", show_default=True, help="Whom you play.")
@click.option("--position", help="A position to begin in.")
@click.option("--seed", type=click.IntRange(0), help="For what is left to chance; the system's, if it is not given.")
@click.option(
    "--save", type=click.Path(dir_okay=False, path_type=Path), help="A file to which the game's record is added at the end."
)
@game_settings
def command(opponent: str, side: str, position: str | None, seed: int | None, save: Path | None, **settings: Any) -> None:
    """Play in the terminal."""
    seed = int(np.random.SeedSequence().generate_state(1)[0]) if seed is None else seed
    if side == "random":
        side = PLAYERS[np.random.default_rng(seed).integers(2)]
    players = {player: PERSON if player == side else opponent for player in PLAYERS}
    session = Session(config_of(settings), **players, seed=seed, position=position)
    play_in_terminal(session, Console())
    if session.game.result is None:
        click.echo(f"left at: {session.game.position}")
    if save is not None:
        write_record(save, session.to_record())
