# Starts a helper, talks with it by pipes, forgets it, and ends when its input ends.
# all: refused (the helper ends with it)
import subprocess
import sys

from attack import say

code = "import sys, time; print(sys.stdin.readline(), flush=True); time.sleep(25)"
helper = subprocess.Popen(
    [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
helper.stdin.write("hello\n")
helper.stdin.flush()
if helper.stdout.readline() != "hello\n":
    raise RuntimeError("the helper does not answer")
say("tried")
