# Changes machine code that other programs run.
# process: reached; restricted, sandbox: refused
import os

with open(os.environ["CACHE"], "ab") as code:
    code.write(b"\x90")
