"""The subcommands of `tkm`, one module each, and how errors and Ctrl-C end them. A module is imported when its command is used. To add
``tkm NAME``, write a module of that name here, whose ``command`` is a `click.Command`.
"""

import warnings
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import click

from tkm_env import __version__
from tkm_env.cli.console import echo
from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.foundations.errors import TKMError
from tkm_env.foundations.untrusted_text import visible


class _Refusal(click.ClickException):
    """An error of the package or of the system, shown as one line."""

    exit_code = 2


class _Commands(click.Group):
    """The modules of this package."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(module.name for module in iter_modules(__path__))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: echo(f"Warning: {message}", err=True)  # as one line, like errors
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


@click.command(cls=_Commands, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="tkm_env %(version)s")
@click.pass_context
def tkm(context: click.Context) -> None:
    """That Time You Killed Me, from the command line."""
    if context.invoked_subcommand is None:
        echo(context.get_help())
