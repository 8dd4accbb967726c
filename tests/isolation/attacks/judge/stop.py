# Stops the judge.
# process: reached; restricted, sandbox: refused
import os
import signal
import time

os.kill(int(os.environ["JUDGE"]), signal.SIGSTOP)
time.sleep(0.1)
