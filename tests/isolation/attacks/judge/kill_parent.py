# Kills its parent, which watches it.
# process: fault crash; restricted, sandbox: refused
import os
import signal
import time

from attack import say

os.kill(os.getppid(), signal.SIGKILL)
time.sleep(0.2)
say("tried")
