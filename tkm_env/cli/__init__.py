"""The `tkm` command; its subcommands are the modules of `commands`."""

import sys

from tkm_env.cli.ctrl_c import INTERRUPTED

__all__ = ["main"]


def main() -> None:
    try:
        from tkm_env.cli.commands import tkm
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    tkm(prog_name="tkm")
