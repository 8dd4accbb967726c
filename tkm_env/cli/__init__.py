"""The command `tkm`; `tkm_env.cli.root_command` finds its subcommands, by entry points."""

import sys

from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.cli.streams import prepare_streams

__all__ = ["main"]


def main() -> None:
    """Run `tkm` with the arguments of this process."""
    prepare_streams()
    try:
        from tkm_env.cli.root_command import tkm
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    tkm(prog_name="tkm")
