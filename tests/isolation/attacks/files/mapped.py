# Writes the results as shared memory.
# process: reached; restricted, sandbox: refused
import mmap
import os

with open(os.environ["RESULTS"], "r+b") as results, mmap.mmap(results.fileno(), 4) as content:
    content[:4] = b"mine"
