"""The command line options for where players run and how long they may think."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tkm_env.arena.referee import Conditions
from tkm_env.isolation.program import ISOLATIONS, Limits

Command = TypeVar("Command", bound=Callable[..., Any])

_LEVELS = [name for name in ISOLATIONS if name != "none"]
_OPTIONS = (
    click.option(
        "--isolation",
        type=click.Choice(_LEVELS),
        default="process",
        show_default=True,
        help="Where files and commands run: each in a process of its own; in a sandbox, too, on Linux; or by --container.",
    ),
    click.option("--trust", is_flag=True, help="Files run in the referee's process, like our own players; commands never do."),
    click.option("--container", help="The command that runs a program in a container, with {command} where the program's goes."),
    click.option(
        "--readable", multiple=True, type=click.Path(), help="With the sandbox: a file or folder that players may read; repeatable."
    ),
    click.option("--turn-seconds", type=float, help="How long a turn may take.  [default: 10, without a bank]"),
    click.option("--bank-seconds", type=float, help="How long all turns of a player may take together."),
    click.option("--increment-seconds", type=float, default=0.0, help="What each turn adds to that.  [default: 0]"),
    click.option("--start-seconds", type=float, default=20.0, show_default=True, help="How long a player may take to start."),
    click.option("--memory-mib", type=int, default=4096, show_default=True, help="Memory of all processes of a player."),
)


def under_conditions(command: Command) -> Command:
    """Give a command the options for `take_conditions`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_conditions(options: dict[str, Any]) -> Conditions:
    """The conditions in a command's options, which are taken out of them."""
    isolation, container = options.pop("isolation"), options.pop("container")
    if container is not None and isolation == "process":
        isolation = "container"
    limits = Limits(
        isolation=isolation,
        start_seconds=options.pop("start_seconds"),
        memory_mib=options.pop("memory_mib"),
        readable=tuple(options.pop("readable")),
        container=tuple(shlex.split(container or "")),
    )
    turn, bank = options.pop("turn_seconds"), options.pop("bank_seconds")
    default = Conditions().turn_seconds if bank is None else None
    return Conditions(
        limits=limits,
        trust=options.pop("trust"),
        turn_seconds=default if turn is None else turn,
        bank_seconds=bank,
        increment_seconds=options.pop("increment_seconds"),
    )
