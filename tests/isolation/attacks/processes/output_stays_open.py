# Ends, and leaves a child that keeps its output open.
# all: refused or fault crash
import os
import signal
import time

if os.fork() == 0:
    os.setsid()
    signal.alarm(25)
    time.sleep(25)
os._exit(0)
