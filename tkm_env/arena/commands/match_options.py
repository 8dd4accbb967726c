"""Playing a match, and the options of commands that play games between programs."""

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console

from tkm_env.arena.match import Match
from tkm_env.arena.playing.ledger import with_kept_seed
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.workers import Workers, local_workers
from tkm_env.arena.sprt import SPRT
from tkm_env.arena.tournament.tournament_file import KEYS, conditions_of
from tkm_env.arena.tournament.tournament_plan import TournamentPlan
from tkm_env.cli.console import echo
from tkm_env.cli.game_options import pop_game
from tkm_env.cli.options import processes_option, with_options
from tkm_env.cli.progress import exit_stopped, with_progress
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.toml_file import parsed_anchor
from tkm_env.isolation.limits import ISOLATIONS, Limits
from tkm_env.isolation.program import unprotected_on_this_system
from tkm_env.text.paid_answers import SUFFIX, Budget, PaidAnswers

#: Up to this many games are played in this process by default, since starting others takes longer.
_FEW_GAMES: Final = 4
_PRICE: Final = click.FloatRange(0)

#: The type of an option that says where files and commands run.
ISOLATION: Final = click.Choice([name for name in ISOLATIONS if name != "none"])

#: Gives a command the options for `pop_conditions`.
conditions_options: Final = with_options(
    click.option(
        "--isolation",
        type=ISOLATION,
        show_default="process; for a folder of submissions, sandbox if there is one",
        help=(
            "Where files and commands run: in separate processes; on Linux also with few rights, "
            "or in a sandbox; or in containers, see --container."
        ),
    ),
    click.option(
        "--trust",
        is_flag=True,
        help="Run files in the referee's process, like the package's players; never commands.",
    ),
    click.option(
        "--container",
        help=(
            "The command that runs a program in a container; {command} stands for the program's "
            "own."
        ),
    ),
    click.option(
        "--readable",
        type=click.Path(),
        multiple=True,
        help="A file or folder that confined players may read; repeatable.",
    ),
    click.option(
        "--turn-seconds", type=float, help="The time for a turn.  [default: 10, without a bank]"
    ),
    click.option("--bank-seconds", type=float, help="The time for all turns of a player together."),
    click.option(
        "--increment-seconds",
        type=float,
        default=0.0,
        help="The time that each turn adds to the bank.  [default: 0]",
    ),
    click.option(
        "--adjudicate",
        metavar="RULE",
        help=(
            "When the scores that both players report end a game early, such as "
            "score=0.95,turns=3,draw=0.02.  [default: never]"
        ),
    ),
    click.option(
        "--start-seconds",
        type=float,
        default=20.0,
        show_default=True,
        help="The time for a player to start.",
    ),
    click.option(
        "--memory-mib",
        type=int,
        default=4096,
        show_default=True,
        help="The memory of all processes of a player together.",
    ),
    click.option(
        "--scratch-mib",
        type=int,
        default=256,
        show_default=True,
        help="The size of a player's temporary folder in the sandbox.",
    ),
)

#: Gives a command the options of a match: ``seed``, ``opening_turns``, ``save`` and ``resume``.
games_options: Final = with_options(
    click.option(
        "--seed",
        type=click.IntRange(0, 2**128 - 1),
        show_default="128 bits from the system",
        help="The same seed gives the same games; players could guess a small number.",
    ),
    click.option(
        "--opening-turns",
        type=int,
        show_default="shipped openings first, then 2 and more",
        help=(
            "The number of random turns before the players take over; more once hardly any new "
            "starts are left."
        ),
    ),
    click.option(
        "--save",
        type=click.Path(path_type=Path),
        help="A file to which the record of each game is appended.",
    ),
    click.option("--resume", is_flag=True, help="Continue from the games in the file of --save."),
)

#: Gives a command the options for `pop_workers`.
workers_options: Final = with_options(
    processes_option("How many games to play at a time on this machine."),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="What plays the games: processes on this machine, or Ray, on one machine or many.",
    ),
    click.option(
        "--address",
        help=(
            "With --engine ray: the address of the cluster, host:port or auto.  [default: a Ray on "
            "this machine]"
        ),
    ),
    click.option(
        "--max-tokens",
        type=click.IntRange(1),
        help="For language models: stop once answers have taken this many tokens.",
    ),
    click.option(
        "--max-cost",
        type=_PRICE,
        help="For language models: stop once answers have cost this much, by --price.",
    ),
    click.option(
        "--price",
        "prices",
        type=(str, _PRICE, _PRICE),
        multiple=True,
        metavar="MODEL IN OUT",
        help="The price of a million tokens that a model reads, and that it writes; repeatable.",
    ),
)

