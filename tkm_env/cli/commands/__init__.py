"""The command `tkm`: where its subcommands come from, and how errors and Ctrl-C end them.

Each is imported when it is used.

A subcommand is an entry point of the group ``tkm_env.commands``, a `click.Command`, in this package
as in any other. Those of the environment and of players are the modules beside this one; a product
has its own.
"""

import warnings
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

import click

from tkm_env import __version__
from tkm_env.cli.console import echo
from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.foundations.errors import ConfigError, TKMError
from tkm_env.foundations.untrusted_text import visible


class _Refusal(click.ClickException):
    """An error of the package or of the system, shown as one line."""

    exit_code = 2


#: The group of entry points in which packages list their subcommands.
ENTRY_POINTS: Final = "tkm_env.commands"
_OURS: Final = f"{__name__.partition('.')[0]}."


@cache
def installed_commands() -> dict[str, EntryPoint]:
    """The subcommands of all installed packages, by name.

    Of two with one name, it is this package's own.
    """
    found = sorted(entry_points(group=ENTRY_POINTS), key=lambda each: each.value.startswith(_OURS))
    return {each.name: each for each in found}


class _Commands(click.Group):
    """The subcommands that are installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(installed_commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        found = installed_commands().get(cmd_name)
        if found is None:
            return None
        try:
            command = found.load()
        except ModuleNotFoundError as error:
            if f"{found.module}.".startswith(
                f"{error.name}."
            ):  # what it belonged to has been taken away
                return None
            raise
        if not isinstance(command, click.Command):
            raise ConfigError("command", cmd_name, f"{found.value} is no click.Command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: echo(
                f"Warning: {message}", err=True
            )  # as one line, like errors
            try:
                return super().invoke(ctx)
            except click.ClickException as error:
                error.message = visible(error.message, keep="\n")  # type: ignore[misc]
                raise
            except (TKMError, OSError) as error:
                if isinstance(error, BrokenPipeError):
                    raise  # the reader has gone, which click takes for the end
                raise _Refusal(visible(str(error))) from error
            except KeyboardInterrupt:
                ctx.exit(INTERRUPTED)


@click.command(
    cls=_Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, message="tkm_env %(version)s")
@click.pass_context
def tkm(context: click.Context) -> None:
    """That Time You Killed Me, from the command line."""
    if context.invoked_subcommand is None:
        echo(context.get_help())
