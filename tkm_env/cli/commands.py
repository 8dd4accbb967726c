"""The table of subcommands, and how errors and interrupts end them. A subcommand's module is imported when it is used.

To add ``tkm NAME``, write a module beside this one whose ``command`` is a `click.Command`, and give it a row in `COMMANDS`.
"""

from __future__ import annotations

import errno
import warnings
from importlib import import_module
from typing import Any, Final

import click
import rich  # noqa: F401 needed by the subcommands: imported here to report it if missing

from tkm_env import __version__
from tkm_env.cli import INTERRUPTED
from tkm_env.errors import TKMError

#: The subcommands, each with the module that holds it.
COMMANDS: Final = {
    "analyse": "tkm_env.cli.analyse",
    "arena": "tkm_env.cli.arena",
    "bot": "tkm_env.cli.bot",
    "course": "tkm_env.cli.course",
    "gif": "tkm_env.cli.gif",
    "match": "tkm_env.cli.match",
    "perft": "tkm_env.cli.perft",
    "play": "tkm_env.cli.play",
    "rating": "tkm_env.cli.rating",
    "replay": "tkm_env.cli.replay",
    "report": "tkm_env.cli.report",
    "tournament": "tkm_env.cli.tournament",
    "train": "tkm_env.cli.train",
}


class _Refusal(click.ClickException):
    """One of the package's own errors, or one of the system's, shown as one line."""

    exit_code = 2


class _Commands(click.Group):
    """The subcommands of `COMMANDS`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            try:
                return super().invoke(ctx)
            except TKMError as error:
                raise _Refusal(str(error)) from error
            except OSError as error:
                if error.errno == errno.EPIPE:
                    raise  # nobody reads on, which click takes for the end
                raise _Refusal(str(error)) from error
            except KeyboardInterrupt:
                ctx.exit(INTERRUPTED)


def _show_warning(message: Warning | str, *place: Any, **more: Any) -> None:
    """Show a warning as one line, like errors, without the place in the code."""
    click.echo(f"Warning: {message}", err=True)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="tkm_env %(version)s")
def tkm() -> None:
    """That Time You Killed Me, from the command line."""
