# Gets the rights of another user from a program that gives them, as sudo does.
# process: reached; restricted, sandbox: refused
import os
import subprocess

from attack import refused

said = subprocess.run([os.environ["ELEVATED"]], capture_output=True, text=True, check=False).stdout
if "euid=" not in said and "uid=0" not in said:
    raise refused(f"it gets none: {said}")
