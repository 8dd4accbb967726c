# Closes all three streams, and goes on.
# all: fault crash
import os
import time

for number in range(3):
    os.close(number)
time.sleep(20)
