"""The `tkm` command; its subcommands are the modules of `commands`."""

import sys

from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.cli.streams import prepare_streams

__all__ = ["main"]


def main() -> None:
    prepare_streams()
    try:
        from tkm_env.cli.commands import tkm
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    tkm(prog_name="tkm")
