# Gets the rights of another user from a program that gives them, as sudo does.
# process: reached; process without root: refused; restricted, sandbox: refused
import os
import subprocess
from contextlib import suppress

from attack import refused

with suppress(OSError):
    os.setresuid(65534, 65534, 65534)  # root would get no more than it has
said = subprocess.run([os.environ["ELEVATED"]], capture_output=True, text=True, check=False).stdout
if "euid=" not in said:
    raise refused(f"it gets none: {said}")
