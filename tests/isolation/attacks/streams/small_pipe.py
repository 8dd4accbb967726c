# Makes the pipe to the judge as small as can be, or as large.
# all: refused
import fcntl
from contextlib import suppress

from attack import say

for size in (4096, 1 << 20):
    for number in range(3):
        with suppress(OSError):
            fcntl.fcntl(number, fcntl.F_SETPIPE_SZ, size)
say("tried")
