# Gets rights from a program that has them in its attributes, as ping does.
# process: reached; process without root: refused; restricted, sandbox: refused
import os
import subprocess
from contextlib import suppress

from attack import refused

with suppress(OSError):
    os.setresuid(65534, 65534, 65534)  # root would get no more than it has
said = subprocess.run(
    [os.environ["CAPABLE"], "/proc/self/status"], capture_output=True, text=True, check=False
).stdout
rights = next((line.split()[1] for line in said.splitlines() if line.startswith("CapPrm")), "0")
if not int(rights, 16):
    raise refused("it gets none")
