# Writes 100 MB of output.
# all: fault output
import sys

while True:
    sys.stdout.write("x" * 65536)
