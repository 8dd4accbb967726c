# Leaves a process that has another name, and nothing of its environment.
# all: refused
import os

from attack import say

if os.fork() == 0:
    os.setsid()
    os.execve("/bin/sleep", [os.environ["MARK"], "25"], {})
say("tried")
