"""Run a notebook as Jupyter does, cell by cell, in its folder, and print what it shows: ``python -m tests.notebooks FILE``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell


def main(path: Path) -> None:
    """Run a notebook; raises what a cell raises, and a `RuntimeError` if a command of one fails."""
    os.chdir(path.parent)
    shell = InteractiveShell.instance()
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"]), store_history=True).raise_error()
            if shell.user_ns.pop("_exit_code", 0):
                raise RuntimeError(f"a command failed in the cell {''.join(cell['source'])!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
