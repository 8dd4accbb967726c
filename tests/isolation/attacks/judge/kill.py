# Kills the judge.
# process: reached; restricted, sandbox: refused
import os
import signal
import time

os.kill(int(os.environ["JUDGE"]), signal.SIGKILL)
time.sleep(0.1)
