# Multiplies matrices with numpy, which starts a thread for each core.
# all: refused (it goes on)
import sys
from pathlib import Path

from attack import say

libraries = [*Path(sys.executable).parents[1].glob("lib/python*/site-packages")]
sys.path += map(str, libraries)
try:
    import numpy
except ImportError:
    say("tried")
else:
    ones = numpy.ones((600, 600))
    if (ones @ ones).sum() != 600**3:
        raise RuntimeError("a wrong product")
    say("tried")
