"""Run a notebook as Jupyter does: ``python -m tests.notebooks FILE``.

It runs cell by cell in the notebook's folder, and prints what the notebook shows.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from IPython.core.interactiveshell import InteractiveShell


def main(path: Path) -> None:
    """Run a notebook.

    Raises:
        RuntimeError: a command of a cell failed. What a cell raises is raised as it is.
    """
    os.chdir(path.parent)
    shell = InteractiveShell.instance()
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            shell.run_cell("".join(cell["source"]), store_history=True).raise_error()
            if shell.user_ns.pop("_exit_code", 0):
                raise RuntimeError(f"a command failed in the cell {''.join(cell['source'])!r}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