#: Gives a command the option ``--anchor``; its value is None, or what `tkm_env.arena.rating.fit`
#: takes.
anchor_option: Final = click.option(
    "--anchor",
    callback=lambda _, __, text: None if text is None else parsed_anchor(text),
    metavar="NAME=ELO",
    help="A player and its fixed rating; by default the mean is 0.",
)


def show_seed(console: Console, played: Match | TournamentPlan) -> None:
    """Print the seed with which these games can be played again.

    Args:
        console: where to print it.
        played: the match or tournament.
    """
    console.print(f"The seed of these games is {played.seed}.", highlight=False, soft_wrap=True)


def pop_conditions(options: dict[str, Any], *, strangers: bool = False) -> Conditions:
    """Remove the options of `conditions_options` from a command's options.

    Args:
        options: the command's options.
        strangers: whether the players are strangers', as in a folder of submissions.

    Returns:
        The conditions.
    """
    # The names are those in files of tournaments, except that --processes has another meaning here:
    # the number of games to play at a time.
    keys = KEYS["conditions"].keys() - {"processes"}
    table = {key: value for key in keys if (value := options.pop(key, None)) is not None}
    return conditions_of(table, "", strangers=strangers)


def say_what_is_unprotected(limits: Limits) -> None:
    """Write to standard error which protections of confined players this system lacks, if any."""
    if lacking := unprotected_on_this_system(limits.isolation):
        echo(f"{limits.isolation}: this system cannot restrict players in", err=True)
        for name, consequence in lacking.items():
            echo(f"  {name}: {consequence}", err=True)


def pop_workers(
    options: dict[str, Any],
    conditions: Conditions,
    save: Path | None,
    games: int | None = None,
    block: int = 1,
) -> tuple[Callable[[], Workers], PaidAnswers]:
    """Remove the options of `workers_options` from a command's options.

    Args:
        options: the command's options.
        conditions: the conditions under which players play.
        save: the file of the games, beside which answers of language models are kept; None for
            none.
        games: the number of games; None if unknown.
        block: the number of successive games between the same players.

    Returns:
        A function that makes the workers, and the answers of language models so far.

    Raises:
        ConfigError: if options contradict each other, or a number is invalid.
    """
    conditions = dataclasses.replace(
        conditions, budget=Budget(*(options.pop(name) for name in Budget._fields))
    )
    answers = PaidAnswers(
        "" if save is None else os.path.realpath(save) + SUFFIX, conditions.budget
    )
    processes, engine, address = (options.pop(name) for name in ("processes", "engine", "address"))
    if engine == "local":
        if address is not None:
            raise ConfigError("address", address, "it is only for --engine ray")
        usual = 1 if games is not None and games <= _FEW_GAMES else cores()
        return local_workers(conditions, processes or usual, games, block), answers
    if address is not None and processes is not None:
        raise ConfigError("processes", processes, "with --address, the cluster's cores are used")

    def ray_workers() -> Workers:
        from tkm_env.arena.playing.ray_workers import (
            RayWorkers,  # an extra, which is slow to import
        )

        return RayWorkers(conditions, address, processes, block)

    return ray_workers, answers


def play_match(
    two: tuple[str, str],
    games: int,
    conditions: Conditions,
    options: dict[str, Any],
    sprt: SPRT | None = None,
) -> tuple[Match, list[dict[str, Any]]]:
    """Play the match that a command's options describe, up to its end or Ctrl-C.

    Args:
        two: the lines of both players.
        games: the number of games.
        conditions: the conditions under which they play.
        options: the command's options, from which the options of the match are removed.
        sprt: a test that may end the match early; None for none.

    Returns:
        The match, and the records of its games, in order.
    """
    seed, turns, save, resume = (
        options.pop(name) for name in ("seed", "opening_turns", "save", "resume")
    )
    workers, answers = pop_workers(options, conditions, save, games)
    spec, settings = pop_game(options)
    match = Match(*two, games, spec.config_from_text(settings), seed, turns, spec.name, conditions)
    match = with_kept_seed(match, save, resume=resume)
    played = match.play(save, resume=resume, workers=workers, sprt=sprt)
    return match, [*with_progress(played, " – ".join(two), match.games, match.stop, answers)]


def end_match(
    match: Match, played: int, save: Path | None, console: Console, *, is_decided: bool = False
) -> None:
    """End the command after a match: print its seed or, if it was stopped, how to resume it.

    Args:
        match: the match.
        played: the number of its games that have been played.
        save: the file that keeps them; None for none.
        console: where to print it.
        is_decided: whether a test has ended the match early.
    """
    if played == match.games or is_decided:
        show_seed(console, match)
        return
    how = (
        "add --resume to the same command to play the rest"
        if save is not None
        else "with --save it could be resumed"
    )
    exit_stopped(f" after {played} of {match.games} games: {how}")
