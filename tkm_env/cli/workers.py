"""The command line options for who plays the games of a schedule: processes on this machine, or a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from tkm_env.arena.referee import Conditions
from tkm_env.arena.workers import Workers, checked_processes, local_workers
from tkm_env.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = (
    click.option("--processes", type=int, show_default="one per core", help="How many games to play at a time on this machine."),
    click.option(
        "--engine",
        type=click.Choice(["local", "ray"]),
        default="local",
        show_default=True,
        help="Who plays the games: processes on this machine, or Ray, on one machine or many.",
    ),
    click.option("--address", help="With --engine ray: the cluster's, as host:port, or auto.  [default: a Ray on this machine]"),
)


def on_engine(command: Command) -> Command:
    """Give a command the options for `take_workers`."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def take_workers(options: dict[str, Any], conditions: Conditions, games: int | None = None) -> Callable[[], Workers]:
    """What makes the workers that a command's options name, which are taken out of them.

    Args:
        options: the command's.
        conditions: how players play.
        games: how many games there are at most; None if that is unknown.

    Raises:
        ConfigError: naming an option that is invalid, or does not go with the others.
    """
    processes, engine, address = (options.pop(name) for name in ("processes", "engine", "address"))
    if processes is not None:
        checked_processes(processes)
    if engine == "local":
        if address is not None:
            raise ConfigError("address", address, "only --engine ray has one")
        return local_workers(conditions, processes or os.cpu_count() or 1, games)
    if address is not None and processes is not None:
        raise ConfigError("processes", processes, "with --address, the cores of the cluster decide")

    def ray_workers() -> Workers:
        from tkm_env.arena.ray_workers import RayWorkers  # an extra, which takes a second to import

        return RayWorkers(conditions, address, processes)

    return ray_workers
