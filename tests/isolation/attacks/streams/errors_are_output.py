# Has its standard error and its output change places, and writes 100 MB of errors.
# all: fault output
import os

spare = os.dup(1)
os.dup2(2, 1)
os.dup2(spare, 2)
for _ in range(100):
    os.write(2, b"x" * (1 << 20))
