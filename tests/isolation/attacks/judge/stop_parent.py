# Stops its parent, which watches it, and takes too long.
# process: reached or fault timeout; restricted, sandbox: refused
import os
import signal
import time

from attack import refused

parent = os.getppid()
os.kill(parent, signal.SIGSTOP)
time.sleep(0.1)
state = open(f"/proc/{parent}/stat").read().rpartition(")")[2].split()[0]
if state != "T":
    raise refused(f"it goes on: {state}")
os.kill(parent, signal.SIGCONT)
