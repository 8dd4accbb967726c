# Reads the judge's environment, where its keys are.
# process: reached; restricted, sandbox: refused
import os

from attack import refused

if b"secret" not in open(f"/proc/{os.environ['JUDGE']}/environ", "rb").read():
    raise refused("it is not there")
