# Gets rights from a program that has them in its attributes, as ping does.
# process: reached; process without root: refused; restricted, sandbox: refused
import os
import subprocess

from attack import refused

said = subprocess.run([os.environ["CAPABLE"], "/proc/self/status"], capture_output=True, text=True, check=False).stdout
rights = next((line.split()[1] for line in said.splitlines() if line.startswith("CapEff")), "0")
if not int(rights, 16):
    raise refused("it gets none")
