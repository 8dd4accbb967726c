# Finds an error in itself, says so and ends with a picture of its memory.
# all: fault crash
import os
import sys

print("bot: search.cpp:1234: Assertion `depth > 0' failed.", file=sys.stderr, flush=True)
os.abort()
