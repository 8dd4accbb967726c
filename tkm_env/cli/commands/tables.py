"""``tkm tables``: make and prove tables of endgames."""

import itertools
from typing import Any

import click

from tkm_env.cli.console import echo
from tkm_env.cli.game_options import GameCommand, pop_game
from tkm_env.cli.progress import progress_bar
from tkm_env.players.solvers import solver


@click.command("tables", cls=GameCommand, with_settings=False)
@click.option(
    "--copies",
    default=3,
    show_default=True,
    help="The most copies per side, on the boards and in supply: 2 or 3.",
)
@click.option(
    "--folder",
    envvar="TKM_TABLES",
    show_envvar=True,
    default=".",
    show_default=True,
    help="The folder of the table.",
)
@click.option("--verify", is_flag=True, help="Afterwards, prove every entry from its neighbours.")
def command(copies: int, folder: str, verify: bool, **options: Any) -> None:
    """Make a table of all endgames of the standard game with few copies, on all cores.

    The table for 2 copies per side takes seconds, and comes with the package; the one for 3 takes
    about an hour and 350 MB, with 3 GB more until it is complete. If the work is interrupted, the
    same command resumes it. Every search uses the table for 3 if TKM_TABLES names its folder.
    """
    spec, _ = pop_game(options)
    table = solver(spec.name, "tables", "tables are")(folder, copies)
    with progress_bar() as progress:
        task = progress.add_task("", total=table.numbering.boards)
        for doing, done in itertools.chain(table.solve(), table.prove() if verify else ()):
            progress.update(task, description=doing, completed=done)
    echo(f"{table.path} is complete{', and every entry is proven' if verify else ''}")
