# Leaves a process that does not end with its parent, and ends itself.
# all: refused or fault crash
import ctypes
import os
import signal

from attack import say

PDEATHSIG = 1
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).prctl(PDEATHSIG, 0, 0, 0, 0)
    signal.alarm(25)
    while True:
        signal.pause()
say("tried")
os._exit(0)
