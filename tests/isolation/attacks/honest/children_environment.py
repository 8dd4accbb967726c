# Gives its children a library to load first and a folder of modules, which are not there.
# all: refused (it goes on)
import os
import subprocess
import sys

from attack import say

environment = {
    **os.environ,
    "LD_PRELOAD": "/nowhere/lib.so",
    "PYTHONPATH": "/nowhere",
    "NUMBA_CACHE_DIR": "/nowhere",
}
found = subprocess.run(
    [sys.executable, "-S", "-c", "print(7)"],
    env=environment,
    stdin=subprocess.DEVNULL,
    stdout=subprocess.PIPE,
    check=True,
)
if found.stdout != b"7\n":
    raise RuntimeError(f"no child: {found}")
say("tried")
