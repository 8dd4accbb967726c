# Writes what is no text.
# all: fault protocol
import os
import time

os.write(1, bytes(range(256)) + b"\n")
time.sleep(2)
