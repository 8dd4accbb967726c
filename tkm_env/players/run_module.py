"""Runs a module of this package as a program: ``python run_module.py MODULE ARGUMENTS``.

The package is the one that contains this file; the folder around it need neither be on Python's
path nor be readable. The program ends without Python's usual cleanup, since taking down the
compiler takes a third of a second of CPU time.
"""

import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import TracebackType
from typing import NoReturn

_NAME = "tkm_env"
_PACKAGE = Path(__file__).absolute().parents[1]


def load_package() -> None:
    """Import the package that contains this file."""
    spec = importlib.util.spec_from_file_location(
        _NAME, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_NAME] = module
    spec.loader.exec_module(module)


def end_after_error(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    """Print the traceback, as Python does, and end this process.

    Args:
        kind: the class of the error.
        error: the error.
        traceback: where it was raised.
    """
    sys.__excepthook__(kind, error, traceback)
    end_at_once(1)


def end_at_once(code: str | int | None) -> NoReturn:
    """End this process as `sys.exit` does, but without Python's cleanup."""
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    sys.stderr.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


def main() -> None:
    """Run the function ``main`` of the module named first, with the remaining arguments."""
    module, *arguments = sys.argv[1:]
    if not sys.flags.safe_path:
        sys.path[0] = ""  # where the program is run, not where this file is
    load_package()
    sys.excepthook = end_after_error
    code: str | int | None = None
    try:
        importlib.import_module(module).main(arguments)
    except SystemExit as ended:
        code = ended.code
    sys.stdout.flush()
    end_at_once(code)


if __name__ == "__main__":
    main()
