# Exchanges its input and its output.
# all: fault crash
import os
import time

os.dup2(0, 1)
os.write(1, b"reached\n")
time.sleep(5)
