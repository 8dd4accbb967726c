# Closes its output, and goes on.
# all: fault crash
import os
import time

os.close(1)
time.sleep(20)
