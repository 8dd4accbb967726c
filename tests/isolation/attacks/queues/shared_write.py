# Writes shared memory of the judge's that has a name.
# process: reached; restricted, sandbox: refused
import os

with open(f"/dev/shm/{os.environ['MARK']}", "r+") as shared:
    shared.write("mine")
