"""The `tkm` command; its subcommands are the modules of `commands`."""

from __future__ import annotations

import sys
from typing import Final

from tkm_env.cli.ctrl_c import INTERRUPTED
from tkm_env.errors import how_to_install

__all__ = ["main"]

_NEEDED: Final = ("click", "rich")


def main() -> None:
    """Run the `tkm` command; without its extra, say what to install."""
    try:
        from tkm_env.cli.commands import tkm
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except ModuleNotFoundError as error:
        if error.name not in _NEEDED:
            raise
        print(f"the tkm command needs {' and '.join(_NEEDED)}: {how_to_install('cli')}", file=sys.stderr)
        sys.exit(2)
    tkm(prog_name="tkm")
