# Kills the first process that it sees.
# all: refused
import os
import signal
import time

from attack import say

os.kill(1, signal.SIGKILL if os.getppid() == 1 else 0)
time.sleep(0.2)
say("tried")
