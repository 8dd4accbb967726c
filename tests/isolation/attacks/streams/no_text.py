# Writes bytes that are not text.
# all: fault protocol
import os
import time

os.write(1, b"reached \xff\xfe\n")
time.sleep(2)
