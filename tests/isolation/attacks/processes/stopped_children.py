# Leaves children that are stopped.
# all: refused
import os
import signal

from attack import say

for _ in range(5):
    if os.fork() == 0:
        os.setsid()
        os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
say("tried")
