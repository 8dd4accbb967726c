# Closes its input, and says nothing.
# all: fault timeout
import os
import time

os.close(0)
time.sleep(20)
