"""Runs ``main`` of a module beside this file, in a new Python.

``python -I -S bare_python.py MODULE ARGUMENTS`` imports ``tkm_env.isolation.MODULE`` without the
package around it, whose import would take longer than everything that is done here. Only this file
is compiled at every start, so it is short.
"""

import os
import sys
from types import ModuleType


def main() -> None:
    """Run the module that the first argument names, with the other arguments."""
    module = f"tkm_env.isolation.{sys.argv.pop(1)}"
    package = ModuleType("tkm_env")
    package.__path__ = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
    sys.modules["tkm_env"] = package
    __import__(module)
    sys.modules[module].main()


if __name__ == "__main__":
    main()
