"""The command `tkm`: where its subcommands come from, and how errors and Ctrl-C end them.

Each is imported when it is used.

A subcommand is an entry point of the group ``tkm_env.commands``, a `click.Command`, in this package
as in any other. To add one, write a module in `tkm_env.cli.commands`, or in a product's own
``commands``, and a row in ``pyproject.toml``.
"""

import warnings
from typing import Any, Final, cast

import click

from tkm_env import __version__
from tkm_env.cli.console import echo
from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.foundations.errors import TKMError
from tkm_env.foundations.plugins import installed, load
from tkm_env.foundations.untrusted_text import visible


class _Refusal(click.ClickException):
    """An error of the package or of the system, shown as one line."""

    exit_code = 2


#: The group of entry points in which packages list their subcommands.
ENTRY_POINTS: Final = "tkm_env.commands"


class _Commands(click.Group):
    """The subcommands that are installed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(installed(ENTRY_POINTS))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        entry_point = installed(ENTRY_POINTS).get(cmd_name)
        found = None if entry_point is None else load(entry_point, click.Command)
        return cast("click.Command | None", found)

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
