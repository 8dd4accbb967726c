# Makes the pipe to the judge as small as can be, or as large.
# all: refused
import fcntl

from attack import say

for size in (4096, 1 << 20):
    for number in range(3):
        try:
            fcntl.fcntl(number, fcntl.F_SETPIPE_SZ, size)
        except OSError:
            pass
say("tried")
