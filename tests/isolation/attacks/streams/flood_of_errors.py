# Writes 100 MB to its standard error.
# all: refused
import os

from attack import say

for _ in range(1600):
    os.write(2, b"x" * 65536)
say("tried")
