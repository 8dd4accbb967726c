# Closes its standard error, as background programs do, and then opens a file in its place.
# all: refused (it goes on)
import os
import sys
from pathlib import Path

from attack import say

os.close(2)
file = Path(os.environ["TMPDIR"], "log").open("w")
if file.fileno() != 2:
    raise RuntimeError("another file was there")
print("written into the file", file=sys.stderr, flush=True)
say("tried")
