# Writes a log of two megabytes to its standard error, in lines of 60 KB, before its answer.
# all: refused (it goes on)
import sys

from attack import say

for number in range(34):
    sys.stderr.write(f"debug {number} {'x' * 60_000}\n")
say("tried")
