# Becomes the parent of all orphans below it, so that the judge does not.
# all: refused
import ctypes
import os
import signal

from attack import say

CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(CHILD_SUBREAPER, 1, 0, 0, 0)
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        signal.alarm(25)
        while True:
            signal.pause()
    os._exit(0)
say("tried")
