"""``tkm match``: many games between two players."""

from typing import Any, Final

import click

from tkm_env.arena.commands.match_options import (
    conditions_options,
    end_match,
    games_options,
    play_match,
    pop_conditions,
    say_what_is_unprotected,
    workers_options,
)
from tkm_env.arena.commands.rating_tables import show_standings
from tkm_env.arena.match import standings
from tkm_env.arena.report.json_report import OUTCOME, match_as_json
from tkm_env.arena.sprt import SPRT
from tkm_env.cli.game_options import PlayersCommand
from tkm_env.cli.options import OUTPUT
from tkm_env.cli.outputs import pop_outputs
from tkm_env.evaluation.score import PairResults

_GAMES: Final = 100
_MOST_GAMES: Final = 10_000


@click.command("match", cls=PlayersCommand)
@click.argument("first")
@click.argument("second")
@click.option(
    "--games",
    type=int,
    show_default=f"{_GAMES}, with --sprt {_MOST_GAMES}",
    help="The number of games, a maximum with --sprt; an odd number is rounded up.",
)
@click.option(
    "--sprt",
    metavar="elo0=0,elo1=20",
    help=(
        "Stop once a sequential test can tell whether the first player's advantage is elo0 (H0) "
        "or elo1 (H1), in normalised Elo. The risks of error may follow: alpha=0.05,beta=0.05."
    ),
)
@click.option(
    "--json",
    "output_json",
    type=OUTPUT,
    help="Write the outcome to this file; - for standard output.",
)
@games_options
@workers_options
@conditions_options
def command(first: str, second: str, games: int | None, sprt: str | None, **options: Any) -> None:
    """Play games between two players, each start from both sides.

    A player is the name of an agent, listed below for each game, FILE.py:NAME or policy:FILE, with
    options after a colon: alphabeta:depth=3, mcts:seconds=0.5; or cmd:COMMAND, a program that
    speaks the protocol of docs/protocol.md. The first fault loses the game: an illegal action, no
    answer in time, a crash. Ctrl-C finishes the games in progress; a second one stops at once.
    """
    test = None if sprt is None else SPRT.from_text(sprt)
    if games is None:
        games = _GAMES if test is None else _MOST_GAMES
    conditions = pop_conditions(options)
    say_what_is_unprotected(conditions.limits)
    outputs, save = pop_outputs(options), options["save"]
    match, played = play_match((first, second), games, conditions, options, test)
    is_decided, console = False, outputs.console
    if played:
        rows = standings(played, match)
        is_decided = test is not None and test.accepted(rows[0].pairs) is not None
        show_standings(console, rows)
        if test is not None:
            console.print(_verdict(test, rows[0].pairs))
        outputs.write_json(lambda: match_as_json(match, rows, test), OUTCOME)
    end_match(match, len(played), save, console, is_decided=is_decided)


def _verdict(sprt: SPRT, pairs: PairResults) -> str:
    """Describe the verdict of a test after these pairs, in a sentence or two."""
    low, high = sprt.bounds
    accepted = sprt.accepted(pairs)
    if accepted is None:
        meaning = (
            f"undecided between an advantage of {sprt.elo0:g} (H0) and of {sprt.elo1:g} "
            "normalised Elo (H1)"
        )
    else:
        likely, unlikely = (sprt.elo0, sprt.elo1) if accepted == "H0" else (sprt.elo1, sprt.elo0)
        meaning = (
            f"{accepted} is accepted, an advantage of {likely:g} rather than {unlikely:g} "
            "normalised Elo"
        )
    return (
        f"SPRT: {meaning}. After {sum(pairs.counts)} pairs the log-likelihood ratio is "
        f"{sprt.llr(pairs):.2f}, with bounds {low:.2f} and {high:.2f}; "
        f"Elo {pairs.elo}, normalised {pairs.normalized_elo}."
    )
