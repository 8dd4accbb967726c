# Locks its output, so that whoever writes there or reads must wait.
# all: refused
import fcntl
from contextlib import suppress

from attack import say

for number in range(3):
    with suppress(OSError):
        fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
say("tried")
