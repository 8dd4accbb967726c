# Reads shared memory of the judge's that has a name.
# process: reached; restricted, sandbox: refused
import os

open(f"/dev/shm/{os.environ['MARK']}").read()
