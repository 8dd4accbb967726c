# Kills its own group of processes, in case the judge is in it.
# all: fault crash
import os
import signal

os.killpg(0, signal.SIGKILL)
