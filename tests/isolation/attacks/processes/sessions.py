# Leaves processes in sessions of their own, whose parents are gone.
# all: refused
import os
import signal

from attack import say

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.alarm(25)
            while True:
                signal.pause()
        os._exit(0)
say("tried")
