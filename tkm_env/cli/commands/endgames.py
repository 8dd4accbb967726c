"""``tkm endgames``: write solved endgames to a file, for learners and for tests of them."""

from pathlib import Path
from typing import Any

import click
import numpy as np

from tkm_env.cli.console import echo
from tkm_env.cli.game_options import GameCommand, pop_game
from tkm_env.cli.options import FILE
from tkm_env.cli.progress import progress_bar
from tkm_env.foundations.files import check_writable
from tkm_env.players.solved_positions import SPLITS, write_solved_positions
from tkm_env.players.solvers import solver


@click.command("endgames", cls=GameCommand, with_settings=False)
@click.argument("file", type=FILE)
@click.option(
    "--copies",
    default=2,
    show_default=True,
    help="The most copies per side: 2, or 3 if TKM_TABLES names the folder of that table.",
)
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    default=SPLITS[0],
    show_default=True,
    help="Which boards: no board is in both splits, nor an image of one.",
)
@click.option(
    "--positions",
    type=click.IntRange(1, 10**6),
    default=100_000,
    show_default=True,
    help="How many, if there are that many.",
)
@click.option("--seed", default=0, show_default=True, help="Draws the positions.")
def command(file: Path, copies: int, split: str, positions: int, seed: int, **options: Any) -> None:
    """Write solved endgames of the standard game to FILE, with the outcome of every turn.

    FILE is compressed JSON lines; its name should end in .jsonl.gz. Each line has a position, its
    outcome, and the outcome of each turn, in the order of the positions to which the turns lead. An
    outcome is the number of turns, counting both sides, in which best play decides the game: odd if
    the side to act wins, even if it loses, 0 if neither can win.
    """
    spec, _ = pop_game(options)
    check_writable(file)
    drawn = solver(spec.name, "endgames", "solved endgames are")(copies, split, positions, seed)
    with progress_bar() as progress:
        found = [*progress.track(drawn, total=positions, description="drawing positions")]
    about = {"game": spec.name, "copies": copies, "split": split, "seed": seed}
    order = np.random.default_rng(seed).permutation(len(found))
    write_solved_positions(file, [found[index] for index in order], about)
    echo(f"{file} has {len(found):,} positions of the {split} split")
