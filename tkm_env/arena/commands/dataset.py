"""``tkm dataset``: recorded games as data for learning."""

from pathlib import Path

import click

from tkm_env.arena.datasets import read_games, write_lines, write_minari
from tkm_env.cli.console import echo
from tkm_env.cli.options import FOLDER, INPUT
from tkm_env.cli.progress import progress_bar
from tkm_env.core.observation_encoder import OBSERVATIONS, PLANES


@click.command("dataset")
@click.argument("files", nargs=-1, required=True, type=INPUT)
@click.option("--save", type=FOLDER, help="Write decisions.jsonl and card.json to this folder.")
@click.option(
    "--minari",
    help="Write a Minari data set of this name, such as tkm/standard/alphabeta-v0.  [extra: data]",
)
@click.option(
    "--observation",
    type=click.Choice(OBSERVATIONS),
    default=PLANES,
    show_default=True,
    help="The observations in the Minari data set.",
)
@click.option("--author", help="The author named in the Minari data set.")
def command(
    files: tuple[Path, ...],
    save: Path | None,
    minari: str | None,
    observation: str,
    author: str | None,
) -> None:
    """Make a data set from the games in FILES, as `tkm match --save` writes them.

    All records must be of one game under the same settings; repeated games are left out. Minari
    keeps its data sets in the folder that MINARI_DATASETS_PATH names.
    """
    if save is None and minari is None:
        raise click.UsageError("say where to write: --save FOLDER, --minari NAME, or both")
    with progress_bar() as progress:
        if save is not None:
            card = write_lines(progress.track(read_games(files), description=str(save)), save)
            echo(f"wrote {card['decisions']:,} decisions of {card['games']:,} games to {save}")
        if minari is not None:
            games = progress.track(read_games(files), description=minari)
            episodes = write_minari(games, minari, observation=observation, author=author)
            echo(f"wrote {episodes:,} episodes as {minari}")
