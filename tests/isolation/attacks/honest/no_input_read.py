# Reads its input line by line in a thread, and ends in the midst of that.
# all: fault crash
import os
import sys
import threading
import time

threading.Thread(target=sys.stdin.readline).start()
time.sleep(0.2)
os._exit(0)
