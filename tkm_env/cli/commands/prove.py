"""``tkm prove``: whether a side can force a win within a number of turns."""

from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.console import PlainConsole
from tkm_env.cli.game_options import GameCommand, pop_position, position_options
from tkm_env.cli.options import FILE, INPUT
from tkm_env.cli.progress import progress_bar
from tkm_env.core.proofs import Proof, check_proof
from tkm_env.core.settings import changed_settings
from tkm_env.foundations.files import check_writable, content_of, read_json, write_json
from tkm_env.players.solvers import solver

#: The kind of a file that holds a proof.
PROOF: Final = "tkm_env proof"


def _within(turns: int) -> str:
    return f"within {turns} turn{'' if turns == 1 else 's'}"


@click.command("prove", cls=GameCommand)
@click.option(
    "--turns",
    type=click.IntRange(1, 64),
    default=7,
    show_default=True,
    help="The number of turns, counting both sides.",
)
@click.option(
    "--table-bits",
    type=click.IntRange(1, 28),
    default=22,
    show_default=True,
    help="The search remembers 2 to the power of this many positions.",
)
@click.option("--save", type=FILE, help="Write the proof of a win to this file.")
@click.option(
    "--check", type=INPUT, help="Instead, check the proof in this file by the rules alone."
)
@position_options
def command(
    turns: int, table_bits: int, save: Path | None, check: Path | None, **options: Any
) -> None:
    """Find out whether a side can force a win within a number of turns.

    The game begins at the start, or at POSITION. A win comes with a strategy that answers every
    move of the other side: --save writes it to a file, and --check plays it against every answer.
    That there is no win rests on the search alone. Each two turns more take ten to eighty times as
    long.
    """
    spec, game = pop_position(options)
    prove = solver(spec.name, "prove", "proofs are")
    console = PlainConsole()
    if check is not None:
        content = read_json(
            check, PROOF, ("game", "config", "position", "turns", "winner", "strategy")
        )
        with content_of(check):
            game = spec.game_class(spec.config(content["config"]), position=content["position"])
            proof = Proof(content["turns"], content["winner"], content["strategy"])
            checked = check_proof(game, proof)
        console.print(
            f"{proof.winner} wins {_within(proof.turns)} of {game.position}: "
            f"{checked:,} positions checked",
            soft_wrap=True,
        )
        return
    if save is not None:
        check_writable(save)
    with progress_bar() as progress:
        task = progress.add_task("turns", total=turns)
        proof = prove(
            game,
            turns,
            table_bits=table_bits,
            on_progress=lambda done: progress.update(task, completed=done),
        )
    if proof.winner is None:
        console.print(f"neither side can force a win {_within(turns)}")
        return
    console.print(f"{proof.winner} can force a win {_within(proof.turns)}")
    if save is not None:
        strategy = {where: [*turn] for where, turn in proof.strategy.items()}
        about = {
            "game": spec.name,
            "config": changed_settings(game.config),
            "position": game.position,
        }
        write_json(
            save,
            PROOF,
            {**about, "turns": proof.turns, "winner": proof.winner, "strategy": strategy},
        )
        console.print(f"wrote {save}", soft_wrap=True)
