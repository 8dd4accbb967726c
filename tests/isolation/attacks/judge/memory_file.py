# Writes the judge's memory as a file.
# process: reached; restricted, sandbox: refused
import os

with open(f"/proc/{os.environ['JUDGE']}/mem", "r+b", buffering=0) as memory:
    memory.seek(int(os.environ["STACK"], 16) - 8)
    memory.write(b"mine")
