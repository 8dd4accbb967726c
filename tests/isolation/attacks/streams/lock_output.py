# Locks its output, so that whoever writes there or reads must wait.
# all: refused
import fcntl

from attack import say

for number in range(3):
    try:
        fcntl.lockf(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pass
say("tried")
