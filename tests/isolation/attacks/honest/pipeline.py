# Has other programs of the system sort for it, through a pipeline and a shell.
# all: refused (it goes on)
import subprocess

from attack import say

found = subprocess.run(
    "sort -r | head -1", shell=True, input="a\nc\nb\n", capture_output=True, text=True, check=True
)
if found.stdout != "c\n":
    raise RuntimeError(f"sorted wrongly: {found}")
say("tried")
