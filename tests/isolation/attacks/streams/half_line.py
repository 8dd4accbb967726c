# Writes half a line and sleeps.
# all: fault timeout
import os
import time

os.write(1, b"reach")
time.sleep(20)
